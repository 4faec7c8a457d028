/** What the page and the worker say to each other. */
import type { AnswerOptions, LiveRecognition, RecognizeOptions, Recognition, Rendering, SessionOptions, Stroke, SymbolGuess } from "./types";

/** Calls that are answered. */
export interface Calls {
  load: { args: [model: ArrayBuffer | string, name: string, wasm: string, threads: number]; result: ModelFacts };
  recognize: { args: [strokes: readonly Stroke[], options: RecognizeOptions]; result: Recognition };
  symbol: { args: [strokes: readonly Stroke[], top: number]; result: SymbolGuess[] };
  render: { args: [latex: string]; result: Rendering };
  answer: { args: [session: number, options: AnswerOptions]; result: LiveRecognition };
  choose: { args: [session: number, latex: string, line: number | undefined]; result: LiveRecognition };
  pin: { args: [session: number, ids: readonly string[], latex: string]; result: undefined };
}

/** Changes of a session, which are not answered. */
export interface Changes {
  open: [session: number, options: SessionOptions];
  add: [session: number, id: string, points: Stroke];
  replace: [session: number, id: string, points: Stroke];
  remove: [session: number, ids: readonly string[]];
  clear: [session: number];
  unpin: [session: number, ids: readonly string[] | undefined];
  close: [session: number];
}

export interface ModelFacts {
  name: string;
  sha256: string;
  vocabulary: string[];
  threads: number;
}

export interface Request {
  call?: number; // a number where an answer is wanted
  method: keyof Calls | keyof Changes;
  args: unknown[];
}

export type Response = { call: number; result: unknown } | { call: number; error: { name: string; message: string } };
