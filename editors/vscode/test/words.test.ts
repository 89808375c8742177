import assert from "node:assert/strict";
import { test } from "node:test";
import { saidOf } from "../src/words";

const uri = "file:///a.cu";

test("the state of a document is said with its numbers, also while the next version is evaluated", () => {
  assert.equal(saidOf(undefined), "running");
  assert.equal(saidOf({ uri, state: "analysing" }), "reading");
  assert.equal(saidOf({ uri, state: "ready", values: 117, findings: 1 }), "117 values, 1 finding");
  assert.equal(saidOf({ uri, state: "analysing", values: 117, findings: 0 }), "117 values, 0 findings, updating");
});

test("a limit that was reached is a remark", () => {
  const limits = ["1401 translation units include it; the instances of the nearest 1024 are read"];
  assert.equal(saidOf({ uri, state: "ready", values: 9, findings: 0, limits }), "9 values, 0 findings, 1 limit reached");
});
