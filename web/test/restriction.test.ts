/** Restrictions of the symbols mean what they mean in Python, and answers keep to them. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Engine } from "../src/recognizer/engine";
import { Model } from "../src/recognizer/model";
import { allowedIds, permittedTokens } from "../src/recognizer/restriction";
import { modelBytes, symbolVectors, useRuntime, vectors } from "./support";

const { vocabulary, restrictions, answers } = symbolVectors();
const { cases } = vectors();
let twin: Engine; // of a small network with random weights

before(async () => {
  useRuntime();
  twin = new Engine(await Model.load(modelBytes("twin"), "twin"));
});

for (const { symbols, permitted, error } of restrictions)
  test(`what ${JSON.stringify(symbols)} permits`, () => {
    const made = (): string => BigInt(`0b${permittedTokens(vocabulary, allowedIds(symbols, vocabulary)).join("")}`).toString(16);
    if (error) assert.throws(made, { name: "RangeError", message: error });
    else assert.equal(made(), permitted);
  });

for (const [number, { case: place, symbols, latex, pinned }] of answers.entries())
  test(`what is read of ${cases[place].name} with ${symbols}`, async () => {
    const { strokes } = cases[place];
    assert.equal((await twin.recognize(strokes, { symbols, timeout: 1000, lines: false })).latex, latex);
    const session = twin.open(number, { symbols, lines: false });
    strokes.forEach((stroke, i) => session.add(String(i), stroke));
    session.pin(["0"], "y");
    assert.equal((await session.answer({ timeout: 1000 })).latex, pinned);
  });

test("a restriction that means nothing is told with words", async () => {
  await assert.rejects(twin.recognize(cases[0].strokes, { symbols: "nosuch" }), /'nosuch' is neither a symbol/);
});
