// Servers that are killed, missing, old or not ours.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { artefacts, assertEventually, hint, inWorkbench, placeOf, source } from "./stage.mjs";

/** The server's processes of a workbench. */
function servers(workbench) {
  const found = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" });
  return found
    .split("\n")
    .filter((line) => line.includes(path.join(workbench.home, "extensions")) && line.includes("server/cute-analyzer"))
    .map((line) => Number.parseInt(line, 10));
}

/** Kills the server as the system does that has no memory left. */
async function kill(workbench) {
  const running = servers(workbench);
  assert.ok(running.length > 0, "no server runs");
  running.forEach((id) => process.kill(id, "SIGKILL"));
  return running;
}

/** The server is killed while somebody types; and all the time. */
export async function aCrashedServer() {
  await inWorkbench({ files: { "wrong.cu": source } }, async (workbench, check) => {
    const { page } = workbench;
    await workbench.open("wrong.cu");
    await hint(workbench).waitFor();
    await check("killed while one types, the server is started again and knows the text", async () => {
      await workbench.goTo(1, 1);
      await page.keyboard.press("Control+Enter");
      const before = await kill(workbench);
      await page.keyboard.type("// typed while it was dead");
      await assertEventually(async () => assert.ok(servers(workbench).some((id) => !before.includes(id))));
      const { line, column } = placeOf("auto columns");
      await workbench.goTo(line, column);
      await page.keyboard.press("Home");
      await page.keyboard.type("auto fresh = make_layout(make_shape(Int<5>{}, Int<7>{})); ");
      await page.locator(".view-line", { hasText: "auto fresh" }).filter({ hasText: "(5,7):(1,5)" }).first().waitFor();
    });
    await check("one that ends all the time is given up, with what to do", async () => {
      for (let end = 0; end < 4; end += 1) {
        await assertEventually(() => kill(workbench));
        await page.waitForTimeout(500);
      }
      const message = page.locator(".notification-toast", { hasText: "is not started again" }).first();
      await message.waitFor();
      await workbench.screenshot("7-given-up");
      await message.locator(".monaco-button", { hasText: "Restart" }).click();
      await assertEventually(async () => assert.ok(servers(workbench).length > 0));
    });
  });
}

export async function aMissingServer() {
  const settings = { "cute-analyzer.server.path": "/nowhere/cute-analyzer" };
  await inWorkbench({ settings, files: { "wrong.cu": source } }, async (workbench, check) => {
    await workbench.open("wrong.cu");
    await check("a missing server is a message that names it and the setting", async () => {
      const message = workbench.page.locator(".notification-toast", { hasText: "/nowhere/cute-analyzer" }).first();
      await message.waitFor();
      assert.match(await message.innerText(), /cute-analyzer\.server\.path/);
      await workbench.screenshot("5-missing-server");
    });
  });
}

/** Programs that are not what the extension was made for. */
export async function anotherProgram() {
  const old = path.join(artefacts, "old-server.sh");
  fs.writeFileSync(old, "#!/bin/sh\necho cute-analyzer 0.0.1\n", { mode: 0o755 });
  for (const [name, program, says] of [
    ["an old server is named, with what to do", old, /is cute-analyzer 0\.0\.1, older than this extension .*Update it/],
    ["another program is not taken for the server", "/bin/echo", /\/bin\/echo: it says it is "/],
  ]) {
    const settings = { "cute-analyzer.server.path": program };
    await inWorkbench({ settings, files: { "wrong.cu": source } }, async (workbench, check) => {
      await workbench.open("wrong.cu");
      await check(name, async () => {
        const message = workbench.page.locator(".notification-toast", { hasText: says }).first();
        await message.waitFor();
        assert.match(await message.innerText(), /cute-analyzer\.server\.path/);
      });
    });
  }
}
