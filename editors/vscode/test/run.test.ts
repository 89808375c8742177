import assert from "node:assert/strict";
import { test } from "node:test";
import { outcome, type RunReport } from "../src/run";

const agreed: RunReport = { layout: "(4,8):(1,4)", device: "cpu", size: 32, compared: 32, agrees: true };

test("an agreement says where it ran and how much was compared", () => {
  assert.equal(outcome(agreed, "cpu"), "(4,8):(1,4) ran on the CPU: 32 of 32 offsets agree with the algebra.");
  assert.match(outcome({ ...agreed, device: "NVIDIA H200" }, "cuda"), /ran on NVIDIA H200: 32 of 32/);
});

test("a run that was meant for a GPU says why it was not on one", () => {
  assert.match(outcome(agreed, "cuda"), /on the CPU \(there is no CUDA device here, or no driver\)/);
});

test("a difference is said with its numbers", () => {
  const differs = { ...agreed, agrees: false, difference: { coordinate: 5, expected: 8, got: 7 } };
  assert.equal(outcome(differs, "cpu"), "(4,8):(1,4) ran on the CPU: coordinate 5 gives 7, not 8.");
});
