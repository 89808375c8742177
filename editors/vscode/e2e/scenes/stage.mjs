// What the scenes share: the programs, the sources that are opened, and what is looked for in them.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { Checks } from "../checks.mjs";
import { openWorkbench } from "../workbench.mjs";

const names = ["code-server", "chromium", "vsix", "examples", "artefacts", "only", "media", "corpus"];
export const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });
export const artefacts = path.resolve(values.artefacts);
fs.rmSync(artefacts, { recursive: true, force: true });
fs.mkdirSync(artefacts, { recursive: true });
const example = (name) => fs.readFileSync(path.join(values.examples, name), "utf8");
export const source = example("wrong.cu");
export const cores = example("tensor_cores.cu");
export const launches = example("launches.cu");
export const programs = { codeServer: values["code-server"], chromium: values.chromium, vsix: values.vsix, artefacts };
export const checks = new Checks();

/**
 * Opens a workbench for a scene, and closes it whatever comes.
 *
 * @param options those of `openWorkbench`, beside the programs
 * @param scene gets the workbench, and a check that leaves a screenshot where it fails
 */
export async function inWorkbench(options, scene) {
  const workbench = await openWorkbench({ ...programs, ...options });
  const check = (name, body) =>
    checks.check(name, body, async () => {
      await workbench.screenshot(`failed-${name.replace(/\W+/g, "-")}`);
      // What is open is in the way of what comes next.
      await workbench.page.keyboard.press("Escape");
    });
  try {
    await scene(workbench, check);
  } finally {
    await workbench.close();
  }
}

/** A layout whose program is ordered. */
export const ordered = "// cute: run\nauto rows = make_layout(Shape<_8,_4>{}, LayoutRight{});\n";

/** What `columns` is in the source: CuTe's print, and the hint's short form. */
export const LAYOUT = "(_4,_3):(_3,_1)";
export const HINT = "(4,3):(3,1)";

/** The part of the window that has the text, in which it can still be read where it is shown small. */
export const TEXT = { x: 48, y: 36, width: 1000, height: 700 };

/** A picture of the README and the walkthrough: the window, or a part of it. */
export async function picture(workbench, name, clip) {
  await workbench.screenshot(name, clip);
  if (values.media) {
    fs.copyFileSync(path.join(artefacts, `${name}.png`), path.join(values.media, `${name}.png`));
  }
}

/** The hint of `columns`. */
export const hint = (workbench) =>
  workbench.page.locator(".view-line", { hasText: "auto columns" }).filter({ hasText: HINT }).first();

/** The 1-based line and column of a text in the source. */
export function placeOf(text) {
  const lines = source.split("\n");
  const index = lines.findIndex((line) => line.includes(text));
  assert.notEqual(index, -1, text);
  return { line: index + 1, column: lines[index].indexOf(text) + 1 };
}

/** Tries until it holds, for as long as a condition is awaited. */
export async function assertEventually(body) {
  for (const deadline = Date.now() + 20_000; ; ) {
    try {
      return await body();
    } catch (error) {
      if (Date.now() > deadline) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
