/** The lines of a page are those that Python finds, each has its own answer, and while one is written the others stay as they are. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Engine } from "../src/recognizer/engine";
import { Geometry } from "../src/recognizer/geometry";
import { findLines } from "../src/recognizer/lines";
import { Model } from "../src/recognizer/model";
import type { PageSession } from "../src/recognizer/page";
import { together } from "../src/recognizer/several";
import type { LiveRecognition, Recognition, Stroke } from "../src/recognizer/types";
import { lineVectors, modelBytes, useRuntime, vectors } from "./support";

const { pages, answers, sessions } = lineVectors();
const LINE = [
  [[0, 0], [10, 12], [20, 20]],
  [[20, 0], [9, 11], [0, 20]],
  [[30, 10], [45, 10]],
  [[37, 2], [38, 19]],
  [[60, 5], [64, 0], [64, 20]],
];
const lineAt = (y: number): Stroke[] => LINE.map((stroke) => stroke.map(([a, b]) => [a, b + y]));
const PAGE = [...lineAt(0), ...lineAt(40), ...lineAt(80)];
let twin: Engine; // of a small network with random weights
let engine: Engine;
let searched: number[] = []; // how many strokes each expression had that was searched

before(async () => {
  useRuntime();
  twin = new Engine(await Model.load(modelBytes("twin"), "twin"));
  const { model: name } = vectors();
  const model = await Model.load(modelBytes(name), name);
  const search = model.search.bind(model);
  model.search = (prepared, ...rest) => {
    searched.push(prepared.strokeCount);
    return search(prepared, ...rest);
  };
  engine = new Engine(model);
});

for (const { name, strokes, lines, evidence } of pages)
  test(`the lines of ${name}`, () => {
    assert.deepEqual(findLines(strokes), lines);
    const page = new Geometry(strokes);
    assert.deepEqual(strokes.flatMap((_, stroke) => (page.flat[stroke] ? [stroke] : [])), evidence.bars.map(([stroke]) => stroke));
    for (const [stroke, first, last, passed, features] of evidence.bars) {
      const bar = page.bar(stroke);
      assert.deepEqual([bar.first, bar.last, bar.passed], [first, last, passed]);
      near(bar.evidence, features);
    }
    assert.deepEqual(page.places().slice(0, 3), evidence.cuts.map(([place]) => place));
    for (const [place, features] of evidence.cuts) near(page.cut(0, place, page.length, 0.5), features);
  });

function near(made: number[], expected: number[]): void {
  assert.equal(made.length, expected.length);
  made.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) < 1e-5, `feature ${i}: ${value} is not ${expected[i]}`));
}

test("no ink has no lines, and a dot has one", () => {
  assert.deepEqual(findLines([]), []);
  assert.deepEqual(findLines([[[1, 1]]]), [[0]]);
});

for (const { page, answer } of answers)
  test(`the answer for ${pages[page].name}`, async () => {
    const made = await twin.recognize(pages[page].strokes, { timeout: 1000 });
    sameAs(made, answer);
    assert.equal(made.lines!.length, answer.lines!.length);
    made.lines!.forEach(({ strokes, recognition }, i) => {
      assert.deepEqual(strokes, answer.lines![i].strokes);
      sameAs(recognition, answer.lines![i].recognition);
    });
  });

function sameAs(made: Recognition, expected: Recognition): void {
  for (const field of ["schema", "latex", "mathml", "typst", "unread", "reread", "complete", "model"] as const)
    assert.deepEqual(made[field], expected[field], field);
  assert.deepEqual(made.tokens.map(({ text, strokes }) => [text, strokes]), expected.tokens.map(({ text, strokes }) => [text, strokes]));
  assert.deepEqual(made.symbols.map(({ token }) => token), expected.symbols.map(({ token }) => token));
  assert.deepEqual(made.alternatives.map(({ latex }) => latex), expected.alternatives.map(({ latex }) => latex));
  for (const [ours, theirs] of [[made.score, expected.score], ...made.tokens.map(({ confidence }, i) => [confidence, expected.tokens[i].confidence])])
    assert.ok(Math.abs(ours - theirs) < 1e-3, `${ours} is not ${theirs}`);
}

for (const [number, { steps, lines }] of sessions.entries())
  test(`lines while page ${number} is written`, () => {
    const session = twin.open(number);
    steps.forEach(([name, place, stroke], i) => {
      if (name === "add") session.add(String(place), stroke!);
      else if (name === "remove") session.remove([String(place)]);
      else session.replace(String(place), stroke!);
      assert.deepEqual(session.arranged().map((line) => [line.number, line.strokes.map(Number)]), lines[i], `step ${i}`);
    });
  });

test("tokens of all lines say their strokes in the whole ink", async () => {
  const answer = await engine.recognize(PAGE, { timeout: 1000 });
  const alone = await engine.recognize(LINE, { timeout: 1000 });
  assert.equal(alone.lines, undefined);
  assert.deepEqual(answer.lines!.map(({ recognition }) => recognition.latex), [alone.latex, alone.latex, alone.latex]);
  assert.match(answer.latex, /^\\begin\{aligned\}.*\\end\{aligned\}$/);
  const wanted = [0, 5, 10].flatMap((first) => alone.tokens.map(({ text, strokes }) => [text, strokes.map((stroke) => stroke + first)]));
  assert.deepEqual(answer.tokens.filter(({ strokes }) => strokes.length).map(({ text, strokes }) => [text, strokes]), wanted.filter(([, strokes]) => strokes.length));
  assert.ok(Math.abs(answer.score - alone.score ** 3) < 1e-5);
  const one = await engine.recognize(PAGE, { timeout: 1000, lines: false });
  assert.equal(one.lines, undefined);
});

test("a symbol that is unknown in its line is unknown on the page", async () => {
  const alone = await engine.recognize(LINE, { timeout: 1000 });
  const doubted = { ...alone, symbols: alone.symbols.map((symbol, i) => ({ ...symbol, known: i !== 1 })) };
  const { symbols, tokens } = together([{ strokes: [0, 1, 2, 3, 4], recognition: alone }, { strokes: [5, 6, 7, 8, 9], recognition: doubted }], 10);
  const unknown = symbols.filter(({ known }) => !known).map(({ token }) => tokens[token].strokes);
  assert.deepEqual(unknown, [alone.symbols[1].strokes.map((stroke) => stroke + 5)]);
});

function begun(number: number, strokes: readonly Stroke[]): PageSession {
  const session = engine.open(number);
  strokes.forEach((stroke, i) => session.add(String(i), stroke));
  return session;
}

const read = (session: PageSession): Promise<LiveRecognition> => session.answer({ timeout: 1000 });

test("a line that was there stays where it is nearly one anyway", () => {
  const symbols = [[[[0, 0], [1, 1]], [[1, 0], [0, 1]]], [[[0, 0.5], [1, 0.5]], [[0.5, 0], [0.5, 1]]], [[[0.3, 0.2], [0.5, 0], [0.5, 1]]], [[[0, 0.35], [1, 0.35]], [[0, 0.65], [1, 0.65]]]];
  const line = (x: number, y: number): Stroke[] =>
    [0, 1, 2, 3, 0].flatMap((kind, i) => symbols[kind].map((stroke) => stroke.map(([a, b]) => [x + 30 * i + 20 * a, y + 20 * b] as const)));
  const ink = [...line(0, 0), ...line(40, 22)];
  const [above, below] = [[0, 1, 2, 3, 4, 5, 6, 7, 8], [9, 10, 11, 12, 13, 14, 15, 16, 17]];
  assert.deepEqual(findLines(ink), [[...above, ...below]]);
  assert.deepEqual(findLines(ink, undefined, new Map([[9, 1.5]])), [above, below]);
});

test("an expression that looked like two while it was written is one in the end", () => {
  // (x+1)/(x-1) as this project draws it. Before the denominator has its minus sign it looks like a line.
  const fraction: Stroke[] = [
    [[16, 27], [42, 42], [68, 22]], [[60, 18], [37, 31], [18, 40]], [[82, 28], [100, 28], [107, 28]], [[90, 15], [93, 29], [96, 41]],
    [[124, 0], [128, 20], [131, 40], [131, 42]], [[0, 60], [78, 55], [143, 51]], [[26, 86], [38, 97], [49, 105]], [[50, 83], [36, 94], [25, 107]],
    [[65, 96], [83, 95], [89, 96]], [[104, 75], [108, 90], [112, 106], [112, 108]],
  ];
  const session = engine.open(100);
  const counts = fraction.map((stroke, i) => {
    session.add(String(i), stroke);
    return session.arranged().length;
  });
  assert.ok(Math.max(...counts) > 1);
  assert.equal(counts.at(-1), 1);
});

test("while the third line is written the first two are not read again", async () => {
  const session = begun(101, PAGE.slice(0, 10));
  const earlier = await read(session);
  searched = [];
  for (const [i, stroke] of PAGE.slice(10).entries()) {
    session.add(String(10 + i), stroke);
    const { lines } = await read(session);
    assert.deepEqual(lines!.map(({ line }) => line), [1, 2, 3]);
    for (const known of [0, 1]) {
      assert.equal(lines![known].recognition, earlier.lines![known].recognition);
      assert.equal(lines![known].version, earlier.lines![known].version);
    }
    assert.equal(lines![2].strokes.length, i + 1);
  }
  assert.deepEqual(searched, [1, 2, 3, 4, 5]);
});

test("a change of one line does not throw away what is being read of another", async () => {
  const session = begun(102, PAGE.slice(0, 10));
  searched = [];
  const older = read(session);
  session.add("10", PAGE[10]);
  const newer = read(session);
  await assert.rejects(older, { name: "Superseded" });
  assert.equal((await newer).lines!.length, 3);
  assert.deepEqual(searched, [5, 5, 1]);
});

test("an answer is for the ink that is there, also if nobody asked again", async () => {
  const session = begun(103, PAGE.slice(0, 10));
  const answer = read(session);
  PAGE.slice(10).forEach((stroke, i) => session.add(String(10 + i), stroke));
  assert.equal((await answer).lines!.length, 3);
});

test("a choice and a pin are for their line", async () => {
  const session = begun(104, PAGE);
  const { lines } = await read(session);
  const other = lines![1].recognition.alternatives[0].latex;
  const chosen = await session.choose(other, 2);
  assert.equal(chosen.lines![1].recognition.latex, other);
  assert.ok(chosen.lines![1].version > lines![1].version);
  assert.equal(chosen.lines![0].recognition.latex, lines![0].recognition.latex);
  await assert.rejects(session.choose(other), /several lines/);
  await assert.rejects(session.choose(other, 9), /no line 9/);
  assert.throws(() => session.pin(["0", "9"], "x"), /one line/);
  session.pin(["10", "11"], "\\chi");
  assert.match((await read(session)).lines![2].recognition.latex, /^\\chi/);
});

test("a page without ink, and ink that has no place, are refused with words", async () => {
  const session = begun(105, []);
  await assert.rejects(read(session), { name: "InkError", message: /nothing to read/ });
  session.add("a", LINE[0]);
  session.add("b", [[0, Number.NaN]]);
  await assert.rejects(read(session), { name: "InkError", message: /finite/ });
  session.replace("b", LINE[1]);
  assert.equal((await read(session)).unread.length, 0);
  session.remove(["a", "b"]);
  await assert.rejects(read(session), { name: "InkError" });
  assert.deepEqual(session.arranged(), []);
});
