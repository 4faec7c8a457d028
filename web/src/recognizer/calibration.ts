/** Confidence that means what it says: logistic maps of the model's card; a port of `inktex/reading/calibration.py`. */
import type { Hypothesis } from "./search";
import { lookAlike } from "./symbols";

interface Logistic {
  weights: number[];
  bias: number;
}

export interface Calibration {
  answer: Logistic;
  token: Logistic;
  known?: Logistic; // whether a token's ink is a symbol of the vocabulary at all
}

const FLOOR = 3e-3; // probabilities are kept this far from 0 and 1
const ANSWER_EVIDENCE = [7, 4]; // models that were calibrated earlier have less
const TOKEN_EVIDENCE = 3;
const KNOWN_EVIDENCE = 6;
const KNOWN_FROM = 0.5; // a symbol is said to be known from this probability on

/** The calibration of a model, if it has one that this version understands. */
export function calibrationOf(card: Record<string, unknown>): Calibration | null {
  const data = card.calibration as Partial<Calibration> | undefined;
  const fits = ANSWER_EVIDENCE.includes(data?.answer?.weights?.length ?? 0) && data?.token?.weights?.length === TOKEN_EVIDENCE;
  if (!fits) return null;
  const { answer, token, known } = data as Calibration;
  return known?.weights?.length === KNOWN_EVIDENCE ? { answer, token, known } : { answer, token };
}

/** Confidence of the best answer as a whole, and of each of its tokens; `looks` is (T+1, S). */
export function confidence(
  calibration: Calibration | null,
  answers: Hypothesis[],
  looks: number[][],
): { score: number; tokens: number[] } {
  const best = answers[0];
  const own = Array.from(best.tokenLogProbs.subarray(0, -1), Math.exp);
  if (!calibration) return { score: Math.exp(best.logProb), tokens: own.map((each) => Math.min(Math.max(each, 0), 1)) };
  const probabilities = answers.map((each) => Math.exp(each.logProb));
  const share = probabilities[0] / Math.max(probabilities.reduce((a, b) => a + b), 1e-300);
  const weakest = logit(Math.exp(best.tokenLogProbs.reduce((a, b) => Math.min(a, b))));
  const count = best.tokens.length;
  const ahead = logit(Math.exp(best.score - logSum(answers.map((each) => each.score))));
  const first = [logit(probabilities[0]), logit(share), weakest, neglected(looks)];
  const score = apply(calibration.answer, [...first, backward(best.score - best.logProb, count), 1 / Math.max(count, 1), ahead]);
  // A whole cannot be surer than its parts, but the two maps were fitted apart.
  const tokens = own.map((each) => Math.max(apply(calibration.token, [logit(each), logit(score), weakest]), score));
  return { score, tokens };
}

/** Which tokens of the best answer are what the ink shows, and not the guess for a symbol that the model does not know. */
export function knownTokens(calibration: Calibration | null, answers: Hypothesis[], decode: (answer: Hypothesis) => string[]): boolean[] {
  const best = answers[0];
  const count = best.tokens.length;
  const map = calibration?.known;
  if (!map) return best.tokens.map(() => true);
  const looks = answers.map((each) => JSON.stringify(decode(each).map(lookAlike)));
  const alike = answers.filter((_, i) => looks[i] === looks[0]);
  const together = logSum(alike.map((each) => each.logProb));
  const tokens = Array.from(best.tokenLogProbs.subarray(0, -1), (each) => logit(Math.exp(each + together - best.logProb)));
  const weakest = tokens.reduce((least, each) => Math.min(least, each), logit(1));
  const ahead = logit(Math.exp(together - logSum(answers.map((each) => each.logProb))));
  const theirs = backward(logSum(alike.map((each) => each.score)) - together, count);
  return tokens.map((own) => apply(map, [own, logit(Math.exp(together)), weakest, ahead, theirs, 1 / Math.max(count, 1)]) >= KNOWN_FROM);
}

/** What the rank has beyond the probability, per token: the score of a decoder that writes backwards. */
const backward = (beyond: number, tokens: number): number => Math.max(beyond / (tokens + 1), -5);

function logSum(values: number[]): number {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, each) => sum + Math.exp(each - most), 0));
}

/** Share of the strokes that all tokens together hardly looked at. */
function neglected(looks: number[][]): number {
  const strokes = looks[0].length;
  let count = 0;
  for (let stroke = 0; stroke < strokes; stroke++) {
    let sum = 0;
    for (let row = 0; row < looks.length - 1; row++) sum += looks[row][stroke];
    count += +(sum < 0.1);
  }
  return strokes ? count / strokes : 0;
}

function apply({ weights, bias }: Logistic, evidence: number[]): number {
  const sum = weights.reduce((total, each, i) => total + each * evidence[i], bias);
  return 1 / (1 + Math.exp(-Math.min(Math.max(sum, -30), 30)));
}

function logit(probability: number): number {
  const kept = Math.min(Math.max(probability, FLOOR), 1 - FLOOR);
  return Math.log(kept) - Math.log1p(-kept);
}
