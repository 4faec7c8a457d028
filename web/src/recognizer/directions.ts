/**
 * Two readers of one ink: one writes its tokens from left to right, the other from right to left. Both search, each scores the
 * other's hypotheses with the tokens given, and the union is ranked by the weighted sum of both. A port of
 * `inktex/decoding/directions.py`.
 */
import type { Grammar } from "./grammar";
import { anything, beamSearch, type Hypothesis, type Limits, LOWEST_LOG_PROB, rank, type SearchOptions, type Stepper, watch } from "./search";

/** A stepper and the state to begin with. */
export interface Reader<State = any> {
  stepper: Stepper<State>;
  start: State;
}

/** What a model gives to token sequences of one expression, end mark included. */
export async function scoreSequences<State>(
  { stepper, start }: Reader<State>,
  sequences: readonly (readonly number[])[],
  options: SearchOptions,
  limits: Limits = {},
): Promise<Hypothesis[]> {
  const logProbs = sequences.map(({ length }) => new Float32Array(length + 1));
  const attention: Float32Array[][] = sequences.map(() => []);
  const longest = sequences.reduce((most, { length }) => Math.max(most, length + 1), 0);
  let going = sequences.map((_, number) => number);
  let state = longest ? stepper.select(start, going.map(() => 0)) : start;
  for (let step = 0; step < longest; step++) {
    await watch(limits);
    const kept = going.flatMap((number, row) => (step <= sequences[number].length ? [row] : []));
    if (kept.length < going.length) [state, going] = [stepper.select(state, kept), kept.map((row) => going[row])];
    const output = await stepper.step(state, going.map((number) => (step ? sequences[number][step - 1] : 0)));
    const width = output.attention.length / going.length;
    going.forEach((number, row) => {
      const token = sequences[number][step] ?? 0; // after the last one comes the end mark
      logProbs[number][step] = Math.max(output.logProbs[row * stepper.size + token], LOWEST_LOG_PROB);
      attention[number].push(output.attention.subarray(row * width, (row + 1) * width));
    });
    state = output.state;
  }
  return sequences.map((tokens, number) => {
    const logProb = logProbs[number].reduce((sum, each) => sum + each, 0);
    const score = rank(options, logProb, tokens.length + 1);
    return { tokens: [...tokens], logProb, score, tokenLogProbs: logProbs[number], attention: attention[number], cut: false };
  });
}

/** The answers of two readers, best first, in reading order and with the attention of the forward reader. */
export async function searchBothWays(
  forward: Reader,
  backward: Reader,
  grammar: Grammar,
  options: SearchOptions,
  limits: Limits = {},
): Promise<Hypothesis[]> {
  // The lists of both are as long as the beam: what one of them ranks low may be the other's best.
  const wide = { ...options, top: Math.max(options.top, options.beam) };
  let own = await beamSearch(forward.stepper, forward.start, grammar, wide, limits);
  const narrow = { ...wide, beam: Math.min(options.backwardBeam, options.beam) };
  const other = narrow.beam ? await beamSearch(backward.stepper, backward.start, anything(backward.stepper.size), narrow, limits) : [];
  const known = new Set(own.map(({ tokens }) => String(tokens)));
  const turned = new Map(other.filter(({ cut }) => !cut).map(({ tokens, logProb }) => [String([...tokens].reverse()), logProb]));
  const fresh = other
    .filter(({ cut }) => !cut)
    .map(({ tokens }) => [...tokens].reverse())
    .filter((tokens) => !known.has(String(tokens)) && grammar.accepts(tokens));
  own = [...own, ...(await scoreSequences(forward, fresh, options, limits))];
  const unseen = own.filter(({ tokens }) => !turned.has(String(tokens))).map(({ tokens }) => [...tokens].reverse());
  for (const { tokens, logProb } of await scoreSequences(backward, unseen, options, limits)) turned.set(String(tokens.reverse()), logProb);
  const ranked = own.map((each) => {
    const theirs = rank(options, turned.get(String(each.tokens))!, each.tokens.length + 1);
    return { ...each, score: each.score + options.backwardWeight * theirs };
  });
  return ranked.sort((a, b) => b.score - a.score).slice(0, options.top);
}
