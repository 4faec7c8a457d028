import assert from "node:assert/strict";
import { test } from "node:test";
import { Superseded } from "../src/recognizer/index";

test("an older request says that a newer one came", () => {
  assert.equal(new Superseded("x").name, "Superseded");
});
