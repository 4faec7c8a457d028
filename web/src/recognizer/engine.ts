/**
 * What runs in the worker: one model, one search at a time, and live sessions. Everything here also runs in Node, where it is
 * tested.
 */
import { checked } from "./features";
import { LatexError } from "./layout";
import { findLines } from "./lines";
import { toMathml } from "./mathml";
import { Model, type Prepared } from "./model";
import { normalize } from "./normalize";
import { PageSession } from "./page";
import { printLatex } from "./print";
import type { Hypothesis, Limits } from "./search";
import { together } from "./several";
import { toTypst } from "./typst";
import type { AnswerOptions, Line, RecognizeOptions, Recognition, Rendering, SessionOptions, Stroke, SymbolGuess } from "./types";

export const TIMEOUT = 10; // seconds for one expression, unless told otherwise
const BREATH = 12; // milliseconds of work between two looks at what was asked meanwhile

export class Engine {
  private readonly sessions = new Map<number, PageSession>();
  private lane: Promise<unknown> = Promise.resolve();

  constructor(readonly model: Model) {}

  /** Read one expression, or several lines of them. */
  recognize(strokes: readonly Stroke[], options: RecognizeOptions = {}): Promise<Recognition> {
    return this.inTurn(async () => {
      const begin = performance.now();
      checked(strokes);
      const found = options.lines === false ? [] : findLines(strokes);
      if (!found.length || (found.length < 2 && found[0].every((stroke, i) => stroke === i))) return this.readOne(strokes, options);
      const lines: Line[] = [];
      for (const line of found) {
        const timeout = Math.max(0, this.seconds(options) - (performance.now() - begin) / 1000);
        lines.push({ strokes: line, recognition: await this.readOne(line.map((stroke) => strokes[stroke]), { ...options, timeout }) });
      }
      return together(lines, strokes.length);
    });
  }

  private async readOne(strokes: readonly Stroke[], options: RecognizeOptions): Promise<Recognition> {
    const begin = performance.now();
    const prepared = this.model.prepare(strokes);
    const found = await this.model.search(prepared, this.model.options(prepared, readings(options), options.symbols), this.limits(options));
    return this.answer(prepared, found, begin, options);
  }

  /** Read the strokes as one symbol: its likeliest commands, best first. */
  symbol(strokes: readonly Stroke[], top: number): Promise<SymbolGuess[]> {
    return this.inTurn(async () => {
      checked(strokes);
      return (await this.model.guess(strokes)).slice(0, readings({ top }));
    });
  }

  /** LaTeX in all forms; LatexError where it is not a formula. */
  render(latex: string): Rendering {
    const tokens = normalize(latex);
    if (!tokens.length) throw new LatexError("there is nothing to show");
    return { latex: printLatex(tokens), tokens, mathml: toMathml(tokens), typst: toTypst(tokens) };
  }

  /** Begin to write. */
  open(number: number, options: SessionOptions = {}): PageSession {
    const made = new PageSession(this, options);
    this.sessions.set(number, made);
    return made;
  }

  /** The session of a number. */
  session(number: number): PageSession {
    const known = this.sessions.get(number);
    if (!known) throw new Error("the session was closed");
    return known;
  }

  close(number: number): void {
    this.sessions.delete(number);
  }

  /** One search after the other: they would only slow each other down. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.lane.then(work);
    this.lane = turn.catch(() => undefined);
    return turn;
  }

  /** How long an answer may take. */
  seconds({ timeout = TIMEOUT }: AnswerOptions): number {
    return timeout;
  }

  limits(options: AnswerOptions, cancelled?: () => boolean): Limits {
    const begin = performance.now();
    let last = begin;
    const breathe = async (): Promise<void> => {
      if (performance.now() - last < BREATH) return;
      await nextTask();
      last = performance.now();
    };
    return { cancelled, breathe, deadline: begin + 1000 * this.seconds(options) };
  }

  answer(prepared: Prepared, found: Hypothesis[], begin: number, options: AnswerOptions): Recognition {
    const { attention, ...made } = this.model.assemble(prepared, found, readings(options));
    const texts = made.tokens.map(({ text }) => text);
    const elapsed = Math.round((performance.now() - begin) * 1000) / 1e6;
    return {
      ...made,
      mathml: toMathml(texts, true),
      typst: toTypst(texts),
      elapsed,
      ...(options.attention ? { attention } : {}),
    };
  }
}

/** How many readings are wanted. */
export function readings({ top = 5 }: AnswerOptions): number {
  if (!Number.isInteger(top) || top < 1) throw new RangeError("top: must be at least 1");
  return top;
}

/** Let messages in; promises alone never do. */
const nextTask: () => Promise<void> = "setImmediate" in globalThis ? nextTaskOfNode() : nextTaskOfBrowser();

function nextTaskOfBrowser(): () => Promise<void> {
  const channel = new MessageChannel(); // timers would wait for 4 ms
  const waiting: (() => void)[] = [];
  channel.port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      channel.port2.postMessage(null);
    });
}

function nextTaskOfNode(): () => Promise<void> {
  return () => new Promise((resolve) => setImmediate(resolve));
}
