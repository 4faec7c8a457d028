/** See why: step by step, where the network looked when it wrote each token; red on dark, as in the paper. */
import type { InktexPad } from "../pad/element";
import type { Answer } from "./answer";
import { element, say } from "./dom";

const PACE = 650; // ms per token
const SMALL = "(max-width: 640px)", LARGEST = 3; // screens on which ink is enlarged, and how much at most

export class Why {
  #steps: Map<string, number[]>[] | null = null; // per token: brightness of the points of strokes
  #texts: string[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #revision = -1;
  #slider = element<HTMLInputElement>("why-slider");
  #view: InktexPad["sheet"]["view"] | null = null; // of the paper, where the ink was enlarged
  step = -1;

  constructor(private readonly pad: InktexPad, private readonly answer: Answer) {
    element("why-begin").addEventListener("click", () => this.toggle());
    element("why-play").addEventListener("click", () => this.toggle());
    element("why-back").addEventListener("click", () => void this.#go(this.step - 1));
    element("why-next").addEventListener("click", () => void this.#go(this.step + 1));
    element("why-close").addEventListener("click", () => this.close());
    this.#slider.addEventListener("input", () => void this.#go(Number(this.#slider.value)));
    answer.addEventListener("shown", () => this.#renew());
  }

  get open(): boolean {
    return this.step >= 0;
  }

  get #present(): number {
    return this.pad.backend?.revision ?? 0;
  }

  #renew(): void {
    element("why-begin").hidden = !this.answer.reading || !this.pad.backend?.explain;
    if (this.#revision !== this.#present) this.close();
    this.#steps = null;
    this.#slider.max = String(Math.max(1, (this.answer.reading?.tokens.length ?? 1) - 1));
    if (!this.open) this.#slider.value = "0";
  }

  /** Have the explanation, asking for it first if need be. */
  async #explained(): Promise<boolean> {
    const { reading } = this.answer;
    if (!reading || !this.pad.backend?.explain) return false;
    if (this.#steps && this.#revision === this.#present) return true;
    const revision = this.#present;
    const { tokens, strokes, attention } = await this.pad.backend.explain(reading.line);
    if (revision !== this.#present) return false;
    this.#revision = revision;
    this.#texts = tokens;
    this.#steps = attention.map((row) => new Map(Object.entries(row).map(([place, levels]) => [
      strokes[Number(place)], levels.map((level) => level / 255),
    ])));
    this.#slider.max = String(Math.max(1, tokens.length - 1));
    return true;
  }

  toggle(): void {
    if (this.#timer) this.#stop();
    else void this.#explained().then((ready) => ready && this.#play());
  }

  #play(): void {
    if (!this.open) {
      this.#show(0);
      this.#enlarge();
      element("why-play").focus({ preventScroll: true });
    } else if (this.step >= this.#texts.length - 1) this.#show(0);
    const next = (): void => {
      if (this.step >= this.#texts.length - 1) this.#stop();
      else {
        this.#show(this.step + 1);
        this.#timer = setTimeout(next, PACE);
      }
    };
    this.#playing(true);
    this.#timer = setTimeout(next, PACE);
  }

  #stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#playing(false);
  }

  #playing(yes: boolean): void {
    document.getElementById("why-play-icon")!.setAttribute("href", `icons.svg#${yes ? "pause" : "play"}`);
    element("why-play").setAttribute("aria-label", say(yes ? "pause" : "play"));
  }

  async #go(step: number): Promise<void> {
    this.#stop();
    if (await this.#explained()) this.#show(Math.max(0, Math.min(this.#texts.length - 1, step)));
  }

  #show(step: number): void {
    this.step = step;
    this.pad.sheet.attention = this.#steps![step];
    this.pad.sheet.paint();
    document.body.dataset.why = "";
    element("player").hidden = false;
    this.#slider.value = String(step);
    const text = this.#texts[step];
    element("why-step").textContent = text;
    this.#slider.setAttribute("aria-valuetext", say("stepIs", { i: step + 1, n: this.#texts.length, text }));
    // What a person chose may be another text than the network's own; then there is nothing to light.
    if (this.#texts.join(" ") === this.answer.reading?.tokens.join(" ")) this.pad.link.lightToken(step + this.answer.offset);
  }

  /** Let the line fill a small screen, above the player. */
  #enlarge(): void {
    const { sheet, canvas } = this.pad, ids = this.answer.reading?.strokes ?? [];
    if (!matchMedia(SMALL).matches) return;
    this.#view = sheet.view;
    const bottom = canvas.getBoundingClientRect().bottom - element("why-step").getBoundingClientRect().top;
    sheet.fit(sheet.strokes.filter(({ id }) => ids.includes(id)), LARGEST, { left: 0, top: 0, right: 0, bottom });
  }

  /** Back to writing; the paper as it was before, unless somebody writes on it as it is. */
  close(writing = false): void {
    this.#stop();
    if (!this.open) return;
    this.step = -1;
    if (this.#view && !writing) this.pad.sheet.look(this.#view);
    this.#view = null;
    this.pad.sheet.attention = null;
    this.pad.sheet.paint();
    delete document.body.dataset.why;
    if (element("player").contains(document.activeElement)) element("why-begin").focus();
    element("player").hidden = true;
    this.#slider.value = "0";
    this.pad.link.clear();
  }
}
