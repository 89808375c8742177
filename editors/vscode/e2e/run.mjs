// What a user sees of the extension in a real VS Code:
//   node run.mjs --code-server PROGRAM --chromium PROGRAM --vsix FILE --examples FOLDER --artefacts FOLDER
//     [--only TEXT] [--media FOLDER]
// Screenshots and logs are left in the folder; `--only` runs the scenes whose name has the text; `--media`
// takes the pictures of the README and the walkthrough anew.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { Checks } from "./checks.mjs";
import { activations, openWorkbench } from "./workbench.mjs";

const names = ["code-server", "chromium", "vsix", "examples", "artefacts", "only", "media"];
const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: "string" }])) });
const artefacts = path.resolve(values.artefacts);
fs.rmSync(artefacts, { recursive: true, force: true });
fs.mkdirSync(artefacts, { recursive: true });
const example = (name) => fs.readFileSync(path.join(values.examples, name), "utf8");
const source = example("wrong.cu");
const cores = example("tensor_cores.cu");
const programs = { codeServer: values["code-server"], chromium: values.chromium, vsix: values.vsix, artefacts };
const checks = new Checks();

/** A layout whose program is ordered. */
const ordered = "// cute: run\nauto rows = make_layout(Shape<_8,_4>{}, LayoutRight{});\n";

/** A copy whose lanes meet in the banks of shared memory. */
const conflicts = `#include <cute/tensor.hpp>
using namespace cute;
void kernel(half_t* p) {
  Tensor sA = make_tensor(make_smem_ptr(p), Layout<Shape<_64, _64>, Stride<_64, _1>>{});
  auto copy_a = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{},
                                Layout<Shape<_32, _4>>{}, Layout<Shape<_1, _8>>{});
  Tensor part = copy_a.get_slice(0).partition_S(sA);
}
`;

/** What `columns` is in the source: CuTe's print, and the hint's short form. */
const LAYOUT = "(_4,_3):(_3,_1)";
const HINT = "(4,3):(3,1)";

/** A picture of the README and the walkthrough. */
async function picture(workbench, name) {
  await workbench.screenshot(name);
  if (values.media) {
    fs.copyFileSync(path.join(artefacts, `${name}.png`), path.join(values.media, `${name}.png`));
  }
}

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

const hint = (workbench) =>
  workbench.page.locator(".view-line", { hasText: "auto columns" }).filter({ hasText: HINT }).first();

/** The 1-based line and column of a text in the source. */
function placeOf(text) {
  const lines = source.split("\n");
  const index = lines.findIndex((line) => line.includes(text));
  assert.notEqual(index, -1, text);
  return { line: index + 1, column: lines[index].indexOf(text) + 1 };
}

async function whatAUserSees() {
  const begun = performance.now();
  const workbench = await openWorkbench({ ...programs, files: { "wrong.cu": source, "memory.cu": conflicts } });
  const { page } = workbench;
  const check = (name, body) => checks.check(name, body, () => workbench.screenshot(`failed-${name.replace(/\W+/g, "-")}`));
  try {
    await workbench.open("wrong.cu");
    await check("a .cu file is CUDA C++", () =>
      page.locator("#status\\.editor\\.mode", { hasText: "CUDA C++" }).waitFor());
    await check("the layout is shown in the line that binds it, a minute after the package is there", async () => {
      await hint(workbench).waitFor();
      const took = (performance.now() - begun) / 1000;
      console.log(`# from the package to the first hint: ${took.toFixed(1)} s`);
      assert.ok(took < 60, `${took} s`);
    });
    await check("a mistake is underlined", () => page.locator(".squiggly-error, .squiggly-warning").first().waitFor());
    await picture(workbench, "hints");

    await check("the mouse on a layout shows it", async () => {
      await workbench.line("auto columns").locator("span", { hasText: /^\s*columns\s*$/ }).first().hover();
      const hover = page.locator(".monaco-hover:visible", { hasText: LAYOUT }).first();
      await hover.waitFor();
      const drawn = hover.locator("img");
      await drawn.waitFor();
      const [wide, high] = await drawn.evaluate((image) => [image.naturalWidth, image.naturalHeight]);
      assert.ok(wide > 100 && high > 100, `the picture has ${wide} x ${high} pixels`);
      await page.waitForTimeout(500); // it fades in
      await picture(workbench, "hover");
    });

    await check("the mouse on a mistake says what is wrong, with its numbers", async () => {
      await workbench.line("auto r = composition").locator("span", { hasText: /composition/ }).first().hover();
      const says = page.locator(".monaco-hover:visible", { hasText: "coordinate 5: 8 expected, 7 computed" }).first();
      await says.filter({ hasText: "not-a-composition" }).waitFor();
      // VS Code's own part of the hover says it; ours does not say it again.
      const times = (await says.innerText()).split("coordinate 5: 8 expected, 7 computed").length - 1;
      assert.equal(times, 1, "the finding stands so often");
      await page.waitForTimeout(500); // it fades in
      await workbench.screenshot("2-finding");
    });

    await check("a quick fix changes the text and settles the finding", async () => {
      const { line, column } = placeOf("make_tile(Int<4>{}, Int<5>{})");
      await workbench.goTo(line, column);
      const before = await workbench.line("auto tiles").innerText();
      const underlined = () => page.locator(".squiggly-error, .squiggly-warning").count();
      const mistakes = await underlined();
      await page.keyboard.press("Control+.");
      await page.locator(".action-widget .monaco-list-row.action").first().waitFor();
      await picture(workbench, "fix");
      await page.keyboard.press("Enter");
      await page.waitForFunction(
        (old) => ![...document.querySelectorAll(".view-line")].some((element) => element.innerText === old),
        before,
      );
      await assertEventually(async () => assert.ok((await underlined()) < mistakes, `still ${mistakes}`));
      await workbench.screenshot("4-fixed");
    });

    await check("the status says what the file has", async () => {
      await page.locator("#status\\.languageStatus").hover();
      const status = page.locator(".monaco-hover:visible", { hasText: "cute-analyzer" }).first();
      await status.filter({ hasText: /\d+ values, \d+ findings?/ }).waitFor();
    });
    await check("the log says which program runs", async () => {
      await workbench.command("cute-analyzer: Show Log");
      await page.locator(".panel .view-line", { hasText: "server (from extension)" }).first().waitFor();
    });
    await check("a restart gives the hints again", async () => {
      await workbench.command("cute-analyzer: Restart Server");
      await page.locator(".panel .view-line", { hasText: "server (from extension)" }).nth(1).waitFor();
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
    await check("accesses to memory are underlined where that is set", async () => {
      await workbench.open("memory.cu");
      await workbench.line("Tensor part").filter({ hasText: "(8," }).waitFor();
      const underlined = page.locator(".squiggly-info, .squiggly-warning, .squiggly-error");
      assert.equal(await underlined.count(), 0);
      await workbench.set({ "cute-analyzer.diagnostics.memory": true });
      await underlined.first().waitFor();
      await workbench.line("Tensor part").locator("span", { hasText: /partition_S/ }).first().hover();
      await page.locator(".monaco-hover:visible", { hasText: "bank-conflict" }).first().waitFor();
      await workbench.screenshot("12-memory");
      await workbench.set({});
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
    "run.cu": ordered,
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
    await checks.check("no lens offers to run a layout in it", async () => {
      await workbench.open("run.cu");
      await workbench.line("auto rows").filter({ hasText: "(8,4):(4,1)" }).waitFor();
      await workbench.page.waitForTimeout(1000);
      assert.equal(await workbench.page.locator(".codelens-decoration", { hasText: "Run:" }).count(), 0);
    });
    await workbench.screenshot("6-restricted");
  } finally {
    await workbench.close();
  }
}

/** The panel, and the commands at the cursor. */
async function atTheCursor() {
  const workbench = await openWorkbench({ ...programs, files: { "wrong.cu": source, "tensor_cores.cu": cores } });
  const { page } = workbench;
  const check = (name, body) => checks.check(name, body, () => workbench.screenshot(`failed-${name.replace(/\W+/g, "-")}`));
  /** Gives the focus to the text, where the panel had it. */
  const toText = async () => {
    await page.keyboard.press("Control+1");
    await page.locator(".monaco-editor.focused").first().waitFor();
  };
  const at = async (text, after = 0) => {
    await toText();
    const { line, column } = placeOf(text);
    await workbench.goTo(line, column + after);
  };
  try {
    await workbench.open("wrong.cu");
    await hint(workbench).waitFor();
    await check("the panel shows the layout under the cursor", async () => {
      await at("columns = make_layout", 2);
      await workbench.command("cute-analyzer: Show Layout");
      await workbench.panel().locator("#title", { hasText: "columns" }).waitFor();
      await workbench.panel().locator("figcaption", { hasText: HINT }).waitFor();
    });
    await check("it follows the cursor, and shows an operation with its operands", async () => {
      await at("r = composition(a, b)");
      await workbench.panel().locator("figcaption", { hasText: "A o B" }).waitFor();
      await workbench.panel().locator("#forward").click();
      await workbench.panel().locator("#place tbody tr").nth(2).waitFor();
    });
    await check("two layouts are compared in it", async () => {
      await at("a = make_layout(make_shape(Int<6>");
      await workbench.panel().locator("#title", { hasText: /^a$/ }).waitFor();
      await workbench.panel().locator("#pin").click();
      await at("b = make_layout(make_shape(Int<3>");
      await workbench.panel().locator("#title", { hasText: /^a\s+\|\s+b$/ }).waitFor();
      assert.match(await workbench.panel().locator("#say").innerText(), /cells differ/);
      await workbench.panel().locator("#pin").click();
    });
    await check("the layout is copied as CuTe, TikZ and SVG", async () => {
      await at("columns = make_layout", 2);
      for (const [command, begins] of [
        ["Copy Layout as CuTe", LAYOUT],
        ["Copy Picture as TikZ", "tikzpicture"],
        ["Copy Picture as SVG", "<svg"],
      ]) {
        await workbench.command(`cute-analyzer: ${command}`);
        await assertEventually(async () => assert.ok((await workbench.clipboard()).includes(begins), command));
      }
    });
    await check("a run says where it was and what agrees", async () => {
      await at("columns = make_layout", 2);
      await workbench.command("cute-analyzer: Run Layout on CPU");
      const toast = (text) => page.locator(".notification-toast", { hasText: text }).first();
      await toast(/ran on the CPU \(.*12/).waitFor();
      // Where there is no GPU the answer comes from the CPU, and says why.
      await workbench.command("cute-analyzer: Run Layout on GPU");
      await toast(/ran on (the GPU|the CPU \(.*(CUDA|driver|GPU))/i).waitFor();
    });
    await check("everything known is explained", async () => {
      await at("columns = make_layout", 2);
      await workbench.command("cute-analyzer: Explain Layout");
      await page.locator(".view-line", { hasText: /##\sproperties/ }).first().waitFor();
      await workbench.closeTab("layout.md");
    });
    await check("what is assumed stands in the workspace's settings", async () => {
      await workbench.answer("cute-analyzer: Assume Value...", "m=512");
      const file = path.join(workbench.workspace, ".vscode/settings.json");
      await assertEventually(async () => {
        assert.deepEqual(JSON.parse(fs.readFileSync(file, "utf8"))["cute-analyzer.assume"], ["m=512"]);
      });
    });
    await check("a thread is picked in an expression that is drawn", async () => {
      await toText();
      await workbench.open("tensor_cores.cu");
      await workbench.answer("cute-analyzer: Draw Expression...", "MMA_Atom<SM80_16x8x8_F32F16F16F32_TN>{}");
      await workbench.panel().locator("#thread").fill("5");
      await workbench.panel().locator("#values caption", { hasText: "C: thread 5" }).waitFor();
      await workbench.command("Notifications: Clear All Notifications");
      await page.waitForTimeout(300); // the frame that draws it
      await picture(workbench, "panel");
    });
    await check("a panel that was hidden shows the same again", async () => {
      const shown = async () => {
        const title = workbench.panel().locator("#title");
        await title.waitFor();
        return title.innerText();
      };
      const before = await shown();
      assert.match(before, /SM80_16x8x8/);
      await page.locator(".tab", { hasText: /Layout/ }).click();
      await page.locator(".editor-group-container.active .tab", { hasText: /Layout/ }).waitFor();
      await assertEventually(async () => {
        await workbench.open("wrong.cu");
        await page.locator("iframe.webview").last().waitFor({ state: "hidden", timeout: 3000 });
      });
      await page.keyboard.press("Control+w");
      assert.equal(await shown(), before);
      await workbench.panel().locator("figcaption").first().waitFor();
      await toText();
    });
    await check("an expression that is none says where", async () => {
      await workbench.answer("cute-analyzer: Draw Expression...", "(4,8:(1,4)");
      await page.locator(".notification-toast", { hasText: "cute-analyzer:" }).first().waitFor();
    });
    await check("no page asked anything of another machine, with the panel open", () =>
      assert.deepEqual([...workbench.foreign], []));
  } finally {
    await workbench.close();
  }
}

/** Tries until it holds, for as long as a condition is awaited. */
async function assertEventually(body) {
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

/** The server is killed while somebody types; and all the time. */
async function aCrashedServer() {
  const workbench = await openWorkbench({ ...programs, files: { "wrong.cu": source } });
  const { page } = workbench;
  try {
    await workbench.open("wrong.cu");
    await hint(workbench).waitFor();
    await checks.check("killed while one types, the server is started again and knows the text", async () => {
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
    }, () => workbench.screenshot("failed-crash"));
    await checks.check("one that ends all the time is given up, with what to do", async () => {
      for (let end = 0; end < 4; end += 1) {
        await assertEventually(() => kill(workbench));
        await page.waitForTimeout(500);
      }
      const message = page.locator(".notification-toast", { hasText: "is not started again" }).first();
      await message.waitFor();
      await workbench.screenshot("7-given-up");
      await message.locator(".monaco-button", { hasText: "Restart" }).click();
      await assertEventually(async () => assert.ok(servers(workbench).length > 0));
    }, () => workbench.screenshot("failed-given-up"));
  } finally {
    await workbench.close();
  }
}

/** Programs that are not what the extension was made for. */
async function anotherProgram() {
  const old = path.join(artefacts, "old-server.sh");
  fs.writeFileSync(old, "#!/bin/sh\necho cute-analyzer 0.0.1\n", { mode: 0o755 });
  for (const [name, program, says] of [
    ["an old server is named, with what to do", old, /is cute-analyzer 0\.0\.1, older than this extension .*Update it/],
    ["another program is not taken for the server", "/bin/echo", /\/bin\/echo: it says it is "/],
  ]) {
    const settings = { "cute-analyzer.server.path": program };
    const workbench = await openWorkbench({ ...programs, settings, files: { "wrong.cu": source } });
    try {
      await workbench.open("wrong.cu");
      await checks.check(name, async () => {
        const message = workbench.page.locator(".notification-toast", { hasText: says }).first();
        await message.waitFor();
        assert.match(await message.innerText(), /cute-analyzer\.server\.path/);
      }, () => workbench.screenshot(`failed-${path.basename(program)}`));
    } finally {
      await workbench.close();
    }
  }
}

/** A lens over what is ordered, and the answer in it. */
async function aLens() {
  const workbench = await openWorkbench({ ...programs, files: { "run.cu": ordered } });
  const lens = (text) => workbench.page.locator(".codelens-decoration a", { hasText: text }).first();
  try {
    await workbench.open("run.cu");
    await checks.check("a lens runs what is ordered, and has the answer then", async () => {
      await lens("Run: offsets").waitFor();
      await lens("Run: offsets").click();
      await lens("32 of 32 offsets agree").waitFor();
      await workbench.screenshot("9-lens");
    }, () => workbench.screenshot("failed-lens"));
    await checks.check("the other lenses explain the layout and draw it", async () => {
      await lens("layout 8x4").click();
      await workbench.page.locator(".view-line", { hasText: /##\sproperties/ }).first().waitFor();
      await workbench.closeTab("layout.md");
      await lens("picture").click();
      await workbench.panel().locator("#title", { hasText: "rows" }).waitFor();
    }, () => workbench.screenshot("failed-other-lenses"));
    await checks.check("an action copies the picture", async () => {
      await workbench.page.keyboard.press("Control+1");
      await workbench.goTo(2, 6);
      await workbench.command("Refactor...");
      await workbench.act("as SVG");
      await assertEventually(async () => assert.ok((await workbench.clipboard()).includes("<svg")));
    }, () => workbench.screenshot("failed-copy"));
  } finally {
    await workbench.close();
  }
}

/** A workspace into whose settings nothing can be written: a file stands where their folder should. */
async function aWorkspaceThatCannotBeWritten() {
  const workbench = await openWorkbench({ ...programs, files: { "wrong.cu": source, ".vscode": "no folder" } });
  try {
    await workbench.open("wrong.cu");
    await hint(workbench).waitFor();
    await checks.check("where settings cannot be written, what to do is said", async () => {
      await workbench.answer("cute-analyzer: Assume Value...", "m=512");
      const message = workbench.page.locator(".notification-toast", { hasText: "the setting cannot be written" }).first();
      await message.waitFor();
      assert.match(await message.innerText(), /\/\/ cute: assume m=512.*into the source/);
      await workbench.screenshot("10-read-only");
    }, () => workbench.screenshot("failed-read-only"));
  } finally {
    await workbench.close();
  }
}

/** The page of the extension in VS Code: the README with its pictures. */
async function theExtensionsPage() {
  const workbench = await openWorkbench({ ...programs, files: { "wrong.cu": source } });
  const { page } = workbench;
  try {
    await checks.check("the README of the installed extension has its pictures", async () => {
      await page.keyboard.press("Control+Shift+x");
      await page.locator(".extension-list-item", { hasText: "cute-analyzer" }).first().click();
      const pictures = workbench.panel().locator("img");
      await pictures.nth(1).waitFor();
      const wide = await pictures.evaluateAll((images) => images.map((image) => image.naturalWidth));
      assert.ok(wide.length >= 2 && wide.every((pixels) => pixels > 500), `${wide} pixels wide`);
      await workbench.screenshot("11-readme");
    }, () => workbench.screenshot("failed-readme"));
  } finally {
    await workbench.close();
  }
}

/** Another extension speaks of the same lines, as clangd does. */
async function besideAnother() {
  const neighbour = path.join(artefacts, "neighbour.vsix");
  const tool = path.resolve(import.meta.dirname, "../node_modules/.bin/vsce");
  const args = ["package", "--allow-missing-repository", "--skip-license", "--out", neighbour];
  execFileSync(tool, args, { cwd: path.join(import.meta.dirname, "neighbour"), stdio: ["ignore", "ignore", "inherit"] });
  const workbench = await openWorkbench({ ...programs, others: [neighbour], files: { "wrong.cu": source } });
  const { page } = workbench;
  try {
    await workbench.open("wrong.cu");
    await checks.check("beside another extension both have their hints and hovers", async () => {
      await hint(workbench).filter({ hasText: "neighbour" }).waitFor();
      await workbench.line("auto columns").locator("span", { hasText: /^\s*columns\s*$/ }).first().hover();
      const hover = page.locator(".monaco-hover:visible", { hasText: LAYOUT }).filter({ hasText: "neighbour's hover" });
      await hover.first().waitFor();
      await page.locator(".squiggly-error, .squiggly-warning").first().waitFor();
      await workbench.screenshot("8-neighbour");
    }, () => workbench.screenshot("failed-neighbour"));
  } finally {
    await workbench.close();
  }
}

/** A file outside of any workspace, in a folder that cannot be written. */
async function outside() {
  const workbench = await openWorkbench({ ...programs, outside: true, files: { "alone.cu": source } });
  const { page } = workbench;
  const file = path.join(workbench.workspace, "alone.cu");
  fs.chmodSync(file, 0o444);
  fs.chmodSync(workbench.workspace, 0o555);
  try {
    await checks.check("a read-only file outside of any workspace has its hints", async () => {
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
    }, () => workbench.screenshot("failed-outside"));
  } finally {
    fs.chmodSync(workbench.workspace, 0o755);
    await workbench.close();
  }
}

const scenes = {
  whatAUserSees,
  atTheCursor,
  aLens,
  aCrashedServer,
  aMissingServer,
  anotherProgram,
  aWorkspaceThatCannotBeWritten,
  theExtensionsPage,
  besideAnother,
  outside,
  restrictedMode,
};
for (const [name, scene] of Object.entries(scenes)) {
  if (name.includes(values.only ?? "")) {
    await scene();
  }
}
if (!values.only) {
  await checks.check("the extension starts within 50 ms, the first time already", () => {
    console.log(`# activated in ${activations.join(", ")} ms`);
    assert.ok(activations[0] < 50, `the first of ${activations.length} took ${activations[0]} ms`);
  });
}
process.exit(checks.finish());
