/**
 * The normaliser: turns any LaTeX into the caption form, one word per symbol, braces around every script and argument. A port of
 * `inktex/latex/normalize.py`, `atoms.py` and `tokens.py`; the words are Python's tables.
 */
import { argumentCount, environmentOf, excerpt, LatexError, MAX_DEPTH } from "./layout";
import { bracketsOf, matrices, tokenOf } from "./symbols";
import tables from "./tables.json";

const words = tables.normalize;
const setOf = (list: string[]): Set<string> => new Set(list);
const mapOf = <T>(table: object): Map<string, T> => new Map(Object.entries(table) as [string, T][]);

const WORD = new RegExp(words.word_pattern, "gsu");
const ROW_SPACE = new RegExp(words.row_space_pattern, "gu");
const POSITION = new RegExp(words.position_pattern, "gu");
const SPELT_SYMBOL = new RegExp(words.spelt_pattern, "gu");
const SPELT = mapOf<string>(words.spelt);
const SYNONYMS = mapOf<string[]>(words.synonyms);
const STARRED = setOf(words.starred);
const DELIMITER_SIZES = setOf(words.delimiter_sizes);
const WITHOUT_INK = setOf(words.without_ink);
const LONGER_THAN_LT_GT = setOf(words.longer_than_lt_gt);
const INFIX = mapOf<string>(words.infix);
const ALPHABET_SWITCHES = mapOf<string>(words.alphabet_switches);
const NAMING = setOf(words.naming);
const NAMED = mapOf<string[]>(words.named);
const FONTS = setOf(words.fonts);
const ALPHABETS = setOf(words.alphabets);
const WRAPPED = mapOf<[string[], string[]]>(words.wrapped);
const DROPPED = setOf(words.dropped_with_argument);
const NEGATED = mapOf<string>(words.negated);
const ENVIRONMENTS = mapOf<string>(words.environments);
const WITH_COLUMNS = setOf(words.with_columns);
const BRACKETED = mapOf<[string, string]>(words.bracketed);
const LONG_ACCENTS = mapOf<string>(words.long_accents);
const SHORT_ACCENTS = mapOf<string>(words.short_accents);
const LINES = ["&", "\\\\"]; // what parts a row that no brace and no environment encloses

/** One symbol or command with its arguments written out, and the scripts attached to it. */
interface Atom {
  head: string; // "" for a missing base
  parts: { opening: string; content: Atom[]; closing: string }[];
  cells: Atom[][][];
  scripts: Map<string, Atom[]>; // by "_" and "^"
}

const atom = (head: string, scripts = new Map<string, Atom[]>()): Atom => ({ head, parts: [], cells: [], scripts });

/** The tokens of a LaTeX string in canonical caption form; LatexError where the string has no reading. */
export function normalize(latex: string): string[] {
  const source = latex.replace(ROW_SPACE, "\\\\ ").replace(POSITION, "$1");
  const parser = new Parser(latex, clean(tokenize(source)));
  const atoms = parser.lines("", null, 0);
  joinSpelt(atoms);
  makeCanonical(atoms);
  const tokens = [...written(atoms)];
  if (deepest(tokens) > words.max_written_depth)
    throw parser.error(`scripts and arguments are nested more than ${words.max_written_depth} deep`);
  return tokens;
}

/** Cut a LaTeX string into its words, unchanged. */
function tokenize(latex: string): string[] {
  return [...latex.matchAll(WORD)].flatMap(([word]) => {
    if (word === "\\") throw new LatexError(`${excerpt(latex)}: a backslash with nothing after it`);
    if (word.endsWith("}") && word.length > 2) return [word.split(/\s+/u).join("")];
    if (word[0] === "\\" && /^\s/u.test(word.slice(1))) return ["\\ "];
    if (word.endsWith("*") && word.length > 2 && !STARRED.has(word)) return [word.slice(0, -1), "*"];
    return [word];
  });
}

/** Word by word: drop what has no ink, replace synonyms. */
function clean(raw: string[]): string[] {
  let afterSize = false;
  return raw.flatMap((word) => {
    if (afterSize && word === ".") {
      afterSize = false;
      return [];
    }
    if (afterSize && (word === "<" || word === ">")) {
      afterSize = false;
      return [word === "<" ? "\\langle" : "\\rangle"];
    }
    afterSize = DELIMITER_SIZES.has(word);
    if (WITHOUT_INK.has(word)) return [];
    const begin = word.slice(0, 3);
    if ((begin === "\\lt" || begin === "\\gt") && word.length > 3 && !LONGER_THAN_LT_GT.has(word))
      return [...SYNONYMS.get(begin)!, ...word.slice(3)];
    if (word.startsWith("\\mathscr{")) word = word.replace("scr", "cal");
    return SYNONYMS.get(word) ?? [tokenOf[word] ?? word];
  });
}

/** Recursive descent over cleaned words, with TeX's rule that an argument is one word or one group. */
class Parser {
  private place = 0;

  constructor(
    private readonly latex: string,
    private readonly words: string[],
  ) {}

  error(reason: string): LatexError {
    return new LatexError(`${excerpt(this.latex)}: ${reason}`);
  }

  /** Rows of cells up to and past the closing word; "" makes an environment only where it needs one. */
  lines(environment: string, closing: string | null, depth: number): Atom[] {
    const rows: Atom[][][] = [[]];
    for (;;) {
      const cell: Atom[] = [];
      const ended = this.row(cell, depth, closing === null ? LINES : [...LINES, closing]);
      rows[rows.length - 1].push(cell);
      if (ended === "\\\\") rows.push([]);
      else if (ended !== "&") break;
    }
    if (environment) return grid(environment, rows);
    const filled = rows.filter((row) => row.some((cell) => cell.length));
    return filled.length > 1 ? grid("aligned", filled) : filled.flat(2);
  }

  /** Read up to and past a closing word, and return it; a group inside adds to the same row. */
  private row(atoms: Atom[], depth: number, closings: string[] = ["}"], inScript = false): string | null {
    if (depth > MAX_DEPTH) throw this.error(`groups are nested more than ${MAX_DEPTH} deep`);
    const start = atoms.length;
    for (let word = this.peek(); word !== undefined; word = this.peek()) {
      if (closings.includes(word)) {
        this.place++;
        return word;
      }
      const infix = INFIX.get(word);
      if (infix) {
        this.place++;
        const made = atom(infix);
        const above = atoms.splice(start);
        atoms.push(made);
        const below: Atom[] = [];
        const ended = this.row(below, depth + 1, closings);
        made.parts = [above, below].map((content) => ({ opening: "{", content, closing: "}" }));
        return ended;
      }
      const alphabet = ALPHABET_SWITCHES.get(word);
      if (alphabet) {
        this.place++;
        const switched: Atom[] = [];
        const ended = this.row(switched, depth + 1, closings, inScript);
        atoms.push(...inAlphabet(alphabet, switched));
        return ended;
      }
      this.element(atoms, depth, inScript);
    }
    const missing = closings.find((word) => !LINES.includes(word));
    if (missing) throw this.error(`a group is never closed: '${missing}' is missing`);
    return null;
  }

  /** Read one word with all that belongs to it. */
  private element(atoms: Atom[], depth: number, inScript = false): void {
    const word = this.words[this.place++];
    const last = atoms[atoms.length - 1] as Atom | undefined;
    if (word === "}") return;
    if (word === "{") {
      this.row(atoms, depth + 1, ["}"], inScript);
    } else if (LINES.includes(word) || word.startsWith("\\end{")) {
      throw this.error(`${word} stands where no environment is open`);
    } else if (word.startsWith("\\begin{")) {
      atoms.push(...this.environment(environmentOf(word), depth + 1));
    } else if (INFIX.has(word) || ALPHABET_SWITCHES.has(word)) {
      throw this.error(`${word} stands where an argument is expected`);
    } else if (NAMING.has(word) && this.names(atoms)) {
      return;
    } else if (FONTS.has(word)) {
      this.argument(word, atoms, depth, inScript);
    } else if (ALPHABETS.has(word)) {
      const letters: Atom[] = [];
      this.argument(word, letters, depth, inScript);
      atoms.push(...inAlphabet(word, letters));
    } else if (WRAPPED.has(word)) {
      const [before, after] = WRAPPED.get(word)!;
      atoms.push(...before.map((token) => atom(token)));
      this.argument(word, atoms, depth);
      atoms.push(...after.map((token) => atom(token)));
    } else if (word === "\\substack") {
      if (this.peek() !== "{") throw this.error(`${word} lacks its argument`);
      this.place++;
      atoms.push(...this.lines("matrix", "}", depth + 1));
    } else if (DROPPED.has(word)) {
      this.argument(word, [], depth);
    } else if (word === "^" || word === "_") {
      const base = baseOf(atoms);
      const script = base.scripts.get(word) ?? [];
      this.argument(word, script, depth, true);
      if (script.length) base.scripts.set(word, script);
      else if (!base.head && !base.scripts.size) atoms.pop();
    } else if (word === "\\limits") {
      return; // the canonical form does not have it
    } else if (NEGATED.has(word) && last?.head === "\\not" && !last.scripts.size) {
      last.head = NEGATED.get(word)!;
    } else if (word === "A" && this.words.slice(this.place, this.place + 5).join("") === "BOVE{" && lacksIndex(last)) {
      // One exporter of truth strings writes the index of a root behind it: `\sqrt {x} ABOVE {n}`.
      this.place += 4;
      const index: Atom[] = [];
      this.argument("ABOVE", index, depth);
      if (index.length) last!.parts.unshift({ opening: "[", content: this.checkedIndex(index), closing: "]" });
    } else if (word === "'" && !(inScript && atoms.every(({ head }) => head === "'"))) {
      const { scripts } = baseOf(atoms);
      scripts.set("^", [...(scripts.get("^") ?? []), atom("\\prime")]);
    } else if (last?.head === "\\sqrt" && !last.parts[last.parts.length - 1].content.length && !last.scripts.size) {
      // A radical with nothing under it, `\sqrt{} 3`: what follows is what was written under it.
      last.parts[last.parts.length - 1].content.push(this.command(word, depth));
    } else {
      atoms.push(this.command(word, depth));
    }
  }

  /** The rest of an environment, from behind its head to past its tail. */
  private environment(name: string, depth: number): Atom[] {
    const base = name.replace(/\*$/, "");
    const like = ENVIRONMENTS.get(base);
    if (like === undefined) throw this.error(`the environment ${name} is unknown`);
    if (WITH_COLUMNS.has(base)) this.argument(name, [], depth);
    const atoms = this.lines(like, `\\end{${name}}`, depth);
    const brackets = BRACKETED.get(base);
    return brackets ? [atom(brackets[0]), ...atoms, atom(brackets[1])] : atoms;
  }

  /** Take the function that the next group spells, if it spells one. */
  private names(atoms: Atom[]): boolean {
    if (this.peek() !== "{" || !this.words.slice(this.place, this.place + 9).includes("}")) return false;
    const end = this.words.indexOf("}", this.place);
    const name = NAMED.get(this.words.slice(this.place + 1, end).join(""));
    if (!name) return false;
    this.place = end + 1;
    atoms.push(...name.map((token) => atom(token)));
    return true;
  }

  /** A symbol, or a command with its arguments. */
  private command(word: string, depth: number): Atom {
    const made = atom(word);
    if (word === "\\sqrt" && this.peek() === "[") {
      this.place++;
      const index: Atom[] = [];
      this.row(index, depth + 1, ["]"]);
      if (this.checkedIndex(index).length) made.parts.push({ opening: "[", content: index, closing: "]" });
    }
    for (let i = argumentCount(word); i > 0; i--) {
      const content: Atom[] = [];
      this.argument(word, content, depth);
      made.parts.push({ opening: "{", content, closing: "}" });
    }
    return made;
  }

  /** The index of a root ends at the first `]`, so that it cannot hold one outside of braces. */
  private checkedIndex(index: Atom[]): Atom[] {
    if (index.some(({ head, parts, cells }) => cells.length || head === "]" || parts.some(({ closing }) => closing === "]")))
      throw this.error("the index of a root cannot hold a bracket");
    return index;
  }

  private argument(of: string, atoms: Atom[], depth: number, inScript = false): void {
    const next = this.peek();
    if (next === undefined || next === "}") throw this.error(`${of} lacks its argument`);
    if (depth > MAX_DEPTH) throw this.error(`groups are nested more than ${MAX_DEPTH} deep`);
    this.element(atoms, depth + 1, inScript);
  }

  private peek(): string | undefined {
    return this.words[this.place];
  }
}

/** What a script belongs to: the last symbol of the row, or an empty base at its start. */
function baseOf(atoms: Atom[]): Atom {
  if (!atoms.length) atoms.push(atom(""));
  return atoms[atoms.length - 1];
}

const lacksIndex = (last: Atom | undefined): boolean => last?.head === "\\sqrt" && last.parts.length === 1;

function inAlphabet(alphabet: string, atoms: Atom[]): Atom[] {
  for (const each of atoms) if (/^[A-Za-z0-9]$/.test(each.head)) each.head = `${alphabet}{${each.head}}`;
  return atoms;
}

function deepest(tokens: string[]): number {
  let [depth, most] = [0, 0];
  for (const token of tokens) {
    depth += +(token === "{" || token.startsWith("\\begin{")) - +(token === "}" || token.startsWith("\\end{"));
    most = Math.max(most, depth);
  }
  return most;
}

// Rules that give one form to what looks the same on paper ------------------------------------------------------------------

/** An environment of these cells, without rows that are empty and with the columns it may have. */
function grid(environment: string, cells: Atom[][][]): Atom[] {
  let rows = cells.filter((row) => row.some((cell) => cell.length));
  if (bracketsOf(environment)) {
    const width = Math.max(0, ...rows.map((row) => row.length));
    rows = rows.map((row) => [...row, ...Array.from({ length: width - row.length }, (): Atom[] => [])]);
  } else {
    rows = rows.map((row) => [row[0], row.slice(1).flat()]).map((row) => (row[1].length ? row : row.slice(0, 1)));
  }
  return rows.length ? [{ ...atom(`\\begin{${environment}}`), cells: rows }] : [];
}

const nameOf = ({ head, cells }: Atom): string | null => (cells.length ? environmentOf(head) : null);

function* written(atoms: Atom[]): Generator<string> {
  for (const each of atoms) {
    if (each.head) yield each.head;
    for (const { opening, content, closing } of each.parts) {
      yield opening;
      yield* written(content);
      yield closing;
    }
    for (const [number, row] of each.cells.entries()) {
      if (number) yield "\\\\";
      for (const [column, cell] of row.entries()) {
        if (column) yield "&";
        yield* written(cell);
      }
    }
    if (each.cells.length) yield `\\end{${nameOf(each)}}`;
    for (const kind of ["_", "^"]) {
      const script = each.scripts.get(kind);
      if (script) {
        yield kind;
        yield "{";
        yield* written(script);
        yield "}";
      }
    }
  }
}

const innerRows = ({ parts, cells, scripts }: Atom): Atom[][] => [
  ...parts.map(({ content }) => content),
  ...cells.flat(),
  ...scripts.values(),
];

/** Put `\sin` for the letters `s i n`, if what the function is taken of follows; `\ldots` for `...`. */
function joinSpelt(atoms: Atom[]): void {
  for (const each of atoms) innerRows(each).forEach(joinSpelt);
  joinRow(atoms);
}

function joinRow(atoms: Atom[]): void {
  const letters = atoms.map(({ head }) => (head.length === 1 ? head : " ")).join("");
  for (const match of [...letters.matchAll(SPELT_SYMBOL)].reverse()) {
    const [text] = match;
    const first = match.index;
    const last = first + text.length - 1;
    const plain = atoms.slice(first, last).every(({ scripts }) => !scripts.size);
    const hasOperand = atoms[last].scripts.size > 0 || last + 1 < atoms.length;
    if (plain && (hasOperand || text === "...")) atoms.splice(first, text.length, atom(SPELT.get(text)!, atoms[last].scripts));
  }
}

/** Apply the rules of the canonical form, from the inside out. */
function makeCanonical(atoms: Atom[]): void {
  for (const each of atoms) {
    innerRows(each).forEach(makeCanonical);
    dropEmptyColumns(each);
  }
  openSingleCells(atoms);
  joinRow(atoms);
  joinBrackets(atoms);
  atoms.forEach(chooseAccent);
  raiseDegrees(atoms);
}

/** A short accent over one symbol, a long one over several: the ink shows no other difference. */
function chooseAccent(each: Atom): void {
  const { head } = each;
  if (!LONG_ACCENTS.has(head) && !SHORT_ACCENTS.has(head)) return;
  const { content } = each.parts[0];
  const [only] = content;
  const single = content.length === 1 && !only.scripts.size && !only.parts.length && !only.cells.length;
  each.head = (single ? SHORT_ACCENTS : LONG_ACCENTS).get(head) ?? head;
}

function raiseDegrees(atoms: Atom[]): void {
  for (let place = atoms.length - 1; place >= 0; place--) {
    const { head, scripts } = atoms[place];
    const [ring, ...more] = scripts.get("^") ?? [];
    const plain = ring?.head === "\\circ" && !ring.scripts.size && !more.length;
    if (!head || scripts.size !== 1 || !plain) continue;
    atoms[place].scripts = new Map();
    atoms.splice(place + 1, 0, atom("\\degree"));
  }
}

function dropEmptyColumns(each: Atom): void {
  const width = Math.max(0, ...each.cells.map((row) => row.length));
  const used = Array.from({ length: width }, (_, column) => each.cells.some((row) => row[column]?.length));
  if (!used.every(Boolean)) each.cells = each.cells.map((row) => row.filter((_, column) => used[column]));
}

/** A matrix of one cell, and one aligned line, are what stands in them. */
function openSingleCells(atoms: Atom[]): void {
  for (let place = atoms.length - 1; place >= 0; place--) {
    const { cells, scripts } = atoms[place];
    const name = nameOf(atoms[place]);
    if (cells.length !== 1 || (name !== "aligned" && cells[0].length > 1)) continue;
    const content = cells[0].flat();
    const [opening, closing] = name === "cases" ? ["\\{", ""] : (bracketsOf(name ?? "") ?? ["", ""]);
    if (closing) atoms.splice(place, 1, atom(opening), ...content, atom(closing, scripts));
    else if (!scripts.size) atoms.splice(place, 1, ...(opening ? [atom(opening)] : []), ...content);
  }
}

/** Brackets right around a matrix become part of it; a brace that never closes makes `cases` of it. */
function joinBrackets(atoms: Atom[]): void {
  for (let place = atoms.length - 1; place >= 1; place--) {
    const [before, each, after] = [atoms[place - 1], atoms[place] as Atom | undefined, atoms[place + 1] as Atom | undefined];
    const name = each ? nameOf(each) : null;
    if (!each || (name !== "matrix" && name !== "aligned") || before.scripts.size || each.scripts.size) continue;
    const found = matrices.find(
      ([, [opening, closing]]) => name === "matrix" && opening && before.head === opening && after?.head === closing,
    );
    if (found && after) {
      atoms.splice(place - 1, 3, { ...atom(`\\begin{${found[0]}}`, after.scripts), cells: each.cells });
      continue;
    }
    const closed = atoms.slice(place + 1).some(({ head }) => head === "\\}");
    if (before.head === "\\{" && !closed && each.cells.every((row) => row.length <= 2)) {
      const cells = name === "aligned" ? each.cells.map((row) => [row.flat()]) : each.cells;
      atoms.splice(place - 1, 2, ...grid("cases", cells));
    }
  }
}
