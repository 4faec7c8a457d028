/** Confidence that means what it says: two logistic maps of the model's card; a port of `inktex/recognizer/calibration.py`. */
import type { Hypothesis } from "./search";

interface Logistic {
  weights: number[];
  bias: number;
}

export interface Calibration {
  answer: Logistic;
  token: Logistic;
}

const FLOOR = 3e-3; // probabilities are kept this far from 0 and 1
const ANSWER_EVIDENCE = 4;
const TOKEN_EVIDENCE = 3;

/** The calibration of a model, if it has one that this version understands. */
export function calibrationOf(card: Record<string, unknown>): Calibration | null {
  const data = card.calibration as Partial<Calibration> | undefined;
  const fits = data?.answer?.weights?.length === ANSWER_EVIDENCE && data?.token?.weights?.length === TOKEN_EVIDENCE;
  return fits ? (data as Calibration) : null;
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
  const score = apply(calibration.answer, [logit(probabilities[0]), logit(share), weakest, neglected(looks)]);
  // A whole cannot be surer than its parts, but the two maps were fitted apart.
  const tokens = own.map((each) => Math.max(apply(calibration.token, [logit(each), logit(score), weakest]), score));
  return { score, tokens };
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
  const sum = evidence.reduce((total, each, i) => total + each * weights[i], bias);
  return 1 / (1 + Math.exp(-Math.min(Math.max(sum, -30), 30)));
}

function logit(probability: number): number {
  const kept = Math.min(Math.max(probability, FLOOR), 1 - FLOOR);
  return Math.log(kept) - Math.log1p(-kept);
}
