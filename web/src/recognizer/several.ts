/** The recognitions of several lines as one. A port of `inktex/recognizer/several.py`. */
import { inkPlaces, LatexError } from "./layout";
import { toMathml } from "./mathml";
import { rounded, symbolAt } from "./model";
import { normalize } from "./normalize";
import { inLines, printLatex } from "./print";
import { toTypst } from "./typst";
import type { Line, Recognition } from "./types";

/**
 * All lines as one answer, in `\begin{aligned}`; the only line of an ink stays as it is. It is right when each line is, so its score
 * is the product of theirs.
 */
export function together<L extends Line>(lines: readonly L[], strokeCount: number): Recognition & { lines?: L[] } {
  const parts = lines.map(({ recognition }) => recognition);
  if (lines.length === 1 && lines[0].strokes.length === strokeCount) return inInkOrder(lines[0]) as Recognition & { lines?: L[] };
  const score = rounded(parts.reduce((product, part) => product * part.score, 1));
  const written = parts.map(({ tokens }) => tokens.map(({ text }) => text));
  const texts = inLines(written);
  const tokens: Recognition["tokens"] = texts.map((text) => ({ text, confidence: score, strokes: [] })); // of what stands between the lines
  const outside = new Set<number>(); // places of tokens whose ink looks like no symbol of the model
  let start = written.filter(({ length }) => length).length > 1 ? 1 : 0; // behind \begin{aligned}
  lines.forEach(({ strokes, recognition }, i) => {
    const line = written[i];
    // A row has one token more than its line, the mark of a column.
    const differs = line.findIndex((text, place) => texts[start + place] !== text);
    const mark = differs < 0 ? line.length : differs;
    const inRow = (place: number): number => start + place + +(place >= mark);
    recognition.tokens.forEach((token, place) => {
      tokens[inRow(place)] = { ...token, strokes: token.strokes.map((stroke) => strokes[stroke]) };
    });
    for (const { token, known } of recognition.symbols) if (!known) outside.add(inRow(token));
    if (line.length) start += line.length + +(mark < line.length) + 1; // and the end of the row
  });
  const inInk = (which: "unread" | "reread"): number[] =>
    lines.flatMap(({ strokes, recognition }) => recognition[which].map((stroke) => strokes[stroke])).sort((a, b) => a - b);
  return {
    schema: parts[0].schema,
    latex: printLatex(texts),
    score,
    tokens,
    symbols: inkPlaces(texts).map((place) => symbolAt(tokens, place, !outside.has(place))),
    alternatives: [],
    ...forms(texts),
    unread: inInk("unread"),
    reread: inInk("reread"),
    complete: parts.every(({ complete }) => complete),
    model: parts[0].model,
    elapsed: rounded(parts.reduce((sum, { elapsed }) => sum + elapsed, 0)),
    lines: [...lines],
  };
}

/** The answer of the only line of an ink, its strokes numbered as they were written. */
function inInkOrder({ strokes, recognition }: Line): Recognition {
  if (strokes.every((stroke, i) => stroke === i)) return recognition;
  const inInk = (own: readonly number[]): number[] => own.map((stroke) => strokes[stroke]).sort((a, b) => a - b);
  const renumbered = <T extends { strokes: number[] }>(parts: readonly T[]): T[] => parts.map((part) => ({ ...part, strokes: inInk(part.strokes) }));
  const { tokens, symbols, unread, reread, attention } = recognition;
  const order = strokes.map((_, stroke) => strokes.indexOf(stroke));
  return {
    ...recognition,
    tokens: renumbered(tokens),
    symbols: renumbered(symbols),
    unread: inInk(unread),
    reread: inInk(reread),
    ...(attention ? { attention: attention.map((row) => order.map((stroke) => row[stroke])) } : {}),
  };
}

/** Tokens in the other forms; a group with a script, which is not caption form, without places of tokens. */
export function forms(texts: string[]): { mathml: string; typst: string } {
  try {
    return { mathml: toMathml(texts, true), typst: toTypst(texts) };
  } catch (error) {
    if (!(error instanceof LatexError)) throw error;
    const merged = normalize(texts.join(" "));
    return { mathml: toMathml(merged), typst: toTypst(merged) };
  }
}
