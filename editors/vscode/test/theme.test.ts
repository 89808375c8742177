import assert from "node:assert/strict";
import { test } from "node:test";
import { themed } from "../src/theme";

test("a picture has the colours of the theme, whatever the operating system has", () => {
  const style = (condition: string) => `![Layout](data:image/svg+xml,${encodeURIComponent(`${condition}{`)}text%7B%7D)`;
  // As the server writes it: only these characters are left as they are that encodeURIComponent escapes or not.
  const drawn = style("@media (prefers-color-scheme:dark)").replace("(prefers", "%28prefers").replace("dark)", "dark%29").replace("%3Adark", ":dark");
  assert.equal(themed(drawn, true), style("@media all"));
  assert.equal(themed(drawn, false), style("@media not all"));
});
