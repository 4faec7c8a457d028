/** The model file is read whole and checked; what is damaged is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readModel } from "../src/recognizer/modelfile";
import { modelBytes, vectors } from "./support";

const { model, sha256, vocabulary } = vectors();

test("a model file has the hash and the tokens that Python finds in it", async () => {
  const file = await readModel(modelBytes(model));
  assert.equal(file.sha256, sha256);
  assert.deepEqual(file.members[0].config.vocabulary, vocabulary);
});

test("one changed byte of a network is found", async () => {
  const bytes = modelBytes(model);
  bytes[bytes.length >> 1] ^= 1;
  await assert.rejects(readModel(bytes), { name: "ModelError", message: /damaged \(its SHA-256 differs\)/ });
});

test("what is no model file, or half of one, is refused", async () => {
  const bytes = modelBytes(model);
  await assert.rejects(readModel(bytes.subarray(0, bytes.length >> 1)), { name: "ModelError" });
  await assert.rejects(readModel(new Uint8Array(10)), { name: "ModelError" });
  await assert.rejects(readModel(new TextEncoder().encode("<!doctype html>".repeat(9))), { name: "ModelError" });
});
