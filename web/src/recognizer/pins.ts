/**
 * What a person decided stays decided: strokes that are pinned to LaTeX, and a stepper whose hypotheses, as soon as they look at
 * those strokes, may write nothing but the pinned tokens there. A port of `inktex/recognizer/pins.py`.
 */
import type { Features } from "./features";
import type { Grammar } from "./grammar";
import { inkPlaces, LatexError, parseLayout } from "./layout";
import { normalize } from "./normalize";
import type { Hypothesis, StepOutput, Stepper } from "./search";

const LOOKING = 0.5; // share of the attention that means a hypothesis is reading these strokes
const NEVER = -1000; // log probability of what a pin rules out
const REREAD = -5; // added to symbols that would be read once more from strokes that are written already
const LEADING = ["{", "}", "^", "_"];

/** Strokes and what they say. What was typed rather than written is searched as a stand-in. */
export interface Pin {
  strokes: Set<number>;
  texts: string[];
  ids: number[];
  foreign: boolean; // searched as a stand-in
}

/** Make a pin of LaTeX that is whole in itself. */
export function makePin(strokes: Iterable<number>, latex: string, vocabulary: string[], grammar: Grammar): Pin {
  const mine = new Set(strokes);
  if (!mine.size) throw new LatexError("a pin needs at least one stroke");
  const texts = normalize(latex);
  if (!texts.length) throw new LatexError("a pin needs LaTeX that writes something");
  const partial = new LatexError(`'${latex}' is not a whole expression, so it cannot be pinned`);
  if (!isWhole(texts)) throw partial;
  const ids = texts.map((text) => vocabulary.indexOf(text));
  const unknown = ids.includes(-1);
  if (!unknown && !grammar.accepts(ids)) throw partial;
  const written = inkPlaces(texts);
  if (unknown || written.length > mine.size) {
    // Searched as one symbol: what has no ink of its own would be looked for in the ink of others.
    const own = written.slice(0, 1).map((place) => ids[place]).filter((id) => id > 0 && grammar.accepts([id]));
    const standIn = [...own, ...["x", "1"].map((token) => vocabulary.indexOf(token))].find((id) => id > 0) ?? 1;
    return { strokes: mine, texts, ids: [standIn], foreign: true };
  }
  return { strokes: mine, texts, ids, foreign: false };
}

/** Can these tokens stand by themselves? */
export function isWhole(texts: readonly string[]): boolean {
  if (!texts.length || LEADING.includes(texts[0])) return false;
  try {
    parseLayout(texts);
    return true;
  } catch (error) {
    if (error instanceof LatexError) return false;
    throw error;
  }
}

/** How far a hypothesis is with the pins. */
interface Progress {
  done: Set<number>; // pins that are written
  writing: number; // the pin being written, or -1
  place: number; // its next token
  offered: number[]; // pins that could begin with the token that comes next
}

interface PinnedState<Inner> {
  inner: Inner;
  progress: Progress[];
}

/** A stepper that keeps to the pins. */
export class PinnedStepper<Inner> implements Stepper<PinnedState<Inner>> {
  readonly size: number;
  private readonly shares: Float64Array[];
  private readonly leading: number[];

  constructor(
    private readonly stepper: Stepper<Inner>,
    private readonly pins: Pin[],
    vocabulary: string[],
    features: Features,
    stride: number,
  ) {
    this.size = stepper.size;
    this.shares = pins.map((pin) => pinShares(pin, features, stride));
    this.leading = LEADING.map((token) => vocabulary.indexOf(token)).filter((id) => id >= 0);
  }

  begin(inner: Inner): PinnedState<Inner> {
    return { inner, progress: [{ done: new Set(), writing: -1, place: 0, offered: [] }] };
  }

  async step(state: PinnedState<Inner>, tokens: number[]): Promise<StepOutput<PinnedState<Inner>>> {
    const output = await this.stepper.step(state.inner, tokens);
    const logProbs = output.logProbs.slice();
    const width = output.attention.length / tokens.length;
    const progress = state.progress.map((before, row) => {
      const after = this.after(before, tokens[row]);
      const looks = this.shares.map((share) => dot(share, output.attention.subarray(row * width, (row + 1) * width)));
      return this.restrict(after, looks, logProbs.subarray(row * this.size, (row + 1) * this.size));
    });
    return { logProbs, attention: output.attention, state: { inner: output.state, progress } };
  }

  select({ inner, progress }: PinnedState<Inner>, rows: number[]): PinnedState<Inner> {
    return { inner: this.stepper.select(inner, rows), progress: rows.map((row) => progress[row]) };
  }

  /** Take note of the token that was chosen. */
  private after({ done, writing, place, offered }: Progress, token: number): Progress {
    let pin = writing;
    if (pin < 0) {
      pin = offered.find((each) => this.pins[each].ids[0] === token) ?? -1;
      place = 0;
      if (pin < 0) return { done, writing: -1, place: 0, offered: [] };
    }
    if (place + 1 === this.pins[pin].ids.length)
      return { done: new Set([...done, pin]), writing: -1, place: 0, offered: [] };
    return { done, writing: pin, place: place + 1, offered: [] };
  }

  /** Change the log probabilities of one row in place; note which pins may begin now. */
  private restrict(progress: Progress, looks: number[], row: Float32Array): Progress {
    if (progress.writing >= 0) {
      row.fill(NEVER);
      row[this.pins[progress.writing].ids[progress.place]] = 0;
      return progress;
    }
    const lookedAt = looks.indexOf(Math.max(...looks));
    const reading = looks[lookedAt] >= LOOKING;
    if (reading && progress.done.has(lookedAt))
      for (let id = 1; id < row.length; id++) if (!this.leading.includes(id)) row[id] += REREAD;
    const waiting = this.pins.map((_, pin) => pin).filter((pin) => !progress.done.has(pin));
    if (!waiting.length) return progress;
    if (reading && waiting.includes(lookedAt)) return this.offer(progress, [lookedAt], row);
    if (row.every((value) => value <= row[0])) return this.offer(progress, waiting, row); // it would end with pins unwritten
    row[0] = NEVER;
    return progress;
  }

  /** Allow the first tokens of these pins, and what leads to them. */
  private offer(progress: Progress, pins: number[], row: Float32Array): Progress {
    const leading = this.leading.map((id) => row[id]);
    row.fill(NEVER);
    this.leading.forEach((id, i) => (row[id] = leading[i]));
    const rest = Math.log(Math.max(1 - leading.reduce((sum, value) => sum + Math.exp(value), 0), 1e-3));
    for (const pin of pins) row[this.pins[pin].ids[0]] = rest;
    return { ...progress, offered: pins };
  }
}

/** (L,) how much of each annotation was made from the strokes of a pin. */
function pinShares(pin: Pin, features: Features, stride: number): Float64Array {
  const shares = new Float64Array(Math.ceil(features.count / stride));
  const sizes = new Float64Array(shares.length);
  features.stroke.forEach((stroke, row) => {
    sizes[Math.floor(row / stride)]++;
    shares[Math.floor(row / stride)] += +pin.strokes.has(stroke);
  });
  return shares.map((share, i) => share / sizes[i]);
}

/** Where a hypothesis wrote a pin: the place with its tokens that looked at its strokes most; -1 if nowhere. */
export function findPin(pin: Pin, { tokens, attention }: Hypothesis, features: Features, stride: number): number {
  const shares = pinShares(pin, features, stride);
  let [best, most] = [-1, -Infinity];
  for (let start = 0; start + pin.ids.length <= tokens.length; start++) {
    if (!pin.ids.every((id, i) => tokens[start + i] === id)) continue;
    const looks = pin.ids.reduce((sum, _, i) => sum + dot(shares, attention[start + i]), 0);
    if (looks > most) [best, most] = [start, looks];
  }
  return best;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
