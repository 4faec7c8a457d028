/**
 * Live writing of several lines: each line is a session of its own and is read only when it has changed. Lines far from a change
 * stay as they are, and a line keeps its number as long as most of its strokes stay together. A port of
 * `inktex/recognizer/page_session.py`; here the lines are found when somebody asks for them.
 */
import type { Engine } from "./engine";
import { checked } from "./features";
import { around, Geometry, least, most } from "./geometry";
import { findLines } from "./lines";
import { Session } from "./session";
import { together } from "./several";
import tables from "./tables.json";
import { type AnswerOptions, InkError, type LiveLine, type LiveRecognition, type SessionOptions, type Stroke, Superseded } from "./types";

const REACH = tables.lines.reach; // heights of the writing: lines so near to a change are found again
const JUST_WRITTEN = tables.lines.just_written; // strokes: lines above a change that were written so shortly before it, too
const BEGUN = tables.lines.begun; // strokes after which a line is taken to be one, unless much speaks against it

interface Written {
  number: number; // stays as long as the line does
  version: number; // grows with every change of its strokes or its answer
  session: Session;
}

export class PageSession {
  private readonly strokes = new Map<string, Stroke>(); // in the order of writing
  private lines: Written[] = []; // from top to bottom, as of the last arrangement
  private settled = true; // nothing has changed since
  private moved = new Set<string>(); // strokes that have changed since, and those beside a stroke that is gone
  private nextLine = 1;
  private version = 0;
  private wanted = ""; // version and options of the newest request
  private latest: { key: string; answer: Promise<LiveRecognition> } | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly options: SessionOptions = {},
  ) {}

  add(id: string, points: Stroke): void {
    if (this.strokes.has(id)) throw new InkError(`there is a stroke ${id} already`);
    this.strokes.set(id, points);
    this.changed([id]);
  }

  replace(id: string, points: Stroke): void {
    this.known([id]);
    this.strokes.set(id, points);
    const line = this.lineOf(id);
    if (line && isSound(points)) {
      line.session.replace(id, points);
      line.version++;
    } else this.drop(id);
    this.changed([id, ...(line?.session.strokeIds ?? [])]);
  }

  remove(ids: readonly string[]): void {
    this.known(ids);
    for (const id of ids) {
      this.strokes.delete(id);
      this.changed(this.drop(id));
    }
    for (const id of ids) this.moved.delete(id);
  }

  clear(): void {
    this.strokes.clear();
    this.lines = [];
    this.moved.clear();
    this.changed([]);
  }

  /** Decide what some strokes of one line say; pins that share a stroke with it are given up. */
  pin(ids: readonly string[], latex: string): void {
    this.known(ids);
    this.arrange();
    const lines = new Set(ids.map((id) => this.lineOf(id)));
    const [line] = lines;
    if (lines.size > 1) throw new InkError("only strokes of one line can be pinned together");
    if (!line) throw new InkError("a pin needs at least one stroke");
    line.session.pin(ids, latex);
    line.version++;
    this.decided();
  }

  unpin(ids: readonly string[] = [...this.strokes.keys()]): void {
    for (const line of this.lines) {
      const own = ids.filter((id) => line.session.strokeIds.includes(id));
      if (!own.length) continue;
      line.session.unpin(own);
      line.version++;
    }
    this.decided();
  }

  /** Take another reading of a line for its answer; `line` is its number, which may be left out where there is one line. */
  async choose(latex: string, line?: number): Promise<LiveRecognition> {
    this.arrange();
    const chosen = this.named(line);
    const before = await chosen.session.answer();
    if ((await chosen.session.choose(latex)) !== before) {
      chosen.version++;
      this.decided();
    }
    return this.answer();
  }

  /** Read the lines that have changed; asking again without a change costs nothing. */
  answer(options: AnswerOptions = {}): Promise<LiveRecognition> {
    const key = JSON.stringify([this.version, options]);
    this.wanted = key;
    if (this.latest?.key === key) return this.latest.answer;
    const answer = this.read(key, options);
    const latest = { key, answer };
    this.latest = latest;
    answer.catch(() => {
      if (this.latest === latest) this.latest = null;
    });
    return answer;
  }

  /** The numbers of the lines and their strokes, from top to bottom. */
  arranged(): { number: number; version: number; strokes: readonly string[] }[] {
    this.arrange();
    return this.lines.map(({ number, version, session }) => ({ number, version, strokes: session.strokeIds }));
  }

  private async read(key: string, options: AnswerOptions): Promise<LiveRecognition> {
    const begin = performance.now();
    for (;;) {
      checked([...this.strokes.values()]);
      this.arrange();
      const { version } = this;
      const found = await this.readLines(key, options, begin);
      if (version === this.version) return found;
      // The ink has changed and nobody has asked since: the answer is for what is there now.
    }
  }

  private async readLines(key: string, options: AnswerOptions, begin: number): Promise<LiveRecognition> {
    const order = new Map([...this.strokes.keys()].map((id, place) => [id, place]));
    const asked = this.lines.map((line) => ({ ...line, strokes: line.session.strokeIds.map((id) => order.get(id)!) }));
    const lines: LiveLine[] = [];
    const unreadable: NonNullable<LiveRecognition["unreadable"]> = [];
    for (const { number, version, session, strokes } of asked) {
      if (this.wanted !== key) throw new Superseded("a newer request came");
      const left = Math.max(0, this.engine.seconds(options) - (performance.now() - begin) / 1000);
      try {
        lines.push({ line: number, version, strokes, recognition: await session.answer({ ...options, timeout: left }) });
      } catch (error) {
        if (asked.length === 1 || !(error instanceof InkError)) throw error;
        unreadable.push({ line: number, version, strokes, error: error.message });
      }
    }
    if (this.wanted !== key) throw new Superseded("a newer request came");
    if (!lines.length) throw new InkError(unreadable[0].error);
    const whole = together(lines, order.size);
    return unreadable.length ? { ...whole, unreadable } : whole;
  }

  // Lines --------------------------------------------------------------------------------------------------------

  /** Find the lines near what has changed again; the others stay as they are. */
  private arrange(): void {
    if (this.settled) return;
    const changed = this.moved;
    [this.settled, this.moved] = [true, new Set()];
    const ids = [...this.strokes.keys()].filter((id) => isSound(this.strokes.get(id)!));
    if (!ids.length) {
      this.lines = [];
      return;
    }
    const page = new Geometry(ids.map((id) => this.strokes.get(id)!));
    const placeOf = new Map(ids.map((id, place) => [id, place]));
    const one = this.options.lines === false;
    const near = one ? this.lines : this.near(page, placeOf, changed);
    const loose = new Set([...changed, ...near.flatMap(({ session }) => session.strokeIds)]);
    const chosen = one ? ids : ids.filter((id) => loose.has(id));
    const begun = near.filter(({ session }) => session.strokeIds.length >= BEGUN).map(({ session }) => least(session.strokeIds.map((id) => chosen.indexOf(id))));
    const unit = chosen.length === ids.length ? undefined : page.unit;
    const found = one ? [chosen.map((_, i) => i)] : findLines(chosen.map((id) => this.strokes.get(id)!), unit, begun);
    const groups = found.map((group) => group.map((place) => chosen[place]));
    const lines = [...this.lines.filter((line) => !near.includes(line)), ...this.matched(near, groups)];
    const height = ({ session }: Written): number => {
      const own = session.strokeIds.map((id) => page.middle[placeOf.get(id)!][1]);
      return own.reduce((sum, y) => sum + y, 0) / own.length;
    };
    this.lines = lines.map((line) => ({ line, at: height(line) })).sort((a, b) => a.at - b.at).map(({ line }) => line);
  }

  /** Lines that hold something that has changed, are near to it, or lie above it and were just written. */
  private near(page: Geometry, placeOf: ReadonlyMap<string, number>, changed: ReadonlySet<string>): Written[] {
    const boxOf = (id: string): Geometry["boxes"] => (placeOf.has(id) ? [page.boxes[placeOf.get(id)!]] : []);
    const placesOf = (ids: readonly string[]): number[] => ids.flatMap((id) => placeOf.get(id) ?? []);
    const [, top, , bottom] = around([...changed].flatMap(boxOf));
    const first = least(placesOf([...changed]));
    return this.lines.filter(({ session: { strokeIds } }) => {
      if (!strokeIds.length || strokeIds.some((id) => changed.has(id))) return true;
      const [, itsTop, , itsBottom] = around(strokeIds.flatMap(boxOf));
      const last = most(placesOf(strokeIds));
      const justWritten = first - JUST_WRITTEN <= last && last < first && itsTop < top;
      return justWritten || (top < itsBottom + REACH && bottom > itsTop - REACH);
    });
  }

  /** Groups of strokes as lines: each takes the line with which it shares most strokes. */
  private matched(lines: readonly Written[], groups: readonly string[][]): Written[] {
    const shared = groups
      .flatMap((group, index) => lines.map((line, number) => ({ index, line, number, count: line.session.strokeIds.filter((id) => group.includes(id)).length })))
      .sort((a, b) => b.count - a.count || a.number - b.number);
    const owner = new Map<number, Written>();
    for (const { count, index, line } of shared) if (count && !owner.has(index) && ![...owner.values()].includes(line)) owner.set(index, line);
    return groups.map((group, index) => this.filled(owner.get(index), group));
  }

  /** The line with these strokes; it is not touched where it has them already. */
  private filled(known: Written | undefined, group: readonly string[]): Written {
    const line = known ?? { number: this.nextLine++, version: 0, session: new Session(this.engine, this.options.symbols) };
    const present = line.session.strokeIds;
    if (present.length === group.length && present.every((id, i) => id === group[i])) return line;
    line.version++;
    let { session } = line;
    const grows = present.length < group.length && present.every((id, i) => id === group[i]);
    if (!grows) session = new Session(this.engine, this.options.symbols);
    for (const id of grows ? group.slice(present.length) : group) session.add(id, this.strokes.get(id)!);
    if (!grows) for (const { ids, latex } of line.session.pinned) if ([...ids].every((id) => group.includes(id))) session.pin([...ids], latex);
    line.session = session;
    return line;
  }

  /** The line of this number; an Error if it is gone, or if it is not said which of several. */
  private named(number: number | undefined): Written {
    if (number === undefined && !this.lines.length) throw new InkError("no strokes, so there is nothing to read");
    if (number === undefined && this.lines.length > 1) throw new InkError("there are several lines: name one of them");
    const found = number === undefined ? this.lines[0] : this.lines.find((line) => line.number === number);
    if (!found) throw new InkError(`there is no line ${number}`);
    return found;
  }

  private lineOf(id: string): Written | undefined {
    return this.lines.find(({ session }) => session.strokeIds.includes(id));
  }

  /** Take a stroke out of its line; gives the strokes that are left there. */
  private drop(id: string): readonly string[] {
    const line = this.lineOf(id);
    if (!line) return [];
    line.session.remove([id]);
    line.version++;
    return line.session.strokeIds;
  }

  private known(ids: readonly string[]): void {
    for (const id of ids) if (!this.strokes.has(id)) throw new InkError(`there is no stroke ${id}`);
  }

  private changed(ids: readonly string[]): void {
    for (const id of ids) this.moved.add(id);
    this.settled = false;
    this.decided();
  }

  private decided(): void {
    this.version++;
    this.latest = null;
  }
}

/** Whether a stroke has a place; one that has none belongs to no line, and makes the answer an error. */
function isSound(stroke: Stroke): boolean {
  return stroke.length > 0 && stroke.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
}
