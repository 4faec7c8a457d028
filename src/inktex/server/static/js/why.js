// See why: step by step, where the network looked when it wrote each token; red on dark, as in the paper.

const element = (id) => document.getElementById(id);
const PACE = 650; // ms per token

export class Why {
  #steps = null; // per token: Map of stroke id -> intensities of its points
  #texts = [];
  #timer = null;
  #wanted = null; // what to do when the explanation comes
  #revision = 0;
  step = -1;

  constructor({ live, link, sheet, answer, notice }) {
    Object.assign(this, { live, link, sheet, answer, notice });
    this.slider = element("why-slider");
    element("why-begin").addEventListener("click", () => this.toggle());
    element("why-play").addEventListener("click", () => this.toggle());
    element("why-back").addEventListener("click", () => this.#go(this.step - 1));
    element("why-next").addEventListener("click", () => this.#go(this.step + 1));
    element("why-close").addEventListener("click", () => this.close());
    this.slider.addEventListener("input", () => this.#go(Number(this.slider.value)));
    live.addEventListener("explanation", ({ detail }) => this.#explained(detail));
    answer.addEventListener("shown", () => this.#renew());
  }

  get open() {
    return this.step >= 0;
  }

  #renew() {
    element("why-begin").hidden = !this.answer.recognition;
    if (this.#revision !== this.live.revision) this.close();
    this.#steps = null;
    this.slider.max = Math.max(1, (this.answer.recognition?.tokens.length ?? 1) - 1);
    if (!this.open) this.slider.value = 0;
  }

  /** Do something with the explanation, asking for it first if need be. */
  #with(action) {
    if (!this.answer.recognition) return;
    if (this.#steps && this.#revision === this.live.revision) action();
    else {
      this.#wanted = action;
      this.live.explain();
    }
  }

  #explained({ revision, tokens, strokes, attention }) {
    if (revision !== this.live.revision) return;
    this.#revision = revision;
    this.#texts = tokens;
    this.#steps = attention.map((row) => new Map(Object.entries(row).map(([place, levels]) => [
      strokes[Number(place)], levels.map((level) => level / 255),
    ])));
    this.slider.max = Math.max(1, tokens.length - 1);
    this.#wanted?.();
    this.#wanted = null;
  }

  toggle() {
    if (this.#timer) this.#stop();
    else this.#with(() => this.#play());
  }

  #play() {
    if (!this.open) {
      this.#show(0);
      element("why-play").focus({ preventScroll: true });
    } else if (this.step >= this.#texts.length - 1) this.#show(0);
    const next = () => {
      if (this.step >= this.#texts.length - 1) this.#stop();
      else {
        this.#show(this.step + 1);
        this.#timer = setTimeout(next, PACE);
      }
    };
    this.#playing(true);
    this.#timer = setTimeout(next, PACE);
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#playing(false);
  }

  #playing(yes) {
    element("why-play-icon").setAttribute("href", `icons.svg#${yes ? "pause" : "play"}`);
    element("why-play").setAttribute("aria-label", yes ? "Pause" : "Play");
  }

  #go(step) {
    this.#stop();
    this.#with(() => this.#show(Math.max(0, Math.min(this.#texts.length - 1, step))));
  }

  #show(step) {
    this.step = step;
    this.sheet.attention = this.#steps[step];
    this.sheet.paint();
    document.body.dataset.why = "";
    element("player").hidden = false;
    this.slider.value = step;
    const text = this.#texts[step];
    element("why-step").textContent = text;
    this.slider.setAttribute("aria-valuetext", `${step + 1} of ${this.#texts.length}: ${text}`);
    // What a person chose may be another text than the network's own; then there is nothing to light.
    if (this.#texts.join(" ") === this.answer.tokens.join(" ")) this.link.lightToken(step);
  }

  /** Back to writing. */
  close() {
    this.#stop();
    if (!this.open) return;
    this.step = -1;
    this.sheet.attention = null;
    this.sheet.paint();
    delete document.body.dataset.why;
    if (element("player").contains(document.activeElement)) element("why-begin").focus();
    element("player").hidden = true;
    this.slider.value = 0;
    this.link.clear();
  }
}
