// The LaTeX, to read and to edit: a text field over a copy of its text whose tokens carry shade and light.
//
// A text field cannot colour parts of its text. The copy behind it has the same letters at the same places.

import { doubtOf } from "./formula.js";
import { pretty, tokenAt } from "./latex.js";

export class Editor extends EventTarget {
  #spans = [];

  constructor(field, mirror, link) {
    super();
    this.field = field;
    this.mirror = mirror;
    this.link = link;
    field.addEventListener("input", () => this.#edited());
    field.addEventListener("pointermove", (event) => this.#pointed(event));
    field.addEventListener("pointerleave", () => link.clear());
    field.addEventListener("scroll", () => (mirror.scrollTop = field.scrollTop));
    document.addEventListener("selectionchange", () => this.#caretMoved());
    link.addEventListener("change", () => this.#light());
    new ResizeObserver(() => this.#grow()).observe(field.parentElement);
  }

  get text() {
    return this.field.value;
  }

  /** Show tokens with their confidence. */
  show(tokens, confidences = []) {
    const { text, spans } = pretty(tokens);
    this.#spans = spans;
    this.field.value = text;
    const parts = [];
    let place = 0;
    spans.forEach(([start, end], token) => {
      if (start > place) parts.push(text.slice(place, start));
      const part = document.createElement("span");
      part.textContent = text.slice(start, end);
      part.dataset.token = token;
      const doubt = doubtOf(confidences[token] ?? 1);
      if (doubt > 0) {
        part.classList.add("doubtful");
        part.style.setProperty("--doubt", doubt.toFixed(2));
      }
      parts.push(part);
      place = end;
    });
    this.mirror.replaceChildren(...parts);
    this.#grow();
  }

  #edited() {
    this.#spans = [];
    this.mirror.textContent = this.field.value;
    this.link.clear();
    this.#grow();
    this.dispatchEvent(new Event("edit"));
  }

  /** Give tokens to text that a person wrote; the text stays as it is. */
  mark(tokens) {
    const text = this.field.value;
    let place = 0;
    const spans = [];
    for (const token of tokens) {
      const start = text.indexOf(token, place);
      if (start < 0) return; // written in another way than tokens are; nothing to light then
      spans.push([start, start + token.length]);
      place = start + token.length;
    }
    this.#spans = spans;
  }

  #grow() {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, 132)}px`;
  }

  #pointed(event) {
    const under = document.elementsFromPoint(event.clientX, event.clientY);
    const part = under.find((element) => element.parentElement === this.mirror);
    this.link.lightToken(part ? Number(part.dataset.token) : null);
  }

  #caretMoved() {
    if (document.activeElement !== this.field || !this.#spans.length) return;
    this.link.lightToken(tokenAt(this.#spans, this.field.selectionStart));
  }

  #light() {
    for (const part of this.mirror.querySelectorAll(".lit")) part.classList.remove("lit");
    if (this.link.token !== null) this.mirror.querySelector(`[data-token="${this.link.token}"]`)?.classList.add("lit");
  }
}
