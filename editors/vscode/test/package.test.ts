import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

test("the package holds what it needs and nothing else", () => {
  execFileSync(process.execPath, ["readme.mjs"]);
  const listing = execFileSync("node_modules/.bin/vsce", ["ls", "--no-dependencies"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const files = listing.split("\n").filter((line) => line !== "" && !line.startsWith("server/"));
  assert.deepEqual(files.sort(), [
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist/README.md",
    "dist/extension.js",
    "dist/library.js",
    "media/assume.md",
    "media/fix.png",
    "media/hints.png",
    "media/hover.png",
    "media/icon.png",
    "media/panel.png",
    "package.json",
  ]);
});
