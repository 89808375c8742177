import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleCommand, rulePage, withCommands } from "../src/links";

test("the links of a hover start commands, and no other link is changed", () => {
  const hover = "[Show in panel](cute:panel?%7B%7D) · [Rule tma-box](cute:rule?tma-box) · [Glossary](cute:glossary) · [x](https://a.b/)";
  assert.equal(
    withCommands(hover),
    "[Show in panel](command:cute-analyzer.showSubject?%7B%7D) · " +
      "[Rule tma-box](command:cute-analyzer.openRule?%5B%22tma-box%22%5D) · " +
      "[Glossary](command:cute-analyzer.openGlossary) · [x](https://a.b/)",
  );
});

test("only the name of a rule opens a page of rules", () => {
  assert.equal(ruleCommand("cute:rule?tma-box"), "command:cute-analyzer.openRule?%5B%22tma-box%22%5D");
  assert.equal(ruleCommand("https://example.org/rules/tma-box.md"), undefined);
  assert.equal(rulePage("tma-box"), "tma-box.md");
  for (const other of ["../README", "a/b", "", 1, undefined]) {
    assert.equal(rulePage(other), undefined);
  }
});
