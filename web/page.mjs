// Builds what the Python package carries: the page of the server and the script of the notebook widget. The results are committed,
// so that installing from a checkout needs no Node. `node page.mjs FOLDER` writes below another folder than ../src/inktex.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const source = join(here, "../src/inktex/server/static");
const target = process.argv[2] ?? join(here, "../src/inktex");
const scripts = join(target, "server/static/js");

const common = {
  absWorkingDir: here,
  bundle: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  minify: true,
  platform: "browser",
  legalComments: "none",
  logLevel: "warning",
  loader: { ".css": "text" },
};

rmSync(scripts, { recursive: true, force: true });
mkdirSync(scripts, { recursive: true });
await build({
  ...common,
  entryPoints: { page: join(here, "src/page/main.ts"), docs: join(here, "src/page/docs.ts") },
  outdir: scripts,
  splitting: true,
  chunkNames: "part-[hash]",
});
// The recogniser for pages that read by themselves, and its runtime, compressed: 14 MB would make the package twice as large.
await build({ ...common, entryPoints: { worker: join(here, "src/recognizer/worker.ts") }, outdir: scripts });
const runtime = readFileSync(join(here, "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm"));
const compressed = "runtime/ort-wasm-simd-threaded.wasm.gz";
const known = existsSync(join(source, compressed)) ? readFileSync(join(source, compressed)) : null;
mkdirSync(join(target, "server/static/runtime"), { recursive: true });
// Another version of zlib gives other bytes: what is there is kept as long as it holds the same.
const same = known !== null && gunzipSync(known).equals(runtime);
writeFileSync(join(target, "server/static", compressed), same ? known : gzipSync(runtime, { level: 9 }));
writeFileSync(join(target, "server/static/runtime/THIRD-PARTY.txt"), readFileSync(join(here, "THIRD-PARTY.md")));

// The notebook recognises in its kernel, and its script may be loaded as no module: it needs no address of its own.
await build({
  ...common,
  entryPoints: [join(here, "src/notebook/widget.ts")],
  outfile: join(target, "notebook/canvas.js"),
  define: { "import.meta.url": '""' },
});

// The service worker knows all files of the page and a hash of them: another hash is another version. Its first line says both, so
// that `inktex site` can write another one.
const ON_USE = ["index.html", "docs.html", "js/worker.js"];
const files = [
  ...readdirSync(source, { recursive: true }).filter((name) => /\.(html|css|svg|json|woff2|png)$/.test(name)).map((name) => [name, join(source, name)]),
  ...readdirSync(scripts).map((name) => [`js/${name}`, join(scripts, name)]),
].sort(([a], [b]) => (a < b ? -1 : 1));
const hash = createHash("sha256");
for (const [name, path] of files) hash.update(name).update(readFileSync(path));
const names = ["./", ...files.map(([name]) => name.replaceAll("\\", "/")).filter((name) => !ON_USE.includes(name) && !name.startsWith("icon-"))];
const kept = { version: hash.digest("hex").slice(0, 12), files: names, large: {} };
await build({
  ...common,
  entryPoints: [join(here, "src/page/sw.ts")],
  outfile: join(target, "server/static/sw.js"),
  format: "iife",
  banner: { js: `const KEPT=${JSON.stringify(kept)};` },
});
console.log(`page: ${files.length} files, built into ${relative(process.cwd(), target) || "."}`);
