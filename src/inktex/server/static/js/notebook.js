// The ink of the page: strokes with undo and redo. Strokes never change; a changed one is a new object.

const DEPTH = 300;

let lastNumber = 0;

/** A name for a new stroke, unique in this tab. */
export const newId = () => `s${Date.now().toString(36)}${(lastNumber++).toString(36)}`;

export class Notebook extends EventTarget {
  #past = [];
  #future = [];
  strokes = [];

  /** Take new strokes in the place of the present ones; one step to undo. */
  commit(strokes) {
    if (same(strokes, this.strokes)) return;
    this.#past.push(this.strokes);
    if (this.#past.length > DEPTH) this.#past.shift();
    this.#future = [];
    this.#put(strokes);
  }

  add(stroke) {
    this.commit([...this.strokes, stroke]);
  }

  remove(ids) {
    const gone = new Set(ids);
    this.commit(this.strokes.filter((stroke) => !gone.has(stroke.id)));
  }

  undo() {
    if (!this.#past.length) return false;
    this.#future.push(this.strokes);
    this.#put(this.#past.pop());
    return true;
  }

  redo() {
    if (!this.#future.length) return false;
    this.#past.push(this.strokes);
    this.#put(this.#future.pop());
    return true;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  #put(strokes) {
    const before = this.strokes;
    this.strokes = strokes;
    this.dispatchEvent(new CustomEvent("change", { detail: { before, strokes } }));
  }
}

const same = (a, b) => a.length === b.length && a.every((stroke, i) => stroke === b[i]);
