/** A model that is ready to read: features, networks, search rules and calibration of one model file; ink in, answer out. */
import { align, strokeAttention } from "./alignment";
import { type Calibration, calibrationOf, confidence, knownTokens } from "./calibration";
import { type Reader, searchBothWays } from "./directions";
import { extract, type FeatureOptions, type Features } from "./features";
import { Grammar } from "./grammar";
import { inkPlaces, meaning } from "./layout";
import { type Member, type ModelFile, ModelError, readModel } from "./modelfile";
import { Ensemble, Network } from "./network";
import { printLatex } from "./print";
import { allowedIds, drawnAlone, permittedTokens } from "./restriction";
import { beamSearch, type Hypothesis, type Limits, type SearchOptions } from "./search";
import type { Recognition, Stroke, SymbolGuess } from "./types";

const BEAM = 10;
const PRUNE = 5; // hypotheses e^5 times less probable than the best are given up
const NEGLIGIBLE = 5; // readings this many nats behind the best are not offered
const READINGS = 5; // found in every search, since confidence depends on what else an ink could be
const WIDEST = 1600; // hypotheses times annotations past which the beam narrows
const NARROWEST = 2;
const LONGEST = 1000; // tokens of an answer
const IN_ORDER = 1 / 3; // how much a lone symbol in the usual order counts; the drawing itself has the rest
const FAVOUR = 1.5; // added to the log probability of a comma, which alone looks like a closing bracket

/** An ink as a model reads it. */
export interface Prepared {
  features: Features; // of the first network that writes from left to right: attention refers to these rows
  views: Features[]; // one per network
  strokeCount: number;
}

/** The networks that write in one direction, and the members of the file they are. */
interface Side {
  networks: Ensemble;
  members: number[];
}

export class Model {
  readonly vocabulary: string[];
  readonly grammar: Grammar;
  readonly stride: number;
  private readonly calibration: Calibration | null;

  private constructor(
    readonly name: string,
    private readonly file: ModelFile,
    private readonly forward: Side,
    private readonly backward: Side | null,
  ) {
    const { config } = file.members[forward.members[0]];
    this.vocabulary = config.vocabulary;
    this.stride = 2 ** config.pool_after.length;
    this.grammar = new Grammar(this.vocabulary);
    this.calibration = calibrationOf(file.card);
  }

  get sha256(): string {
    return this.file.sha256;
  }

  static async load(bytes: Uint8Array, name: string): Promise<Model> {
    const file = await readModel(bytes);
    const { members } = file;
    const vocabulary = members[0].config.vocabulary.join(" ");
    if (members.some(({ config }) => config.vocabulary.join(" ") !== vocabulary))
      throw new ModelError("networks of one model must have the same vocabulary");
    const isBackward = ({ config }: Member): boolean => config.direction === "backward";
    const numbers = members.map((_, number) => number);
    const [forward, backward] = [false, true].map((wanted) => numbers.filter((number) => isBackward(members[number]) === wanted));
    if (!forward.length)
      throw new ModelError("writes from right to left and needs a partner that writes from left to right; export both together");
    const networks = await Network.loadAll(members);
    const side = (its: number[]): Side => ({
      networks: new Ensemble(its.map((number) => networks[number]), its.map((number) => members[number].weight)),
      members: its,
    });
    return new Model(name, file, side(forward), backward.length ? side(backward) : null);
  }

  prepare(strokes: readonly Stroke[]): Prepared {
    const known = new Map<string, Features>();
    const views = this.file.members.map(({ config }) => {
      const key = JSON.stringify(config.features);
      const made = known.get(key) ?? extract(strokes, config.features as FeatureOptions);
      known.set(key, made);
      return made;
    });
    return { features: views[this.forward.members[0]], views, strokeCount: strokes.length };
  }

  /**
   * How an ink is searched: more ink may have a longer answer, and very much has a narrower beam. What is pinned may be written,
   * whatever the restriction to `symbols` says.
   */
  options({ features }: Prepared, top: number, symbols?: string | readonly string[], pinned: readonly number[] = []): SearchOptions {
    const { search } = this.file;
    const strokes = features.stroke[features.count - 1] + 1;
    const limit = (name: string, usual: number): number => (search[name] === null ? Infinity : ((search[name] as number) ?? usual));
    return {
      beam: Math.min(BEAM, Math.max(NARROWEST, Math.floor(limit("widest", WIDEST) / Math.ceil(features.count / this.stride)))),
      top: Math.max(top, READINGS),
      maxLength: Math.min(12 + features.count, 20 + Math.floor((5 * strokes) / 2), (search.max_length as number) ?? LONGEST),
      lengthHandling: (search.length_handling as SearchOptions["lengthHandling"]) ?? "none",
      lengthWeight: (search.length_weight as number) ?? 1,
      horizon: (search.horizon as number) ?? 8,
      backwardWeight: (search.backward_weight as number) ?? 0.5,
      backwardBeam: (search.backward_beam as number) ?? Infinity,
      prune: limit("prune", PRUNE),
      permitted: symbols === undefined ? null : permittedTokens(this.vocabulary, new Set([...allowedIds(symbols, this.vocabulary), ...pinned])),
    };
  }

  /** Read a prepared ink; `guide` may put something between the networks and the search, such as pins. */
  async search(
    prepared: Prepared,
    options: SearchOptions,
    limits: Limits,
    guide: (reader: Reader) => Reader = (reader) => reader,
  ): Promise<Hypothesis[]> {
    const reader = async ({ networks, members }: Side): Promise<Reader> => ({
      stepper: networks,
      start: await networks.start(members.map((number) => prepared.views[number])),
    });
    const forward = guide(await reader(this.forward));
    const found = this.backward
      ? await searchBothWays(forward, await reader(this.backward), this.grammar, options, limits)
      : await beamSearch(forward.stepper, forward.start, this.grammar, options, limits);
    // An answer that came to its end by itself goes before one that was cut.
    return found.sort((a, b) => +a.cut - +b.cut);
  }

  /**
   * What one drawing of one symbol could be, over the whole vocabulary: one step of each decoder instead of a search, for the
   * drawing and for the same in the usual order. A port of `inktex/reading/single.py`.
   */
  async guess(strokes: readonly Stroke[]): Promise<SymbolGuess[]> {
    const sides = this.backward ? [this.forward, this.backward] : [this.forward];
    const total = Float64Array.from(this.vocabulary, (token) => (token === "," ? FAVOUR : 0));
    for (const [drawn, share] of [[strokes, 1 - IN_ORDER], [inUsualOrder(strokes), IN_ORDER]] as const) {
      const prepared = this.prepare(drawn);
      for (const { networks, members } of sides) {
        const start = await networks.start(members.map((number) => prepared.views[number]));
        const { logProbs } = await networks.step(start, [0]);
        logProbs.forEach((each, id) => (total[id] += (share * each) / sides.length));
      }
    }
    const alone = drawnAlone(this.vocabulary);
    const highest = Math.max(...alone.map((id) => total[id]));
    const sum = alone.reduce((all, id) => all + Math.exp(total[id] - highest), 0);
    const guesses = alone.map((id) => ({ latex: this.vocabulary[id], probability: rounded(Math.exp(total[id] - highest) / sum) }));
    return guesses.sort((a, b) => b.probability - a.probability);
  }

  /** Put the answer together, with at most `top` readings. */
  assemble(prepared: Prepared, found: Hypothesis[], top: number): Omit<Recognition, "mathml" | "typst" | "elapsed"> & { attention: number[][] } {
    const best = found[0];
    const texts = this.decode(best);
    const looks = strokeAttention(best.attention, prepared.features, this.stride, prepared.strokeCount);
    const { score, tokens: sure } = confidence(this.calibration, found, looks);
    const known = knownTokens(this.calibration, found, (each) => this.decode(each));
    const places = inkPlaces(texts);
    const { strokesOf, unread, reread } = align(texts, places, looks, prepared.features);
    const tokens = texts.map((text, i) => ({ text, confidence: rounded(sure[i]), strokes: strokesOf[i] }));
    return {
      schema: "inktex.recognition/1",
      latex: printLatex(texts),
      score: rounded(score),
      tokens,
      symbols: places.map((place) => symbolAt(tokens, place, known[place])),
      alternatives: this.alternatives(found, score).slice(0, top - 1),
      unread,
      reread,
      complete: !best.cut,
      model: this.name,
      attention: looks.map((row) => row.map((each) => rounded(each, 4))),
    };
  }

  decode({ tokens }: Hypothesis): string[] {
    return tokens.map((id) => this.vocabulary[id]);
  }

  /** The other readings that are worth offering: not far less likely than the best, and of another layout than better ones. */
  private alternatives(found: Hypothesis[], score: number): { latex: string; score: number }[] {
    const rest = Math.max(1 - Math.exp(found[0].logProb), 1e-9);
    const seen = new Set([meaning(this.decode(found[0]))]);
    return found.slice(1).flatMap((each) => {
      if (each.logProb < found[0].logProb - NEGLIGIBLE) return [];
      const texts = this.decode(each);
      const means = meaning(texts);
      if (seen.has(means)) return [];
      seen.add(means);
      const share = ((1 - score) * Math.exp(each.logProb)) / rest;
      return [{ latex: printLatex(texts), score: rounded(Math.min(share, score)) }];
    });
  }
}

/** The strokes of a drawing from left to right, each drawn downwards or to the right. */
function inUsualOrder(strokes: readonly Stroke[]): Stroke[] {
  const least = (stroke: Stroke, axis: 0 | 1): number => stroke.reduce((all, point) => Math.min(all, point[axis]), Infinity);
  return strokes
    .map((stroke) => {
      const [[left, top], [right, bottom]] = [stroke[0], stroke[stroke.length - 1]];
      return { drawn: bottom - top + 0.5 * (right - left) < 0 ? [...stroke].reverse() : stroke, key: least(stroke, 0) + 0.3 * least(stroke, 1) };
    })
    .sort((a, b) => a.key - b.key)
    .map(({ drawn }) => drawn);
}

export function symbolAt(tokens: Recognition["tokens"], place: number, known = true): Recognition["symbols"][number] {
  const { text, strokes, confidence: sure } = tokens[place];
  return { latex: text, strokes, confidence: sure, token: place, known };
}

export function rounded(value: number, digits = 6): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
