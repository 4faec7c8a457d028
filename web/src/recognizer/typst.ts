/** LaTeX to Typst math, without dollar signs; a port of `inktex/latex/typst.py`. */
import { environmentOf, fencePairs, hasOneArgument, hasTwoArguments, type Node, numberLength, parseLayout, type Row } from "./layout";
import { bracketsOf, isAlnum, symbol } from "./symbols";
import tables from "./tables.json";

const { same_kind, splits_calls, calls } = tables.typst;
const sameKind = new Map(Object.entries(same_kind));
const callOf = new Map(Object.entries(calls));
const NOTHING = '""';

export function toTypst(tokens: readonly string[]): string {
  const row = parseLayout(tokens);
  const [only] = row;
  if (row.length === 1 && only.label === "\\begin{aligned}" && !only.sub.length && !only.sup.length) return lines(only, false, " \\ ");
  return rowText(row, false);
}

function rowText(row: Row, inCall: boolean): string {
  return parts(row, 0, row.length, fencePairs(row), inCall).join(" ");
}

function parts(row: Row, start: number, end: number, fences: Map<number, number>, inCall: boolean): string[] {
  const made: string[] = [];
  for (let place = start; place < end; ) {
    const node = row[place];
    const digits = numberLength(row, place, end);
    const closing = fences.get(place);
    if (digits > 1) {
      const number = row.slice(place, place + digits).map(({ label }) => label).join("");
      made.push(scripted(row[place + digits - 1], number, inCall));
      place += digits;
    } else if (closing !== undefined && grows(node, row[closing])) {
      const isBar = symbol(node.label).role === "bar";
      const inner = parts(row, place + 1, closing, fences, inCall || isBar).join(" ");
      const fenced = `${symbol(node.label).typst} ${inner} ${symbol(row[closing].label).typst}`;
      made.push(scripted(row[closing], isBar ? `lr(${fenced})` : fenced, inCall));
      place = closing + 1;
    } else {
      made.push(scripted(node, base(node, inCall), inCall));
      place++;
    }
  }
  return made;
}

/** Typst pairs brackets of one kind, and only if the opening one has no script. */
function grows(opening: Node, closing: Node): boolean {
  const alike = sameKind.get(opening.label) === closing.label || opening.label === closing.label;
  return alike && !opening.sub.length && !opening.sup.length;
}

function base(node: Node, inCall: boolean): string {
  const { label } = node;
  if (!label) return NOTHING;
  if (label === "\\sqrt")
    return node.above.length ? `root(${argument(node.above)}, ${argument(node.inside)})` : `sqrt(${argument(node.inside)})`;
  if (label === "\\overset" || label === "\\underset")
    return `limits(${argument(node.below)})${label === "\\underset" ? "_" : "^"}(${rowText(node.above, inCall)})`;
  if (hasTwoArguments(label)) return `${callOf.get(label)}(${argument(node.above)}, ${argument(node.below)})`;
  if (hasOneArgument(label)) return `${callOf.get(label) || symbol(label).typst || "limits"}(${argument(node.inside)})`;
  if (node.cells.length) return environment(node);
  const { role, typst } = symbol(label);
  return role === "open" || role === "close" || (inCall && splits_calls.includes(typst)) ? `\\${typst}` : typst;
}

function environment(node: Node): string {
  const name = environmentOf(node.label);
  if (name === "cases") return `cases(${lines(node, true, ", ")})`;
  const bracket = bracketsOf(name)?.[0];
  const rows = node.cells.map((line) => line.map(argument).join(", "));
  return `mat(delim: ${bracket ? `"${bracket}"` : "#none"}, ${rows.join("; ")})`;
}

function lines(node: Node, inCall: boolean, partedBy: string): string {
  return node.cells.map((line) => line.map((cell) => rowText(cell, inCall)).join(" & ")).join(partedBy);
}

function argument(row: Row): string {
  return rowText(row, true) || NOTHING;
}

function scripted(node: Node, written: string, inCall: boolean): string {
  const { label, sub, sup } = node;
  if (label === "\\overbrace" && sup.length) return `overbrace(${argument(node.inside)}, ${argument(sup)})${script("_", sub, inCall)}`;
  if (label === "\\underbrace" && sub.length) return `underbrace(${argument(node.inside)}, ${argument(sub)})${script("^", sup, inCall)}`;
  const primes = sup.length > 0 && sup.every((each) => symbol(each.label).role === "prime" && !each.sub.length && !each.sup.length);
  if (primes) return written + "'".repeat(sup.length) + script("_", sub, inCall);
  return written + script("_", sub, inCall) + script("^", sup, inCall);
}

function script(mark: string, row: Row, inCall: boolean): string {
  const written = rowText(row, inCall);
  if (!written) return "";
  return mark + ([...written].length === 1 && isAlnum(written) ? written : `(${written})`);
}
