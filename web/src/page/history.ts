/**
 * What was written, kept in this browser only: every formula from its first stroke, across tabs and days (IndexedDB), and the one
 * under way also in its tab (sessionStorage, which is written at once), so that a reload loses nothing.
 */
import type { Forms } from "../pad/backend";
import { newId, type Stroke } from "../pad/ink";
import type { Page } from "../pad/notebook";

export interface Entry extends Page {
  id: string;
  name: string;
  latex: string;
  mathml: string;
  changed: number;
}

const NAME = "inktex", STORE = "formulas", NOW = "inktex.now";
const DELAY = 600; // ms of rest before a formula is written down
const FORMAT = "inktex.history/1";

/** What of an entry is written down anew when it changes. */
type Content = Omit<Entry, "name" | "changed">;

/**
 * Events: `change`, when the kept formulas are others, in this tab or in another; `parted` (CustomEvent of the old id and the new),
 * when a formula was changed in another tab since this tab wrote it down: then this tab goes on with one of its own.
 */
export class History extends EventTarget {
  #database: Promise<IDBDatabase> | null = null;
  #channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("inktex.history") : null;
  #pending: Entry | null = null;
  #written: { content: Content; changed: number } | null = null; // the formula of this tab, as it was last written down
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** All formulas, the newest first. */
  entries: Entry[] = [];

  constructor() {
    super();
    this.#channel?.addEventListener("message", () => void this.load());
    window.addEventListener("pagehide", () => void this.flush());
  }

  #open(): Promise<IDBDatabase> {
    this.#database ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(NAME, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    return this.#database;
  }

  async #store(mode: IDBTransactionMode, work: (store: IDBObjectStore) => void): Promise<void> {
    const database = await this.#open();
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve();
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  }

  /** Read what there is. A browser that keeps nothing (a private window) has an empty history, and the page goes on. */
  async load(): Promise<void> {
    let found: Entry[] = [];
    await this.#store("readonly", (store) => {
      const request = store.getAll();
      request.onsuccess = () => (found = request.result as Entry[]);
    }).catch(() => {});
    this.entries = found.sort((a, b) => b.changed - a.changed);
    this.dispatchEvent(new Event("change"));
  }

  async #change(work: (store: IDBObjectStore) => void): Promise<void> {
    await this.#store("readwrite", work).catch(() => {});
    this.#channel?.postMessage("changed");
    await this.load();
  }

  /** Begin with a formula of the history. */
  take(entry: Entry): void {
    this.#written = { content: entry, changed: entry.changed };
  }

  /** Keep a formula as it is now; written down after a moment of rest. */
  keep(entry: Content): void {
    const before = this.entries.find(({ id }) => id === entry.id);
    if (!entry.strokes.length && !before && this.#pending?.id !== entry.id) return;
    if (this.#pending && this.#pending.id !== entry.id) void this.flush();
    clearTimeout(this.#timer);
    this.#pending = null;
    if (this.#written && alike(this.#written.content, entry)) return;
    this.#pending = { ...entry, name: before?.name ?? "", changed: Date.now() };
    this.#timer = setTimeout(() => void this.flush(), DELAY);
  }

  /** Write down what waits; a formula whose ink is gone goes too. */
  async flush(): Promise<void> {
    const entry = this.#pending;
    this.#pending = null;
    clearTimeout(this.#timer);
    if (!entry) return;
    const before = this.#written?.content.id === entry.id ? this.#written : null;
    const { id } = entry;
    this.#written = { content: entry, changed: entry.changed };
    await this.#change((store) => {
      const request = store.get(id);
      request.onsuccess = () => {
        const there = request.result as Entry | undefined;
        if (before && there && there.changed !== before.changed) entry.id = newId(); // of another tab: both stay
        if (entry.strokes.length) store.put(entry);
        else store.delete(entry.id);
      };
    });
    if (entry.id !== id) this.dispatchEvent(new CustomEvent("parted", { detail: { from: id, to: entry.id } }));
  }

  rename(id: string, name: string): Promise<void> {
    const entry = this.entries.find((each) => each.id === id);
    return entry ? this.#change((store) => void store.put({ ...entry, name })) : Promise.resolve();
  }

  remove(id: string): Promise<void> {
    if (this.#pending?.id === id) this.#pending = null;
    return this.#change((store) => void store.delete(id));
  }

  clear(): Promise<void> {
    this.#pending = null;
    return this.#change((store) => void store.clear());
  }

  /** Formulas whose name or LaTeX has all words. */
  search(query: string): Entry[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return this.entries.filter(({ name, latex }) => words.every((word) => `${name} ${latex}`.toLowerCase().includes(word)));
  }

  /** Everything as one file. */
  export(): string {
    return JSON.stringify({ format: FORMAT, formulas: this.entries });
  }

  /** Take the formulas of such a file; those that are here already stay as they are. Gives how many came, null if it is no such file. */
  async import(text: string): Promise<number | null> {
    let entries: Entry[];
    try {
      const content = JSON.parse(text);
      if (content.format !== FORMAT) return null;
      entries = content.formulas.filter((each: Entry) => typeof each?.id === "string" && isInk(each.strokes));
    } catch {
      return null;
    }
    const known = new Set(this.entries.map(({ id }) => id));
    const fresh = entries.filter(({ id }) => !known.has(id)).map((each) => ({
      id: each.id, name: String(each.name ?? ""), latex: String(each.latex ?? ""), mathml: String(each.mathml ?? ""),
      changed: Number(each.changed) || Date.now(), strokes: each.strokes,
      pins: listOf(each.pins).filter(({ ids, latex }) => areTexts(ids) && typeof latex === "string"),
      choices: listOf(each.choices).filter(({ ids, forms }) => areTexts(ids) && areForms(forms)),
    }));
    await this.#change((store) => fresh.forEach((each) => store.put(each)));
    return fresh.length;
  }
}

/** Whether there is nothing new to write down. The parts of a page are never changed, only replaced. */
const alike = (a: Content, b: Content): boolean =>
  a.id === b.id && a.strokes === b.strokes && a.pins === b.pins && a.choices === b.choices && a.latex === b.latex;

const listOf = <T>(value: readonly T[] | undefined): T[] => (Array.isArray(value) ? value.filter((each) => each && typeof each === "object") : []);
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");
const areForms = (value: Partial<Forms> | undefined): boolean =>
  [value?.latex, value?.mathml, value?.typst].every((text) => typeof text === "string") && areTexts(value?.tokens);
const isPoint = (value: unknown): boolean => Array.isArray(value) && value.length > 1 && value.every(Number.isFinite);

/** Whether something out of a file is ink that can be drawn. */
function isInk(value: unknown): boolean {
  const isStroke = (stroke: Partial<Stroke> | null): boolean =>
    typeof stroke?.id === "string" && Array.isArray(stroke.points) && stroke.points.length > 0 && stroke.points.every(isPoint);
  return Array.isArray(value) && value.length > 0 && value.every(isStroke);
}

/** The formula under way in this tab: its id and what is on the paper. */
export interface Present {
  id: string;
  page: Page;
}

export function presentOf(): Present | null {
  try {
    const found = JSON.parse(sessionStorage.getItem(NOW) ?? "null");
    return found?.page?.strokes ? found : null;
  } catch {
    return null;
  }
}

export function setPresent(present: Present): void {
  try {
    sessionStorage.setItem(NOW, JSON.stringify(present));
  } catch {
    // The store is full or closed; the history has it a moment later.
  }
}
