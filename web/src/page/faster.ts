/**
 * A server and this device behind one backend: whichever is faster reads. The server begins. Where its answers come late, it has
 * no room, or it cannot be reached, the recogniser for this device is loaded and given the same ink, and the times of both decide.
 */
import type { Answer, Backend, Explanation, Forms, InkFile, Line, State } from "../pad/backend";
import type { Stroke } from "../pad/ink";
import type { Pin } from "../pad/notebook";

const SLOW = 1500; // ms for an answer of the server, from which on the device is tried
const SILENT = 4000; // ms without an answer of the server, from which on the device reads
const SOON = 2000; // ms in which a server that is away may come back
const LAST = 5; // answers whose median counts
const FEWEST = 2;
const WIN = 0.7; // how much faster the device must be: it costs battery

export class FasterBackend extends EventTarget implements Backend {
  #device: Backend | null = null;
  #now: Backend;
  #asked = new Map<Backend, number>(); // when each was last given ink
  #times = new Map<Backend, number[]>();
  #answers = new Map<Backend, Answer>();
  #given: { strokes: readonly Stroke[]; pins: readonly Pin[] } = { strokes: [], pins: [] };
  #loading = false;
  #silent = false; // the server owes an answer for too long
  #watchdog: ReturnType<typeof setTimeout> | undefined;

  /** `load` gives the recogniser of this device, or null where there is none to be had; it rejects where there may be one later. */
  constructor(
    private readonly server: Backend,
    private readonly load: () => Promise<Backend | null>,
    private readonly now: () => number = () => performance.now(),
  ) {
    super();
    this.#now = server;
    this.#hear(server);
  }

  get state(): State {
    return this.#now.state;
  }

  get revision(): number {
    return this.#now.revision;
  }

  get place(): Backend["place"] {
    return this.#now.place;
  }

  #hear(backend: Backend): void {
    for (const type of ["problem", "refused"])
      backend.addEventListener(type, (event) => {
        if (backend === this.server) this.#heard();
        if (backend === this.#now) this.#tell(type, (event as CustomEvent<unknown>).detail);
      });
    backend.addEventListener("state", () => {
      if (backend.state === "ready") this.#asked.set(backend, this.now()); // now it begins with what it was given
      if (backend === this.server && backend.state === "ready") this.#watch();
      // What is only locked, or started anew, says so soon.
      if (backend === this.server && this.#away) setTimeout(() => this.#away && void this.#try(), backend.state === "busy" ? 0 : SOON);
      if (backend === this.#device && backend.state === "offline") this.#drop();
      if (!this.#choose() && backend === this.#now) this.dispatchEvent(new Event("state"));
    });
    backend.addEventListener("answer", (event) => {
      const answer = (event as CustomEvent<Answer>).detail;
      this.#answers.set(backend, answer);
      if (backend === this.server && answer.revision === backend.revision) this.#heard();
      if (answer.revision === backend.revision && answer.lines.length) this.#timed(backend);
      if (!this.#choose() && backend === this.#now) this.#tell("answer", answer);
    });
  }

  #tell(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #timed(backend: Backend): void {
    const times = [...(this.#times.get(backend) ?? []), this.now() - (this.#asked.get(backend) ?? 0)].slice(-LAST);
    this.#times.set(backend, times);
    if (backend === this.server && times.length >= FEWEST && median(times) > SLOW) void this.#try();
  }

  async #try(): Promise<void> {
    if (this.#loading) return;
    this.#loading = true;
    const device = await this.load().catch(() => "later" as const);
    if (device === "later") this.#loading = false; // without a network
    if (!device || device === "later") return;
    this.#device = device;
    this.#hear(device);
    device.sync(this.#given.strokes, this.#given.pins);
  }

  /** The device could not load all it needs; it may another time. */
  #drop(): void {
    this.#device?.close();
    this.#device = null;
    this.#loading = false;
  }

  /** Change over to the faster one; whether that was done. */
  #choose(): boolean {
    const device = this.#device?.state === "ready" ? this.#device : null;
    const [ours, theirs] = [device, this.server].map((each) => (each && this.#times.get(each)) ?? []);
    const known = ours.length > 0 && theirs.length >= FEWEST;
    const wins = known ? median(ours) < WIN * median(theirs) : this.#now === device;
    const waiting = this.server.state === "connecting" && this.#now === device; // what reads goes on reading
    const best = device && (this.#away || this.#silent || waiting || wins) ? device : this.server;
    if (best === this.#now) return false;
    this.#now = best;
    this.dispatchEvent(new Event("state"));
    const answer = this.#answers.get(best);
    if (answer?.revision === best.revision) this.#tell("answer", answer);
    return true;
  }

  get #away(): boolean {
    return this.server.state === "offline" || this.server.state === "busy";
  }

  #watch(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => {
      if (!this.#given.strokes.length || this.#answers.get(this.server)?.revision === this.server.revision) return;
      this.#silent = true;
      void this.#try();
      this.#choose();
    }, SILENT);
  }

  #heard(): void {
    clearTimeout(this.#watchdog);
    this.#silent = false;
  }

  sync(strokes: readonly Stroke[], pins: readonly Pin[]): void {
    this.#given = { strokes, pins };
    this.#watch();
    // The server always, since it also explains.
    for (const backend of [this.server, this.#device]) {
      if (backend) this.#asked.set(backend, this.now());
      backend?.sync(strokes, pins);
    }
  }

  render(latex: string): Promise<Forms> {
    return this.#now.render(latex);
  }

  symbols(strokes: readonly Stroke[]): Promise<{ latex: string; probability: number }[]> {
    return this.#now.symbols?.(strokes) ?? Promise.reject(new Error("offline"));
  }

  get explain(): ((line?: Line) => Promise<Explanation>) | undefined {
    return this.#now === this.server ? (line) => this.server.explain!(line) : this.#now.explain?.bind(this.#now);
  }

  readInk(file: File): Promise<InkFile[]> {
    return this.server.readInk!(file);
  }

  close(): void {
    clearTimeout(this.#watchdog);
    this.server.close();
    this.#device?.close();
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
