/** Tokens as the LaTeX that people write, with spaces only where TeX needs them: `latex/printer.py` under the same test vectors. */

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
