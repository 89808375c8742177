import assert from "node:assert/strict";
import { test } from "node:test";
import { withChoice } from "../src/choices";

const choice = { function: "gemm", instance: "gemm_nt, line 332" };

test("a choice for all files is kept by its function", () => {
  assert.deepEqual(withChoice({ tile: "line 1" }, choice, undefined), { tile: "line 1", gemm: "gemm_nt, line 332" });
});

test("a choice for one file is kept beside the others of that file and those of all files", () => {
  const before = { gemm: "line 9", "src/gemm.h": { tile: "line 1" } };
  assert.deepEqual(withChoice(before, choice, "src/gemm.h"), {
    gemm: "line 9",
    "src/gemm.h": { tile: "line 1", gemm: "gemm_nt, line 332" },
  });
});
