/**
 * Paper and answer together: the ink with what a person decided, a backend that reads it, and the readings to show.
 *
 * What a person chose for a line is final as long as the line has the same strokes; it also pins the part that differs to its
 * strokes, so that it stays when more is written. Both are part of the notebook, so undo, redo and a reload cover them.
 */
import type { Answer, Backend, Candidate, Forms, Line } from "./backend";
import { changedPart } from "./latex";
import { Notebook, type Page, type Pin } from "./notebook";

/** One line as it is shown. */
export interface Reading extends Forms {
  line: Line;
  strokes: readonly string[];
  confidences: number[];
  /** Per token the ids of its strokes. */
  alignment: string[][];
  score: number;
  complete: boolean;
  /** A person decided for it. */
  own: boolean;
  /** Tokens that are likely symbols the model has not learnt. */
  unknown: number[];
  unread: string[];
  reread: string[];
  alternatives: Candidate[];
}

/** Events: `ink` (strokes or decisions changed), `answer` (readings changed), `state`, `problem` (CustomEvent of words). */
export class Desk extends EventTarget {
  readonly notebook = new Notebook();
  #backend: Backend | null = null;
  #answer: Answer | null = null;
  #shown: Page | null = null;
  #choices: Page["choices"] = []; // in the readings
  #unkept: readonly Pin[] = []; // what the recogniser could not keep
  readings: Reading[] = [];

  constructor() {
    super();
    this.notebook.addEventListener("change", () => this.#changed());
  }

  get backend(): Backend | null {
    return this.#backend;
  }

  set backend(backend: Backend | null) {
    for (const [name, hear] of this.#ears) this.#backend?.removeEventListener(name, hear);
    this.#backend?.close();
    this.#backend = backend;
    this.#answer = null;
    for (const [name, hear] of this.#ears) backend?.addEventListener(name, hear);
    this.#sync();
    this.dispatchEvent(new Event("state"));
  }

  #ears: [string, (event: Event) => void][] = [
    ["state", () => this.dispatchEvent(new Event("state"))],
    ["answer", (event) => this.#answered((event as CustomEvent<Answer>).detail)],
    ["problem", (event) => this.dispatchEvent(new CustomEvent("problem", { detail: (event as CustomEvent<string>).detail }))],
    ["refused", () => {
      this.#unkept = this.notebook.page.pins;
    }],
  ];

  /** The readings are of older ink, or of what was decided before. */
  get stale(): boolean {
    const { strokes } = this.notebook;
    if (!strokes.length) return false;
    if (this.readings.length && this.readings.every(({ own }) => own) && this.#covers()) return false;
    return this.#shown !== this.notebook.page || this.#backend?.state !== "ready";
  }

  /** Whether every stroke is one of the readings shown. */
  #covers(): boolean {
    const count = this.readings.reduce((sum, reading) => sum + reading.strokes.length, 0);
    return count === this.notebook.strokes.length;
  }

  #changed(): void {
    this.#sync();
    const { strokes, choices } = this.notebook.page;
    if (!strokes.length) this.#answer = null;
    // With the same decisions the readings stay as they are until an answer comes; to draw them again would only take time.
    const decided = choices.length !== this.#choices.length || choices.some((choice, i) => choice !== this.#choices[i]);
    if (decided || !strokes.length) this.#show();
    this.dispatchEvent(new Event("ink"));
  }

  #sync(): void {
    const { strokes, pins } = this.notebook.page;
    this.#backend?.sync(strokes, pins.filter((pin) => !this.#unkept.includes(pin)));
  }

  #answered(answer: Answer): void {
    if (answer.revision !== this.#backend?.revision) return;
    this.#answer = answer;
    this.#shown = this.notebook.page;
    this.#show();
  }

  #show(): void {
    const { choices } = this.notebook.page;
    this.#choices = choices;
    this.readings = (this.#answer?.lines ?? []).map((line) => {
      const made = read(line);
      const choice = choices.find(({ ids }) => sameSet(ids, made.strokes));
      return choice ? chosen(made, choice.forms) : made;
    });
    this.dispatchEvent(new Event("answer"));
  }

  /** Take other LaTeX for a line: another reading, or what a person wrote. */
  choose(reading: Reading, forms: Forms): void {
    const { line } = reading;
    const made = read(line);
    const choice = { ids: made.strokes, forms: { latex: forms.latex, tokens: forms.tokens, mathml: forms.mathml, typst: forms.typst } };
    if (forms.tokens.join(" ") === made.tokens.join(" ")) this.notebook.decide({ choice });
    else {
      const { ids, tokens } = changedPart(made.tokens, made.alignment, forms.tokens);
      this.notebook.decide({ choice, pin: ids.length ? { ids, latex: tokens.join(" ") } : undefined });
    }
  }

  /** Decide what some strokes say; the rest is read around it. */
  pin(ids: readonly string[], latex: string): void {
    this.notebook.decide({ pin: { ids, latex } });
  }

  /** All lines as one text. */
  get latex(): string {
    return this.readings.length > 1 ? aligned(this.readings.map(({ latex }) => latex)) : this.readings[0]?.latex ?? "";
  }
}

const RELATION = /^(?:[=<>]|\\(?:leq?|geq?|neq?|approx|equiv|sim|to|in|subset|subseteq|Rightarrow|rightarrow|mapsto)(?![A-Za-z]))/;

/** Lines under each other, their first relations in a column. */
export function aligned(lines: readonly string[]): string {
  return `\\begin{aligned}\n${lines.map((line) => `  ${marked(line)}`).join(" \\\\\n")}\n\\end{aligned}`;
}

/** Lines under each other behind one left brace. */
export function cases(lines: readonly string[]): string {
  return `\\begin{cases}\n${lines.map((line) => `  ${line}`).join(" \\\\\n")}\n\\end{cases}`;
}

function marked(line: string): string {
  let depth = 0;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === "\\" && /[{}]/.test(line[i + 1] ?? "")) i += 1;
    else if (line[i] === "{") depth += 1;
    else if (line[i] === "}") depth -= 1;
    else if (depth === 0 && RELATION.test(line.slice(i))) return `${line.slice(0, i)}&${line.slice(i)}`;
  }
  return `&${line}`;
}

function read(line: Line): Reading {
  const { recognition, strokes, alternatives } = line;
  const tokens = recognition.tokens.map(({ text }) => text);
  const named = (places: readonly number[]): string[] => places.map((place) => strokes[place]);
  return {
    line,
    strokes,
    tokens,
    latex: recognition.latex,
    mathml: recognition.mathml,
    typst: recognition.typst,
    confidences: recognition.tokens.map(({ confidence }) => confidence),
    alignment: recognition.tokens.map((token) => named(token.strokes)),
    score: recognition.score,
    complete: recognition.complete,
    own: false,
    unknown: (recognition.symbols ?? []).filter(({ known }) => known === false).map(({ token }) => token),
    unread: named(recognition.unread),
    reread: named(recognition.reread),
    alternatives,
  };
}

function chosen(made: Reading, forms: Forms): Reading {
  const same = made.tokens.join(" ") === forms.tokens.join(" ");
  return {
    ...made,
    ...forms,
    own: true,
    unknown: [],
    unread: [],
    reread: [],
    confidences: forms.tokens.map(() => 1),
    alignment: same ? made.alignment : forms.tokens.map(() => []),
  };
}

const sameSet = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((id) => b.includes(id));
