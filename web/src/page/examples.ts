/** Examples: ink that comes with the page, written before the eyes of the visitor as a hand would. */
import type { InktexPad } from "../pad/element";
import { boundsOf } from "../pad/geometry";
import type { Stroke } from "../pad/ink";
import { inkCard } from "./cards";
import { say } from "./dom";
import { inkThumbnail } from "./pictures";
import { asStrokes } from "./files";

const SPEED = 1.5; // px per ms
const LIFT = 90; // ms between strokes

export interface Example {
  latex: string;
  first: boolean;
  strokes: number[][][];
}

export class Examples {
  #writing = 0; // number of the writing under way; another number stops it

  constructor(private readonly pad: InktexPad) {}

  /** Fetch the examples; put them into the dialog and some on the welcome. */
  async load(list: HTMLElement, welcome: HTMLElement, take: (example: Example) => void): Promise<void> {
    const response = await fetch("examples.json").catch(() => null);
    if (!response?.ok) return;
    const examples: Example[] = await response.json();
    const lines = ({ strokes }: Example): Stroke[] => strokes.map((points, i) => ({ id: String(i), points }));
    list.replaceChildren(...examples.map((example) => inkCard({ strokes: lines(example), name: example.latex }, () => take(example))));
    welcome.replaceChildren(...examples.filter(({ first }) => first).map((example) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "try-button";
      button.setAttribute("aria-label", say("tryOne", { latex: example.latex }));
      button.append(inkThumbnail(lines(example)));
      button.addEventListener("click", () => take(example));
      return button;
    }));
  }

  stop(): void {
    this.#writing += 1;
  }

  /** Write an example, stroke by stroke; at once where motion is not wanted. */
  async write(example: Example): Promise<void> {
    const mine = ++this.#writing;
    const { sheet, desk: { notebook } } = this.pad;
    const strokes = asStrokes(example.strokes);
    notebook.commit([]);
    sheet.fit(strokes, 1.4);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      notebook.commit(strokes);
      return;
    }
    for (const stroke of strokes) {
      await this.#trace(stroke, mine);
      if (mine !== this.#writing) return;
      sheet.paintWet(null);
      notebook.add(stroke);
      await new Promise((resolve) => setTimeout(resolve, LIFT));
      if (mine !== this.#writing) return;
    }
  }

  async #trace(stroke: Stroke, mine: number): Promise<void> {
    const { points } = stroke;
    const box = boundsOf([stroke])!;
    const length = Math.max(20, 1.6 * (box.width + box.height));
    const duration = Math.min(260, length / SPEED);
    const begun = performance.now();
    for (;;) {
      const share = (performance.now() - begun) / duration;
      if (share >= 1 || mine !== this.#writing) return;
      this.pad.sheet.paintWet(points.slice(0, Math.max(1, Math.ceil(points.length * share))));
      await new Promise(requestAnimationFrame);
    }
  }
}
