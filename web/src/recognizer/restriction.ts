/**
 * Restrictions of the answer: names of groups and LaTeX words, a minus in front excludes: `"digits operators x y"`, `"all -greek"`.
 * Structure (braces, scripts, fractions, roots) is always allowed. Ports of `inktex/recognizer/symbols.py` and of what
 * `inktex/decoding/masks.py` makes of it; the groups are Python's.
 */
import { isAlnum } from "./symbols";
import tables from "./tables.json";

const GROUPS = new Map(Object.entries(tables.restriction.groups));
const STRUCTURE = new Set(tables.restriction.structure);
const NEVER_ALONE = new Set(tables.restriction.never_alone);
const UNDRAWN = new Set(tables.restriction.undrawn);

/** Ids of the symbols that may be written; RangeError names what the model does not know. */
export function allowedIds(symbols: string | readonly string[], vocabulary: readonly string[]): Set<number> {
  const words = typeof symbols === "string" ? symbols.split(/\s+/).filter(Boolean) : symbols;
  let allowed = new Set<number>();
  const taken = new Set<number>();
  for (const word of words) {
    if (typeof word !== "string") throw new RangeError(`symbols are LaTeX words or names of groups, not ${typeof word}`);
    const excludes = word.length > 1 && word.startsWith("-");
    for (const id of meaning(excludes ? word.slice(1) : word, vocabulary)) (excludes ? taken : allowed).add(id);
  }
  if (!allowed.size && taken.size) allowed = new Set(meaning("all", vocabulary));
  const left = new Set([...allowed].filter((id) => !taken.has(id)));
  if (!left.size) throw new RangeError("symbols: no symbol is left");
  return left;
}

/** Ids of the tokens that a single drawing can be: no braces, fractions, accents, ends of environments. */
export function drawnAlone(vocabulary: readonly string[]): number[] {
  return vocabulary.flatMap((token, id) => (id && !UNDRAWN.has(token) ? [id] : []));
}

function meaning(word: string, vocabulary: readonly string[]): number[] {
  if (word === "all") return vocabulary.map((_, id) => id).slice(1);
  const group = GROUPS.get(word);
  if (group) return group.map((token) => vocabulary.indexOf(token)).filter((id) => id >= 0);
  const id = vocabulary.indexOf(word);
  if (id > 0) return [id];
  const hint = isAlnum(word) && word.length > 1 ? `; letters are separated by spaces, as ${quoted([...word].join(" "))}` : "";
  const names = [...GROUPS.keys()].sort().join(", ");
  throw new RangeError(`symbols: ${quoted(word)} is neither a symbol that this model can write nor a group (groups: all, ${names}${hint})`);
}

/** As Python shows a text. */
function quoted(word: string): string {
  const mark = word.includes("'") && !word.includes('"') ? '"' : "'";
  return mark + word.replaceAll("\\", "\\\\") + mark;
}

/** The restriction as a mask (K,): these symbols, the structure, and `]` wherever `[` may open. */
export function permittedTokens(vocabulary: readonly string[], allowed: ReadonlySet<number>): Uint8Array {
  if (![...allowed].some((id) => !STRUCTURE.has(vocabulary[id]) && !NEVER_ALONE.has(vocabulary[id])))
    throw new RangeError("symbols: allow at least one symbol that can be an expression on its own");
  const opens = allowed.has(vocabulary.indexOf("["));
  return Uint8Array.from(vocabulary, (token, id) => +(STRUCTURE.has(token) || allowed.has(id) || (opens && token === "]")));
}
