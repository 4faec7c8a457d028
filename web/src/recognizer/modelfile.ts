/**
 * The model file `*.inktex`: a zip, not compressed, whose manifest holds the SHA-256 of every other file. One artefact for Python
 * and for browsers; `inktex/runtime/modelfile.py` documents it.
 */

export class ModelError extends Error {
  override name = "ModelError";
}

export interface MemberConfig {
  vocabulary: string[];
  features: {
    method: "resample" | "polyline";
    spacing: number;
    tolerance: number;
    straight_cosine: number;
    size: "stroke" | "deviation";
  };
  pool_after: number[];
  direction?: "forward" | "backward";
}

export interface Member {
  name: string;
  encoder: string; // the member whose encoder it uses: itself, or one that it shares it with
  graph: Uint8Array; // of the encoder
  decoder: Uint8Array;
  config: MemberConfig;
  weight: number;
}

export interface ModelFile {
  members: Member[];
  card: Record<string, unknown>;
  search: Record<string, unknown>;
  sha256: string;
}

const FORMATS = ["inktex.model/2", "inktex.model/3"]; // in the second, members may share an encoder
const again = "get or export it again";

/** Read a model file and check every part of it against the manifest. */
export async function readModel(bytes: Uint8Array): Promise<ModelFile> {
  const files = unzip(bytes);
  const manifestBytes = files.get("manifest.json");
  if (!manifestBytes) throw new ModelError("not an inktex model file (it has no manifest)");
  const manifest = json(manifestBytes, "manifest.json");
  if (!FORMATS.includes(manifest.format as string))
    throw new ModelError(`the format is '${manifest.format}', this version of inktex reads '${FORMATS.join("' and '")}'; export it again`);
  const digests = Object.entries((manifest.sha256 ?? {}) as Record<string, string>);
  const checked = new Map<string, Uint8Array>();
  for (const [name, digest] of digests) {
    const content = files.get(name);
    if (!content) throw new ModelError(`${name} is missing; ${again}`);
    if ((await sha256(content)) !== digest) throw new ModelError(`${name} is damaged (its SHA-256 differs); ${again}`);
    checked.set(name, content);
  }
  const part = (name: string): Uint8Array => {
    const content = checked.get(name);
    if (!content) throw new ModelError(`${name} is not in the manifest; ${again}`);
    return content;
  };
  const entries = (manifest.members ?? []) as { name: string; weight: number; encoder?: string }[];
  if (!entries.length) throw new ModelError("holds no network");
  if (checked.has("language.npz"))
    throw new ModelError("the model is guided by a language model, which this version does not read in the browser");
  return {
    members: entries.map(({ name, weight, encoder = name }) => ({
      name,
      weight,
      encoder,
      graph: part(`${encoder}/encoder.onnx`),
      decoder: part(`${name}/decoder.onnx`),
      config: json(part(`${name}/config.json`), `${name}/config.json`) as unknown as MemberConfig,
    })),
    card: json(part("card.json"), "card.json"),
    search: checked.has("search.json") ? json(part("search.json"), "search.json") : {},
    sha256: await sha256(manifestBytes),
  };
}

/** The files of a zip in which nothing is compressed, as views of its bytes. */
function unzip(bytes: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const files = new Map<string, Uint8Array>();
  try {
    let end = bytes.length - 22;
    while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
    const count = view.getUint16(end + 10, true);
    let at = view.getUint32(end + 16, true);
    for (let number = 0; number < count; number++) {
      if (view.getUint32(at, true) !== 0x02014b50) throw new RangeError("no entry");
      const nameLength = view.getUint16(at + 28, true);
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
      if (view.getUint16(at + 10, true) !== 0) throw new ModelError(`${name} is compressed; model files are stored plain`);
      const size = view.getUint32(at + 24, true);
      const local = view.getUint32(at + 42, true);
      const begin = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      if (begin + size > bytes.length) throw new RangeError("cut off");
      files.set(name, bytes.subarray(begin, begin + size));
      at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    }
  } catch (error) {
    if (error instanceof ModelError) throw error;
    throw new ModelError(`damaged, or not an inktex model file; ${again}`);
  }
  return files;
}

async function sha256(content: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content as BufferSource));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function json(content: Uint8Array, name: string): Record<string, unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(content)) as Record<string, unknown>;
  } catch {
    throw new ModelError(`${name} is not JSON; ${again}`);
  }
}
