/** How each symbol looks in print: its character, its role in a formula, and its name in Typst. The tables are Python's. */
import tables from "./tables.json";

export type Role =
  | "ordinary"
  | "number"
  | "function"
  | "operator"
  | "binary"
  | "relation"
  | "punctuation"
  | "open"
  | "close"
  | "bar"
  | "prime"
  | "structure";

export interface Shown {
  character: string;
  role: Role;
  typst: string;
}

const known = new Map(Object.entries(tables.symbols.table as unknown as Record<string, [string, Role, string]>));
const alphabets = new Map(Object.entries(tables.symbols.alphabets as unknown as Record<string, [string, string]>));
const LETTERS = tables.symbols.letters;

export const isDigit = (text: string): boolean => /^\p{Nd}+$/u.test(text);
export const isAlpha = (text: string): boolean => /^\p{L}+$/u.test(text);
export const isAlnum = (text: string): boolean => /^[\p{L}\p{N}]+$/u.test(text);

/** The symbol of a LaTeX token; an unknown command is shown as its own name. */
export function symbol(token: string): Shown {
  const found = known.get(token);
  if (found) return { character: found[0], role: found[1], typst: found[2] };
  if (isDigit(token)) return { character: token, role: "number", typst: token };
  if (!token.startsWith("\\")) return { character: token, role: "ordinary", typst: isAlpha(token) ? token : `\\${token}` };
  const [alphabet, letter = ""] = token.slice(1).replace(/}+$/, "").split("{");
  const letters = alphabets.get(alphabet);
  if (letters && letter.length === 1 && LETTERS.includes(letter))
    return { character: [...letters[0]][LETTERS.indexOf(letter)], role: "ordinary", typst: `${letters[1]}(${letter})` };
  const name = token.slice(1);
  return { character: name, role: "ordinary", typst: isAlnum(name) ? `"${name}"` : `\\${name}` };
}

const looks: Record<string, string | undefined> = tables.symbols.looks;

/** The token that stands for all that look the same alone: `0` for `O`, `\\sum` for `\\Sigma`. */
export const lookAlike = (token: string): string => looks[token] ?? token;

/** The LaTeX token of a character, as in `α`. */
export const tokenOf: Record<string, string | undefined> = tables.symbols.token_of;

const MATRICES = new Map(Object.entries(tables.symbols.matrices as unknown as Record<string, [string, string]>));

/** The brackets around a matrix of this environment; null where it is none. */
export function bracketsOf(environment: string): [string, string] | null {
  return MATRICES.get(environment) ?? null;
}

export const matrices = [...MATRICES];
