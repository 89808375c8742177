// What a user sees of the extension in a real VS Code:
//   node run.mjs --code-server PROGRAM --chromium PROGRAM --vsix FILE --source wrong.cu --artefacts FOLDER
// The source is examples/wrong.cu; screenshots and logs are left in the folder.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { Checks } from "./checks.mjs";
import { openWorkbench } from "./workbench.mjs";

const { values } = parseArgs({
  options: Object.fromEntries(
    ["code-server", "chromium", "vsix", "source", "artefacts"].map((name) => [name, { type: "string" }]),
  ),
});
const artefacts = path.resolve(values.artefacts);
fs.rmSync(artefacts, { recursive: true, force: true });
fs.mkdirSync(artefacts, { recursive: true });
const source = fs.readFileSync(values.source, "utf8");
const programs = { codeServer: values["code-server"], chromium: values.chromium, vsix: values.vsix, artefacts };
const checks = new Checks();

/** What `columns` is in the source: CuTe's print, and the hint's short form. */
const LAYOUT = "(_4,_3):(_3,_1)";
const HINT = "(4,3):(3,1)";

/** The 1-based line and column of a text in the source. */
function placeOf(text) {
  const lines = source.split("\n");
  const index = lines.findIndex((line) => line.includes(text));
  assert.notEqual(index, -1, text);
  return { line: index + 1, column: lines[index].indexOf(text) + 1 };
}

async function whatAUserSees() {
  const workbench = await openWorkbench({ ...programs, files: { "wrong.cu": source } });
  const { page } = workbench;
  const check = (name, body) => checks.check(name, body, () => workbench.screenshot(`failed-${name.replace(/\W+/g, "-")}`));
  try {
    await workbench.open("wrong.cu");
    await check("a .cu file is CUDA C++", () =>
      page.locator("#status\\.editor\\.mode", { hasText: "CUDA C++" }).waitFor());
    await check("the layout is shown in the line that binds it", () =>
      page.locator(".view-line", { hasText: "auto columns" }).filter({ hasText: HINT }).first().waitFor());
    await check("a mistake is underlined", () => page.locator(".squiggly-error, .squiggly-warning").first().waitFor());
    await workbench.screenshot("1-hints-and-findings");

    await check("the mouse on a layout shows it", async () => {
      await workbench.line("auto columns").locator("span", { hasText: /^\s*columns\s*$/ }).first().hover();
      const hover = page.locator(".monaco-hover:visible", { hasText: LAYOUT }).first();
      await hover.waitFor();
      await page.waitForTimeout(500); // it fades in
      await workbench.screenshot("2-hover");
    });

    await check("a quick fix changes the text and settles the finding", async () => {
      const { line, column } = placeOf("make_tile(Int<4>{}, Int<5>{})");
      await workbench.goTo(line, column);
      const before = await workbench.line("auto tiles").innerText();
      await page.keyboard.press("Control+.");
      await page.locator(".action-widget .monaco-list-row.action").first().waitFor();
      await workbench.screenshot("3-quick-fixes");
      await page.keyboard.press("Enter");
      await page.waitForFunction(
        (old) => ![...document.querySelectorAll(".view-line")].some((element) => element.innerText === old),
        before,
      );
      await workbench.screenshot("4-fixed");
    });

    await check("the log says which program runs", async () => {
      await workbench.command("cute-analyzer: Show Log");
      await page.locator(".panel .view-line", { hasText: "(from extension)" }).first().waitFor();
    });
    await check("a restart gives the hints again", async () => {
      await workbench.command("cute-analyzer: Restart Server");
      await page.locator(".panel .view-line", { hasText: "(from extension)" }).nth(1).waitFor();
      const { line, column } = placeOf("auto columns");
      await workbench.goTo(line, column);
      await page.locator(".view-line", { hasText: "auto columns" }).filter({ hasText: HINT }).first().waitFor();
    });
    await check("switching hints off, and on again, takes effect at once", async () => {
      const hint = page.locator(".view-line", { hasText: "auto columns" }).filter({ hasText: HINT }).first();
      await workbench.set({ "cute-analyzer.hints.enable": false });
      await workbench.line("auto columns").waitFor();
      await hint.waitFor({ state: "detached" });
      await workbench.set({});
      await hint.waitFor();
    });
    await check("no page asked anything of another machine", () => assert.deepEqual([...workbench.foreign], []));
  } finally {
    await workbench.close();
  }
}

async function aMissingServer() {
  const settings = { "cute-analyzer.server.path": "/nowhere/cute-analyzer" };
  const workbench = await openWorkbench({ ...programs, settings, files: { "wrong.cu": source } });
  try {
    await workbench.open("wrong.cu");
    await checks.check("a missing server is a message that names it and the setting", async () => {
      const message = workbench.page.locator(".notification-toast", { hasText: "/nowhere/cute-analyzer" }).first();
      await message.waitFor();
      assert.match(await message.innerText(), /cute-analyzer\.server\.path/);
      await workbench.screenshot("5-missing-server");
    });
  } finally {
    await workbench.close();
  }
}

/** A workspace that is not trusted names a program of its own; it must not run. */
async function restrictedMode() {
  const bait = path.join(artefacts, "bait.sh");
  const ran = path.join(artefacts, "bait.ran");
  fs.writeFileSync(bait, `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
  const files = {
    "wrong.cu": source,
    ".vscode/settings.json": JSON.stringify({ "cute-analyzer.server.path": bait }),
  };
  const workbench = await openWorkbench({ ...programs, trusted: false, files });
  try {
    await workbench.open("wrong.cu");
    await checks.check("Restricted Mode is on", () =>
      workbench.page.locator(".statusbar-item", { hasText: "Restricted Mode" }).first().waitFor());
    await checks.check("the extension's own server runs in it", () =>
      workbench.page.locator(".view-line", { hasText: HINT }).first().waitFor());
    await checks.check("the workspace's program was not run", () => assert.equal(fs.existsSync(ran), false));
    await workbench.screenshot("6-restricted");
  } finally {
    await workbench.close();
  }
}

await whatAUserSees();
await aMissingServer();
await restrictedMode();
process.exit(checks.finish());
