/**
 * Live writing of one expression: strokes are added, removed and changed, and the answer can be had at any time. A newer request makes an older
 * one stop. Corrections stick: what a person chose or pinned is kept for its strokes, and the rest is read around it. A port of
 * `inktex/recognizer/session.py` and `pins.py`.
 */
import { type Engine, readings } from "./engine";
import { inkPlaces, LatexError } from "./layout";
import { symbolAt } from "./model";
import { normalize } from "./normalize";
import { findPin, isWhole, makePin, type Pin, PinnedStepper } from "./pins";
import { printLatex } from "./print";
import { forms } from "./several";
import { type AnswerOptions, InkError, type Recognition, type SessionOptions, type Stroke, Superseded, type Token } from "./types";

export class Session {
  private readonly strokes = new Map<string, Stroke>(); // in the order of writing
  private pins: { ids: Set<string>; latex: string }[] = [];
  private chosen: string[] | null = null; // the whole answer, as long as no stroke changes
  private version = 0;
  private wanted = ""; // version and options of the newest request
  private latest: { key: string; answer: Promise<Recognition> } | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly symbols?: SessionOptions["symbols"],
  ) {}

  get strokeIds(): string[] {
    return [...this.strokes.keys()];
  }

  get pinned(): readonly { ids: ReadonlySet<string>; latex: string }[] {
    return this.pins;
  }

  add(id: string, points: Stroke): void {
    if (this.strokes.has(id)) throw new InkError(`there is a stroke ${id} already`);
    this.strokes.set(id, points);
    this.changed();
  }

  replace(id: string, points: Stroke): void {
    this.known([id]);
    this.strokes.set(id, points);
    this.release([id]);
    this.changed();
  }

  remove(ids: readonly string[]): void {
    this.known(ids);
    for (const id of ids) this.strokes.delete(id);
    this.release(ids);
    this.changed();
  }

  clear(): void {
    this.strokes.clear();
    this.pins = [];
    this.changed();
  }

  pin(ids: readonly string[], latex: string): void {
    this.known(ids);
    const { vocabulary, grammar } = this.engine.model;
    makePin(ids.map((_, i) => i), latex, vocabulary, grammar); // says what is wrong with it, if something is
    this.release(ids);
    this.pins.push({ ids: new Set(ids), latex });
    this.changed();
  }

  unpin(ids: readonly string[] = [...this.strokes.keys()]): void {
    this.release(ids);
    this.changed();
  }

  /** Take another reading for the answer: the part in which it differs is pinned to the strokes of that part. */
  async choose(latex: string): Promise<Recognition> {
    const present = await this.answer();
    const chosen = normalize(latex);
    if (!chosen.length) throw new LatexError("an empty answer cannot be chosen; remove the strokes instead");
    if (printLatex(chosen) === present.latex) return present;
    const { vocabulary, grammar } = this.engine.model;
    const ids = [...this.strokes.keys()];
    makePin(ids.map((_, i) => i), latex, vocabulary, grammar);
    const { strokes, piece } = changedPart(present, chosen);
    const numbers = strokes.flatMap((stroke) => ids[stroke] ?? []);
    this.release(numbers);
    this.pins.push({ ids: new Set(numbers), latex: printLatex(piece) });
    this.changed();
    this.chosen = chosen;
    return this.answer();
  }

  /** Read what is there now; asking again without a change costs nothing. */
  answer(options: AnswerOptions = {}): Promise<Recognition> {
    const key = JSON.stringify([this.version, readings(options), !!options.attention]);
    this.wanted = key;
    if (this.latest?.key === key) return this.latest.answer;
    const answer = this.engine.inTurn(() => this.read(key, options));
    const latest = { key, answer };
    this.latest = latest;
    answer.catch(() => {
      if (this.latest === latest) this.latest = null;
    });
    return answer;
  }

  private async read(key: string, options: AnswerOptions): Promise<Recognition> {
    const cancelled = (): boolean => this.wanted !== key;
    const begin = performance.now();
    const limits = this.engine.limits(options, cancelled);
    if (cancelled()) throw new Superseded("a newer request came");
    const { model } = this.engine;
    const prepared = model.prepare([...this.strokes.values()]);
    const pins = this.presentPins();
    const search = model.options(prepared, readings(options), this.symbols, pins.flatMap(({ ids }) => ids));
    const found = await model.search(prepared, search, limits, (reader) => {
      if (!pins.length) return reader;
      const stepper = new PinnedStepper(reader.stepper, pins, model.vocabulary, prepared.features, model.stride);
      return { stepper, start: stepper.begin(reader.start) };
    });
    let answer = this.engine.answer(prepared, found, begin, options);
    // Words that the model does not know go in the places of their stand-ins, the last one first.
    const places = pins
      .filter(({ foreign }) => foreign)
      .map((pin) => ({ pin, place: findPin(pin, found[0], prepared.features, model.stride) }))
      .filter(({ place }) => place >= 0)
      .sort((a, b) => b.place - a.place);
    for (const { pin, place } of places) answer = withTexts(answer, pin, place);
    return answer;
  }

  private presentPins(): Pin[] {
    const { vocabulary, grammar } = this.engine.model;
    const order = [...this.strokes.keys()];
    if (this.chosen) return [makePin(order.map((_, i) => i), printLatex(this.chosen), vocabulary, grammar)];
    return this.pins.map(({ ids, latex }) =>
      makePin([...ids].map((id) => order.indexOf(id)), latex, vocabulary, grammar),
    );
  }

  private known(ids: readonly string[]): void {
    for (const id of ids) if (!this.strokes.has(id)) throw new InkError(`there is no stroke ${id}`);
  }

  private release(ids: readonly string[]): void {
    this.pins = this.pins.filter((pin) => !ids.some((id) => pin.ids.has(id)));
  }

  private changed(): void {
    this.version++;
    this.chosen = null;
    this.latest = null;
  }
}

/** The strokes and the new tokens of the smallest whole part in which `chosen` differs from the present answer. */
function changedPart(present: Recognition, chosen: string[]): { strokes: number[]; piece: string[] } {
  const old = present.tokens.map(({ text }) => text);
  const shortest = Math.min(old.length, chosen.length);
  let prefix = 0;
  while (prefix < shortest && old[prefix] === chosen[prefix]) prefix++;
  let suffix = 0;
  while (suffix < shortest - prefix && old[old.length - 1 - suffix] === chosen[chosen.length - 1 - suffix]) suffix++;
  for (let wider = 0; wider <= prefix + suffix; wider++)
    for (let left = 0; left <= Math.min(wider, prefix); left++) {
      const [begin, end] = [prefix - left, suffix - (wider - left)];
      if (end < 0) continue;
      const before = present.tokens.slice(begin, old.length - end);
      const piece = chosen.slice(begin, chosen.length - end);
      const strokes = strokesIn(before);
      if (strokes.length && isWhole(before.map(({ text }) => text)) && isWhole(piece)) return { strokes, piece };
    }
  return { strokes: strokesIn(present.tokens), piece: chosen };
}

function strokesIn(tokens: Token[]): number[] {
  return [...new Set(tokens.flatMap(({ strokes }) => strokes))].sort((a, b) => a - b);
}

/** The answer with the stand-in of a pin written in the pin's own words, which share its strokes. */
function withTexts(answer: Recognition, { texts, ids }: Pin, begin: number): Recognition {
  const end = begin + ids.length;
  const following = answer.tokens[end]?.text;
  // A second script of the same kind needs a base of its own.
  const written = (following === "^" || following === "_") && texts.includes(following) ? ["{", ...texts, "}"] : texts;
  const old = answer.tokens.slice(begin, end);
  const strokes = strokesIn(old);
  const inked = new Set(inkPlaces(written));
  const confidence = old.reduce((least, token) => Math.min(least, token.confidence), 1);
  const made = written.map((text, i) => ({ text, confidence, strokes: inked.has(i) ? strokes : [] }));
  const tokens = [...answer.tokens.slice(0, begin), ...made, ...answer.tokens.slice(end)];
  const all = tokens.map(({ text }) => text);
  // What somebody chose is known; the other tokens stay what they were.
  const doubted = answer.symbols.flatMap(({ token, known }) => (known || (token >= begin && token < end) ? [] : [token]));
  const outside = new Set(doubted.map((token) => (token < begin ? token : token + made.length - old.length)));
  return {
    ...answer,
    latex: printLatex(all),
    tokens,
    symbols: inkPlaces(all).map((place) => symbolAt(tokens, place, !outside.has(place))),
    ...forms(all),
  };
}
