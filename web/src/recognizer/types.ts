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
  /** False where the ink looks like no symbol of the model, so that what was read is a guess. */
  known: boolean;
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
  /** Only where the ink has several lines, from top to bottom; the other fields are those of all together. */
  lines?: Line[];
}

/** One line of an ink that has several. */
export interface Line {
  /** Of the ink; strokes in the recognition are places in this list. */
  strokes: number[];
  recognition: Recognition;
}

/** A line while a page is written. */
export interface LiveLine extends Line {
  /** A number that stays as long as the line does. */
  line: number;
  /** Grows with every change of its strokes or its answer. */
  version: number;
}

/** What was read of a page that is being written. */
export interface LiveRecognition extends Recognition {
  lines?: LiveLine[];
  /** Lines that could not be read; they are missing in `lines`. */
  unreadable?: (Omit<LiveLine, "recognition"> & { error: string })[];
}

/** LaTeX in the other forms. */
export interface Rendering {
  latex: string;
  tokens: string[];
  mathml: string;
  typst: string;
}

/** A symbol that a drawing could be. */
export interface SymbolGuess {
  latex: string;
  /** Among all symbols of the model that can be drawn alone. */
  probability: number;
}

export interface AnswerOptions {
  /** Readings, the best included. */
  top?: number;
  /** Also give where the network looked: per token, per stroke. */
  attention?: boolean;
  /** Seconds after which the best reading so far is given, with `complete: false`. */
  timeout?: number;
}

/** How ink is read. */
export interface SessionOptions {
  /** False reads all strokes as one expression; lines are told apart unless told. */
  lines?: boolean;
  /** Only these: LaTeX words and names of groups, as `"all -greek"`; a minus excludes. All that the model knows unless told. */
  symbols?: string | readonly string[];
}

export interface RecognizeOptions extends AnswerOptions, SessionOptions {}

/**
 * The ink of a page while it is written; lines that have not changed are not read again. Strokes have ids of the caller's choice; stroke i of an answer is `strokeIds[i]`.
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
  /** Take another reading, or LaTeX as a person edited it, for the answer of a line; `line` is its number, where there are several. */
  choose(latex: string, line?: number): Promise<LiveRecognition>;
  /** Read what is there now. */
  answer(options?: AnswerOptions): Promise<LiveRecognition>;
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
