/** Live writing: corrections stick as they do in Python, and a newer request stops an older one. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Engine } from "../src/recognizer/engine";
import { Model } from "../src/recognizer/model";
import type { PageSession } from "../src/recognizer/page";
import type { Stroke } from "../src/recognizer/types";
import { modelBytes, useRuntime, vectors, type Written } from "./support";

const { sessions, cases, model: name, both_ways: bothWays } = vectors();
let engine: Engine;
let pair: Engine; // of a model whose networks write in both directions
let count = 0;

before(async () => {
  useRuntime();
  engine = new Engine(await Model.load(modelBytes(name), name));
  pair = new Engine(await Model.load(modelBytes(bothWays.model), bothWays.model));
});

function begun(strokes: readonly Stroke[], by = engine): PageSession {
  const session = by.open(count++, { lines: false });
  strokes.forEach((stroke, i) => session.add(String(i), stroke));
  return session;
}

for (const [number, written] of sessions.entries()) test(`session ${number}: ${named(written)}`, () => answersAs(() => engine, written));
for (const [number, written] of bothWays.sessions.entries())
  test(`session ${number} in both directions: ${named(written)}`, () => answersAs(() => pair, written));

function named({ steps }: Written): string {
  return steps.map(([step]) => step).join(", ");
}

async function answersAs(by: () => Engine, { strokes, steps, answers }: Written): Promise<void> {
  const session = begun(strokes, by());
  for (const [i, [step, ...args]] of steps.entries()) {
    if (step === "choose") await session.choose(args[0] as string);
    else if (step === "pin") session.pin((args[0] as number[]).map(String), args[1] as string);
    else if (step === "replace") session.replace(String(args[0]), args[1] as Stroke);
    else if (step === "remove") session.remove([String(args[0])]);
    else if (step === "add") session.add("new", args[0] as Stroke);
    else session.unpin();
    const answer = await session.answer({ timeout: 1000 });
    assert.equal(answer.latex, answers[i][0]);
    assert.deepEqual(answer.tokens.map((token) => token.strokes), answers[i][1]);
  }
}

test("a newer request stops an older one", async () => {
  const session = begun(cases[0].strokes);
  const older = session.answer({ timeout: 1000 });
  await new Promise(setImmediate);
  session.add("more", cases[1].strokes[0]);
  const newer = session.answer({ timeout: 1000 });
  await assert.rejects(older, { name: "Superseded" });
  assert.equal((await newer).complete, true);
});

test("asking again without a change gives the same answer at once", async () => {
  const session = begun(cases[2].strokes);
  assert.equal(await session.answer(), await session.answer());
});

test("a time limit gives the best so far, well-formed", async () => {
  const answer = await engine.recognize(cases[1].strokes, { timeout: 0 });
  assert.equal(answer.complete, false);
  assert.match(answer.mathml, /^<math/);
});

test("what cannot be read is refused with words", async () => {
  await assert.rejects(engine.recognize([]), { name: "InkError", message: /nothing to read/ });
  await assert.rejects(engine.recognize([[[0, Number.NaN]]]), { name: "InkError" });
  await assert.rejects(engine.recognize([[]]), { name: "InkError" });
  assert.throws(() => begun(cases[2].strokes).pin(["0"], "^ { 2 }"), { name: "LatexError" });
  assert.throws(() => begun(cases[2].strokes).remove(["none"]), { name: "InkError" });
});
