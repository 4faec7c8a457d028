/** The recogniser in this browser as a backend: the model is loaded once, and nothing leaves the device. */
import { type LiveLine, type LiveRecognition, type LiveSession, type LoadOptions, type Recognition, type Recognizer, Superseded, type SymbolGuess } from "../recognizer";
import { type Answer, type Backend, type Candidate, changes, type Forms, type Known, type Line, type State } from "./backend";
import type { Stroke } from "./ink";
import type { Pin } from "./notebook";

const NOTHING: Known = { strokes: [], pins: [] };

export class LocalBackend extends EventTarget implements Backend {
  #recognizer: Recognizer | null = null;
  #session: LiveSession | null = null;
  #known = NOTHING;
  #wanted = NOTHING;
  #lines = new Map<number, { version: number; line: Line }>(); // as they were last told
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
      const read = await session.answer({ top: 5 });
      const lines = await this.#linesOf(session, read, strokes.map(({ id }) => id));
      if (revision !== this.revision) return;
      for (const { error } of read.unreadable ?? []) this.#tell("problem", error);
      this.#tell("answer", { revision, lines } satisfies Answer);
    } catch (error) {
      if (!(error instanceof Superseded) && revision === this.revision) this.#tell("problem", (error as Error).message);
    }
  }

  /** The lines to show; one that has not changed is the very object that was shown before. */
  async #linesOf(session: LiveSession, read: LiveRecognition, ids: string[]): Promise<Line[]> {
    if (!read.lines) {
      this.#lines.clear();
      return [{ strokes: ids, recognition: read, alternatives: await alternativesOf(session, read) }];
    }
    const before = this.#lines;
    const made = async ({ line: number, version, strokes, recognition }: LiveLine): Promise<[number, { version: number; line: Line }]> => {
      const known = before.get(number);
      if (known?.version === version) return [number, known];
      return [number, { version, line: { strokes: strokes.map((place) => ids[place]), recognition, alternatives: await alternativesOf(session, recognition) } }];
    };
    this.#lines = new Map(await Promise.all(read.lines.map(made)));
    return [...this.#lines.values()].map(({ line }) => line);
  }

  render(latex: string): Promise<Forms> {
    return this.#session ? this.#session.render(latex) : Promise.reject(new Error("offline"));
  }

  symbols(strokes: readonly Stroke[]): Promise<SymbolGuess[]> {
    return this.#recognizer ? this.#recognizer.symbol(strokes.map(({ points }) => points)) : Promise.reject(new Error("offline"));
  }
}

/** The other readings in all forms. */
async function alternativesOf(session: LiveSession, { alternatives }: Recognition): Promise<Candidate[]> {
  const shown = alternatives.map(async ({ latex, score }) => ({ ...(await session.render(latex)), score }));
  return (await Promise.allSettled(shown)).flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}
