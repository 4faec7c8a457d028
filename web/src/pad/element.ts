/**
 * `<inktex-pad>`: paper to write mathematics on, and what it says.
 *
 * Attributes: `model` (address of a model file: recognition in this browser) or `server` (address of an inktex server), `theme`
 * (auto, light, dark), `lang`, `answer="none"` and `tools="none"` to leave these out, and those of form fields: `name`,
 * `required`, `disabled`. Events: `change` (the ink or a decision changed), `recognition` (all ink is read: `detail` is the list of
 * readings, one per line), and `problem` (`detail` says why there is no answer). The value of the field is its LaTeX.
 */
import type { Backend } from "./backend";
import { Desk, type Reading } from "./desk";
import { Formula } from "./formula";
import { boundsOf } from "./geometry";
import { icon } from "./icons";
import { newId, type Stroke } from "./ink";
import { Link } from "./link";
import { LocalBackend } from "./local";
import styles from "./pad.css";
import { Pointer, type Tool } from "./pointer";
import { PEN_COLOURS, Sheet } from "./sheet";
import { SocketBackend } from "./socket";
import { type Text, Words } from "./strings";
import { SymbolsElement } from "./symbols";
import { lookAlikes } from "./table";

const TOOLS: [Tool, string][] = [["pen", "P"], ["eraser", "E"], ["select", "S"], ["hand", "H"]];
const WIDTHS = { thin: 0.65, medium: 1, thick: 1.7 } as const;
const DIRECTIONS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export class InktexPad extends HTMLElement {
  static formAssociated = true;
  static observedAttributes = ["model", "server", "theme", "lang", "answer", "tools", "disabled", "required"];

  #internals = this.attachInternals();
  #root = this.attachShadow({ mode: "open", delegatesFocus: true });
  #buttons = new Map<string, HTMLButtonElement>();
  #paper = make("div", { class: "paper", part: "paper" });
  #toolbar = make("div", { class: "tools", part: "tools", role: "toolbar" });
  #zoom = make("div", { class: "zoom", part: "zoom", role: "group" });
  #pens = make("div", { class: "pens", part: "pens", role: "dialog" });
  #answer = make("div", { class: "answer", part: "answer" });
  #source = make("div", { class: "source", part: "latex", tabindex: "0" });
  #others = make("ul", { class: "others", part: "alternatives" });
  #help = make("p", { class: "unseen", id: "help" });
  #said = make("p", { class: "unseen", "aria-live": "polite" });
  #corrector = new SymbolsElement();
  #formula: Formula;
  #words = new Words();
  #own: Backend | null = null; // what the attributes asked for
  /** The ink and its readings. */
  readonly desk = new Desk();
  readonly link = new Link();
  readonly sheet: Sheet;
  readonly pointer: Pointer;
  /** The canvas that takes the pen. */
  readonly canvas = make("canvas", { id: "settled", tabindex: "0", role: "application", "aria-describedby": "help" });

  constructor() {
    super();
    const css = new CSSStyleSheet();
    css.replaceSync(styles);
    this.#root.adoptedStyleSheets = [css];
    const wet = make("canvas", { id: "wet", "aria-hidden": "true" }), probe = make("span", { id: "probe" });
    const box = make("div", { class: "formula", part: "formula", role: "group", tabindex: "0" });
    this.sheet = new Sheet(this.canvas, wet, probe);
    this.pointer = new Pointer(this.sheet, this.desk.notebook, this.link);
    this.#formula = new Formula(box, this.link);
    this.#makeTools();
    this.#answer.append(box, this.#source, this.#button("copy", "copy", () => void navigator.clipboard?.writeText(this.value), "copy"), this.#others);
    this.#paper.append(this.canvas, wet, probe, make("slot", { name: "empty" }), this.#toolbar, this.#zoom, this.#help);
    this.#root.append(this.#paper, this.#answer, this.#pens, this.#corrector, this.#said);
    this.#listen(box);
  }

  // Parts --------------------------------------------------------------------------------------------------------

  #button(id: string, name: string, action: () => void, className = "tool"): HTMLButtonElement {
    const button = make("button", { type: "button", class: className, part: `${className} ${id}`, id }, icon(name));
    button.addEventListener("click", action);
    this.#buttons.set(id, button);
    return button;
  }

  #makeTools(): void {
    for (const [tool] of TOOLS) {
      const button = this.#button(tool, tool, () => this.pointer.setTool(tool));
      button.dataset.tool = tool;
      this.#toolbar.append(button);
    }
    const style = make("button", { type: "button", class: "tool", part: "tool pen-style", id: "penStyle", "aria-haspopup": "dialog" }, make("span", { class: "swatch" }));
    style.addEventListener("click", () => this.#openPens(style));
    this.#buttons.set("penStyle", style);
    this.#toolbar.append(style, make("span", { class: "rule" }));
    this.#toolbar.append(
      this.#button("undo", "undo", () => this.undo()), this.#button("redo", "redo", () => this.redo()), this.#button("clear", "new", () => this.#cleared()),
    );
    this.#zoom.append(
      this.#button("zoom-out", "minus", () => this.sheet.zoomAt(0.8)), make("button", { type: "button", class: "tool level", part: "tool zoom-fit", id: "zoom-fit" }, "100 %"),
      this.#button("zoom-in", "plus", () => this.sheet.zoomAt(1.25)),
    );
    this.#zoom.children[1].addEventListener("click", () => this.sheet.fit());
    this.#pens.popover = "auto";
  }

  #openPens(anchor: HTMLElement): void {
    const { pen } = this.pointer;
    const choice = (group: "colour" | "width", value: string, content: HTMLElement, chosen: boolean, take: () => void): HTMLButtonElement => {
      const label = this.#words.say(`${group}.${value}` as Text);
      const button = make("button", { type: "button", class: "tool", role: "radio", "aria-checked": String(chosen), "aria-label": label, title: label }, content);
      button.addEventListener("click", () => {
        take();
        this.#pens.hidePopover();
        this.pointer.setTool("pen");
        this.showPen();
        this.dispatchEvent(new Event("pen"));
      });
      return button;
    };
    const colours = make("div", { role: "radiogroup", "aria-label": this.#words.say("penStyle") }), widths = make("div", { role: "radiogroup", "aria-label": this.#words.say("penStyle") });
    for (const colour of ["ink", ...PEN_COLOURS]) {
      const swatch = make("span", { class: "swatch" });
      swatch.style.background = `var(--_${colour})`;
      colours.append(choice("colour", colour, swatch, (pen.colour ?? "ink") === colour, () => (this.pointer.pen = { ...pen, colour: colour === "ink" ? undefined : colour })));
    }
    for (const [name, width] of Object.entries(WIDTHS)) {
      const line = make("span", { class: "stroke" });
      line.style.height = `${3.2 * width}px`;
      widths.append(choice("width", name, line, (pen.width ?? 1) === width, () => (this.pointer.pen = { ...pen, width: width === 1 ? undefined : width })));
    }
    this.#pens.setAttribute("aria-label", this.#words.say("penStyle"));
    this.#pens.replaceChildren(colours, widths);
    this.#pens.showPopover();
    const place = anchor.getBoundingClientRect(), size = this.#pens.getBoundingClientRect();
    const beside = this.#toolbar.clientHeight > this.#toolbar.clientWidth;
    const onRight = place.left > innerWidth / 2;
    const left = !beside ? place.left + place.width / 2 - size.width / 2 : onRight ? place.left - size.width - 12 : place.right + 12;
    const top = beside ? place.top : place.top - size.height - 12;
    this.#pens.style.left = `${Math.max(8, Math.min(innerWidth - size.width - 8, left))}px`;
    this.#pens.style.top = `${Math.max(8, top)}px`;
    this.#pens.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
  }

  /** Show which pen is chosen. */
  showPen(): void {
    const swatch = this.#buttons.get("penStyle")?.querySelector<HTMLElement>(".swatch");
    if (swatch) swatch.style.background = `var(--_${this.pointer.pen.colour ?? "ink"})`;
  }

  // Life ---------------------------------------------------------------------------------------------------------

  connectedCallback(): void {
    this.#translate();
    this.#leaveOut();
    this.sheet.readColours();
    this.#scheme.addEventListener("change", this.#recolour);
    this.#forced.addEventListener("change", this.#recolour);
    if (!this.desk.backend) this.#connect();
    this.#refresh();
    void document.fonts.ready.then(() => this.#formula.fit());
  }

  disconnectedCallback(): void {
    this.#scheme.removeEventListener("change", this.#recolour);
    this.#forced.removeEventListener("change", this.#recolour);
    // A pad that only moves in the document comes back at once; one that is gone holds no model in memory.
    queueMicrotask(() => {
      if (!this.isConnected && this.desk.backend === this.#own) this.backend = this.#own = null;
    });
  }

  #scheme = matchMedia("(prefers-color-scheme: dark)");
  #forced = matchMedia("(forced-colors: active)");
  #recolour = (): void => this.sheet.readColours();

  attributeChangedCallback(name: string): void {
    if (!this.isConnected) return;
    if (name === "model" || name === "server") this.#connect();
    else if (name === "lang") this.#translate();
    else if (name === "theme") this.sheet.readColours();
    else if (name === "required") this.#report();
    else this.#leaveOut();
  }

  formDisabledCallback(disabled: boolean): void {
    this.pointer.locked = disabled;
    this.#refresh();
  }

  formResetCallback(): void {
    this.clear();
  }

  #connect(): void {
    const model = this.getAttribute("model"), server = this.getAttribute("server");
    if (model) this.#own = new LocalBackend(new URL(model, document.baseURI));
    else if (server !== null) this.#own = new SocketBackend(new URL(server || ".", document.baseURI));
    else return;
    this.backend = this.#own;
  }

  #leaveOut(): void {
    this.#answer.hidden = this.getAttribute("answer") === "none";
    this.#toolbar.hidden = this.#zoom.hidden = this.getAttribute("tools") === "none";
    this.#measure();
  }

  #translate(): void {
    const words = (this.#words = this.#corrector.words = Words.of([this.closest<HTMLElement>("[lang]")?.lang, ...navigator.languages]));
    const label = (element: Element | undefined, text: Text, key = ""): void => {
      element?.setAttribute("aria-label", words.say(text));
      if (element instanceof HTMLButtonElement) element.title = key ? `${words.say(text)} (${key})` : words.say(text);
    };
    for (const [tool, key] of TOOLS) label(this.#buttons.get(tool), tool, key);
    label(this.#buttons.get("penStyle"), "penStyle");
    label(this.#buttons.get("undo"), "undo", "Ctrl Z");
    label(this.#buttons.get("redo"), "redo", "Ctrl Shift Z");
    label(this.#buttons.get("clear"), "clear", "N");
    label(this.#buttons.get("zoom-out"), "zoomOut", "−");
    label(this.#buttons.get("zoom-in"), "zoomIn", "+");
    label(this.#zoom.children[1], "zoomFit", "0");
    label(this.#toolbar, "tools");
    label(this.#zoom, "zoom");
    label(this.#answer.firstElementChild!, "formulaLabel");
    label(this.#source, "answer");
    this.#source.setAttribute("role", "group");
    label(this.#others, "orIsIt");
    this.#help.textContent = words.say("paperHelp");
    const copy = this.#buttons.get("copy")!;
    copy.replaceChildren(icon("copy"), words.say("copy"));
    if (!this.hasAttribute("aria-label")) this.#internals.ariaLabel = words.say("padLabel");
    this.#refresh();
  }

  // What happens -------------------------------------------------------------------------------------------------

  #listen(box: HTMLElement): void {
    const { desk, link, pointer, sheet } = this;
    desk.addEventListener("ink", () => {
      const { strokes } = desk.notebook;
      sheet.strokes = strokes;
      sheet.selected = new Set([...sheet.selected].filter((id) => strokes.some((stroke) => stroke.id === id)));
      this.#refresh();
      this.#report();
      this.dispatchEvent(new Event("change", { bubbles: true }));
    });
    desk.addEventListener("answer", () => this.#answered());
    desk.addEventListener("state", () => this.#refresh());
    desk.addEventListener("problem", (event) => this.#failed((event as CustomEvent<string>).detail));
    link.addEventListener("change", () => {
      sheet.lit = link.strokes;
      sheet.paint();
    });
    pointer.addEventListener("tool", () => this.#refresh());
    pointer.addEventListener("down", () => this.#toggleEmpty(true));
    pointer.addEventListener("up", () => this.#refresh());
    sheet.addEventListener("view", () => (this.#zoom.children[1].textContent = `${Math.round(sheet.view.zoom * 100)} %`));
    sheet.addEventListener("resize", () => this.#measure());
    box.addEventListener("tapped", (event) => void this.correct((event as CustomEvent<number>).detail, this.#formula));
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
    this.canvas.addEventListener("blur", () => {
      sheet.cursor = null;
      sheet.paint();
    });
  }

  #refresh(): void {
    const { notebook } = this.desk, { strokes } = notebook;
    this.sheet.paint();
    const locked = this.pointer.locked;
    for (const [id, off] of [["undo", !notebook.canUndo], ["redo", !notebook.canRedo], ["clear", !strokes.length]] as const) {
      this.#buttons.get(id)!.disabled = locked || off;
    }
    for (const [tool] of TOOLS) this.#buttons.get(tool)!.setAttribute("aria-pressed", String(tool === this.pointer.tool));
    this.#toggleEmpty(strokes.length > 0);
    this.canvas.setAttribute("aria-label", strokes.length ? this.#words.say("paperWith", { n: strokes.length }) : this.#words.say("paperEmpty"));
    this.#answer.toggleAttribute("data-stale", this.desk.stale);
  }

  #toggleEmpty(written: boolean): void {
    this.#paper.querySelector<HTMLSlotElement>("slot")!.hidden = written;
    this.toggleAttribute("data-written", written);
  }

  /** Ink is shown beside the tools, not under them. */
  #measure(): void {
    const paper = this.canvas.getBoundingClientRect(), tools = this.#toolbar.getBoundingClientRect();
    const shown = tools.height > 0, beside = tools.height > tools.width, onRight = tools.left - paper.left > paper.right - tools.right;
    this.sheet.covered = {
      left: beside && !onRight ? tools.right - paper.left : 0, top: 0, right: beside && onRight ? paper.right - tools.left : 0,
      bottom: beside || !shown ? 0 : paper.bottom - tools.top,
    };
  }

  /** Tell the form. */
  #report(): void {
    const { value } = this;
    this.#internals.setFormValue(value, JSON.stringify(this.desk.notebook.page));
    const missing = this.hasAttribute("required") && !this.desk.notebook.strokes.length;
    this.#internals.setValidity(missing ? { valueMissing: true } : {}, missing ? this.#words.say("padMissing") : "", this.canvas);
  }

  formStateRestoreCallback(state: string): void {
    try {
      this.desk.notebook.open(JSON.parse(state), { undoable: false });
    } catch {
      // Of an older version; then the pad begins empty.
    }
  }

  #answered(): void {
    const { readings } = this.desk;
    this.link.align(readings.flatMap(({ alignment }) => alignment));
    this.sheet.unread = new Set(readings.flatMap(({ unread }) => unread));
    this.sheet.reread = new Set(readings.flatMap(({ reread }) => reread));
    this.#refresh();
    this.#report();
    if (!this.#answer.hidden) this.#showAnswer(readings);
    if (!this.desk.stale) this.dispatchEvent(new CustomEvent("recognition", { detail: readings, bubbles: true }));
  }

  #failed(why: string): void {
    if (!this.#answer.hidden) {
      this.#source.textContent = why;
      this.#source.classList.add("problem");
      this.say(why);
    }
    this.dispatchEvent(new CustomEvent("problem", { detail: why, bubbles: true }));
  }

  #showAnswer(readings: readonly Reading[]): void {
    if (readings.length) this.#formula.show(readings);
    else this.#formula.clear();
    this.#source.textContent = this.value;
    this.#source.classList.remove("problem");
    const last = readings[readings.length - 1];
    this.#others.replaceChildren(...(last?.alternatives ?? []).map((other, i) => {
      const label = this.#words.say("readingNumber", { i: i + 1, latex: other.latex, p: this.#words.percent(other.score) });
      const button = make("button", { type: "button", title: other.latex, "aria-label": label }, other.latex);
      button.addEventListener("click", () => this.desk.choose(last, other));
      return make("li", {}, button);
    }));
    if (last && !this.desk.stale) this.say(this.#words.say("readAs", { latex: this.value, p: this.#words.percent(last.score) }));
  }

  /** Tell a screen reader. */
  say(text: string): void {
    this.#said.textContent = text;
  }

  #cleared(): void {
    if (!this.dispatchEvent(new Event("clear", { cancelable: true }))) return; // someone else begins anew
    this.clear();
    this.canvas.focus();
  }

  #key(event: KeyboardEvent): void {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const direction = DIRECTIONS[event.key];
    if (event.ctrlKey || event.metaKey) {
      if (key === "z") event.shiftKey ? this.redo() : this.undo();
      else if (key === "y") this.redo();
      else return;
    } else if (direction) this.#walk(direction, event);
    else if (key === "Delete" || key === "Backspace") this.erase();
    else if (this.getAttribute("tools") !== "none" && !event.altKey && TOOLS.some(([, letter]) => letter.toLowerCase() === key)) {
      this.pointer.setTool(TOOLS.find(([, letter]) => letter.toLowerCase() === key)![0]);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Arrow keys: from stroke to stroke, or moving what is selected. */
  #walk([dx, dy]: [number, number], event: KeyboardEvent): void {
    const { sheet, pointer, link, desk } = this;
    if (event.altKey) {
      const step = event.shiftKey ? 20 : 4;
      if (!sheet.selected.size && sheet.cursor) pointer.select([sheet.cursor]);
      pointer.moveSelected(dx * step, dy * step);
      return;
    }
    const strokes = [...desk.notebook.strokes].sort((a, b) => boundsOf([a])!.left - boundsOf([b])!.left);
    if (!strokes.length) return;
    const present = strokes.findIndex(({ id }) => id === sheet.cursor), step = dx + dy;
    const next = present < 0 ? (step > 0 ? 0 : strokes.length - 1) : (present + step + strokes.length) % strokes.length;
    sheet.cursor = strokes[next].id;
    if (event.shiftKey) pointer.select([...sheet.selected, sheet.cursor]);
    sheet.reveal([strokes[next]]);
    link.lightStroke(sheet.cursor);
    sheet.paint();
    const text = link.token === null ? undefined : desk.readings.flatMap(({ tokens }) => tokens)[link.token];
    const read = text === undefined ? this.#words.say("strokeUnread") : this.#words.say("strokeRead", { text });
    this.say(this.#words.say("strokeIs", { i: next + 1, n: strokes.length, read }));
  }

  // For others ---------------------------------------------------------------------------------------------------

  get backend(): Backend | null {
    return this.desk.backend;
  }

  /** What reads the ink; set in place of the attributes `model` and `server`. */
  set backend(backend: Backend | null) {
    this.desk.backend = backend;
  }

  get form(): HTMLFormElement | null {
    return this.#internals.form;
  }

  get name(): string {
    return this.getAttribute("name") ?? "";
  }

  get validity(): ValidityState {
    return this.#internals.validity;
  }

  checkValidity(): boolean {
    return this.#internals.checkValidity();
  }

  /** The zoom, as it is shown. */
  get level(): string {
    return this.#zoom.children[1].textContent ?? "";
  }

  /** What is written, as LaTeX; several lines as one `aligned`. */
  get latex(): string {
    return this.desk.latex;
  }

  get value(): string {
    return this.latex;
  }

  get mathml(): string {
    return this.desk.readings.map(({ mathml }) => mathml.replace(/ data-token="\d+"/g, "")).join("\n");
  }

  /** The ink, as lists of points [x, y, milliseconds, pressure]. */
  get strokes(): number[][][] {
    return this.desk.notebook.strokes.map(({ points }) => points.map((point) => [...point]));
  }

  set strokes(strokes: number[][][]) {
    const made: Stroke[] = strokes.map((points) => ({ id: newId(), points: points.map(([x, y, time = 0, pressure = 0.5]) => [x, y, time, pressure]) }));
    this.desk.notebook.commit(made);
    this.sheet.fit(made, 1);
  }

  undo(): boolean {
    this.dispatchEvent(new Event("undo"));
    return this.#travel(() => this.desk.notebook.undo());
  }

  redo(): boolean {
    return this.#travel(() => this.desk.notebook.redo());
  }

  /** Where other ink comes in the place of all that was there, it is brought into view. */
  #travel(go: () => boolean): boolean {
    const { notebook } = this.desk, before = new Set(notebook.strokes.map(({ id }) => id));
    const done = go();
    if (!notebook.strokes.some(({ id }) => before.has(id))) this.sheet.reveal(notebook.strokes);
    return done;
  }

  clear(): void {
    this.desk.notebook.commit([]);
    this.sheet.fit([]);
  }

  /** Erase what is selected, or what the keys point at. */
  erase(): void {
    const { notebook } = this.desk;
    if (this.sheet.selected.size) notebook.remove(this.sheet.selected);
    else if (this.sheet.cursor) {
      notebook.remove([this.sheet.cursor]);
      this.sheet.cursor = null;
    }
  }

  /** Ask a person which symbol a token is (counted through all lines), and keep to it. */
  async correct(token: number, formula = this.#formula): Promise<void> {
    const ids = this.link.strokesOf(token), place = formula.placeOf(token);
    const reading = this.#readingOf(token);
    if (!ids.length || !place || !reading) return;
    const { tokens, alternatives, offset } = reading;
    const present = tokens[token - offset];
    const strokes = this.desk.notebook.strokes.filter(({ id }) => ids.includes(id));
    const fromOthers = alternatives.filter((other) => other.tokens.length === tokens.length).map((other) => other.tokens[token - offset]);
    const likely = [...fromOthers, ...lookAlikes(present)];
    const asked = this.#corrector.ask(place, present, likely);
    this.sheet.lit = new Set(ids);
    this.sheet.paint();
    const guessed = this.desk.backend?.symbols?.(strokes).catch(() => []);
    void guessed?.then((found) => this.#corrector.suggest([...fromOthers, ...found.map(({ latex }) => latex), ...lookAlikes(present)]));
    const made = await asked;
    this.link.clear();
    this.sheet.lit = new Set();
    this.sheet.paint();
    if (made === "redraw") {
      this.desk.notebook.redraw(ids);
      this.pointer.setTool("pen");
      this.canvas.focus();
      this.say(this.#words.say("redrawNow"));
    } else if (made) this.desk.pin(ids, made.latex);
  }

  #readingOf(token: number): (Reading & { offset: number }) | null {
    let offset = 0;
    for (const reading of this.desk.readings) {
      if (token < offset + reading.tokens.length) return { ...reading, offset };
      offset += reading.tokens.length;
    }
    return null;
  }
}

if (!customElements.get("inktex-pad")) customElements.define("inktex-pad", InktexPad);
