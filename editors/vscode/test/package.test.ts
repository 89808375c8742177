import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";

test("the package holds what it needs and nothing else", () => {
  execFileSync(process.execPath, ["readme.mjs"]);
  const listing = execFileSync("node_modules/.bin/vsce", ["ls", "--no-dependencies"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const packaged = listing.split("\n").filter((line) => line !== "" && !line.startsWith("server/"));
  const rules = readdirSync("../../docs/rules").map((page) => `dist/rules/${page}`);
  assert.deepEqual(rules.filter((page) => !packaged.includes(page)), []);
  const files = packaged.filter((file) => !rules.includes(file));
  assert.deepEqual(files.sort(), [
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist/README.md",
    "dist/extension.js",
    "dist/glossary.md",
    "dist/library.js",
    "media/assume.md",
    "media/fix.png",
    "media/hints.png",
    "media/hover.png",
    "media/icon.png",
    "media/kernel-dark.png",
    "media/panel.png",
    "package.json",
  ]);
});

test("it is packaged without a warning", () => {
  const packaged = spawnSync("npm", ["run", "--silent", "package", "--", "--out", "dist/test/package.vsix"], { encoding: "utf8" });
  assert.equal(packaged.status, 0, packaged.stderr);
  assert.doesNotMatch(packaged.stdout + packaged.stderr, /warning/i);
});
