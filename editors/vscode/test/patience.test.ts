import assert from "node:assert/strict";
import { test } from "node:test";
import { Patience } from "../src/patience";

test("only work that takes longer than a moment is shown, once, until it is done", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const shown: string[] = [];
  const ended: string[] = [];
  const patience = new Patience(1000, (what, done) => {
    shown.push(what);
    void done.then(() => ended.push(what));
  });
  patience.begin("quick.cu");
  context.mock.timers.tick(900);
  patience.end("quick.cu");
  patience.begin("slow.cu");
  context.mock.timers.tick(600);
  patience.begin("slow.cu");
  context.mock.timers.tick(600);
  assert.deepEqual(shown, ["slow.cu"]);
  patience.endAll();
  await Promise.resolve();
  assert.deepEqual(ended, ["slow.cu"]);
  context.mock.timers.tick(5000);
  assert.deepEqual(shown, ["slow.cu"]);
});
