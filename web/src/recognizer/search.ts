/**
 * Beam search over one expression (the paper's section III), with the product's rules: only well-formed LaTeX, hypotheses far
 * behind the best are given up, the greedy one is carried along. A port of `inktex/decoding/beam.py`.
 */
import type { GrammarState } from "./grammar";
import { Superseded } from "./types";

export interface StepOutput<State> {
  logProbs: Float32Array; // (rows, K) of the next token
  attention: Float32Array; // (rows, L)
  state: State;
}

/** A model that decodes step by step; a row is one hypothesis. */
export interface Stepper<State = unknown> {
  readonly size: number; // K
  step(state: State, tokens: number[]): Promise<StepOutput<State>>;
  select(state: State, rows: number[]): State;
}

/** Which tokens may follow; the grammar, or nothing at all. */
export interface Rules<At> {
  readonly start: At;
  /** Tokens that are missing at least before the end mark may come. */
  shortestEnd(state: At): number;
  /** 1 for the tokens that may come next, if `budget` tokens, this one included, are all there may be. */
  maskWithin(state: At, budget: number): Uint8Array;
  advance(state: At, token: number): At;
}

/** Everything is allowed, for a vocabulary of this size. */
export function anything(size: number): Rules<null> {
  const all = new Uint8Array(size).fill(1);
  const end = Uint8Array.from(all, (_, token) => +(token === 0));
  return { start: null, shortestEnd: () => 0, maskWithin: (_, budget) => (budget > 0 ? all : end), advance: () => null };
}

export interface SearchOptions {
  beam: number;
  top: number;
  maxLength: number;
  lengthHandling: "none" | "normalise" | "reward";
  lengthWeight: number;
  horizon: number;
  backwardWeight: number; // of the score of a reader from right to left, where there is one
  backwardBeam: number; // hypotheses of its own search; 0: it only scores
  prune: number;
  permitted: Uint8Array | null; // (K,) tokens that may be written at all
}

/** One finished answer of a search. */
export interface Hypothesis {
  tokens: number[]; // ids, without the end mark
  logProb: number; // of the model, summed over the tokens and the end mark
  score: number; // what answers are ranked by
  tokenLogProbs: Float32Array; // (T+1,), the end mark last
  attention: Float32Array[]; // T+1 rows of L
  cut: boolean; // its end may have been forced by length or time
}

export interface Limits {
  cancelled?: () => boolean; // asked between steps
  deadline?: number; // of performance.now()
  breathe?: () => Promise<void>; // lets messages in
}

export const LOWEST_LOG_PROB = -1000; // a token without any probability may be the only one that keeps the LaTeX well-formed

interface Choice {
  place: number; // row * K + token
  total: number;
}

interface Finished {
  score: number;
  step: number;
  choice: number;
  cut: boolean;
}

interface PastStep {
  parents: number[];
  rows: number[];
  tokens: number[];
  logProbs: number[];
  attention: Float32Array;
  width: number; // of a row of attention
}

/** What answers are ranked by: a sum over `count` tokens, the end mark included. */
export function rank(options: SearchOptions, total: number, count: number): number {
  if (options.lengthHandling === "normalise") return total / count ** options.lengthWeight;
  if (options.lengthHandling === "reward") return total + options.lengthWeight * count;
  return total;
}

/** Best score that a sum over `count` tokens may still reach when it ends within `longest` tokens. */
function bound(options: SearchOptions, total: number, count: number, longest: number): number {
  if (options.lengthHandling === "none") return total;
  return Math.max(rank(options, total, count + 1), rank(options, total, Math.max(longest, count + 1)));
}

/** Let messages in; rejects with `Superseded` once `cancelled` says so. */
export async function watch({ breathe, cancelled }: Limits): Promise<void> {
  await breathe?.();
  if (cancelled?.()) throw new Superseded("a newer request came");
}

/** Up to `options.top` answers, best first. */
export async function beamSearch<State, At = GrammarState>(
  stepper: Stepper<State>,
  start: State,
  grammar: Rules<At>,
  options: SearchOptions,
  limits: Limits = {},
): Promise<Hypothesis[]> {
  const search = new Search(stepper, start, grammar, options);
  while (search.alive) {
    await watch(limits);
    if (limits.deadline !== undefined && performance.now() >= limits.deadline) search.hurry();
    if (search.alive) await search.step();
  }
  return search.answers();
}

class Search<State, At> {
  private beam: number;
  private limit: number;
  private count = 0; // tokens of every hypothesis so far
  private readonly past: PastStep[] = [];
  private readonly finished: Finished[] = []; // best first
  private toBeat = -Infinity; // score of the last answer to be given, once there are enough
  private bestTotal = -Infinity; // of finished hypotheses
  // One entry per hypothesis:
  private tokens = [0];
  private totals = [0];
  private states: At[];
  private origins = [0]; // the choice of the step before
  private greedy = 0; // the row of the greedy hypothesis, -1 when it is gone

  constructor(
    private readonly stepper: Stepper<State>,
    private model: State,
    private readonly grammar: Rules<At>,
    private readonly options: SearchOptions,
  ) {
    this.beam = options.beam;
    this.limit = options.maxLength;
    this.states = [grammar.start];
  }

  get alive(): boolean {
    return this.tokens.length > 0;
  }

  async step(): Promise<void> {
    const output = await this.stepper.step(this.model, this.tokens);
    const size = this.stepper.size;
    const remaining = this.limit - this.count;
    const { chosen, greedy } = this.choose(output.logProbs, remaining);
    this.count++;
    const rows = chosen.map(({ place }) => Math.floor(place / size));
    const tokens = chosen.map(({ place }) => place % size);
    this.past.push({
      parents: rows.map((row) => this.origins[row]),
      rows,
      tokens,
      logProbs: chosen.map(({ place }) => output.logProbs[place]),
      attention: output.attention,
      width: output.attention.length / this.tokens.length,
    });
    let best = chosen.reduce((most, { total }) => Math.max(most, total), -Infinity);
    chosen.forEach(({ total }, number) => {
      if (tokens[number] === 0) this.finish(number, total);
    });
    best = Math.max(best, this.bestTotal);
    const kept = chosen.flatMap(({ total }, number) =>
      tokens[number] !== 0 && this.hopeful(total, best, number === greedy) ? [number] : [],
    );
    this.greedy = kept.indexOf(greedy);
    this.origins = kept;
    this.tokens = kept.map((number) => tokens[number]);
    this.totals = kept.map((number) => chosen[number].total);
    this.states = kept.map((number) => this.grammar.advance(this.states[rows[number]], tokens[number]));
    if (kept.length) this.model = this.stepper.select(output.state, kept.map((number) => rows[number]));
  }

  /** Let the best hypothesis end as soon as it can, unless there is an answer already. */
  hurry(): void {
    const best = this.totals.indexOf(Math.max(...this.totals));
    const rows = this.finished.length ? [] : [best];
    this.beam = 1;
    this.greedy = -1;
    if (rows.length) {
      this.limit = Math.min(this.limit, this.count + this.grammar.shortestEnd(this.states[best]));
      this.model = this.stepper.select(this.model, rows);
    }
    this.tokens = rows.map((row) => this.tokens[row]);
    this.totals = rows.map((row) => this.totals[row]);
    this.states = rows.map((row) => this.states[row]);
    this.origins = rows.map((row) => this.origins[row]);
  }

  answers(): Hypothesis[] {
    if (!this.finished.length) throw new Error("no well-formed answer can be written with the symbols that are allowed");
    return this.finished.slice(0, this.options.top).map((each) => this.trace(each));
  }

  /** The `beam` best continuations of all hypotheses, and that of the greedy one where the beam left it out. */
  private choose(logProbs: Float32Array, remaining: number): { chosen: Choice[]; greedy: number } {
    const size = this.stepper.size;
    const { permitted } = this.options;
    const best: Choice[] = []; // ascending
    let ofGreedy: Choice = { place: -1, total: -Infinity };
    for (let row = 0; row < this.tokens.length; row++) {
      const mask = this.grammar.maskWithin(this.states[row], remaining);
      for (let token = 0; token < size; token++) {
        if (!mask[token] || (permitted && !permitted[token])) continue;
        const place = row * size + token;
        const gain = logProbs[place];
        if (Number.isNaN(gain)) throw new Error("the model's log probabilities are not numbers");
        const total = Math.max(gain, LOWEST_LOG_PROB) + this.totals[row];
        if (row === this.greedy && total > ofGreedy.total) ofGreedy = { place, total };
        if (best.length === this.beam && total <= best[0].total) continue;
        let at = best.length;
        best.push({ place, total });
        for (; at > 0 && best[at - 1].total > total; at--) [best[at - 1], best[at]] = [best[at], best[at - 1]];
        if (best.length > this.beam) best.shift();
      }
    }
    if (ofGreedy.place < 0) return { chosen: best, greedy: -1 };
    const own = best.filter(({ place }) => Math.floor(place / size) === this.greedy);
    if (!own.length) return { chosen: [...best, ofGreedy], greedy: best.length };
    const most = own[own.length - 1].total;
    return { chosen: best, greedy: best.findIndex((each) => own.includes(each) && each.total === most) };
  }

  private finish(choice: number, total: number): void {
    const score = rank(this.options, total, this.count);
    const made = { score, step: this.count - 1, choice, cut: this.count - 1 === this.limit };
    let at = this.finished.length;
    while (at > 0 && this.finished[at - 1].score < score) at--;
    this.finished.splice(at, 0, made);
    const { top } = this.options;
    if (this.finished.length >= top) this.toBeat = this.finished[top - 1].score;
    this.bestTotal = Math.max(this.bestTotal, total);
  }

  /** Whether a choice could still become an answer; the greedy one is only dropped if it surely cannot. */
  private hopeful(total: number, best: number, greedy: boolean): boolean {
    const { options, count, limit } = this;
    if (total >= best - options.prune) {
      const horizon = Math.min(count + options.horizon, limit + 1);
      if (bound(options, total, count, horizon) > this.toBeat) return true;
    }
    return greedy && bound(options, total, count, limit + 1) > this.toBeat;
  }

  private trace({ score, step, choice, cut }: Finished): Hypothesis {
    const tokens: number[] = [];
    const logProbs: number[] = [];
    const attention: Float32Array[] = [];
    for (let at = step; at >= 0; at--) {
      const past = this.past[at];
      const { attention: looks, width } = past;
      tokens.unshift(past.tokens[choice]);
      logProbs.unshift(past.logProbs[choice]);
      attention.unshift(looks.subarray(past.rows[choice] * width, (past.rows[choice] + 1) * width));
      choice = past.parents[choice];
    }
    return {
      tokens: tokens.slice(0, -1),
      logProb: logProbs.reduceRight((sum, each) => sum + each, 0),
      score,
      tokenLogProbs: Float32Array.from(logProbs),
      attention,
      cut,
    };
  }
}
