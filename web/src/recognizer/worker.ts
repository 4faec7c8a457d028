/** The Web Worker: opens the model, takes requests in the order they come, answers each when it is ready. */
import * as ort from "onnxruntime-web/wasm";
import { Engine } from "./engine";
import { Model } from "./model";
import { ModelError } from "./modelfile";
import type { Calls, Changes, ModelFacts, Request, Response } from "./protocol";

// onnxruntime starts its own threads from this very file; those are not for us.
const isThreadOfRuntime = self.name.startsWith("em-pthread");

let engine: Engine;

type Methods = { [M in keyof Calls]: (...args: Calls[M]["args"]) => Promise<Calls[M]["result"]> | Calls[M]["result"] } & {
  [M in keyof Changes]: (...args: Changes[M]) => void;
};

const methods: Methods = {
  load: async (source, name, wasm, threads) => {
    ort.env.wasm.wasmPaths = { wasm };
    ort.env.wasm.numThreads = threads;
    const model = await Model.load(new Uint8Array(await bytesOf(source)), name);
    engine = new Engine(model);
    return { name, sha256: model.sha256, vocabulary: model.vocabulary, threads } satisfies ModelFacts;
  },
  recognize: (strokes, options) => engine.recognize(strokes, options),
  symbol: (strokes, top) => engine.symbol(strokes, top),
  render: (latex) => engine.render(latex),
  answer: (session, options) => engine.session(session).answer(options),
  choose: (session, latex, line) => engine.session(session).choose(latex, line),
  pin: (session, ids, latex) => void engine.session(session).pin(ids, latex) as undefined,
  open: (session, options) => void engine.open(session, options),
  add: (session, id, points) => engine.session(session).add(id, points),
  replace: (session, id, points) => engine.session(session).replace(id, points),
  remove: (session, ids) => engine.session(session).remove(ids),
  clear: (session) => engine.session(session).clear(),
  unpin: (session, ids) => engine.session(session).unpin(ids),
  close: (session) => engine.close(session),
};

async function bytesOf(source: ArrayBuffer | string): Promise<ArrayBuffer> {
  if (typeof source !== "string") return source;
  const response = await fetch(source);
  if (!response.ok) throw new ModelError(`${source}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

async function handle({ call, method, args }: Request): Promise<void> {
  const reply = (response: Response): void => self.postMessage(response);
  try {
    const result = await (methods[method] as (...args: unknown[]) => unknown)(...args);
    if (call !== undefined) reply({ call, result });
  } catch (error) {
    const { name, message } = error as Error;
    if (call !== undefined) reply({ call, error: { name, message } });
    else throw error;
  }
}

if (!isThreadOfRuntime) self.onmessage = (event: MessageEvent<Request>) => void handle(event.data);
