/** What a pad needs of a recogniser, wherever it runs: on a server, in this browser, in a notebook's kernel. */
import type { Alternative, RecognizedSymbol, Recognition as Answered } from "../recognizer/types";
import type { Stroke } from "./ink";
import type { Pin } from "./notebook";

/** LaTeX in all forms. */
export interface Forms {
  latex: string;
  tokens: string[];
  mathml: string;
  typst: string;
}

export interface Candidate extends Forms {
  score: number;
}

/** A symbol of an answer; `known` is false where it is likely none that the model has learnt. */
export type ReadSymbol = RecognizedSymbol & { known?: boolean };
export type Recognition = Omit<Answered, "symbols" | "schema" | "alternatives"> & {
  symbols?: ReadSymbol[];
  alternatives?: Alternative[];
};

/** One line of the paper as it was read. */
export interface Line {
  /** Ids of its strokes; stroke i of the recognition is `strokes[i]`. */
  strokes: string[];
  recognition: Recognition;
  alternatives: Candidate[];
}

export interface Answer {
  revision: number;
  lines: Line[];
}

/** Where the network looked: per token, per stroke (by its place), 0 to 255 for each point. */
export interface Explanation {
  tokens: string[];
  strokes: string[];
  attention: Record<string, number[]>[];
}

export interface InkFile {
  name: string;
  strokes: number[][][];
}

export type State = "connecting" | "ready" | "offline" | "busy" | "locked";

/**
 * Events: `state` (see `state`), `answer` (CustomEvent of Answer; no lines where there is no ink), `problem`
 * (CustomEvent of words for people), `refused` (CustomEvent of words: a pin could not be kept).
 */
export interface Backend extends EventTarget {
  readonly state: State;
  /** Number of the ink last given; an answer carries the number of the ink it reads. */
  readonly revision: number;
  /** Where recognition happens. */
  readonly place: "device" | "server" | "kernel";
  /** Make the recogniser's ink and pins these. */
  sync(strokes: readonly Stroke[], pins: readonly Pin[]): void;
  /** LaTeX in all forms; rejects with words for people. */
  render(latex: string): Promise<Forms>;
  /** The likeliest commands for strokes that are one symbol; rejects where nobody answers. */
  symbols?(strokes: readonly Stroke[]): Promise<{ latex: string; probability: number }[]>;
  explain?(line?: Line): Promise<Explanation>;
  /** The inks of a file. */
  readInk?(file: File): Promise<InkFile[]>;
  close(): void;
}

/** What turns the ink that a recogniser has into the ink it should have. */
export interface Changes {
  clear: boolean;
  remove: string[];
  replace: Stroke[];
  add: Stroke[];
  pin: Pin[];
}

export interface Known {
  strokes: readonly Stroke[];
  pins: readonly Pin[];
}

/** New strokes go to the end; where the order would be another, or a pin must go, all is written anew. */
export function changes(before: Known, after: Known): Changes {
  const known = new Map(before.strokes.map((stroke) => [stroke.id, stroke]));
  const wanted = new Map(after.strokes.map((stroke) => [stroke.id, stroke]));
  const kept = before.strokes.filter(({ id }) => wanted.has(id));
  // Recognisers give a pin up themselves when one of its strokes goes or is replaced.
  const held = before.pins.filter(({ ids }) => ids.every((id) => known.get(id) === wanted.get(id)));
  const inOrder = kept.every(({ id }, i) => after.strokes[i]?.id === id);
  if (!inOrder || !after.strokes.length || held.some((pin) => !after.pins.includes(pin))) {
    return { clear: before.strokes.length > 0, remove: [], replace: [], add: [...after.strokes], pin: [...after.pins] };
  }
  return {
    clear: false,
    remove: before.strokes.filter(({ id }) => !wanted.has(id)).map(({ id }) => id),
    replace: after.strokes.filter((stroke) => known.has(stroke.id) && known.get(stroke.id) !== stroke),
    add: after.strokes.slice(kept.length),
    pin: after.pins.filter((pin) => !held.includes(pin)),
  };
}
