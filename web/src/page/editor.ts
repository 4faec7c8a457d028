/**
 * The LaTeX, to read and to edit: a text field over a copy of its text whose tokens carry shade and light. A text field cannot
 * colour parts of its text; the copy behind it has the same letters at the same places.
 *
 * What a person types is a draft until they leave the field or press Enter; Escape takes it back. Events: `draft`, `decided`,
 * `dropped`.
 */
import { doubtOf } from "../pad/formula";
import { spansOf, tokenAt } from "../pad/latex";
import type { Link } from "../pad/link";

export class Editor extends EventTarget {
  #spans: [number, number][] = [];
  #offset = 0; // of the first token in the link
  #draft = false;

  constructor(readonly field: HTMLTextAreaElement, private readonly mirror: HTMLElement, private readonly link: Link) {
    super();
    field.addEventListener("input", () => this.#typed());
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.#decide();
        field.blur();
      } else if (event.key === "Escape") {
        event.stopPropagation();
        this.#draft = false;
        this.dispatchEvent(new Event("dropped")); // also what was left as it is no formula
        field.blur();
      }
    });
    field.addEventListener("blur", () => {
      this.#decide();
      field.scrollTop = 0;
    });
    field.addEventListener("pointermove", (event) => this.#pointed(event));
    field.addEventListener("pointerleave", () => link.clear());
    field.addEventListener("scroll", () => (mirror.scrollTop = field.scrollTop));
    document.addEventListener("selectionchange", () => this.#caretMoved());
    link.addEventListener("change", () => this.#light());
    new ResizeObserver(() => this.#grow()).observe(field.parentElement!);
    field.addEventListener("focus", () => this.#grow());
  }

  /** Something is typed that is not decided yet. */
  get drafting(): boolean {
    return this.#draft;
  }

  get text(): string {
    return this.field.value;
  }

  /** Show LaTeX whose tokens have a confidence; the first of them is token `offset` of the link. */
  show(latex: string, tokens: readonly string[], confidences: readonly number[] = [], offset = 0): void {
    this.#draft = false;
    this.#offset = offset;
    this.field.value = latex;
    this.#spans = spansOf(latex, tokens) ?? [];
    const parts: (Node | string)[] = [];
    let place = 0;
    this.#spans.forEach(([start, end], token) => {
      if (start > place) parts.push(latex.slice(place, start));
      const part = document.createElement("span");
      part.textContent = latex.slice(start, end);
      part.dataset.token = String(token + offset);
      const doubt = doubtOf(confidences[token] ?? 1);
      if (doubt > 0) {
        part.classList.add("doubtful");
        part.style.setProperty("--share-of-doubt", doubt.toFixed(2));
      }
      parts.push(part);
      place = end;
    });
    this.mirror.replaceChildren(...parts, latex.slice(place));
    this.#grow();
  }

  #typed(): void {
    this.#draft = true;
    this.#spans = [];
    this.mirror.textContent = this.field.value;
    this.link.clear();
    this.#grow();
    this.dispatchEvent(new Event("draft"));
  }

  #decide(): void {
    if (!this.#draft) return;
    this.#draft = false;
    this.dispatchEvent(new Event("decided"));
  }

  #grow(): void {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, 132)}px`;
  }

  #pointed(event: PointerEvent): void {
    const under = document.elementsFromPoint(event.clientX, event.clientY);
    const part = under.find((each) => each.parentElement === this.mirror) as HTMLElement | undefined;
    this.link.lightToken(part?.dataset.token === undefined ? null : Number(part.dataset.token));
  }

  #caretMoved(): void {
    if (document.activeElement !== this.field || !this.#spans.length) return;
    const token = tokenAt(this.#spans, this.field.selectionStart);
    this.link.lightToken(token === null ? null : token + this.#offset);
  }

  #light(): void {
    for (const part of this.mirror.querySelectorAll(".lit")) part.classList.remove("lit");
    if (this.link.token !== null) this.mirror.querySelector(`[data-token="${this.link.token}"]`)?.classList.add("lit");
  }
}
