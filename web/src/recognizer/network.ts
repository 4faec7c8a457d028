/** Exported networks, run by onnxruntime-web: one as a `Stepper`, several as an ensemble whose probabilities are averaged. */
import * as ort from "onnxruntime-web/wasm";
import type { Features } from "./features";
import { type Member, ModelError } from "./modelfile";
import type { StepOutput, Stepper } from "./search";

/** What a step needs and changes; never changed in place. */
export interface NetworkState {
  keys: ort.Tensor; // (n', L)
  values: ort.Tensor; // (L, 3n + K)
  annotations: number; // L
  units: number; // n
  hidden: Float32Array; // (rows, n)
  coverage: Float32Array | null; // (rows, L)
}

const OPTIONS: ort.InferenceSession.SessionOptions = {
  executionProviders: ["wasm"],
  graphOptimizationLevel: "all",
  enableMemPattern: false, // plans are made per shape, and every step has another one
  logSeverityLevel: 3,
};

/** The encoder of one network, whose decoders may be two: both ask for the same ink, so what it gave last is kept. */
class Encoder {
  private last: { features: Features; made: ort.InferenceSession.OnnxValueMapType } | null = null;

  private constructor(
    private readonly session: ort.InferenceSession,
    private readonly stride: number,
  ) {}

  static async load({ graph, config }: Member): Promise<Encoder> {
    return new Encoder(await ort.InferenceSession.create(graph, OPTIONS), 2 ** config.pool_after.length);
  }

  async run(features: Features): Promise<ort.InferenceSession.OnnxValueMapType> {
    if (this.last?.features !== features) this.last = { features, made: await this.encode(features) };
    return this.last.made;
  }

  private encode({ rows, count }: Features): Promise<ort.InferenceSession.OnnxValueMapType> {
    const steps = Math.ceil(count / this.stride) * this.stride;
    const padded = new Float32Array(steps * 8);
    padded.set(rows);
    return this.session.run({
      features: new ort.Tensor("float32", padded, [steps, 1, 8]),
      lengths: new ort.Tensor("int32", Int32Array.of(count), [1]),
    });
  }
}

/** One network. */
export class Network implements Stepper<NetworkState> {
  readonly size: number;
  private readonly withCoverage: boolean;

  private constructor(
    private readonly encoder: Encoder,
    private readonly suffix: string, // ends the names of what the encoder gives for this decoder
    private readonly decoder: ort.InferenceSession,
    { config }: Member,
  ) {
    this.size = config.vocabulary.length;
    this.withCoverage = decoder.inputNames.includes("coverage");
  }

  /** The networks of a file; an encoder that two decoders share is loaded once. */
  static async loadAll(members: readonly Member[]): Promise<Network[]> {
    const encoders = new Map<string, Encoder>();
    const made: Network[] = [];
    for (const member of members)
      try {
        const encoder = encoders.get(member.encoder) ?? (await Encoder.load(member));
        encoders.set(member.encoder, encoder);
        const decoder = await ort.InferenceSession.create(member.decoder, OPTIONS);
        made.push(new Network(encoder, member.encoder === member.name ? "" : "_backward", decoder, member));
      } catch (error) {
        throw new ModelError(`onnxruntime cannot load the network ${member.name}: ${(error as Error).message}`);
      }
    return made;
  }

  async start(features: Features): Promise<NetworkState> {
    const made = await this.encoder.run(features);
    const [keys, values, hidden] = ["keys", "values", "hidden"].map((name) => made[name + this.suffix]);
    const [, width, annotations] = keys.dims;
    return {
      keys: new ort.Tensor("float32", keys.data as Float32Array, [width, annotations]),
      values: new ort.Tensor("float32", values.data as Float32Array, [annotations, values.dims[2]]),
      annotations,
      units: hidden.dims[1],
      hidden: hidden.data as Float32Array,
      coverage: this.withCoverage ? new Float32Array(annotations) : null,
    };
  }

  async step(state: NetworkState, tokens: number[]): Promise<StepOutput<NetworkState>> {
    const rows = tokens.length;
    const { annotations, coverage } = state;
    const feeds: Record<string, ort.Tensor> = {
      tokens: new ort.Tensor("int64", BigInt64Array.from(tokens, BigInt), [rows]),
      hidden: new ort.Tensor("float32", state.hidden, [rows, state.units]),
      keys: state.keys,
      values: state.values,
    };
    if (coverage) feeds.coverage = new ort.Tensor("float32", coverage, [rows, 1, annotations]);
    const made = await this.decoder.run(feeds);
    const attention = made.attention.data as Float32Array;
    return {
      logProbs: made.log_probs.data as Float32Array,
      attention,
      state: {
        ...state,
        hidden: made.hidden_after.data as Float32Array,
        coverage: coverage && coverage.map((value, i) => value + attention[i]),
      },
    };
  }

  select(state: NetworkState, rows: number[]): NetworkState {
    return {
      ...state,
      hidden: gather(state.hidden, state.units, rows),
      coverage: state.coverage && gather(state.coverage, state.annotations, rows),
    };
  }
}

/** Several networks as one: the mean of their probabilities (the paper's system P3). */
export class Ensemble implements Stepper<NetworkState[]> {
  readonly size: number;
  private readonly logShares: number[];

  constructor(
    readonly networks: Network[],
    weights: number[],
  ) {
    this.size = networks[0].size;
    const total = weights.reduce((a, b) => a + b);
    this.logShares = weights.map((weight) => Math.fround(Math.log(weight / total)));
  }

  /** Encode an ink as each network sees it. */
  async start(views: Features[]): Promise<NetworkState[]> {
    const states: NetworkState[] = [];
    for (let i = 0; i < views.length; i++) states.push(await this.networks[i].start(views[i]));
    return states;
  }

  async step(states: NetworkState[], tokens: number[]): Promise<StepOutput<NetworkState[]>> {
    const outputs: StepOutput<NetworkState>[] = [];
    for (let i = 0; i < states.length; i++) outputs.push(await this.networks[i].step(states[i], tokens));
    if (outputs.length === 1) return { ...outputs[0], state: [outputs[0].state] };
    const logProbs = outputs[0].logProbs.map((_, place) => {
      const weighted = outputs.map((output, i) => output.logProbs[place] + this.logShares[i]);
      const highest = Math.max(...weighted, -3.4e38); // the shift keeps improbable tokens from becoming log 0
      return highest + Math.log(weighted.reduce((sum, each) => sum + Math.exp(each - highest), 0));
    });
    // Attention can only be averaged between members whose annotations stand for the same stretches of ink.
    const alike = states.flatMap((state, i) => (state.annotations === states[0].annotations ? [i] : []));
    const shares = alike.map((i) => Math.exp(this.logShares[i]));
    const whole = shares.reduce((a, b) => a + b);
    const attention = outputs[0].attention.map((_, place) =>
      alike.reduce((sum, i, n) => sum + (outputs[i].attention[place] * shares[n]) / whole, 0),
    );
    return { logProbs, attention, state: outputs.map((output) => output.state) };
  }

  select(states: NetworkState[], rows: number[]): NetworkState[] {
    return states.map((state, i) => this.networks[i].select(state, rows));
  }
}

function gather(values: Float32Array, width: number, rows: number[]): Float32Array {
  const made = new Float32Array(rows.length * width);
  rows.forEach((row, place) => made.set(values.subarray(row * width, (row + 1) * width), place * width));
  return made;
}
