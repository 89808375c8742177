import assert from "node:assert/strict";
import { test } from "node:test";
import { Crashes } from "../src/crashes";

test("a server is started again four times within three minutes, and once more after a rest", () => {
  const crashes = new Crashes();
  const again = [0, 1, 2, 3, 4].map((second) => crashes.again(second * 1000));
  assert.deepEqual(again, [true, true, true, true, false]);
  assert.equal(crashes.again(10 * 60 * 1000), true);
});

test("a restart by the user begins anew", () => {
  const crashes = new Crashes();
  for (let end = 0; end < 5; end += 1) {
    crashes.again(end);
  }
  crashes.forget();
  assert.equal(crashes.again(6), true);
});
