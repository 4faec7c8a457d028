/** The data that goes in and comes out: strokes, and the answer of schema `inktex.recognition/1`. */

/** One point: x, y (pointing down), and if known time and pressure, which are not read. */
export type Point = readonly number[];
/** One line of the pen, point by point. */
export type Stroke = readonly Point[];

/** One LaTeX word of the answer. */
export interface Token {
  text: string;
  confidence: number;
  strokes: number[];
}

/** One written symbol. */
export interface RecognizedSymbol {
  latex: string;
  strokes: number[];
  confidence: number;
  token: number;
}

/** Another reading. */
export interface Alternative {
  latex: string;
  score: number;
}

/** What was read; see docs/recognition-schema.md. */
export interface Recognition {
  schema: "inktex.recognition/1";
  latex: string;
  score: number;
  tokens: Token[];
  symbols: RecognizedSymbol[];
  alternatives: Alternative[];
  mathml: string;
  typst: string;
  unread: number[];
  reread: number[];
  complete: boolean;
  model: string;
  elapsed: number;
  attention?: number[][];
}

/** LaTeX in the other forms. */
export interface Rendering {
  latex: string;
  tokens: string[];
  mathml: string;
  typst: string;
}

export interface RecognizeOptions {
  /** Readings, the best included. */
  top?: number;
  /** Also give where the network looked: per token, per stroke. */
  attention?: boolean;
  /** Seconds after which the best reading so far is given, with `complete: false`. */
  timeout?: number;
}

/**
 * The ink of one expression while it is written. Strokes have ids of the caller's choice; stroke i of an answer is `strokeIds[i]`.
 * A newer `answer()` makes an older one, still running, reject with `Superseded`. Methods that can be refused reject with an Error
 * whose message is for the person.
 */
export interface LiveSession {
  readonly strokeIds: readonly string[];
  add(id: string, points: Stroke): void;
  replace(id: string, points: Stroke): void;
  remove(ids: readonly string[]): void;
  clear(): void;
  /** Decide what some strokes say. */
  pin(ids: readonly string[], latex: string): Promise<void>;
  /** Give up the pins of these strokes, or all. */
  unpin(ids?: readonly string[]): void;
  /** Take another reading, or LaTeX as a person edited it, for the answer. */
  choose(latex: string): Promise<Recognition>;
  /** Read what is there now. */
  answer(options?: RecognizeOptions): Promise<Recognition>;
  /** LaTeX in all forms; rejects where it is not a formula. */
  render(latex: string): Promise<Rendering>;
  close(): void;
}

/** Why a request has no answer: a newer one came. */
export class Superseded extends Error {
  override name = "Superseded";
}

/** Why an ink, or LaTeX, cannot be read. */
export class InkError extends Error {
  override name = "InkError";
}
