// What a user sees of the extension in a real VS Code:
//   node run.mjs --code-server PROGRAM --chromium PROGRAM --vsix FILE --examples FOLDER --artefacts FOLDER
//     [--only TEXT] [--media FOLDER] [--corpus FOLDER]
// Screenshots and logs are left in the folder; `--only` runs the scenes whose name has the text; `--media`
// takes the pictures of the README and the walkthrough anew; `--corpus` is target/oracles, where `cargo xtask fetch` puts
// kernels of other projects, of which pictures are taken, too.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import * as commands from "./scenes/commands.mjs";
import * as corpus from "./scenes/corpus.mjs";
import * as kernels from "./scenes/kernels.mjs";
import * as reading from "./scenes/reading.mjs";
import * as servers from "./scenes/servers.mjs";
import { checks, values } from "./scenes/stage.mjs";
import * as surroundings from "./scenes/surroundings.mjs";
import { activations, commanded, complaints } from "./workbench.mjs";

const scenes = { ...reading, ...kernels, ...corpus, ...commands, ...servers, ...surroundings };
for (const [name, scene] of Object.entries(scenes)) {
  if (name.includes(values.only ?? "")) {
    await scene();
  }
}
await checks.check("no command ended with an error", () => assert.deepEqual(complaints, []));
if (!values.only) {
  await checks.check("every command of the extension was run", () => {
    const manifest = JSON.parse(fs.readFileSync(path.resolve(import.meta.dirname, "../package.json"), "utf8"));
    const titles = manifest.contributes.commands.map(({ category, title }) => `${category}: ${title}`);
    assert.deepEqual(titles.filter((title) => !commanded.has(title)), []);
  });
  await checks.check("the extension starts within 50 ms, the first time already", () => {
    console.log(`# activated in ${activations.join(", ")} ms`);
    assert.ok(activations[0] < 50, `the first of ${activations.length} took ${activations[0]} ms`);
  });
}
process.exit(checks.finish());
