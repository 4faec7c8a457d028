/** Formulas as the browser renders them: MathML text in, elements out; symbols shade with doubt and light up. */
import type { Link } from "./link";

const NAMESPACE = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = new Set(
  `math mrow mi mn mo mtext ms mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd
  mstyle mpadded mphantom merror`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  `display data-token form stretchy fence separator lspace rspace movablelimits largeop accent accentunder
  linethickness mathvariant width height depth displaystyle scriptlevel minsize maxsize symmetric columnalign
  columnspacing rowspacing columnlines rowlines`.split(/\s+/),
);
const BREAKS = new Set("=<>≤≥≠≈≡∼→⇒↦∈⊂⊆+−±∓-".split(""));
const HIGH = "mfrac, msqrt, mroot, mtable, munder, mover, munderover";
const LEGIBLE = 1.35; // rem; a formula that would be smaller in one row is broken into several
const SMALLEST = 0.8; // rem, for one expression that is high rather than long, such as a sum of fractions in a small window
const IN_LINES = 1.1; // rem, for several lines in a small window; what is higher still is scrolled

/** Elements for MathML text; what is not MathML is left out, whoever wrote it. */
export function mathElement(text: string): MathMLElement {
  const parsed = new DOMParser().parseFromString(text, "application/xml").documentElement;
  const math = copied(parsed) ?? (document.createElementNS(NAMESPACE, "math") as MathMLElement);
  // Brackets around what is not high stay as they are: grown by a hair they would be wider and stand apart, as in f ( x ).
  for (const fence of math.querySelectorAll('mo[form][stretchy="true"]')) {
    if (!fence.parentElement?.querySelector(HIGH)) fence.setAttribute("stretchy", "false");
  }
  return math;
}

function copied(node: Element): MathMLElement | null {
  if (node.namespaceURI !== NAMESPACE || !ELEMENTS.has(node.localName)) return null;
  const element = document.createElementNS(NAMESPACE, node.localName) as MathMLElement;
  for (const { name, value } of node.attributes) if (ATTRIBUTES.has(name)) element.setAttribute(name, value);
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) element.append((child as Text).data);
    else {
      const inner = child.nodeType === Node.ELEMENT_NODE ? copied(child as Element) : null;
      if (inner) element.append(inner);
    }
  }
  return element;
}

/** The words of LaTeX that were drawn only by their name, because nobody knows how they look. */
export function undrawn(tokens: readonly string[], math: Element): string[] {
  return tokens.filter((token, i) => {
    const drawn = math.querySelector(`mtext[data-token="${i}"]`);
    return /^\\[A-Za-z]{2,}/.test(token) && drawn?.textContent === token.slice(1);
  });
}

/** How much a token's shade shows: nothing down to 90 % sure, all of it at 30 %. */
export const doubtOf = (confidence: number): number => Math.max(0, Math.min(1, (0.9 - confidence) / 0.6));

/** What a formula's box needs of each line. */
export interface Shown {
  mathml: string;
  confidences: readonly number[];
  unknown: readonly number[];
}

/**
 * A box with one formula, or several lines of them. Tokens are counted through all lines, as in the link. Events on the box:
 * `walked` and `tapped` (CustomEvent of the token), and `picked` (of the line, when it is tapped beside its symbols).
 */
export class Formula {
  #lines: HTMLElement[] = [];
  #broken = false;

  constructor(readonly box: HTMLElement, private readonly link: Link) {
    box.addEventListener("pointermove", (event) => this.#pointed(event));
    box.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") link.clear();
    });
    box.addEventListener("click", (event) => {
      const token = tokenOf(event.target);
      const line = this.#lines.findIndex((each) => each.contains(event.target as Node));
      if (token !== null) this.#tell("tapped", token);
      else if (line >= 0) this.#tell("picked", line);
    });
    box.addEventListener("keydown", (event) => this.#key(event));
    box.addEventListener("blur", () => link.clear());
    link.addEventListener("change", () => this.#light());
    new ResizeObserver(() => this.fit()).observe(box);
  }

  /** Show lines, one of them as the present one. */
  show(lines: readonly Shown[], current = 0): void {
    let offset = 0;
    this.#lines = lines.map(({ mathml, confidences, unknown }, i) => {
      const line = document.createElement("div");
      line.className = "line";
      if (i === current && lines.length > 1) line.dataset.current = "";
      const math = mathElement(mathml);
      for (const element of math.querySelectorAll<MathMLElement>("[data-token]")) {
        const token = Number(element.dataset.token);
        const doubt = doubtOf(confidences[token] ?? 1);
        element.dataset.token = String(token + offset);
        if (doubt > 0) {
          element.classList.add("doubtful");
          element.style.setProperty("--share-of-doubt", doubt.toFixed(2));
        }
        if (unknown.includes(token)) element.classList.add("unknown");
      }
      offset += confidences.length;
      line.append(math);
      return line;
    });
    this.#broken = false;
    this.box.classList.toggle("several", lines.length > 1);
    this.box.replaceChildren(...this.#lines);
    this.fit();
    if (lines.length > 1) this.#reveal(this.#lines[current]);
  }

  /** Scroll within the box, and nowhere else, until a line can be seen. */
  #reveal(line: HTMLElement): void {
    const place = line.getBoundingClientRect(), box = this.box.getBoundingClientRect();
    this.box.scrollTop += Math.min(0, place.top - box.top - 4) || Math.max(0, place.bottom - box.bottom + 4);
  }

  clear(): void {
    this.#lines = [];
    this.box.replaceChildren();
  }

  /** As large as fits, and no larger than is pleasant; what would be too small in one row is broken into several. */
  fit(): void {
    if (!this.#lines.length) return;
    const style = getComputedStyle(this.box);
    const largest = parseFloat(style.getPropertyValue("--largest")) || 2.6;
    const width = this.box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const between = (this.#lines.length - 1) * (parseFloat(style.rowGap) || 0);
    const height = this.box.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom) - between;
    if (width <= 0) return;
    if (this.#broken) {
      for (const line of this.#lines) joinAgain(line);
      this.#broken = false;
    }
    const measure = (size: number): [number, number] => {
      this.box.style.setProperty("--size", `${size}rem`);
      const wide = Math.max(...this.#lines.map((line) => widthOf(line)));
      const high = this.#lines.reduce((sum, line) => sum + line.getBoundingClientRect().height, 0);
      return [width / wide, height / high];
    };
    const [across, down] = measure(largest);
    const ratio = Math.min(across, down);
    if (ratio >= 1) return;
    const size = largest * ratio * 0.98;
    // Several lines that are too high are scrolled; to break them would make them higher.
    if (size >= LEGIBLE || (this.#lines.length > 1 && largest * across >= LEGIBLE)) {
      this.box.style.setProperty("--size", `${Math.max(size, Math.min(this.#lines.length > 1 ? IN_LINES : LEGIBLE, largest))}rem`);
      return;
    }
    if (this.#lines.length === 1 && largest * across >= LEGIBLE) {
      this.box.style.setProperty("--size", `${Math.max(size, SMALLEST)}rem`);
      return;
    }
    this.#broken = true;
    for (const line of this.#lines) breakUp(line);
    for (const step of [1.8, 1.6, 1.45, LEGIBLE, 1.25]) {
      this.box.style.setProperty("--size", `${Math.min(step, largest)}rem`);
      if (this.box.scrollHeight <= this.box.clientHeight && this.box.scrollWidth <= this.box.clientWidth) return;
    }
  }

  #pointed(event: PointerEvent): void {
    this.link.lightToken(tokenOf(event.target));
  }

  /** The arrow keys walk from symbol to symbol; Enter is a tap. */
  #key(event: KeyboardEvent): void {
    const { symbols, token } = this.link;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") this.link.clear();
    if (event.key === "Enter" && token !== null) {
      event.preventDefault();
      this.#tell("tapped", token);
    }
    if (!step || !symbols.length || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const present = token === null ? -1 : symbols.indexOf(token);
    const next = present < 0 ? (step > 0 ? 0 : symbols.length - 1) : (present + step + symbols.length) % symbols.length;
    this.link.lightToken(symbols[next]);
    this.#tell("walked", symbols[next]);
  }

  #tell(name: string, detail: number): void {
    this.box.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Where a token stands on the screen. */
  placeOf(token: number): DOMRect | undefined {
    return this.box.querySelector(`[data-token="${token}"]`)?.getBoundingClientRect();
  }

  #light(): void {
    for (const element of this.box.querySelectorAll(".lit")) element.classList.remove("lit");
    if (this.link.token === null) return;
    for (const element of this.box.querySelectorAll(`[data-token="${this.link.token}"]`)) element.classList.add("lit");
  }
}

function tokenOf(target: EventTarget | null): number | null {
  const symbol = (target as Element | null)?.closest?.<HTMLElement>("[data-token]");
  return symbol ? Number(symbol.dataset.token) : null;
}

/** How wide the formula of a line is; its `<math>` is no wider than the box, whatever stands in it. */
function widthOf(line: HTMLElement): number {
  const places = [...(line.firstElementChild?.children ?? [])].map((part) => part.getBoundingClientRect());
  return Math.max(1, Math.max(...places.map(({ right }) => right)) - Math.min(...places.map(({ left }) => left)));
}

/** Put a formula into several `<math>` elements that the browser can wrap, broken before relations, sums and differences. */
function breakUp(line: HTMLElement): void {
  const math = line.firstElementChild;
  const row = math?.firstElementChild;
  if (!math || row?.localName !== "mrow") return;
  const pieces: Element[][] = [[]];
  for (const child of [...row.children]) {
    const piece = pieces[pieces.length - 1];
    const last = piece[piece.length - 1];
    const operator = child.localName === "mo" && BREAKS.has(child.textContent ?? "");
    if (operator && last && last.localName !== "mo") pieces.push([]);
    pieces[pieces.length - 1].push(child);
  }
  if (pieces.length < 2) return;
  line.replaceChildren(...pieces.map((children, i) => {
    const part = math.cloneNode() as Element, inner = row.cloneNode() as Element;
    // At the head of a piece an operator would be taken for the sign of a number.
    if (i && !children[0].hasAttribute("form")) children[0].setAttribute("form", "infix");
    inner.append(...children);
    part.append(inner);
    return part;
  }));
}

function joinAgain(line: HTMLElement): void {
  const [first, ...others] = line.children;
  for (const other of others) {
    first.firstElementChild?.append(...(other.firstElementChild?.children ?? []));
    other.remove();
  }
}
