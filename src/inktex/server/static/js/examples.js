// Examples: ink that comes with the page, written before the eyes of the visitor as a hand would.

import { boundsOf } from "./geometry.js";
import { inkThumbnail } from "./export.js";
import { asStrokes } from "./files.js";
import { inkCard } from "./visit.js";

const SPEED = 1.5; // px per ms
const LIFT = 90; // ms between strokes

export class Examples {
  #writing = 0; // number of the writing under way; another number stops it

  constructor({ sheet, notebook, notice }) {
    Object.assign(this, { sheet, notebook, notice });
  }

  /** Fetch the examples; put them into the dialog and some on the welcome. */
  async load({ list, welcome, take }) {
    const response = await fetch("examples.json").catch(() => null);
    if (!response?.ok) return;
    const examples = await response.json();
    const prepared = examples.map(({ latex, strokes, first }) => ({ latex, first, strokes: strokes.map((points) => ({ points })) }));
    list.replaceChildren(...prepared.map((example) => inkCard({ strokes: example.strokes, name: example.latex }, () => take(example))));
    welcome.replaceChildren(
      ...prepared.filter(({ first }) => first).map((example) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "try-button";
        button.setAttribute("aria-label", `Try ${example.latex}`);
        button.append(inkThumbnail(example.strokes));
        button.addEventListener("click", () => take(example));
        return button;
      }),
    );
  }

  stop() {
    this.#writing += 1;
  }

  /** Write an example, stroke by stroke; at once where motion is not wanted. */
  async write(example) {
    const mine = ++this.#writing;
    const strokes = asStrokes(example.strokes.map(({ points }) => points));
    this.notebook.commit([]);
    this.sheet.fit(strokes, 1.4);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.notebook.commit(strokes);
      return;
    }
    for (const stroke of strokes) {
      await this.#trace(stroke, mine);
      if (mine !== this.#writing) return;
      this.sheet.paintWet(null);
      this.notebook.add(stroke);
      await pause(LIFT);
      if (mine !== this.#writing) return;
    }
  }

  async #trace(stroke, mine) {
    const { points } = stroke;
    const box = boundsOf([stroke]);
    const length = Math.max(20, 1.6 * (box.width + box.height));
    const duration = Math.min(260, length / SPEED);
    const begun = performance.now();
    for (;;) {
      const share = (performance.now() - begun) / duration;
      if (share >= 1 || mine !== this.#writing) return;
      this.sheet.paintWet(points.slice(0, Math.max(1, Math.ceil(points.length * share))));
      await new Promise(requestAnimationFrame);
    }
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
