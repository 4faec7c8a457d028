/** The recogniser in this browser as a backend: the model is loaded once, and nothing leaves the device. */
import { Superseded, type LiveSession, type LoadOptions, type Recognizer } from "../recognizer";
import { type Answer, type Backend, changes, type Forms, type Known, type State } from "./backend";
import type { Stroke } from "./ink";
import type { Pin } from "./notebook";

const NOTHING: Known = { strokes: [], pins: [] };

export class LocalBackend extends EventTarget implements Backend {
  #recognizer: Recognizer | null = null;
  #session: LiveSession | null = null;
  #known = NOTHING;
  #wanted = NOTHING;
  readonly place = "device";
  revision = 0;
  state: State = "connecting";

  constructor(model: string | URL | ArrayBuffer, options: LoadOptions = {}) {
    super();
    void this.#load(model, options);
  }

  async #load(model: string | URL | ArrayBuffer, options: LoadOptions): Promise<void> {
    try {
      const { Recognizer } = await import("../recognizer");
      this.#recognizer = await Recognizer.load(model, options);
      this.#session = this.#recognizer.session();
      this.#become("ready");
      void this.#read();
    } catch (error) {
      this.#become("offline");
      this.#tell("problem", (error as Error).message);
    }
  }

  #become(state: State): void {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  #tell(type: "answer" | "problem" | "refused", detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  close(): void {
    this.#session?.close();
    this.#recognizer?.close();
    this.#session = this.#recognizer = null;
  }

  sync(strokes: readonly Stroke[], pins: readonly Pin[]): void {
    this.#wanted = { strokes, pins };
    void this.#read();
  }

  async #read(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    const { clear, remove, replace, add, pin } = changes(this.#known, this.#wanted);
    if (!clear && !remove.length && !replace.length && !add.length && !pin.length) return;
    const { strokes } = (this.#known = this.#wanted);
    const revision = ++this.revision;
    try {
      if (clear) session.clear();
      if (remove.length) session.remove(remove);
      for (const { id, points } of replace) session.replace(id, points);
      for (const { id, points } of add) session.add(id, points);
      for (const { ids, latex } of pin) await session.pin(ids, latex).catch((error: Error) => this.#tell("refused", error.message));
      if (!strokes.length) {
        this.#tell("answer", { revision, lines: [] } satisfies Answer);
        return;
      }
      const recognition = await session.answer({ top: 5 });
      const shown = recognition.alternatives.map(async ({ latex, score }) => ({ ...(await session.render(latex)), score }));
      const alternatives = (await Promise.allSettled(shown)).flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      if (revision !== this.revision) return;
      this.#tell("answer", { revision, lines: [{ strokes: strokes.map(({ id }) => id), recognition, alternatives }] } satisfies Answer);
    } catch (error) {
      if (!(error instanceof Superseded) && revision === this.revision) this.#tell("problem", (error as Error).message);
    }
  }

  render(latex: string): Promise<Forms> {
    return this.#session ? this.#session.render(latex) : Promise.reject(new Error("offline"));
  }

  async suggest(strokes: readonly Stroke[]): Promise<string[]> {
    if (!this.#recognizer) return [];
    const found = await this.#recognizer.recognize(strokes.map(({ points }) => points), { top: 8 });
    return [found.latex, ...found.alternatives.map(({ latex }) => latex)];
  }
}
