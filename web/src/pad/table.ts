/** The symbols that can be written: their names, and which look alike. */
import table from "./symbols.json";

type Row = [latex: string, character: string, words: string, twin: string];
const SYMBOLS = table as Row[];
const SHOWN = 24;

/** The character of a LaTeX word. */
export const characterOf = new Map(SYMBOLS.map(([latex, character]) => [latex, character]));

/** Symbols that look like this one when they stand alone. */
export function lookAlikes(latex: string): string[] {
  const twin = SYMBOLS.find(([token]) => token === latex)?.[3] || latex;
  return SYMBOLS.filter(([token, , , other]) => token !== latex && (token === twin || other === twin)).map(([token]) => token);
}

/** Symbols by name, by LaTeX or by themselves; the shortest that fit come first. */
export function searchSymbols(query: string): string[] {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  return SYMBOLS.filter(([latex, character, names]) =>
    words.every((word) => latex.toLowerCase().includes(word) || character === query.trim() || names.includes(word)),
  )
    .sort(([a], [b]) => Number(b === query.trim()) - Number(a === query.trim()) || a.length - b.length)
    .slice(0, SHOWN)
    .map(([latex]) => latex);
}
