/** The package's front door: `const recognizer = await Recognizer.load(url)`. The work is done in a Web Worker. */
import type { Calls, Changes, ModelFacts, Request, Response } from "./protocol";
import {
  type AnswerOptions,
  InkError,
  type LiveRecognition,
  type LiveSession,
  type RecognizeOptions,
  type Recognition,
  type Rendering,
  type SessionOptions,
  type Stroke,
  Superseded,
  type SymbolGuess,
} from "./types";

export { type LatexStyle, printLatex } from "./print";
export * from "./types";

export interface LoadOptions {
  /** What answers call the model; its file's name unless told. */
  name?: string;
  /** Where `worker.js` is; beside this module unless told. */
  worker?: string | URL;
  /** Where `ort-wasm-simd-threaded.wasm` is; beside this module unless told. */
  wasm?: string | URL;
  /** Threads of the network: 1 unless told, and never more where the page is not cross-origin isolated. */
  threads?: number;
}

/** Reads ink by one model. */
export class Recognizer {
  private readonly open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  private calls = 0;
  private sessions = 0;
  /** Name, SHA-256 and tokens of the model. */
  model!: ModelFacts;

  private constructor(private readonly worker: Worker) {
    worker.onmessage = ({ data }: MessageEvent<Response>) => {
      const waiting = this.open.get(data.call);
      this.open.delete(data.call);
      if ("error" in data) waiting?.reject(asError(data.error));
      else waiting?.resolve(data.result as never);
    };
    worker.onerror = (event) => this.fail(new Error(event.message || "the worker of inktex could not be started"));
  }

  /** Open a model file (`.inktex`): its address, or its bytes. */
  static async load(model: string | URL | ArrayBuffer, options: LoadOptions = {}): Promise<Recognizer> {
    const worker = options.worker
      ? new Worker(options.worker, { type: "module" })
      : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    const wasm = options.wasm ?? new URL("./ort-wasm-simd-threaded.wasm", import.meta.url);
    const source = model instanceof ArrayBuffer ? model : absolute(model);
    const name = options.name ?? (typeof source === "string" ? fileName(source) : "model");
    const threads = globalThis.crossOriginIsolated ? (options.threads ?? 1) : 1;
    const made = new Recognizer(worker);
    try {
      made.model = await made.call("load", source, name, absolute(wasm), threads);
    } catch (error) {
      made.close();
      throw error;
    }
    return made;
  }

  /** Read one expression, or several lines of them: then `lines` of the answer holds each. */
  recognize(strokes: readonly Stroke[], options: RecognizeOptions = {}): Promise<Recognition> {
    return this.call("recognize", strokes, options);
  }

  /** Read the strokes as one symbol; its `top` likeliest commands, best first. */
  symbol(strokes: readonly Stroke[], top = 10): Promise<SymbolGuess[]> {
    return this.call("symbol", strokes, top);
  }

  /** LaTeX in the other forms; rejects where it is not a formula. */
  render(latex: string): Promise<Rendering> {
    return this.call("render", latex);
  }

  /** Begin to write. */
  session(options: SessionOptions = {}): LiveSession {
    const number = this.sessions++;
    this.tell("open", number, options);
    return new Session(this, number);
  }

  /** End the worker; what is still open rejects. */
  close(): void {
    this.worker.terminate();
    this.fail(new Error("the recogniser was closed"));
  }

  /** @internal */
  call<M extends keyof Calls>(method: M, ...args: Calls[M]["args"]): Promise<Calls[M]["result"]> {
    return new Promise((resolve, reject) => {
      const call = this.calls++;
      this.open.set(call, { resolve, reject });
      this.worker.postMessage({ call, method, args } satisfies Request);
    });
  }

  /** @internal */
  tell<M extends keyof Changes>(method: M, ...args: Changes[M]): void {
    this.worker.postMessage({ method, args } satisfies Request);
  }

  private fail(error: Error): void {
    for (const { reject } of this.open.values()) reject(error);
    this.open.clear();
  }
}

/** The ink of a page while it is written; it is kept in the worker, here only its ids. */
class Session implements LiveSession {
  private ids: string[] = [];

  constructor(
    private readonly recognizer: Recognizer,
    private readonly number: number,
  ) {}

  get strokeIds(): readonly string[] {
    return this.ids;
  }

  add(id: string, points: Stroke): void {
    if (this.ids.includes(id)) throw new InkError(`there is a stroke ${id} already`);
    this.ids = [...this.ids, id];
    this.recognizer.tell("add", this.number, id, points);
  }

  replace(id: string, points: Stroke): void {
    this.known([id]);
    this.recognizer.tell("replace", this.number, id, points);
  }

  remove(ids: readonly string[]): void {
    this.known(ids);
    this.ids = this.ids.filter((id) => !ids.includes(id));
    this.recognizer.tell("remove", this.number, ids);
  }

  clear(): void {
    this.ids = [];
    this.recognizer.tell("clear", this.number);
  }

  async pin(ids: readonly string[], latex: string): Promise<void> {
    this.known(ids);
    await this.recognizer.call("pin", this.number, ids, latex);
  }

  unpin(ids?: readonly string[]): void {
    this.recognizer.tell("unpin", this.number, ids);
  }

  choose(latex: string, line?: number): Promise<LiveRecognition> {
    return this.recognizer.call("choose", this.number, latex, line);
  }

  answer(options: AnswerOptions = {}): Promise<LiveRecognition> {
    return this.recognizer.call("answer", this.number, options);
  }

  render(latex: string): Promise<Rendering> {
    return this.recognizer.render(latex);
  }

  close(): void {
    this.recognizer.tell("close", this.number);
  }

  private known(ids: readonly string[]): void {
    for (const id of ids) if (!this.ids.includes(id)) throw new InkError(`there is no stroke ${id}`);
  }
}

function asError({ name, message }: { name: string; message: string }): Error {
  if (name === "Superseded") return new Superseded(message);
  if (name === "InkError") return new InkError(message);
  return Object.assign(new Error(message), { name });
}

/** A worker resolves addresses by its own; the caller means the page's. */
function absolute(address: string | URL): string {
  return new URL(address, globalThis.document?.baseURI ?? globalThis.location?.href).href;
}

function fileName(address: string): string {
  return new URL(address).pathname.split("/").pop()?.replace(/\.inktex$/, "") || "model";
}
