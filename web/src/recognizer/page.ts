/**
 * Live writing of several lines: each line is a session of its own and is read only when it has changed. Lines far from a change
 * stay as they are, and a line keeps its number as long as most of its strokes stay together. A port of
 * `inktex/recognizer/page_session.py`; here the lines are found when somebody asks for them.
 */
import type { Engine } from "./engine";
import { checked } from "./features";
import { around, boxDistance, Geometry, least, most } from "./geometry";
import { findLines } from "./lines";
import { Session } from "./session";
import { together } from "./several";
import tables from "./tables.json";
import { type AnswerOptions, InkError, type LiveLine, type LiveRecognition, type SessionOptions, type Stroke, Superseded } from "./types";

const REACH = tables.lines.reach; // heights of the writing: lines so near to a change are found again
const JUST_WRITTEN = tables.lines.just_written; // strokes: lines written so shortly before a change, too, unless they are settled
const BEGUN = tables.lines.begun; // log odds for a line that was there before
const NEWEST = tables.lines.newest; // log odds for a line that begins with the newest stroke, so that the one above stays
const LONG = tables.lines.long; // strokes of the one above from which on this is so
const WENT_BACK = tables.lines.went_back; // the same, where the pen has also gone back to the left
const SOME = tables.lines.some; // strokes of the one above
const BACK = tables.lines.back; // heights of the writing, at least
const LETTER = tables.lines.letter; // log odds for a line whose first strokes are a letter with a bar on top, such as T or Σ
const SHORT = tables.lines.short; // strokes of that line, at most: of more, the letter may be a denominator after all
const TALL = tables.lines.tall_letter; // heights of the writing: the least height of what is below a bar that is drawn last
const FEW = tables.lines.few; // strokes of a line that may still be a part of that letter
const TOUCHING = tables.lines.touching; // heights of the writing between strokes of a letter
const AS_WIDE = tables.lines.as_wide; // of the bar of a letter is the least width of what is below it
const OPERATOR = tables.lines.operator; // heights of the writing: the least height of a symbol that has limits
const SETTLED = tables.lines.settled; // strokes in later lines after which a line only changes where something is written into it

interface Written {
  number: number; // stays as long as the line does
  version: number; // grows with every change of its strokes or its answer
  session: Session;
  isLetter: boolean; // its first strokes are a letter with a bar on top, so it is no part of a fraction
  settled: boolean; // the writing went on below it, so that other lines no longer change it
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
      line.isLetter = false;
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
    const { near, groups } = this.options.lines === false ? { near: this.lines, groups: [ids] } : this.found(page, placeOf, changed);
    for (const line of near) line.settled &&= isKept(line, groups, changed);
    const lines = [...this.lines.filter((line) => !near.includes(line)), ...this.matched(near, groups)];
    const height = ({ session }: Written): number => {
      const own = session.strokeIds.map((id) => page.middle[placeOf.get(id)!][1]);
      return own.reduce((sum, y) => sum + y, 0) / own.length;
    };
    this.lines = lines.map((line) => ({ line, at: height(line) })).sort((a, b) => a.at - b.at).map(({ line }) => line);
    this.settle(placeOf);
  }

  /**
   * The lines that a change may concern, and the lines that their strokes are now. A settled line takes new strokes, but it is
   * neither torn apart nor joined with others. A line below a change may turn out to be part of another one, such as the limit of a
   * sum, and takes no strokes.
   */
  private found(page: Geometry, placeOf: ReadonlyMap<string, number>, changed: ReadonlySet<string>): { near: Written[]; groups: string[][] } {
    let { near, guarded } = this.near(page, placeOf, changed);
    for (;;) {
      const loose = new Set([...changed, ...near.flatMap(({ session }) => session.strokeIds)]);
      const chosen = [...placeOf.keys()].filter((id) => loose.has(id));
      const unit = chosen.length === placeOf.size ? undefined : page.unit;
      const found = findLines(chosen.map((id) => this.strokes.get(id)!), unit, this.favoured(page, chosen, near, [...placeOf.keys()]));
      const groups = found.map((group) => group.map((place) => chosen[place]));
      const hurt = guarded.filter((line) => (line.settled ? !isKept(line, groups, changed) : !isKept(line, groups) && !isJoined(line, near, groups)));
      if (!hurt.length) return { near, groups };
      [near, guarded] = [near, guarded].map((lines) => lines.filter((line) => !hurt.includes(line)));
    }
  }

  /** Log odds to add for lines that begin with some strokes: those that were there, and one that the newest stroke may begin. */
  private favoured(page: Geometry, chosen: readonly string[], near: readonly Written[], ids: readonly string[]): Map<number, number> {
    const places = new Map(chosen.map((id, place) => [id, place]));
    const lines = near.filter(({ session }) => session.strokeIds.length);
    const first = ({ session }: Written): number => least(session.strokeIds.map((id) => places.get(id)!));
    const favoured = new Map(lines.map((line) => [first(line), BEGUN]));
    const [before, newest] = [undefined, ...ids].slice(-2);
    if (places.has(newest!) && !this.lineOf(newest!)) {
      const line = lines.find(({ session }) => session.strokeIds.includes(before!));
      const its = line?.session.strokeIds.map((id) => ids.indexOf(id)) ?? [];
      if (line && isLetter(page, its)) line.isLetter = true;
      if (its.length >= SOME && wentBack(page, its)) favoured.set(places.get(newest!)!, WENT_BACK);
      else if (its.length >= LONG) favoured.set(places.get(newest!)!, NEWEST);
    }
    for (const line of lines) if (line.isLetter && line.session.strokeIds.length <= SHORT) favoured.set(first(line), LETTER);
    return favoured;
  }

  /** Lines that have changed, are near to a change, or were written shortly before; and those of them that are settled or lie below it. */
  private near(page: Geometry, placeOf: ReadonlyMap<string, number>, changed: ReadonlySet<string>): { near: Written[]; guarded: Written[] } {
    const boxesOf = (ids: Iterable<string>): Geometry["boxes"] => [...ids].flatMap((id) => (placeOf.has(id) ? [page.boxes[placeOf.get(id)!]] : []));
    const placesOf = (ids: Iterable<string>): number[] => [...ids].flatMap((id) => placeOf.get(id) ?? []);
    const boxes = boxesOf(changed), first = least(placesOf(changed));
    const [, top, , bottom] = around(boxes);
    const guarded: Written[] = [];
    const near = this.lines.filter((line) => {
      const { strokeIds } = line.session;
      if (!strokeIds.length || strokeIds.some((id) => changed.has(id))) return true;
      const places = placesOf(strokeIds), last = most(places);
      const [, itsTop, , itsBottom] = around(boxesOf(strokeIds));
      const isNear = top < itsBottom + REACH && bottom > itsTop - REACH;
      const just = !line.settled && first - JUST_WRITTEN <= last && last < first;
      const limit = top < itsTop && !isNear;
      if (!isNear && !(just && (!limit || isBelowOperator(page, places)))) return false;
      const middle = (itsTop + itsBottom) / 2; // that of a brace drawn before lines that are done, which makes them one, lies in one of them
      const within = boxes.some(([, y, , end]) => ((y + end) / 2 > itsTop && (y + end) / 2 < itsBottom) || (y < middle && middle < end));
      if (limit || (line.settled && !within)) guarded.push(line);
      return true;
    });
    return { near, guarded };
  }

  /** Settle the lines below which the writing went on; a stroke that is added late leaves them so. */
  private settle(placeOf: ReadonlyMap<string, number>): void {
    const spans = this.lines.map(({ session }) => session.strokeIds.map((id) => placeOf.get(id)!));
    const [firsts, lasts] = [spans.map(least), spans.map(most)];
    this.lines.forEach((line, i) => {
      line.settled ||= spans.reduce((later, own, j) => later + (firsts[j] > lasts[i] ? own.length : 0), 0) >= SETTLED;
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
    const line = known ?? { number: this.nextLine++, version: 0, session: new Session(this.engine, this.options.symbols), isLetter: false, settled: false };
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
    line.isLetter = false;
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

/** Whether a line lies right below a tall stroke written before it, as the limit of a sum does. */
function isBelowOperator({ boxes }: Geometry, line: readonly number[]): boolean {
  const [left, top, right] = around(line.map((place) => boxes[place]));
  return boxes.slice(0, least(line)).some((box) => box[3] - box[1] > OPERATOR && box[0] < right && box[2] > left && Math.abs(box[3] - top) < REACH);
}

/** Whether the newest stroke, no bar, lies below a line and well to the left of where that ended. */
function wentBack({ boxes, flat }: Geometry, line: readonly number[]): boolean {
  const newest = boxes.length - 1, [left, top] = boxes[newest];
  return !flat[newest] && top > most(line.map((place) => boxes[place][3])) && left < boxes[line[line.length - 1]][0] - BACK;
}

/**
 * Whether the newest stroke and the first of a line are a letter with a bar, such as T or Σ: they touch, and unlike a fraction the bar
 * is drawn last, or what follows below it is as wide.
 */
function isLetter({ boxes, flat, width, height }: Geometry, line: readonly number[]): boolean {
  const newest = boxes.length - 1, [first] = line;
  if (!line.length || line.length > FEW || boxDistance(boxes[newest], boxes[first]) >= TOUCHING) return false;
  return flat[first] ? !flat[newest] && width[newest] > AS_WIDE * width[first] : flat[newest] && height[first] > TALL;
}

/** Whether a line is still one, alone or with new strokes. */
function isKept({ session: { strokeIds } }: Written, groups: readonly string[][], changed: ReadonlySet<string> = new Set()): boolean {
  return groups.some((group) => holds(group, strokeIds) && group.every((id) => changed.has(id) || strokeIds.includes(id)));
}

/** Whether a line has become one with another. */
function isJoined(line: Written, lines: readonly Written[], groups: readonly string[][]): boolean {
  const others = lines.filter((other) => other !== line);
  return groups.some((group) => holds(group, line.session.strokeIds) && others.some(({ session }) => holds(group, session.strokeIds)));
}

const holds = (group: readonly string[], ids: readonly string[]): boolean => ids.every((id) => group.includes(id));

/** Whether a stroke has a place; one that has none belongs to no line, and makes the answer an error. */
function isSound(stroke: Stroke): boolean {
  return stroke.length > 0 && stroke.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
}
