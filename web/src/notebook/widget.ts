/**
 * The pad in a notebook: strokes and decisions go to Python as messages, what Python reads comes back as synchronised values. The
 * page only draws and reports; there is no second recogniser here.
 */
import "../pad/element";
import { type Answer, type Backend, changes, type Forms, type Known, type Line, type State } from "../pad/backend";
import type { InktexPad } from "../pad/element";
import type { Stroke } from "../pad/ink";
import type { Pin } from "../pad/notebook";

/** What anywidget gives: a model of synchronised values, and an element to draw into. */
interface Model {
  get(name: string): unknown;
  on(name: string, listener: () => void): void;
  off(name: string, listener: () => void): void;
  send(content: object): void;
}

interface Shared {
  revision: number;
  lines: Line[];
}

class KernelBackend extends EventTarget implements Backend {
  #known: Known = { strokes: [], pins: [] };
  #asked = new Map<string, { resolve: (forms: Forms) => void; reject: (error: Error) => void }>();
  readonly place = "kernel";
  readonly state: State = "ready";
  revision: number;

  constructor(private readonly model: Model, strokes: readonly Stroke[]) {
    super();
    this.#known = { strokes, pins: [] };
    this.revision = (model.get("answered") as Shared).revision;
    model.on("change:answered", this.#answered);
    model.on("change:rendered", this.#rendered);
    model.on("change:message", this.#told);
  }

  close(): void {
    this.model.off("change:answered", this.#answered);
    this.model.off("change:rendered", this.#rendered);
    this.model.off("change:message", this.#told);
  }

  #answered = (): void => {
    const { revision, lines } = this.model.get("answered") as Shared;
    // Another view of the same sheet may have written; its ink comes by `drawn`.
    this.revision = Math.max(this.revision, revision);
    this.dispatchEvent(new CustomEvent("answer", { detail: { revision, lines } satisfies Answer }));
  };

  #rendered = (): void => {
    const found = this.model.get("rendered") as Forms & { source: string; error?: string };
    const asked = this.#asked.get(found.source);
    this.#asked.delete(found.source);
    if (found.error) asked?.reject(new Error(found.error));
    else asked?.resolve(found);
  };

  #told = (): void => {
    const message = this.model.get("message");
    if (message) this.dispatchEvent(new CustomEvent("problem", { detail: message }));
  };

  /** The answer that there is already, for a view that comes later. */
  begin(): void {
    this.#answered();
  }

  /** Ink that came from Python is known there. */
  adopt(strokes: readonly Stroke[]): void {
    this.#known = { strokes, pins: this.#known.pins };
  }

  sync(strokes: readonly Stroke[], pins: readonly Pin[]): void {
    const { clear, remove, replace, add, pin } = changes(this.#known, { strokes, pins });
    if (!clear && !remove.length && !replace.length && !add.length && !pin.length) return;
    this.#known = { strokes, pins };
    this.revision += 1;
    this.model.send({
      action: "change", revision: this.revision, clear, remove, pin,
      replace: replace.map(({ id, points }) => ({ id, points })), add: add.map(({ id, points }) => ({ id, points })),
    });
  }

  render(latex: string): Promise<Forms> {
    return new Promise((resolve, reject) => {
      this.#asked.set(latex, { resolve, reject });
      this.model.send({ action: "render", latex });
    });
  }
}

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const pad = document.createElement("inktex-pad") as InktexPad;
  pad.style.maxWidth = "60rem";
  const drawn = (): Stroke[] => (model.get("drawn") as { id: string; points: number[][] }[]).map(({ id, points }) => ({ id, points }));
  const backend = new KernelBackend(model, drawn());
  const resize = (): void => {
    pad.style.height = `${model.get("height") as number}px`;
  };
  const redraw = (): void => {
    const now = drawn(), shown = pad.desk.notebook.strokes;
    if (pad.pointer.busy || (now.length === shown.length && now.every(({ id }, i) => id === shown[i].id))) return;
    backend.adopt(now);
    pad.desk.notebook.open({ strokes: now });
  };
  // Keys that the pad understands are not the notebook's.
  pad.addEventListener("keydown", (event) => event.stopPropagation());
  resize();
  el.append(pad);
  const begun = drawn();
  if (begun.length) {
    backend.adopt(begun);
    pad.desk.notebook.open({ strokes: begun }, { undoable: false });
    backend.adopt(pad.desk.notebook.strokes);
  }
  pad.backend = backend;
  if (begun.length) backend.begin();
  model.on("change:drawn", redraw);
  model.on("change:height", resize);
  return () => {
    model.off("change:drawn", redraw);
    model.off("change:height", resize);
    backend.close();
  };
}

export default { render };
