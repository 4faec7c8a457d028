/** Tokens as the LaTeX that people write, with spaces only where TeX needs them: `latex/printer.py` under the same test vectors. */
import { LatexError, parseLayout } from "./layout";
import { symbol } from "./symbols";

const WRAPPERS = { plain: ["", ""], spaced: ["", ""], inline: ["$", "$"], display: ["\\[", "\\]"], markdown: ["$$", "$$"] } as const;

export type LatexStyle = keyof typeof WRAPPERS;

/** The tokens as LaTeX: plain, with a space between any two (spaced), or between `$…$`, `\[…\]` or `$$…$$`. */
export function printLatex(tokens: readonly string[], style: LatexStyle = "plain"): string {
  const [before, after] = WRAPPERS[style];
  const text = tokens.reduce((text, token, i) => text + (i && (style === "spaced" || mustBeApart(tokens[i - 1], token)) ? " " : "") + token, "");
  return before + text + after;
}

function mustBeApart(before: string, after: string): boolean {
  if (/^\\.*[A-Za-z]$/.test(before)) return /^[A-Za-z]/.test(after);
  return (after === "[" || after === "*") && (before === "\\\\" || before.startsWith("\\begin{"));
}

/**
 * Several expressions, one below the other, as the tokens of one; a single one stays as it is, except in `cases`. Aligned lines have
 * their first relations one below the other if each has one, and else their beginnings.
 */
export function inLines(lines: readonly (readonly string[])[], environment: "aligned" | "cases" = "aligned"): string[] {
  const filled = lines.filter(({ length }) => length);
  if (filled.length <= 1 && environment === "aligned") return [...(filled[0] ?? [])];
  const relations = environment === "aligned" ? filled.map(firstRelation) : [];
  const marked = filled.map((line, i) => {
    if (environment === "cases") return [...line];
    const place = relations.includes(null) ? 0 : relations[i]!;
    return [...line.slice(0, place), "&", ...line.slice(place)];
  });
  return [`\\begin{${environment}}`, ...marked.flatMap((line, i) => (i ? ["\\\\", ...line] : line)), `\\end{${environment}}`];
}

/** The place of the first relation that stands in no group. */
function firstRelation(line: readonly string[]): number | null {
  try {
    return parseLayout(line).find(({ label }) => label !== ":" && symbol(label).role === "relation")?.token ?? null;
  } catch (error) {
    if (error instanceof LatexError) return null; // a pinned word with a script of its own is no caption
    throw error;
  }
}
