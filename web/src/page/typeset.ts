/**
 * Formulas as paths: MathML in, an SVG picture out that needs no font. The layout follows TeX's rules with the constants of the
 * font's MATH table; glyphs and constants come from glyphs.json (scripts/page_glyphs.py).
 */

export interface Glyphs {
  em: number;
  constants: Record<string, number>;
  /** By character (or by name, for those that only stretch): advance, ascent, descent, italic correction, path. */
  glyphs: Record<string, [advance: number, ascent: number, descent: number, italic: number, path: string]>;
  /** Larger forms of a character, by name, the smallest first. */
  taller: Record<string, string[]>;
  wider: Record<string, string[]>;
  /** Pieces to build still larger ones of: name, whether it may repeat, size, and how far neighbours may overlap. */
  pieces: Record<string, [name: string, repeats: number, size: number, overlap: number][]>;
}

/** A laid out piece: its size about the baseline, and how to draw it with its left end at (x, y). */
interface Box {
  width: number;
  ascent: number;
  descent: number;
  italic: number;
  draw(x: number, y: number, out: string[]): void;
}

interface Style {
  size: number; // px per em
  display: boolean;
  level: number; // of scripts
}

const SIZE = 40, MARGIN = 8;
const EMPTY: Box = { width: 0, ascent: 0, descent: 0, italic: 0, draw: () => {} };
const RELATIONS = /^[=<>≤≥≠≈≡∼≃≅→←⇒⇐⇔↔↦∈∉∋⊂⊃⊆⊇∝⊥∥∣≪≫:]$/u, BINARY = /^[+−±∓×÷⋅∗∘∙∩∪∧∨⊕⊖⊗⊙∖*-]$/u;
const LARGE = /^[∑∏∫∬∭∮⋀⋁⋂⋃]$/u, LIMITS = /^(?:[∑∏⋀⋁⋂⋃]|lim|max|min|sup|inf|limsup|liminf)$/u, INTEGRAL = /^[∫∬∭∮]$/u;
const FENCES = /^[()[\]{}|‖⌈⌉⌊⌋⟨⟩/\\∣∥]$/u;

/** One picture of one formula or of several under each other. */
export function typeset(formulas: readonly Element[], glyphs: Glyphs): string {
  const layout = new Layout(glyphs);
  const boxes = formulas.map((math) => layout.row([...math.children], { size: SIZE, display: true, level: 0 }));
  const width = Math.max(...boxes.map((box) => box.width));
  const out: string[] = [];
  let y = MARGIN;
  for (const box of boxes) {
    y += box.ascent;
    box.draw(MARGIN + (formulas.length > 1 ? 0 : (width - box.width) / 2), y, out);
    y += box.descent + (formulas.length > 1 ? 0.4 * SIZE : 0);
  }
  const size = [Math.ceil(width + 2 * MARGIN), Math.ceil(y + MARGIN)];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" viewBox="0 0 ${size.join(" ")}" fill="#111">${out.join("")}</svg>`;
}

class Layout {
  constructor(private readonly font: Glyphs) {}

  #constant(name: string, { size }: Style): number {
    return ((this.font.constants[name] ?? 0) / this.font.em) * size;
  }

  #percent(name: string): number {
    return (this.font.constants[name] ?? 70) / 100;
  }

  #script(style: Style): Style {
    const level = style.level + 1;
    const scale = level === 1 ? this.#percent("ScriptPercentScaleDown") : level === 2 ? this.#percent("ScriptScriptPercentScaleDown") / this.#percent("ScriptPercentScaleDown") : 1;
    return { size: style.size * scale, display: false, level };
  }

  // Glyphs -------------------------------------------------------------------------------------------------------

  #glyph(name: string, { size }: Style): Box {
    const found = this.font.glyphs[name];
    if (!found) return EMPTY;
    const scale = size / this.font.em;
    const [width, ascent, descent, italic, path] = found;
    return {
      width: width * scale, ascent: ascent * scale, descent: descent * scale, italic: italic * scale,
      draw: (x, y, out) => {
        if (path) out.push(`<path transform="translate(${round(x)} ${round(y)}) scale(${round(scale, 5)} ${round(-scale, 5)})" d="${path}"/>`);
      },
    };
  }

  #text(text: string, style: Style): Box {
    return beside([...text].map((letter) => this.#glyph(letter, style)));
  }

  /** A character at least so high; built of pieces where no form of it is. */
  #tall(character: string, height: number, style: Style): Box {
    const forms = this.font.taller[character] ?? [];
    for (const name of [character, ...forms]) {
      const box = this.#glyph(name, style);
      if (box.ascent + box.descent >= height * 0.96) return box;
    }
    const pieces = this.font.pieces[character];
    if (!pieces) return this.#glyph(forms[forms.length - 1] ?? character, style);
    const scale = style.size / this.font.em;
    const joined = (repeats: number): [string, number, number][] =>
      pieces.flatMap(([name, repeating, size, overlap]) => Array.from({ length: repeating ? repeats : 1 }, (): [string, number, number] => [name, size * scale, overlap * scale]));
    const lengthOf = (parts: [string, number, number][]): number => parts.reduce((sum, [, size, overlap], i) => sum + size - (i ? overlap : 0), 0);
    let repeats = 0;
    while (lengthOf(joined(repeats)) < height && repeats < 60) repeats += 1;
    const parts = joined(repeats), total = lengthOf(parts);
    const width = Math.max(...parts.map(([name]) => this.#glyph(name, style).width));
    return {
      width, ascent: total, descent: 0, italic: 0,
      draw: (x, y, out) => {
        let bottom = y;
        parts.forEach(([name, size, overlap], i) => {
          const piece = this.#glyph(name, style);
          if (i) bottom += overlap;
          piece.draw(x, bottom - piece.descent, out);
          bottom -= size;
        });
      },
    };
  }

  /** About the axis, as brackets and large operators stand. */
  #centred(box: Box, style: Style): Box {
    const shift = (box.ascent - box.descent) / 2 - this.#constant("AxisHeight", style);
    return moved(box, 0, shift);
  }

  // Elements -----------------------------------------------------------------------------------------------------

  row(children: readonly Element[], style: Style): Box {
    const stretchy = (element: Element): boolean => element.localName === "mo" && element.getAttribute("stretchy") !== "false" && FENCES.test(element.textContent ?? "");
    const solid = children.filter((child) => !stretchy(child)).map((child) => this.#element(child, style));
    const axis = this.#constant("AxisHeight", style);
    const reach = Math.max(0, ...solid.map(({ ascent, descent }) => Math.max(ascent - axis, descent + axis)));
    const parts: Box[] = [];
    children.forEach((child, i) => {
      const box = stretchy(child) ? this.#fence(child.textContent!, 2 * reach, style) : this.#element(child, style);
      const [before, after] = this.#spaces(children, i, style);
      parts.push(space(before), box, space(after));
    });
    return beside(parts);
  }

  #fence(character: string, height: number, style: Style): Box {
    const plain = this.#glyph(character, style);
    return plain.ascent + plain.descent >= height ? plain : this.#centred(this.#tall(character, height, style), style);
  }

  #spaces(children: readonly Element[], i: number, style: Style): [number, number] {
    const child = children[i], core = coreOf(child);
    if (core?.localName !== "mo" || style.level > 0) return [0, 0];
    const given = (name: string): number | null => {
      const value = core.getAttribute(name);
      return value === null ? null : lengthOf(value, style);
    };
    const text = core.textContent ?? "", em = style.size / 18;
    const before = children[i - 1], edge = !before || (coreOf(before)?.localName === "mo" && !FENCES.test(coreOf(before)!.textContent ?? ""));
    const form = core.getAttribute("form") ?? (edge ? "prefix" : "infix");
    const usual: [number, number] = RELATIONS.test(text) ? [5 * em, 5 * em]
      : BINARY.test(text) ? (form === "infix" && i < children.length - 1 ? [4 * em, 4 * em] : [0, 0])
      : LARGE.test(text) ? [edge ? 0 : 3 * em, 3 * em]
      : /^[,;]$/.test(text) ? [0, 3 * em] : [0, 0];
    return [given("lspace") ?? usual[0], given("rspace") ?? usual[1]];
  }

  #element(element: Element, style: Style): Box {
    const [first, second, third] = element.children;
    switch (element.localName) {
      case "mi": {
        const text = element.textContent ?? "";
        const upright = element.getAttribute("mathvariant") === "normal" || [...text].length > 1;
        return this.#text(upright ? text : italic(text), style);
      }
      case "mn": case "mtext": case "ms":
        return this.#text(element.textContent ?? "", style);
      case "mo":
        return this.#operator(element, style);
      case "mspace":
        return space(lengthOf(element.getAttribute("width") ?? "0", style));
      case "mfrac":
        return this.#fraction(first, second, element.getAttribute("linethickness") === "0" ? 0 : null, style);
      case "msqrt":
        return this.#root([...element.children], null, style);
      case "mroot":
        return this.#root([first], second, style);
      case "msub": return this.#scripts(first, second, null, style);
      case "msup": return this.#scripts(first, null, second, style);
      case "msubsup": return this.#scripts(first, second, third, style);
      case "munder": return this.#limits(element, first, second, null, style);
      case "mover": return this.#limits(element, first, null, second, style);
      case "munderover": return this.#limits(element, first, second, third, style);
      case "mtable":
        return this.#table([...element.children], style);
      case "mphantom": {
        const { width, ascent, descent } = this.row([...element.children], style);
        return { ...EMPTY, width, ascent, descent };
      }
      default:
        return this.row([...element.children], style);
    }
  }

  #operator(element: Element, style: Style): Box {
    const text = element.textContent ?? "";
    if (/^[\u2061-\u2064]$/u.test(text)) return EMPTY;
    if (style.display && LARGE.test(text)) {
      return this.#centred(this.#tall(text, this.#constant("DisplayOperatorMinHeight", style), style), style);
    }
    return this.#text(text === "-" ? "−" : text, style);
  }

  #fraction(above: Element, below: Element, thickness: number | null, style: Style): Box {
    const inner = style.display ? { ...style, display: false } : this.#script(style);
    const top = this.#element(above, inner), bottom = this.#element(below, inner);
    const rule = thickness ?? this.#constant("FractionRuleThickness", style);
    const axis = this.#constant("AxisHeight", style), display = style.display ? "DisplayStyle" : "";
    const gapUp = this.#constant(style.display ? "FractionNumDisplayStyleGapMin" : "FractionNumeratorGapMin", style);
    const gapDown = this.#constant(style.display ? "FractionDenomDisplayStyleGapMin" : "FractionDenominatorGapMin", style);
    const up = Math.max(this.#constant(`FractionNumerator${display}ShiftUp`, style), axis + rule / 2 + gapUp + top.descent);
    const down = Math.max(this.#constant(`FractionDenominator${display}ShiftDown`, style), bottom.ascent + gapDown + rule / 2 - axis);
    const side = 0.1 * style.size, width = Math.max(top.width, bottom.width) + 2 * side;
    return {
      width: width + 2 * side, ascent: up + top.ascent, descent: down + bottom.descent, italic: 0,
      draw: (x, y, out) => {
        top.draw(x + side + (width - top.width) / 2, y - up, out);
        bottom.draw(x + side + (width - bottom.width) / 2, y + down, out);
        if (rule) out.push(bar(x + side, y - axis - rule / 2, width, rule));
      },
    };
  }

  #root(inside: readonly Element[], degree: Element | null, style: Style): Box {
    const content = this.row(inside, style);
    const rule = this.#constant("RadicalRuleThickness", style);
    const gap = this.#constant(style.display ? "RadicalDisplayStyleVerticalGap" : "RadicalVerticalGap", style);
    const sign = this.#tall("√", content.ascent + content.descent + gap + rule, style);
    const height = sign.ascent + sign.descent;
    const spare = Math.max(0, (height - content.ascent - content.descent - gap - rule) / 2);
    const ascent = content.ascent + gap + spare + rule, lift = ascent - sign.ascent; // the top of the sign is the top of the rule
    const index = degree && this.#element(degree, this.#script(this.#script(style)));
    const before = index ? Math.max(0, index.width + this.#constant("RadicalKernBeforeDegree", style) + this.#constant("RadicalKernAfterDegree", style)) : 0;
    const raise = ((this.font.constants.RadicalDegreeBottomRaisePercent ?? 60) / 100) * height - (height - ascent);
    return {
      width: before + sign.width + content.width, italic: 0,
      ascent: Math.max(ascent + this.#constant("RadicalExtraAscender", style), index ? raise + index.ascent : 0), descent: Math.max(content.descent, height - ascent),
      draw: (x, y, out) => {
        index?.draw(x + this.#constant("RadicalKernBeforeDegree", style), y - raise, out);
        sign.draw(x + before, y - lift, out);
        out.push(bar(x + before + sign.width - 0.5, y - ascent, content.width + 0.5, rule));
        content.draw(x + before + sign.width, y, out);
      },
    };
  }

  #scripts(base: Element, sub: Element | null, sup: Element | null, style: Style): Box {
    const body = this.#element(base, style), inner = this.#script(style);
    const low = sub && this.#element(sub, inner), high = sup && this.#element(sup, inner);
    const integral = INTEGRAL.test(coreOf(base)?.textContent ?? "");
    let up = high ? Math.max(this.#constant("SuperscriptShiftUp", style), body.ascent - this.#constant("SuperscriptBaselineDropMax", style), high.descent + this.#constant("SuperscriptBottomMin", style)) : 0;
    let down = low ? Math.max(this.#constant("SubscriptShiftDown", style), body.descent + this.#constant("SubscriptBaselineDropMin", style), low.ascent - this.#constant("SubscriptTopMax", style)) : 0;
    if (low && high) {
      const gap = up - high.descent - (low.ascent - down), least = this.#constant("SubSuperscriptGapMin", style);
      if (gap < least) {
        up += (least - gap) / 2;
        down += (least - gap) / 2;
      }
    }
    const after = this.#constant("SpaceAfterScript", style), lean = body.italic;
    const highAt = body.width + (integral ? 0 : lean), lowAt = body.width - (integral ? lean : 0);
    return {
      width: Math.max(high ? highAt + high.width : 0, low ? lowAt + low.width : 0) + after, italic: 0,
      ascent: Math.max(body.ascent, high ? up + high.ascent : 0), descent: Math.max(body.descent, low ? down + low.descent : 0),
      draw: (x, y, out) => {
        body.draw(x, y, out);
        high?.draw(x + highAt, y - up, out);
        low?.draw(x + lowAt, y + down, out);
      },
    };
  }

  #limits(element: Element, base: Element, below: Element | null, above: Element | null, style: Style): Box {
    const text = coreOf(base)?.textContent ?? "";
    if (!style.display && LIMITS.test(text)) return this.#scripts(base, below, above, style);
    const body = this.#element(base, style);
    const accent = element.getAttribute("accent") === "true" || element.getAttribute("accentunder") === "true";
    const mark = (part: Element | null): Box | null => part && (accent ? this.#accent(part, body.width, style) : this.#element(part, this.#script(style)));
    const low = mark(below), high = mark(above);
    const gapUp = accent ? 0.06 * style.size : Math.max(this.#constant("UpperLimitGapMin", style), this.#constant("UpperLimitBaselineRiseMin", style) - (high?.descent ?? 0));
    const gapDown = accent ? 0.06 * style.size : Math.max(this.#constant("LowerLimitGapMin", style), this.#constant("LowerLimitBaselineDropMin", style) - (low?.ascent ?? 0));
    const width = Math.max(body.width, low?.width ?? 0, high?.width ?? 0);
    const highAt = body.ascent + gapUp, lowAt = body.descent + gapDown;
    return {
      width, italic: 0, ascent: high ? highAt + high.ascent + high.descent : body.ascent, descent: low ? lowAt + low.ascent + low.descent : body.descent,
      draw: (x, y, out) => {
        body.draw(x + (width - body.width) / 2, y, out);
        high?.draw(x + (width - high.width) / 2 + (accent ? body.italic : 0), y - highAt - high.descent, out);
        low?.draw(x + (width - low.width) / 2, y + lowAt + low.ascent, out);
      },
    };
  }

  /** An accent over something so wide; lines are drawn as wide as that, arrows and braces stretch as far as they can. */
  #accent(part: Element, width: number, style: Style): Box {
    const text = part.textContent ?? "", stretches = part.getAttribute("stretchy") === "true";
    if (/^[‾_¯]$/u.test(text) && (stretches || text === "¯")) {
      const rule = this.#constant("OverbarRuleThickness", style);
      return { width, ascent: rule, descent: 0, italic: 0, draw: (x, y, out) => out.push(bar(x, y - rule, width, rule)) };
    }
    const forms = stretches ? [text, ...(this.font.wider[text] ?? [])] : [text];
    const boxes = forms.map((name) => this.#glyph(name, style)).filter((box) => box !== EMPTY);
    const box = boxes.find((each) => each.width >= width * 0.9) ?? boxes[boxes.length - 1] ?? EMPTY;
    return moved({ ...box, ascent: box.ascent + box.descent, descent: 0 }, 0, -box.descent); // glyphs of accents stand high: only their ink counts
  }

  #table(rows: readonly Element[], style: Style): Box {
    const inner = { ...style, display: false };
    const cells = rows.map((each) => [...each.children].map((cell) => this.row([...cell.children], inner)));
    const columns = Math.max(...cells.map((each) => each.length));
    const widths = Array.from({ length: columns }, (_, c) => Math.max(0, ...cells.map((each) => each[c]?.width ?? 0)));
    const between = 0.8 * style.size, leading = 0.35 * style.size;
    const ascents = cells.map((each) => Math.max(0.7 * style.size, ...each.map((box) => box.ascent)));
    const descents = cells.map((each) => Math.max(0.2 * style.size, ...each.map((box) => box.descent)));
    const height = ascents.reduce((sum, a, i) => sum + a + descents[i], 0) + leading * (rows.length - 1);
    const axis = this.#constant("AxisHeight", style), ascent = height / 2 + axis;
    return {
      width: widths.reduce((sum, w) => sum + w, 0) + between * (columns - 1), ascent, descent: height - ascent, italic: 0,
      draw: (x, y, out) => {
        let top = y - ascent;
        cells.forEach((each, r) => {
          let left = x;
          each.forEach((box, c) => {
            const align = rows[r].children[c].getAttribute("columnalign") ?? "center";
            box.draw(left + (align === "left" ? 0 : align === "right" ? widths[c] - box.width : (widths[c] - box.width) / 2), top + ascents[r], out);
            left += widths[c] + between;
          });
          top += ascents[r] + descents[r] + leading;
        });
      },
    };
  }
}

const space = (width: number): Box => ({ ...EMPTY, width });

function beside(boxes: readonly Box[]): Box {
  return {
    width: boxes.reduce((sum, box) => sum + box.width, 0),
    ascent: Math.max(0, ...boxes.map((box) => box.ascent)),
    descent: Math.max(0, ...boxes.map((box) => box.descent)),
    italic: boxes[boxes.length - 1]?.italic ?? 0,
    draw: (x, y, out) => {
      for (const box of boxes) {
        box.draw(x, y, out);
        x += box.width;
      }
    },
  };
}

/** The same, drawn so much to the right and down. */
const moved = (box: Box, dx: number, dy: number): Box => ({
  ...box, ascent: box.ascent - dy, descent: box.descent + dy, draw: (x, y, out) => box.draw(x + dx, y + dy, out),
});

const bar = (x: number, y: number, width: number, height: number): string =>
  `<path d="M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z"/>`;

/** The operator or letter that scripts and limits stand at. */
function coreOf(element: Element | undefined): Element | undefined {
  if (!element) return undefined;
  return /^(?:msub|msup|msubsup|munder|mover|munderover)$/.test(element.localName) ? coreOf(element.children[0]) : element;
}

function lengthOf(text: string, { size }: Style): number {
  const value = parseFloat(text) || 0;
  return text.endsWith("px") ? value : value * size;
}

/** A letter as mathematics writes it: slanted, as a character of its own. */
function italic(letter: string): string {
  const code = letter.codePointAt(0)!;
  if (letter === "h") return "ℎ";
  if (code >= 65 && code <= 90) return String.fromCodePoint(0x1d434 + code - 65);
  if (code >= 97 && code <= 122) return String.fromCodePoint(0x1d44e + code - 97);
  if (code >= 0x3b1 && code <= 0x3c9) return String.fromCodePoint(0x1d6fc + code - 0x3b1);
  return { "ϵ": "𝜖", "ϑ": "𝜗", "ϕ": "𝜙", "ϱ": "𝜚", "ϖ": "𝜛" }[letter] ?? letter;
}

function round(value: number, digits = 2): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}
