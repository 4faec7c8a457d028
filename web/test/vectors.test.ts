/** The recogniser for browsers gives what Python gives, on the ink of tests/vectors/recognition.json. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Engine } from "../src/recognizer/engine";
import { extract, type FeatureOptions } from "../src/recognizer/features";
import { Grammar } from "../src/recognizer/grammar";
import { toMathml } from "../src/recognizer/mathml";
import { Model } from "../src/recognizer/model";
import { normalize } from "../src/recognizer/normalize";
import { inLines, type LatexStyle, printLatex } from "../src/recognizer/print";
import { toTypst } from "../src/recognizer/typst";
import type { Recognition, Stroke } from "../src/recognizer/types";
import { latexVectors, modelBytes, useRuntime, vectors } from "./support";

const METHODS: Record<string, FeatureOptions> = {
  paper: { method: "resample", spacing: 0.073, tolerance: 0.035, straight_cosine: 0.998, size: "deviation" },
  polyline: { method: "polyline", spacing: 0.75, tolerance: 0.035, straight_cosine: 1, size: "stroke" },
};

const near = (a: number, b: number, within: number, what: string): void =>
  assert.ok(Math.abs(a - b) <= within, `${what}: ${a} is not ${b}`);

const { cases, walks, printed, vocabulary, guesses, model: name, both_ways: bothWays, twin } = vectors();
let model: Model;
let pair: Model; // its networks write in both directions

before(async () => {
  useRuntime();
  model = await Model.load(modelBytes(name), name);
  pair = await Model.load(modelBytes(bothWays.model), bothWays.model);
});

for (const each of cases) {
  for (const [method, expected] of Object.entries(each.features ?? {}))
    test(`features (${method}) of ${each.name}`, () => {
      const made = extract(each.strokes, METHODS[method]);
      assert.deepEqual([...made.stroke], expected.stroke);
      expected.rows.flat().forEach((value, i) => near(made.rows[i], value, 2e-6 * Math.max(1, Math.abs(value)), `value ${i}`));
    });

  test(`the answer for ${each.name}`, () => answersAs(model, each.strokes, each.answer));
}

for (const { case: place, answer } of bothWays.answers)
  test(`the answer in both directions for ${cases[place].name}`, () => answersAs(pair, cases[place].strokes, answer));

test("two decoders that share an encoder read as in Python", async () => {
  const shared = await Model.load(modelBytes("twin"), "twin");
  assert.equal(shared.sha256, twin.sha256);
  for (const { case: place, answer } of twin.answers) await answersAs(shared, cases[place].strokes, answer);
});

test("one symbol is guessed as in Python", async () => {
  for (const [by, drawings] of [[model, guesses], [pair, bothWays.guesses]] as const)
    for (const { strokes, symbols } of drawings) {
      const found = await new Engine(by).symbol(strokes, symbols.length);
      assert.deepEqual(found.map(({ latex }) => latex), symbols.map(([latex]) => latex));
      found.forEach(({ probability }, i) => near(probability, symbols[i][1], 1e-3, symbols[i][0]));
    }
});

async function answersAs(by: Model, strokes: Stroke[], expected: Recognition): Promise<void> {
  const prepared = by.prepare(strokes);
  const found = await by.search(prepared, by.options(prepared, 5), {});
  const made = by.assemble(prepared, found, 5);
  assert.equal(made.latex, expected.latex);
  near(made.score, expected.score, 1e-3, "score");
  assert.equal(made.complete, expected.complete);
  assert.equal(made.model, expected.model);
  assert.deepEqual(made.alternatives.map(({ latex }) => latex), expected.alternatives.map(({ latex }) => latex));
  made.alternatives.forEach(({ score }, i) => near(score, expected.alternatives[i].score, 1e-3, `alternative ${i}`));
  assert.deepEqual(made.tokens.map(({ strokes }) => strokes), expected.tokens.map(({ strokes }) => strokes));
  made.tokens.forEach((token, i) => near(token.confidence, expected.tokens[i].confidence, 1e-3, `token ${i}`));
  assert.deepEqual(made.symbols.map(({ token, known }) => [token, known]), expected.symbols.map(({ token, known }) => [token, known]));
  assert.deepEqual([made.unread, made.reread], [expected.unread, expected.reread]);
  const answer = await new Engine(by).recognize(strokes, { timeout: 1000, lines: false });
  assert.deepEqual([answer.mathml, answer.typst], [expected.mathml, expected.typst]);
  made.attention.flat().forEach((value, i) => near(value, expected.attention!.flat()[i], 1e-3, `attention ${i}`));
}

test("the grammar offers what Python's does", () => {
  const grammar = new Grammar(vocabulary);
  const bits = (mask: Uint8Array): string => BigInt(`0b${mask.join("")}`).toString(16);
  for (const walk of walks) {
    const state = walk.tokens.reduce((at, token) => grammar.advance(at, token), grammar.start);
    assert.equal(grammar.shortestEnd(state), walk.closing, String(walk.tokens));
    assert.equal(bits(grammar.mask(state)), walk.allowed, String(walk.tokens));
    walk.within.forEach((expected, i) => assert.equal(bits(grammar.maskWithin(state, i + 1)), expected));
  }
});

test("LaTeX is normalised and printed as Python does", () => {
  for (const { latex, error, tokens, ...forms } of printed) {
    if (error) {
      assert.throws(() => normalize(latex), { name: "LatexError", message: error }, latex);
      continue;
    }
    const made = normalize(latex);
    assert.deepEqual(made, tokens, latex);
    assert.deepEqual({ mathml: toMathml(made), marked: toMathml(made, true), typst: toTypst(made) }, forms, latex);
  }
});

test("LaTeX is printed as Python prints it", () => {
  const { expressions, styles, lines } = latexVectors();
  assert.ok(expressions.length > 100);
  for (const { lines: each, environment, tokens } of lines) assert.deepEqual(inLines(each, environment), tokens);
  for (const { tokens, style, latex } of [...expressions, ...styles, ...lines]) assert.equal(printLatex(tokens, style as LatexStyle | undefined), latex);
});
