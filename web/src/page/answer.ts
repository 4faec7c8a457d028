/** The answer on the page: formulas, LaTeX, how sure it is, other readings, and what a person decides. */
import type { Candidate, Forms } from "../pad/backend";
import type { Reading } from "../pad/desk";
import type { InktexPad } from "../pad/element";
import { Formula, mathElement, undrawn } from "../pad/formula";
import { differing, refusedByTex } from "../pad/latex";
import { element, percent, say } from "./dom";
import type { Editor } from "./editor";
import type { Notice } from "./notice";

const PAUSE = 180; // ms of rest in typing, after which the draft is drawn

/** Event: `shown`, when another reading is on the page. */
export class Answer extends EventTarget {
  #drafts = 0;
  #draft: Forms | null = null; // what is typed, as far as it is a formula
  #picked: readonly string[] | null = null; // strokes of the line that a person looks at
  #newest: string | undefined; // the stroke last written
  #announced = "";
  current = 0;

  constructor(
    private readonly pad: InktexPad, readonly formula: Formula, private readonly editor: Editor, private readonly notice: Notice,
  ) {
    super();
    const { desk } = pad;
    desk.addEventListener("answer", () => this.#show());
    desk.addEventListener("ink", () => this.#inked());
    desk.addEventListener("state", () => this.#freshness());
    editor.addEventListener("draft", () => void this.#drafted());
    editor.addEventListener("decided", () => void this.#decided());
    editor.addEventListener("dropped", () => this.#show());
    formula.box.addEventListener("walked", (event) => this.#tellToken((event as CustomEvent<number>).detail));
    formula.box.addEventListener("tapped", (event) => this.#tapped((event as CustomEvent<number>).detail));
    formula.box.addEventListener("picked", (event) => this.pick((event as CustomEvent<number>).detail));
    pad.link.addEventListener("change", () => this.#follow());
  }

  get readings(): readonly Reading[] {
    return this.pad.desk.readings;
  }

  /** The line that LaTeX and other readings are of. */
  get reading(): Reading | undefined {
    return this.readings[this.current];
  }

  /** Tokens of the lines before the present one. */
  get offset(): number {
    return this.readings.slice(0, this.current).reduce((sum, { tokens }) => sum + tokens.length, 0);
  }

  get latex(): string {
    return this.editor.text;
  }

  #inked(): void {
    const { strokes } = this.pad.desk.notebook;
    const newest = strokes[strokes.length - 1]?.id;
    if (newest !== this.#newest) this.#picked = null;
    this.#newest = newest;
    this.#freshness();
  }

  #freshness(): void {
    element("answer").toggleAttribute("data-stale", this.pad.desk.stale);
  }

  #findCurrent(): number {
    const holds = (id: string | undefined): number => this.readings.findIndex(({ strokes }) => id !== undefined && strokes.includes(id));
    const picked = this.#picked && holds(this.#picked[0]);
    if (typeof picked === "number" && picked >= 0) return picked;
    const newest = holds(this.#newest);
    return newest >= 0 ? newest : Math.max(0, this.readings.length - 1);
  }

  #show(): void {
    this.#freshness();
    if (this.editor.drafting) return; // a person is typing; what they decide comes first
    this.current = this.#findCurrent();
    const { reading, readings } = this;
    element("blank").hidden = reading !== undefined;
    element("all-lines").hidden = readings.length < 2;
    if (!reading) {
      this.formula.clear();
      this.editor.show("", []);
      for (const id of ["sure", "remark", "others"]) element(id).hidden = true;
      this.dispatchEvent(new Event("shown"));
      return;
    }
    this.formula.show(readings, this.current);
    this.editor.show(reading.latex, reading.tokens, reading.confidences, this.offset);
    this.#showSure(reading);
    this.#showCandidates(reading);
    this.#remarkOn(reading);
    this.#announce(reading);
    this.dispatchEvent(new Event("shown"));
  }

  /** Say it again, in the present language. */
  retell(): void {
    this.#show();
  }

  #announce(reading: Reading): void {
    const text = reading.own
      ? say("chosen", { latex: reading.latex })
      : say("readAs", { latex: reading.latex, p: percent(reading.score) });
    if (text !== this.#announced) this.notice.announce(text);
    this.#announced = text;
  }

  #showSure({ score, complete, own, unknown }: Reading): void {
    element("sure").hidden = false;
    element("sure-bar").style.setProperty("--share", score.toFixed(3));
    const level = score > 0.8 ? "high" : score > 0.45 ? "middle" : "low";
    element("sure").dataset.level = own ? "own" : unknown.length ? "unknown" : level;
    element("sure-text").textContent = own
      ? say("yourChoice")
      : unknown.length ? say("sureUnknown") : say(complete ? "sure" : "sureCut", { p: percent(score) });
  }

  #showCandidates({ alternatives, tokens }: Reading): void {
    element("others").hidden = !alternatives.length;
    element("candidates").replaceChildren(...alternatives.map((other, i) => this.#candidate(other, i, tokens)));
    for (const button of element("candidates").querySelectorAll<HTMLElement>(".candidate")) showDifference(button);
  }

  #candidate(other: Candidate, i: number, tokens: readonly string[]): HTMLElement {
    const item = document.createElement("li"), button = document.createElement("button"), view = document.createElement("span");
    button.type = "button";
    button.className = "candidate";
    button.title = other.latex;
    button.setAttribute("aria-label", say("readingNumber", { i: i + 1, latex: other.latex, p: percent(other.score) }));
    const math = mathElement(other.mathml);
    for (const place of differing(tokens, other.tokens)) math.querySelector(`[data-token="${place}"]`)?.classList.add("differs");
    math.setAttribute("display", "inline");
    math.setAttribute("aria-hidden", "true");
    const share = document.createElement("span");
    share.className = "share";
    share.textContent = other.score < 0.01 ? "" : percent(other.score);
    view.className = "view";
    view.append(math);
    button.append(view, share);
    button.addEventListener("click", () => this.choose(other));
    item.append(button);
    return item;
  }

  #remarkOn({ unread, reread, unknown, latex, tokens, mathml, own }: Reading): void {
    const wrong = own ? complaints(latex, tokens, mathml) : [];
    const remarks = [...wrong];
    if (unknown.length) remarks.push(say("unknownSymbol", { text: [...new Set(unknown.map((token) => tokens[token]))].join(" ") }));
    if (unread.length) remarks.push(say("unread", { n: unread.length }));
    if (reread.length) remarks.push(say("reread", { n: reread.length }));
    this.#remark(remarks.join(" · "), wrong.length || unknown.length ? "problem" : "");
  }

  #remark(text: string, kind = ""): void {
    const remark = element("remark");
    remark.textContent = remark.title = text;
    remark.dataset.kind = kind;
    remark.hidden = !text;
  }

  /** Take another reading of the present line. */
  choose(forms: Forms): void {
    if (this.reading) this.pad.desk.choose(this.reading, forms);
  }

  chooseNumber(number: number): void {
    const other = this.reading?.alternatives[number - 1];
    if (other) this.choose(other);
  }

  // Typing -------------------------------------------------------------------------------------------------------

  /** Follow what a person types: the formula as soon as it is LaTeX, a remark as long as it is not. Nothing is decided yet. */
  async #drafted(): Promise<void> {
    const draft = ++this.#drafts;
    this.#draft = null;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (draft === this.#drafts && this.editor.drafting) await this.#draw(draft);
  }

  /** Draw what is typed; gives its forms, or null where it is no formula. */
  async #draw(draft: number): Promise<Forms | null> {
    const latex = this.latex.trim();
    if (!latex) {
      this.formula.clear();
      return null;
    }
    try {
      const forms = await this.pad.desk.backend!.render(latex);
      if (draft !== this.#drafts) return null;
      const wrong = complaints(latex, forms.tokens, forms.mathml);
      const shown = { ...forms, confidences: forms.tokens.map(() => 1), unknown: [] };
      this.formula.show(this.readings.length ? this.readings.map((each, i) => (i === this.current ? shown : each)) : [shown], this.current);
      element("blank").hidden = true;
      if (wrong.length) this.#remark(wrong.join(" · "), "problem");
      else this.#remark(say(this.reading ? "enterKeeps" : "notKept"));
      this.#draft = { ...forms, latex };
      return this.#draft;
    } catch (error) {
      if (draft !== this.#drafts) return null;
      const { message } = error as Error;
      this.#remark(message === "offline" ? say("notDrawnOffline") : say("notYet", { why: message }), "problem");
      return null;
    }
  }

  /** The field was left: what is in it is one decision. */
  async #decided(): Promise<void> {
    const draft = ++this.#drafts;
    const { reading } = this;
    const latex = this.latex.trim();
    if (!latex || latex === reading?.latex) {
      this.#show();
      return;
    }
    const forms = this.#draft?.latex === latex ? this.#draft : await this.#draw(draft);
    if (!forms || draft !== this.#drafts || !reading) return; // the text stays, with a remark on what is wrong with it
    this.pad.desk.choose(reading, forms);
  }

  // Symbols ------------------------------------------------------------------------------------------------------

  #lineOf(token: number): number {
    let end = 0;
    return this.readings.findIndex(({ tokens }) => token < (end += tokens.length));
  }

  #tapped(token: number): void {
    this.pick(this.#lineOf(token));
    void this.pad.correct(token, this.formula);
  }

  /** Look at another line. */
  pick(line: number): void {
    if (line < 0 || line === this.current) return;
    this.#picked = this.readings[line]?.strokes ?? null;
    this.#show();
    this.notice.announce(say("lineOf", { i: line + 1, n: this.readings.length }));
  }

  #follow(): void {
    const { token } = this.pad.link;
    element("formula").toggleAttribute("data-lit", token !== null);
  }

  #tellToken(token: number): void {
    const line = this.#lineOf(token);
    const reading = this.readings[line];
    if (!reading) return;
    const before = this.readings.slice(0, line).reduce((sum, { tokens }) => sum + tokens.length, 0);
    const ids = this.pad.desk.notebook.strokes.map(({ id }) => id);
    const strokes = reading.alignment[token - before].map((id) => ids.indexOf(id) + 1).join(", ");
    this.notice.announce(say("tokenIs", { text: reading.tokens[token - before], p: percent(reading.confidences[token - before]), strokes }));
  }
}

/** What is wrong with LaTeX that a person wrote, though it can be shown. */
function complaints(latex: string, tokens: readonly string[], mathml: string): string[] {
  const strange = undrawn(tokens, mathElement(mathml)), refused = refusedByTex(latex);
  return [
    ...(strange.length ? [say("cannotDraw", { text: strange.join(" ") })] : []),
    ...(refused.length ? [say("refusedByTex", { text: refused.join(" ") })] : []),
  ];
}

/** Make a candidate as large as fits; where it is longer than its button, show the part that differs. */
function showDifference(button: HTMLElement): void {
  const view = button.querySelector<HTMLElement>(".view")!;
  const math = view.firstElementChild as MathMLElement;
  const size = parseFloat(getComputedStyle(math).fontSize);
  const legible = Math.min(size, 0.85 * parseFloat(getComputedStyle(document.documentElement).fontSize));
  const ratio = view.clientWidth / math.getBoundingClientRect().width;
  if (ratio < 1) math.style.fontSize = `${Math.max(legible, size * ratio)}px`;
  // Rows are not cut off: where a button has a greatest height, many of them are small, and taking the reading shows them large.
  const { maxHeight, borderTopWidth } = getComputedStyle(button);
  const room = (parseFloat(maxHeight) - 2 * parseFloat(borderTopWidth)) / math.getBoundingClientRect().height;
  if (room < 1) math.style.fontSize = `${parseFloat(getComputedStyle(math).fontSize) * room * 0.98}px`;
  const differs = view.querySelector(".differs");
  if (view.scrollWidth <= view.clientWidth + 1 || !differs) return;
  const part = differs.getBoundingClientRect(), whole = view.getBoundingClientRect();
  view.scrollLeft += part.left + part.width / 2 - (whole.left + whole.width / 2);
  view.classList.toggle("cut-left", view.scrollLeft > 2);
  view.classList.toggle("cut-right", view.scrollLeft < view.scrollWidth - view.clientWidth - 2);
}
