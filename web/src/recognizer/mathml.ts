/** LaTeX to MathML that browsers draw by themselves; a port of `inktex/latex/mathml.py`. */
import { environmentOf, fencePairs, hasOneArgument, hasTwoArguments, type Node, numberLength, parseLayout, type Row, wantsMore } from "./layout";
import { bracketsOf, isAlpha, type Role, symbol } from "./symbols";
import tables from "./tables.json";

const { namespace, small_accents, below, upright, prefixed, tight, adjacent, columns } = tables.mathml;
const stacked = new Set(tables.words.stacked);
const THIN_SPACE = '<mspace width="0.1667em"/>';
const APPLY = "<mo>\u2061</mo>";

/** One element of a row, and what it is to its neighbour on either side. */
interface Item {
  xml: string;
  left: Role;
  right: Role;
}

type Attributes = Record<string, string>;

/** The expression as one `<math>` element; with `ids`, each symbol's element carries `data-token`, the place of its token. */
export function toMathml(tokens: readonly string[], ids = false): string {
  return `<math xmlns="${namespace}" display="block">${new Writer(ids).row(parseLayout(tokens))}</math>`;
}

class Writer {
  constructor(private readonly ids: boolean) {}

  /** A row as exactly one element. */
  row(row: Row): string {
    const items = this.items(row, 0, row.length, fencePairs(row));
    return items.length === 1 ? items[0].xml : grouped(items);
  }

  /** The elements of a part of a row: numbers in one piece, each pair of brackets a row of its own. */
  private items(row: Row, start: number, end: number, fences: Map<number, number>): Item[] {
    const made: Item[] = [];
    let before: Role = "open";
    for (let place = start; place < end; ) {
      const digits = this.ids ? 0 : numberLength(row, place, end);
      const closing = fences.get(place);
      let item: Item;
      if (digits > 1) {
        const number = element("mn", row.slice(place, place + digits).map(({ label }) => label).join(""));
        item = { xml: this.scripted(row[place + digits - 1], number), left: "number", right: "number" };
        place += digits;
      } else if (closing !== undefined) {
        item = this.fenced(row, place, closing, fences);
        place = closing + 1;
      } else {
        const { role } = symbol(row[place].label);
        item = { xml: this.scripted(row[place], this.base(row[place], before)), left: role, right: role };
        place++;
      }
      made.push(item);
      before = item.right;
    }
    return made;
  }

  /** A pair of brackets with its content; a script on the closing one belongs to the whole. */
  private fenced(row: Row, opening: number, closing: number, fences: Map<number, number>): Item {
    const items: Item[] = [
      { xml: this.scripted(row[opening], this.fence(row[opening], "prefix")), left: "open", right: "open" },
      ...this.items(row, opening + 1, closing, fences),
      { xml: this.fence(row[closing], "postfix"), left: "close", right: "close" },
    ];
    return { xml: this.scripted(row[closing], grouped(items)), left: "open", right: "close" };
  }

  private fence(node: Node, form: string): string {
    return this.leaf("mo", node, { form, stretchy: "true" });
  }

  private leaf(tag: string, node: Node, attributes: Attributes = {}): string {
    return element(tag, escaped(symbol(node.label).character), { ...attributes, ...this.mark(node) });
  }

  private mark({ token }: Node): Attributes {
    return this.ids && token !== null ? { "data-token": String(token) } : {};
  }

  /** A symbol without its scripts. */
  private base(node: Node, before: Role): string {
    const { label } = node;
    const mark = this.mark(node);
    if (label === "\\frac") return element("mfrac", this.row(node.above) + this.row(node.below), mark);
    if (label === "\\sqrt") {
      const inside = this.row(node.inside);
      return node.above.length ? element("mroot", inside + this.row(node.above), mark) : element("msqrt", inside, mark);
    }
    if (label === "\\binom") {
      const stack = element("mfrac", this.row(node.above) + this.row(node.below), { linethickness: "0", ...mark });
      return element("mrow", `<mo>(</mo>${stack}<mo>)</mo>`);
    }
    if (hasTwoArguments(label))
      return element(label === "\\underset" ? "munder" : "mover", this.row(node.below) + this.row(node.above), mark);
    if (hasOneArgument(label)) return this.accented(node);
    if (node.cells.length) return this.environment(node);
    return label ? this.symbol(node, before) : element("mrow", "");
  }

  /** A table of the cells, with the brackets of a matrix or the brace of `cases` around it. */
  private environment(node: Node): string {
    const name = environmentOf(node.label);
    const [opening, closing] = name === "cases" ? ["{", ""] : (bracketsOf(name) ?? ["", ""]);
    const align = (columns as Record<string, string[] | undefined>)[name] ?? [];
    const lines = node.cells.map((line) =>
      line.map((cell, i): string => element("mtd", this.row(cell), align[i] ? { columnalign: align[i] } : {})).join(""),
    );
    const table = lines.map((line) => element("mtr", line)).join("");
    const mark = this.mark(node);
    if (!opening) return element("mtable", table, { ...(name === "aligned" ? { displaystyle: "true" } : {}), ...mark });
    const bracket = (text: string, form: string): string => element("mo", text, { form, stretchy: "true" });
    return element(
      "mrow",
      bracket(opening, "prefix") + element("mtable", table) + (closing ? bracket(closing, "postfix") : ""),
      mark,
    );
  }

  private accented(node: Node): string {
    const row = this.row(node.inside);
    const mark = this.mark(node);
    const { role, character } = symbol(node.label);
    if (role !== "structure") return element("mrow", row, mark);
    const accent = element("mo", character, { stretchy: String(!small_accents.includes(node.label)), ...mark });
    return below.includes(node.label)
      ? element("munder", row + accent, { accentunder: "true" })
      : element("mover", row + accent, { accent: "true" });
  }

  /** A symbol that stands alone, as identifier, number or operator, with the spacing of TeX. */
  private symbol(node: Node, before: Role): string {
    const { role, character } = symbol(node.label);
    if (role === "number") return this.leaf("mn", node);
    if (role === "binary" && wantsMore(before)) return this.leaf("mo", node, { form: "prefix" });
    if (role === "binary" || role === "relation") return this.leaf("mo", node);
    if (role === "operator" && isAlpha(character))
      return this.leaf("mo", node, { form: "prefix", movablelimits: "true", lspace: "0.1667em", rspace: "0.1667em" });
    if (role === "operator") return this.leaf("mo", node, { form: "prefix" });
    if (role === "punctuation") return this.leaf("mo", node, { separator: "true" });
    if (role === "open" || role === "close")
      return this.leaf("mo", node, { form: role === "open" ? "prefix" : "postfix", stretchy: "false" });
    if (role === "bar" || role === "prime" || tight.includes(character))
      return this.leaf("mo", node, { stretchy: "false", lspace: "0em", rspace: "0em" });
    if (prefixed.includes(character)) return this.leaf("mo", node, { form: "prefix", lspace: "0em", rspace: "0em" });
    if (upright.includes(character)) return this.leaf("mi", node, { mathvariant: "normal" });
    return this.leaf(role === "function" || [...character].length === 1 ? "mi" : "mtext", node);
  }

  private scripted(node: Node, base: string): string {
    const { sub, sup, label } = node;
    if (!sub.length && !sup.length) return base;
    const scripts = [sub, sup].filter((script) => script.length).map((script) => this.row(script)).join("");
    const [under, over] = stacked.has(label) ? ["under", "over"] : ["sub", "sup"];
    return element(`m${sub.length ? under : ""}${sup.length ? over : ""}`, base + scripts);
  }
}

/** A row of elements, with the thin spaces that keep the names of functions apart from others. */
function grouped(items: Item[]): string {
  const parts = items.map((item, place) => {
    if (!place) return item.xml;
    const { right } = items[place - 1];
    const { left } = item;
    const apart = (right === "function" && adjacent.includes(left)) || (left === "function" && adjacent.includes(right));
    return (right === "function" ? APPLY : "") + (apart ? THIN_SPACE : "") + item.xml;
  });
  return element("mrow", parts.join(""));
}

function element(tag: string, content: string, attributes: Attributes = {}): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  return `<${tag}${written.join("")}>${content}</${tag}>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
