/** `<inktex-symbols>`: which symbol is it? Likely ones, any one by its name, or draw it again. */
import { icon } from "./icons";
import { Words } from "./strings";
import styles from "./symbols.css";
import { characterOf, searchSymbols } from "./table";

export type Correction = { latex: string } | "redraw";

/** A popover; `ask` opens it at a symbol and gives what was decided, or null. */
export class SymbolsElement extends HTMLElement {
  #root = this.attachShadow({ mode: "open" });
  #search = document.createElement("input");
  #list = document.createElement("div");
  #redraw = document.createElement("button");
  #title = document.createElement("h2");
  #likely: string[] = [];
  #present = "";
  #before: HTMLElement | null = null; // what had the focus
  #done: ((made: Correction | null) => void) | null = null;
  words = new Words();

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    this.#root.adoptedStyleSheets = [sheet];
    this.#search.type = "search";
    this.#search.setAttribute("part", "search");
    this.#search.autocomplete = "off";
    this.#search.spellcheck = false;
    this.#list.setAttribute("role", "group");
    this.#list.setAttribute("part", "symbols");
    this.#list.className = "list";
    this.#redraw.type = "button";
    this.#redraw.className = "redraw";
    this.#title.id = "title";
    this.#root.append(this.#title, this.#list, this.#search, this.#redraw);
    this.#search.addEventListener("input", () => this.#fill());
    this.#search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.#list.querySelector("button")?.click();
    });
    this.#redraw.addEventListener("click", () => this.#finish("redraw"));
    this.#list.addEventListener("keydown", (event) => this.#walk(event));
    this.addEventListener("keydown", (event) => {
      event.stopPropagation(); // keys of the page are not meant while this is open
      if (event.key === "Escape") this.#finish(null);
      // A letter is the beginning of a name, wherever the focus is.
      else if (event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey) this.#search.focus();
    });
    this.addEventListener("toggle", (event) => {
      if ((event as ToggleEvent).newState === "closed") this.#finish(null);
    });
  }

  connectedCallback(): void {
    this.popover = "auto";
    this.tabIndex = -1;
    this.setAttribute("role", "dialog");
    this.#redraw.textContent = this.words.say("symbolRedraw");
  }

  /** Ask which symbol stands at `place`; `likely` are LaTeX words, the best first. */
  ask(place: DOMRect, present: string, likely: readonly string[]): Promise<Correction | null> {
    this.#done?.(null);
    const { words } = this;
    this.#present = present;
    this.#title.textContent = words.say("symbolTitle");
    this.setAttribute("aria-label", words.say("symbolTitle"));
    this.#search.placeholder = words.say("symbolSearch");
    this.#search.setAttribute("aria-label", words.say("symbolSearch"));
    this.#search.value = "";
    this.#list.setAttribute("aria-label", words.say("symbolLikely"));
    this.#redraw.replaceChildren(icon("redraw"), words.say("symbolRedraw"));
    this.suggest(likely);
    this.#before = focused();
    this.showPopover();
    const { width, height } = this.getBoundingClientRect();
    const below = place.bottom + 8 + height <= innerHeight;
    const top = below ? place.bottom + 8 : Math.max(8, Math.min(place.top - 8 - height, innerHeight - height - 8));
    this.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, place.left + place.width / 2 - width / 2))}px`;
    this.style.top = `${top}px`;
    (this.#list.querySelector("button") ?? this).focus(); // in the search a phone would bring up its keyboard
    return new Promise((resolve) => (this.#done = resolve));
  }

  /** Other likely symbols, when they are found. */
  suggest(likely: readonly string[]): void {
    this.#likely = [...new Set(likely)].filter((latex) => latex !== this.#present).slice(0, 12);
    if (!this.#search.value) this.#fill();
  }

  #fill(): void {
    const focused = this.#root.activeElement?.getAttribute("data-latex");
    const found = this.#search.value ? searchSymbols(this.#search.value) : this.#likely;
    this.#list.replaceChildren(...found.map((latex) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "symbol";
      button.dataset.latex = latex;
      button.title = latex;
      button.setAttribute("aria-label", latex);
      button.textContent = characterOf.get(latex) ?? latex.replace(/^\\/, "");
      button.addEventListener("click", () => this.#finish({ latex }));
      return button;
    }));
    if (focused !== null && focused !== undefined) {
      (this.#list.querySelector<HTMLElement>(`[data-latex="${CSS.escape(focused)}"]`) ?? this.#list.querySelector("button"))?.focus();
    }
  }

  #walk(event: KeyboardEvent): void {
    const buttons = [...this.#list.querySelectorAll("button")];
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || !buttons.length) return;
    event.preventDefault();
    const present = buttons.indexOf(this.#root.activeElement as HTMLButtonElement);
    buttons[(present + step + buttons.length) % buttons.length].focus();
  }

  #finish(made: Correction | null): void {
    const done = this.#done;
    this.#done = null;
    const inside = this.matches(":focus, :focus-within");
    if (this.matches(":popover-open")) this.hidePopover();
    if (inside) this.#before?.focus({ preventScroll: true });
    done?.(made);
  }
}

/** The element that has the focus, in whatever shadow it is. */
function focused(): HTMLElement | null {
  let found = document.activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found as HTMLElement | null;
}

if (!customElements.get("inktex-symbols")) customElements.define("inktex-symbols", SymbolsElement);
