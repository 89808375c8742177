import assert from "node:assert/strict";
import { test } from "node:test";
import { outcome, type RunReport } from "../src/run";

const agreed: RunReport = {
  subject: "(4,8):(1,4)",
  device: "cpu",
  why: "no CUDA driver",
  agrees: true,
  lines: ["32 of 32 offsets agree", "figures"],
};

test("an outcome says where it was, why there, and what was compared", () => {
  assert.equal(outcome(agreed), "(4,8):(1,4) ran on the CPU (no CUDA driver): 32 of 32 offsets agree; figures");
  assert.match(outcome({ ...agreed, device: "cuda", why: "an H200" }), /ran on the GPU \(an H200\)/);
});
