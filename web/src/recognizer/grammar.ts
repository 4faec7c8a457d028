/**
 * Which tokens may follow, so that every answer is well-formed LaTeX. The grammar is Python's, explored into the moves of a
 * pushdown automaton (`scripts/web_tables.py`); here they are only followed.
 */
import tables from "./tables.json";

const grammar = tables.grammar;

/** A group that is open, and those around it. */
interface Frame {
  number: number;
  outer: Frame | null;
  depth: number;
  closing: number; // tokens that closing this group and all around it takes
}

/** A prefix as the grammar sees it. */
export interface GrammarState {
  control: number;
  top: Frame | null;
}

/** By the topmost frame, beginning with none. */
const columns = grammar.columns.map((runs) => {
  const column: number[] = [];
  for (let i = 0; i < runs.length; i += 2) for (let k = 0; k < runs[i + 1]; k++) column.push(runs[i]);
  return column;
});

/** kind → move */
const situations = grammar.situations.map(
  (flat) => new Map(Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]])),
);

export class Grammar {
  readonly start: GrammarState = { control: 0, top: null };
  private readonly kinds: number[];
  private readonly masks = new Map<number, Uint8Array>();

  constructor(vocabulary: readonly string[]) {
    const named = new Map(Object.entries(grammar.kinds));
    this.kinds = vocabulary.map((token) => {
      const never = grammar.never_begins.some((begin) => token.startsWith(begin));
      return named.get(token) ?? (never ? grammar.never : grammar.plain);
    });
  }

  /** How many more tokens it takes at least until the expression may end (the end mark not counted). */
  shortestEnd(state: GrammarState): number {
    return this.look(state, 2) + (state.top?.outer?.closing ?? 0);
  }

  /** 1 for the ids that may come next, id 0 if the expression may end; shared, so never changed. */
  mask(state: GrammarState): Uint8Array {
    const key = this.look(state, 0) * situations.length + this.look(state, 1);
    let mask = this.masks.get(key);
    if (!mask) {
      const moves = this.moves(state);
      mask = Uint8Array.from(this.kinds, (kind) => +moves.some(([each]) => each === kind));
      this.masks.set(key, mask);
    }
    return mask;
  }

  /** Like `mask`, but only tokens after which `budget` tokens, this one included, are enough to end. */
  maskWithin(state: GrammarState, budget: number): Uint8Array {
    if (budget >= this.shortestEnd(state) + grammar.longest_detour) return this.mask(state);
    const within = new Set<number>();
    for (const [kind, move] of this.moves(state))
      if (kind === this.kinds[0] || 1 + this.shortestEnd(follow(state, move)) <= budget) within.add(kind);
    return Uint8Array.from(this.kinds, (kind) => +within.has(kind));
  }

  /** The state after one more token, which must be an allowed one. */
  advance(state: GrammarState, token: number): GrammarState {
    const kind = this.kinds[token];
    const move = situations[this.look(state, 0)].get(kind) ?? situations[this.look(state, 1)].get(kind);
    if (move === undefined) throw new Error(`token ${token} cannot come here`);
    return follow(state, move);
  }

  /** Is this a whole expression? */
  accepts(tokens: readonly number[]): boolean {
    let state = this.start;
    for (const token of tokens) {
      if (token === 0 || !this.mask(state)[token]) return false;
      state = this.advance(state, token);
    }
    return this.mask(state)[0] === 1;
  }

  private moves(state: GrammarState): [kind: number, move: number][] {
    return [...situations[this.look(state, 0)], ...situations[this.look(state, 1)]];
  }

  /** One of a state's three columns: moves that close nothing, moves that close a group, tokens to close all. */
  private look({ control, top }: GrammarState, column: 0 | 1 | 2): number {
    const deeper = (top?.depth ?? 0) < grammar.max_depth;
    const found = columns[grammar.controls[control][column + (deeper ? 3 : 0)]][(top?.number ?? -1) + 1];
    if (found < 0) throw new Error("a state that the grammar does not have");
    return found;
  }
}

function follow({ top }: GrammarState, move: number): GrammarState {
  const [control, popped, ...pushed] = grammar.moves[move];
  if (popped && top) top = top.outer;
  for (const number of pushed)
    top = { number, outer: top, depth: (top?.depth ?? 0) + 1, closing: (top?.closing ?? 0) + grammar.frames[number] };
  return { control, top };
}
