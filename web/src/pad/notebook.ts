/** What is on the paper and what a person decided about it, with undo and redo over both. */
import type { Forms } from "./backend";
import { boundsOf, contains, grown } from "./geometry";
import type { Box, Stroke } from "./ink";

/** A person decided what some strokes say; more ink is read around it. */
export interface Pin {
  readonly ids: readonly string[];
  readonly latex: string;
}

/** A person decided what a whole line says: final as long as it has exactly these strokes. */
export interface Choice {
  readonly ids: readonly string[];
  readonly forms: Forms;
}

export interface Page {
  readonly strokes: readonly Stroke[];
  readonly pins: readonly Pin[];
  readonly choices: readonly Choice[];
}

const DEPTH = 300;
const EMPTY: Page = { strokes: [], pins: [], choices: [] };

export class Notebook extends EventTarget {
  #past: Page[] = [];
  #future: Page[] = [];
  #page = EMPTY;
  #redrawn: { place: number; area: Box } | null = null; // where strokes were taken away to be drawn again

  get page(): Page {
    return this.#page;
  }

  get strokes(): readonly Stroke[] {
    return this.#page.strokes;
  }

  /** Take new strokes in the place of the present ones; one step to undo. Decisions about other strokes stay. */
  commit(strokes: readonly Stroke[]): void {
    if (same(strokes, this.strokes)) return;
    this.#step(keptDecisions(this.#page, strokes));
  }

  /** Add a stroke: after the others, or in the place of those that it is drawn again for. */
  add(stroke: Stroke): void {
    const { strokes } = this, redrawn = this.#redrawn;
    const box = boundsOf([stroke])!;
    if (redrawn && contains(redrawn.area, box.left + box.width / 2, box.top + box.height / 2)) {
      this.commit([...strokes.slice(0, redrawn.place), stroke, ...strokes.slice(redrawn.place)]);
      this.#redrawn = { ...redrawn, place: redrawn.place + 1 };
    } else this.commit([...strokes, stroke]);
  }

  /** Take strokes away that will be drawn again: ink is read in the order of writing, so what comes there takes their place. */
  redraw(ids: readonly string[]): void {
    const old = this.strokes.filter(({ id }) => ids.includes(id)), box = boundsOf(old);
    const place = this.strokes.findIndex(({ id }) => ids.includes(id));
    this.remove(ids);
    if (box) this.#redrawn = { place, area: grown(box, 0.35 * Math.max(box.width, box.height)) };
  }

  remove(ids: Iterable<string>): void {
    const gone = new Set(ids);
    this.commit(this.strokes.filter((stroke) => !gone.has(stroke.id)));
  }

  /** Record a decision; one step to undo. */
  decide({ pin, choice }: { pin?: Pin; choice?: Choice }): void {
    const { strokes, pins, choices } = this.#page;
    const shares = (a: readonly string[], b: readonly string[]): boolean => a.some((id) => b.includes(id));
    this.#step({
      strokes,
      pins: pin ? [...pins.filter((old) => !shares(old.ids, pin.ids)), pin] : pins,
      choices: [...choices.filter((old) => !shares(old.ids, (choice ?? pin)!.ids)), ...(choice ? [choice] : [])],
    });
  }

  /** Begin with a page that was kept. */
  open(page: Partial<Page>, { undoable = true } = {}): void {
    const opened = { ...EMPTY, ...page };
    if (undoable) this.#step(opened);
    else this.#put(opened);
  }

  undo(): boolean {
    const before = this.#past.pop();
    if (!before) return false;
    this.#future.push(this.#page);
    this.#put(before);
    return true;
  }

  redo(): boolean {
    const after = this.#future.pop();
    if (!after) return false;
    this.#past.push(this.#page);
    this.#put(after);
    return true;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  #step(page: Page): void {
    this.#past.push(this.#page);
    if (this.#past.length > DEPTH) this.#past.shift();
    this.#future = [];
    this.#put(page);
  }

  #put(page: Page): void {
    this.#page = page;
    this.#redrawn = null;
    this.dispatchEvent(new Event("change"));
  }
}

/** The page with other strokes: what was decided about strokes that are gone goes; what was moved as a whole keeps its pin. */
function keptDecisions(before: Page, strokes: readonly Stroke[]): Page {
  const now = new Map(strokes.map((stroke) => [stroke.id, stroke]));
  const old = new Map(before.strokes.map((stroke) => [stroke.id, stroke]));
  const unchanged = (id: string): boolean => now.get(id) === old.get(id);
  return {
    strokes,
    pins: before.pins.filter(({ ids }) => ids.every((id) => now.has(id)) && (ids.every(unchanged) || !ids.some(unchanged))),
    choices: before.choices.filter(({ ids }) => ids.every((id) => now.has(id) && unchanged(id))),
  };
}

const same = (a: readonly Stroke[], b: readonly Stroke[]): boolean =>
  a.length === b.length && a.every((stroke, i) => stroke === b[i]);
