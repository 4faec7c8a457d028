/** The layout tree of tokens in caption form: which symbol stands where to which other. A port of `inktex/latex/layout.py`. */
import { isDigit, type Role, symbol } from "./symbols";
import tables from "./tables.json";

export class LatexError extends Error {
  override name = "LatexError";
}

const oneArgument = new Set(tables.words.one_argument);
const twoArguments = new Set(tables.words.two_arguments);
const PARTNERS = new Map(Object.entries(tables.words.partners));
const WANTS_MORE = new Set(tables.words.wants_more);
export const MAX_DEPTH = tables.words.max_depth;
const NEVER_SYMBOLS = ["{", "}", "&", "\\\\"];

export type Row = Node[];

/** One symbol and the rows around it. */
export interface Node {
  label: string; // "" for the missing base of a script
  above: Row;
  inside: Row;
  below: Row;
  sub: Row;
  sup: Row;
  cells: Row[][]; // of an environment: lines of cells
  token: number | null; // place of the symbol in the token sequence
}

export const hasOneArgument = (word: string): boolean => oneArgument.has(word);
export const hasTwoArguments = (word: string): boolean => twoArguments.has(word);

/** How many arguments in braces follow a word in the caption form. */
export function argumentCount(word: string): number {
  return twoArguments.has(word) ? 2 : oneArgument.has(word) || word === "\\sqrt" ? 1 : 0;
}

/** The name of the environment that a token heads. */
export const environmentOf = (head: string): string => head.slice("\\begin{".length, -1);

/** The beginning of a LaTeX string, in quotes, short enough for an error message. */
export function excerpt(latex: string, limit = 60): string {
  const text = [...latex.split(/\s+/u).filter(Boolean).join(" ")];
  return text.length <= limit ? `'${text.join("")}'` : `'${text.slice(0, limit).join("")}…'`;
}

/** The layout of tokens; LatexError if they are not in caption form. */
export function parseLayout(tokens: readonly string[]): Row {
  return new Parser(tokens).row([], 0);
}

class Parser {
  private place = 0;

  constructor(private readonly tokens: readonly string[]) {}

  row(closings: readonly string[], depth: number): Row {
    if (depth > MAX_DEPTH) this.fail(`groups are nested more than ${MAX_DEPTH} deep`);
    const nodes: Row = [];
    for (let label = this.peek(); label !== undefined && !closings.includes(label); label = this.peek()) {
      if (NEVER_SYMBOLS.includes(label) || label.startsWith("\\end")) this.fail(`${label} out of place`);
      if (label === "_" || label === "^") {
        if (nodes.length) this.fail(`a second ${label} on one symbol`);
        nodes.push(this.scripted(blank("", null), depth));
      } else nodes.push(this.scripted(this.symbol(label, depth), depth));
    }
    return nodes;
  }

  private symbol(label: string, depth: number): Node {
    const node = blank(label, this.place++);
    if (label.startsWith("\\begin")) {
      node.cells = this.cells(tailOf(label), depth + 1);
      return node;
    }
    if (label === "\\sqrt" && this.peek() === "[") node.above = this.group("[", "]", depth);
    const count = argumentCount(label);
    if (count === 2) {
      node.above = this.group("{", "}", depth);
      node.below = this.group("{", "}", depth);
    } else if (count) node.inside = this.group("{", "}", depth);
    return node;
  }

  private cells(tail: string, depth: number): Row[][] {
    const lines: Row[][] = [[]];
    for (;;) {
      lines[lines.length - 1].push(this.row(["&", "\\\\", tail], depth));
      const ended = this.peek();
      this.take(ended ?? tail);
      if (ended === tail) return lines;
      if (ended === "\\\\") lines.push([]);
    }
  }

  private scripted(node: Node, depth: number): Node {
    if (this.peek() === "\\limits") this.place++;
    for (let mark = this.peek(); mark === "_" || mark === "^"; mark = this.peek()) {
      const side = mark === "_" ? "sub" : "sup";
      if (node[side].length) this.fail(`a second ${mark} on one symbol`);
      this.place++;
      node[side] = this.group("{", "}", depth);
    }
    return node;
  }

  private group(opening: string, closing: string, depth: number): Row {
    this.take(opening);
    const row = this.row([closing], depth + 1);
    this.take(closing);
    return row;
  }

  private peek(): string | undefined {
    return this.tokens[this.place];
  }

  private take(expected: string): void {
    if (this.peek() !== expected) this.fail(`expected ${expected}, found ${this.peek() ?? "the end"}`);
    this.place++;
  }

  private fail(reason: string): never {
    throw new LatexError(`${excerpt(this.tokens.join(" "))}: ${reason} (token ${this.place})`);
  }
}

function blank(label: string, token: number | null): Node {
  return { label, above: [], inside: [], below: [], sub: [], sup: [], cells: [], token };
}

const tailOf = (head: string): string => head.replace("\\begin", "\\end");

/** Canonical tokens of a row, each with the symbol it is, or null for braces, script marks and what parts cells. */
function* written(row: Row): Generator<[string, Node | null]> {
  for (const node of row) {
    if (node.label) yield [node.label, node];
    const count = argumentCount(node.label);
    if (node.label === "\\sqrt" && node.above.length) yield* grouped("[", node.above, "]");
    if (count === 2) {
      yield* grouped("{", node.above, "}");
      yield* grouped("{", node.below, "}");
    } else if (count) yield* grouped("{", node.inside, "}");
    for (const [number, line] of node.cells.entries()) {
      if (number) yield ["\\\\", null];
      for (const [column, cell] of line.entries()) {
        if (column) yield ["&", null];
        yield* written(cell);
      }
    }
    if (node.cells.length) yield [tailOf(node.label), null];
    for (const [mark, script] of [["_", node.sub], ["^", node.sup]] as const)
      if (script.length) {
        yield [mark, null];
        yield* grouped("{", script, "}");
      }
  }
}

function* grouped(opening: string, row: Row, closing: string): Generator<[string, Node | null]> {
  yield [opening, null];
  yield* written(row);
  yield [closing, null];
}

/** Places of the tokens that are written with ink: all but braces, script marks and index brackets. */
export function inkPlaces(tokens: readonly string[]): number[] {
  try {
    const places = [...written(parseLayout(tokens))].flatMap(([, node]) => (node?.token != null ? [node.token] : []));
    return places.sort((a, b) => a - b);
  } catch (error) {
    if (!(error instanceof LatexError)) throw error;
    return tokens.flatMap((token, place) => ("{}^_".includes(token) ? [] : [place]));
  }
}

/** The tokens in canonical order: equal for two readings that mean the same layout. */
export function meaning(tokens: readonly string[]): string {
  try {
    return [...written(parseLayout(tokens))].map(([token]) => token).join(" ");
  } catch (error) {
    if (!(error instanceof LatexError)) throw error;
    return tokens.join(" ");
  }
}

// What in a row belongs together --------------------------------------------------------------------------------------------

export const wantsMore = (role: Role): boolean => WANTS_MORE.has(role);

/** Opening place → closing place of every pair of brackets or bars in the row; half-open intervals are pairs too. */
export function fencePairs(row: Row): Map<number, number> {
  const pairs = new Map<number, number>();
  const waiting: number[] = []; // places of what is open
  let wants = true;
  row.forEach(({ label }, place) => {
    const { role } = symbol(label);
    const last = waiting[waiting.length - 1];
    const openBar = last !== undefined && row[last].label === label;
    if (role === "open" || (role === "bar" && (wants || !openBar))) {
      waiting.push(place);
      wants = true;
      return;
    }
    if (role === "close" || role === "bar") {
      const partner = partnerOf(row, waiting, label);
      if (partner !== null) {
        waiting.splice(waiting.indexOf(partner));
        pairs.set(partner, place);
      }
    }
    wants = wantsMore(role);
  });
  return pairs;
}

/** The innermost open place that this closes; bars left open in between are given up. */
function partnerOf(row: Row, waiting: number[], closing: string): number | null {
  for (let i = waiting.length - 1; i >= 0; i--) {
    const opening = row[waiting[i]].label;
    if (opening === closing || PARTNERS.get(opening)?.includes(closing)) return waiting[i];
    if (symbol(opening).role !== "bar") return null;
  }
  return null;
}

/** How many symbols, from `start` on, are one number like `1 . 5`, which scripts end; 0 if none is. */
export function numberLength(row: Row, start: number, end: number): number {
  for (let place = start; place < end; place++) {
    const { label, sub, sup } = row[place];
    const scripted = sub.length > 0 || sup.length > 0;
    const isPoint = label === "." && !scripted && place > start && place + 1 < end && isDigit(row[place + 1].label);
    if (!isDigit(label) && !isPoint) return place - start;
    if (scripted) return place + 1 - start;
  }
  return end - start;
}
