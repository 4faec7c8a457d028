// The formula as the browser renders it: MathML text in, elements out; signs shade with doubt and light up.

const NAMESPACE = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = new Set(
  `math mrow mi mn mo mtext ms mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd
  mstyle mpadded mphantom merror`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  `display data-token form stretchy fence separator lspace rspace movablelimits largeop accent accentunder
  linethickness mathvariant width height depth displaystyle scriptlevel minsize maxsize symmetric`.split(/\s+/),
);

/** Elements for MathML text; what is not MathML is left out, whoever wrote it. */
export function mathElement(text) {
  const parsed = new DOMParser().parseFromString(text, "application/xml").documentElement;
  return copied(parsed) ?? document.createElementNS(NAMESPACE, "math");
}

function copied(node) {
  if (node.namespaceURI !== NAMESPACE || !ELEMENTS.has(node.localName)) return null;
  const element = document.createElementNS(NAMESPACE, node.localName);
  for (const { name, value } of node.attributes) if (ATTRIBUTES.has(name)) element.setAttribute(name, value);
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) element.append(child.data);
    else {
      const inner = child.nodeType === Node.ELEMENT_NODE ? copied(child) : null;
      if (inner) element.append(inner);
    }
  }
  return element;
}

/** How much a token's shade shows: nothing down to 90 % sure, all of it at 30 %. */
export const doubtOf = (confidence) => Math.max(0, Math.min(1, (0.9 - confidence) / 0.6));

export class Formula {
  #largest = 2.6; // rem

  constructor(box, link) {
    this.box = box;
    this.link = link;
    box.addEventListener("pointermove", (event) => this.#pointed(event));
    box.addEventListener("pointerdown", (event) => this.#pointed(event));
    box.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") link.clear();
    });
    box.addEventListener("keydown", (event) => this.#key(event));
    box.addEventListener("blur", () => link.clear());
    link.addEventListener("change", () => this.#light());
    new ResizeObserver(() => this.fit()).observe(box);
  }

  /** Show MathML with the confidence of each token. */
  show(mathml, confidences = []) {
    const math = mathElement(mathml);
    for (const element of math.querySelectorAll("[data-token]")) {
      const doubt = doubtOf(confidences[Number(element.dataset.token)] ?? 1);
      if (doubt > 0) {
        element.classList.add("doubtful");
        element.style.setProperty("--doubt", doubt.toFixed(2));
      }
    }
    this.box.replaceChildren(math);
    this.fit();
  }

  clear() {
    this.box.replaceChildren();
  }

  /** As large as fits, and no larger than is pleasant. */
  fit() {
    const math = this.box.firstElementChild;
    if (!math) return;
    this.#largest = parseFloat(getComputedStyle(this.box).getPropertyValue("--largest")) || 2.6;
    let size = this.#largest;
    math.style.fontSize = `${size}rem`;
    const style = getComputedStyle(this.box);
    const width = this.box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const height = this.box.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    const box = math.getBoundingClientRect();
    const ratio = Math.min(1, width / box.width, height / box.height);
    if (ratio < 1) {
      size = Math.max(0.9, size * ratio * 0.98);
      math.style.fontSize = `${size}rem`;
    }
  }

  #pointed(event) {
    const sign = event.target.closest?.("[data-token]");
    this.link.lightToken(sign ? Number(sign.dataset.token) : null);
  }

  /** The arrow keys walk from sign to sign. */
  #key(event) {
    const signs = this.link.signs;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") this.link.clear();
    if (!step || !signs.length || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const present = signs.indexOf(this.link.token);
    const next = present < 0 ? (step > 0 ? 0 : signs.length - 1) : (present + step + signs.length) % signs.length;
    this.link.lightToken(signs[next]);
    this.box.dispatchEvent(new CustomEvent("walked", { detail: signs[next] }));
  }

  #light() {
    for (const element of this.box.querySelectorAll(".lit")) element.classList.remove("lit");
    if (this.link.token === null) return;
    for (const element of this.box.querySelectorAll(`[data-token="${this.link.token}"]`)) {
      element.classList.add("lit");
    }
  }
}
