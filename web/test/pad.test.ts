/** What the pad promises apart from the browser: decisions and undo, what is sent, scratching out, texts in every language. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { changes } from "../src/pad/backend";
import { aligned } from "../src/pad/desk";
import type { Stroke } from "../src/pad/ink";
import { changedPart, differing, isWhole, refusedByTex, spansOf } from "../src/pad/latex";
import { Notebook } from "../src/pad/notebook";
import { scratchedOut } from "../src/pad/scratch";
import { LANGUAGES, type Language, type Text, Words } from "../src/pad/strings";
import { lookAlikes, searchSymbols } from "../src/pad/table";

const stroke = (id: string, points = [[0, 0], [5, 5]]): Stroke => ({ id, points });
const words = (text: string): string[] => text.split(" ");
const examples = JSON.parse(readFileSync(new URL("../../../src/inktex/server/static/examples.json", import.meta.url), "utf8"));

test("ink that is no scribble stays", () => {
  for (const { strokes } of examples as { strokes: number[][][] }[]) {
    strokes.forEach((points, i) => assert.deepEqual(scratchedOut({ points }, strokes.slice(0, i).map((each) => ({ points: each }))), []));
  }
});

test("undo and redo cover decisions as well as ink", () => {
  const notebook = new Notebook();
  notebook.add(stroke("a"));
  notebook.decide({ pin: { ids: ["a"], latex: "x" } });
  notebook.add(stroke("b"));
  assert.equal(notebook.page.pins.length, 1);
  notebook.undo();
  notebook.undo();
  assert.equal(notebook.page.pins.length, 0);
  assert.equal(notebook.strokes.length, 1);
  notebook.redo();
  assert.equal(notebook.page.pins[0].latex, "x");
  notebook.remove(["a"]);
  assert.equal(notebook.page.pins.length, 0);
  notebook.undo();
  assert.equal(notebook.page.pins.length, 1);
});

test("a moved symbol keeps what it was decided to be, a torn one does not", () => {
  const notebook = new Notebook();
  notebook.commit([stroke("a"), stroke("b")]);
  notebook.decide({ pin: { ids: ["a", "b"], latex: "x" } });
  notebook.commit(notebook.strokes.map(({ id }) => stroke(id, [[9, 9], [12, 12]])));
  assert.equal(notebook.page.pins.length, 1);
  notebook.commit([stroke("a", [[50, 50]]), notebook.strokes[1]]);
  assert.equal(notebook.page.pins.length, 0);
});

test("only differences are sent, and all where the order or a pin must change", () => {
  const [a, b, c] = ["a", "b", "c"].map((id) => stroke(id));
  const pin = { ids: ["a"], latex: "x" };
  assert.deepEqual(changes({ strokes: [a], pins: [] }, { strokes: [a, b], pins: [pin] }), { clear: false, remove: [], replace: [], add: [b], pin: [pin] });
  assert.deepEqual(changes({ strokes: [a, b], pins: [pin] }, { strokes: [b], pins: [] }), { clear: false, remove: ["a"], replace: [], add: [], pin: [] });
  assert.equal(changes({ strokes: [a, b], pins: [pin] }, { strokes: [a, b], pins: [] }).clear, true);
  const reordered = changes({ strokes: [a, c], pins: [] }, { strokes: [a, b, c], pins: [] });
  assert.deepEqual([reordered.clear, reordered.add], [true, [a, b, c]]);
});

test("the part in which a choice differs is whole and has strokes", () => {
  const old = words("\\frac { a } { b }");
  const strokesOf = [["bar"], [], ["1"], [], [], ["2"], []];
  assert.deepEqual(changedPart(old, strokesOf, words("\\frac { a } { c }")), { ids: ["2"], tokens: ["c"] });
  assert.deepEqual(changedPart(words("x ^ { 2 }"), [["1"], [], [], ["2"], []], words("x 2")), { ids: ["1", "2"], tokens: ["x", "2"] });
  assert.ok(isWhole(words("\\frac { a } { b } + 1")));
  assert.ok(!isWhole(words("^ { 2 }")));
  assert.ok(!isWhole(words("\\frac { a }")));
});

test("tokens are found in printed LaTeX, also without braces", () => {
  assert.deepEqual(spansOf("x^{2} + 1", words("x ^ { 2 } + 1")), [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [6, 7], [8, 9]]);
  assert.deepEqual(spansOf("x^2", words("x ^ { 2 }")), [[0, 1], [1, 2], [2, 2], [2, 3], [3, 3]]);
  assert.equal(spansOf("y", ["x"]), null);
  assert.deepEqual(differing(words("a b c"), words("a x c")), [1]);
});

test("several lines are aligned at their first relation", () => {
  assert.equal(aligned(["x=1", "\\frac{a=b}{c}\\leq 2"]), "\\begin{aligned}\n  x&=1 \\\\\n  \\frac{a=b}{c}&\\leq 2\n\\end{aligned}");
});

test("symbols are found by name, and what looks alike is offered", () => {
  assert.equal(searchSymbols("alpha")[0], "\\alpha");
  assert.ok(searchSymbols("greek delta").includes("\\Delta"));
  assert.ok(searchSymbols("leq").includes("\\leq"));
  assert.ok(lookAlikes("x").includes("\\times"));
});

test("every language has every text with the same values in it", () => {
  const english = new Words("en");
  for (const tag of Object.keys(LANGUAGES) as Language[]) {
    const other = new Words(tag);
    assert.equal(other.language, tag);
    for (const text of ["sure", "stepIs", "readAs", "strokeIs", "opened", "tokenIs"] as Text[]) {
      const values = (said: string): string[] => [...said.matchAll(/\{\w+\}/g)].map(String).sort();
      assert.deepEqual(values(other.say(text)), values(english.say(text)), `${tag} ${text}`);
    }
    assert.match(other.say("unread", { n: 1 }), /1/);
    assert.match(other.say("unread", { n: 3 }), /3/);
  }
  assert.equal(Words.of(["pt-BR", "de-AT"]).language, "de");
  assert.equal(Words.of([]).language, "en");
});

test("what TeX refuses is found, and nothing else", () => {
  const accepted = [
    "x'^2", "x''_1", "{x^2}^3", "x_1^2", "\\sum\\limits_a^b", "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", "\\left(\\frac{1}{2}\\right.",
    "50\\%", "\\matrix{a & b}", "x^2 y^3", "x^{2}{}^{3}", "\\frac{a^2}{b^2}^2", "\\begin{array}{c|c} a & b \\end{array}", "",
  ];
  for (const latex of accepted) assert.deepEqual(refusedByTex(latex), [], latex);
  assert.deepEqual(refusedByTex("x'_1^2"), ["'_1^2"]);
  assert.deepEqual(refusedByTex("x^{a^b^c}"), ["^b^c"]);
  assert.deepEqual(refusedByTex("x'_1'"), ["'_1'"]);
  assert.deepEqual(refusedByTex("\\sum\\limits^a\\limits^b"), ["^a\\limits^b"]);
  assert.deepEqual(refusedByTex("x\\right)"), ["\\right"]);
  assert.deepEqual(refusedByTex("a & \\begin{matrix} b & c \\end{matrix} & d"), ["&", "&"]);
  assert.deepEqual(refusedByTex("$x$"), ["$", "$"]);
});
