// Where the extension may find itself: not trusted, beside another, outside of any workspace, unable to write.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { artefacts, assertEventually, hint, HINT, inWorkbench, LAYOUT, ordered, source } from "./stage.mjs";

/** A workspace that is not trusted names a program of its own; it must not run. */
export async function restrictedMode() {
  const bait = path.join(artefacts, "bait.sh");
  const ran = path.join(artefacts, "bait.ran");
  const real = '"$XDG_DATA_HOME"/extensions/*/server/cute-analyzer';
  fs.writeFileSync(bait, `#!/bin/sh\ntouch '${ran}'\nexec ${real} "$@"\n`, { mode: 0o755 });
  const files = {
    "wrong.cu": source,
    "run.cu": ordered,
    ".vscode/settings.json": JSON.stringify({ "cute-analyzer.server.path": bait }),
  };
  await inWorkbench({ trusted: false, files }, async (workbench, check) => {
    await workbench.open("wrong.cu");
    await check("Restricted Mode is on", () =>
      workbench.page.locator(".statusbar-item", { hasText: "Restricted Mode" }).first().waitFor());
    await check("the extension's own server runs in it", () =>
      workbench.page.locator(".view-line", { hasText: HINT }).first().waitFor());
    await check("the workspace's program was not run", () => assert.equal(fs.existsSync(ran), false));
    await check("no lens offers to run a layout in it", async () => {
      await workbench.open("run.cu");
      await workbench.line("auto rows").filter({ hasText: "(8,4):(4,1)" }).waitFor();
      await workbench.page.waitForTimeout(1000);
      assert.equal(await workbench.page.locator(".codelens-decoration", { hasText: "Run:" }).count(), 0);
    });
    await workbench.screenshot("6-restricted");
    await check("once it is trusted, its program runs and layouts can be run", async () => {
      await workbench.command("Workspaces: Manage Workspace Trust");
      await workbench.page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ }).first().click();
      await assertEventually(() => assert.ok(fs.existsSync(ran)));
      await workbench.open("run.cu");
      await workbench.page.locator(".codelens-decoration a", { hasText: "Run: offsets" }).first().waitFor();
    });
  });
}

/** A workspace into whose settings nothing can be written: a file stands where their folder should. */
export async function aWorkspaceThatCannotBeWritten() {
  await inWorkbench({ files: { "wrong.cu": source, ".vscode": "no folder" } }, async (workbench, check) => {
    await workbench.open("wrong.cu");
    await hint(workbench).waitFor();
    await check("where settings cannot be written, what to do is said", async () => {
      await workbench.answer("cute-analyzer: Assume Value...", "m=512");
      const message = workbench.page.locator(".notification-toast", { hasText: "the setting cannot be written" }).first();
      await message.waitFor();
      assert.match(await message.innerText(), /\/\/ cute: assume m=512.*into the source/);
      await workbench.screenshot("10-read-only");
    });
  });
}

/** Another extension speaks of the same lines, as clangd does. */
export async function besideAnother() {
  const neighbour = path.join(artefacts, "neighbour.vsix");
  const tool = path.resolve(import.meta.dirname, "../../node_modules/.bin/vsce");
  const args = ["package", "--allow-missing-repository", "--skip-license", "--out", neighbour];
  execFileSync(tool, args, { cwd: path.join(import.meta.dirname, "../neighbour"), stdio: ["ignore", "ignore", "inherit"] });
  await inWorkbench({ others: [neighbour], files: { "wrong.cu": source } }, async (workbench, check) => {
    const { page } = workbench;
    await workbench.open("wrong.cu");
    await check("beside another extension both have their hints and hovers", async () => {
      await hint(workbench).filter({ hasText: "neighbour" }).waitFor();
      await workbench.line("auto columns").locator("span", { hasText: /^\s*columns\s*$/ }).first().hover();
      const hover = page.locator(".monaco-hover:visible", { hasText: LAYOUT }).filter({ hasText: "neighbour's hover" });
      await hover.first().waitFor();
      await page.locator(".squiggly-error, .squiggly-warning").first().waitFor();
      await workbench.screenshot("8-neighbour");
    });
  });
}

/** A file outside of any workspace, in a folder that cannot be written. */
export async function outside() {
  await inWorkbench({ outside: true, files: { "alone.cu": source } }, async (workbench, check) => {
    const { page } = workbench;
    const file = path.join(workbench.workspace, "alone.cu");
    fs.chmodSync(file, 0o444);
    fs.chmodSync(workbench.workspace, 0o555);
    await check("a command starts the extension, before any source is open", async () => {
      await workbench.answer("cute-analyzer: Draw Expression...", "(4,8):(8,1)");
      await workbench.panel().locator("figcaption", { hasText: "(4,8):(8,1)" }).waitFor();
    });
    await check("the parts of a layout that is larger than the panel are shown one by one", async () => {
      await workbench.answer("cute-analyzer: Draw Expression...", "(8192,8192):(8192,1)");
      await workbench.panel().locator("figcaption", { hasText: "rows 0-479 of 8192" }).waitFor();
      await workbench.panel().locator("button.part", { hasText: "Rows" }).click();
      await workbench.panel().locator("figcaption", { hasText: "rows 480-959 of 8192" }).waitFor();
      await workbench.closeTab("Layout");
    });
    await check("a read-only file outside of any workspace has its hints", async () => {
      const input = page.locator(".quick-input-widget .quick-input-box input.input").first();
      const tab = page.locator(".tab", { hasText: "alone.cu" });
      await assertEventually(async () => {
        if (!(await input.isVisible())) {
          await page.keyboard.press("Control+o");
          await input.waitFor({ timeout: 3000 });
        }
        await input.fill(file);
        await page.locator(".quick-input-list .monaco-list-row", { hasText: "alone.cu" }).first().waitFor({ timeout: 3000 });
        await page.keyboard.press("Enter");
        await tab.waitFor({ timeout: 3000 });
      });
      await hint(workbench).waitFor();
    });
    fs.chmodSync(workbench.workspace, 0o755);
  });
}
