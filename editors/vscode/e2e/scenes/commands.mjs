// The commands, each by its name in the palette, and what it shows; lenses.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { assertEventually, cores, hint, HINT, inWorkbench, launches, LAYOUT, ordered, picture, placeOf, source } from "./stage.mjs";

/** The panel, and the commands at the cursor. */
export async function atTheCursor() {
  await inWorkbench({ files: { "wrong.cu": source, "tensor_cores.cu": cores } }, async (workbench, check) => {
    const { page } = workbench;
    /** Gives the focus to the text, where the panel had it. */
    const toText = async () => {
      const group = page.locator(".editor-group-container.active", { has: page.locator(".monaco-editor.focused") });
      await assertEventually(async () => {
        await page.keyboard.press("Control+1");
        // A click in the panel may take effect only now.
        await page.waitForTimeout(100);
        await group.locator(".tab", { hasText: ".cu" }).first().waitFor({ timeout: 1000 });
      });
    };
    const at = async (text, after = 0) => {
      await toText();
      const { line, column } = placeOf(text);
      await workbench.goTo(line, column + after);
    };
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
    await check("the layout is copied as CuTe, TikZ, SVG and text", async () => {
      await at("columns = make_layout", 2);
      for (const [command, begins] of [
        ["Copy Layout as CuTe", LAYOUT],
        ["Copy Picture as TikZ", "tikzpicture"],
        ["Copy Picture as SVG", "<svg"],
        ["Copy Picture as Text", "┌"],
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
  });
}

/** A lens over what is ordered, and the answer in it. */
export async function aLens() {
  await inWorkbench({ files: { "run.cu": ordered } }, async (workbench, check) => {
    const lens = (text) => workbench.page.locator(".codelens-decoration a", { hasText: text }).first();
    await workbench.open("run.cu");
    await check("a lens runs what is ordered, and has the answer then", async () => {
      await lens("Run: offsets").waitFor();
      await lens("Run: offsets").click();
      await lens("32 of 32 offsets agree").waitFor();
      await workbench.screenshot("9-lens");
    });
    await check("the other lenses explain the layout and draw it", async () => {
      await lens("layout 8x4").click();
      await workbench.page.locator(".view-line", { hasText: /##\sproperties/ }).first().waitFor();
      await workbench.closeTab("layout.md");
      await lens("picture").click();
      await workbench.panel().locator("#title", { hasText: "rows" }).waitFor();
    });
    await check("an action copies the picture", async () => {
      await workbench.page.keyboard.press("Control+1");
      await workbench.goTo(2, 6);
      await workbench.command("Refactor...");
      await workbench.act("as SVG");
      await assertEventually(async () => assert.ok((await workbench.clipboard()).includes("<svg")));
    });
  });
}

/** A template that nothing instantiates, and a function with the size of `main`. */
const open = `#include <cute/tensor.hpp>
using namespace cute;
template <class Smem>
void kernel(Smem smem) {
  auto tile = logical_divide(smem, make_tile(Int<32>{}, Int<4>{}));
}
void gemm(int m) {
  auto rows = make_layout(make_shape(m, Int<8>{}));
}
int main(int argc, char** argv) {
  int m = 5120;
  if (argc >= 2) sscanf(argv[1], "%d", &m);
  gemm(m);
}
`;

/** Lenses over what is not known. */
export async function lensesOfWhatIsOpen() {
  await inWorkbench({ files: { "open.cu": open } }, async (workbench, check) => {
    const lens = (text) => workbench.page.locator(".codelens-decoration a", { hasText: text }).first();
    const shown = (layout) => workbench.line("auto rows").filter({ hasText: layout }).waitFor();
    await workbench.open("open.cu");
    await shown("(m,8):(1,m)");
    await check("a lens evaluates with the sizes of main, and with names again", async () => {
      await lens("evaluate with m = 5120").click();
      await shown("(5120,8):(1,5120)");
      await lens("back to names").click();
      await shown("(m,8):(1,m)");
      await lens("evaluate with m = 5120").waitFor();
    });
    await check("a lens writes an instance into the project file, and opens it to be completed", async () => {
      await lens("kernel: add instance").click();
      await workbench.page.locator(".tab.active", { hasText: "cute-analyzer.toml" }).waitFor();
      await workbench.line("kernel<Smem>").waitFor();
    });
  });
}

/** The commands that are about files and the server: each is run, and what it shows is looked at. */
export async function theOtherCommands() {
  const files = { "launches.cu": launches, "closed.cu": source };
  await inWorkbench({ files }, async (workbench, check) => {
    const { page } = workbench;
    const shown = (layout) => workbench.line("auto tile =").filter({ hasText: layout }).waitFor();
    await workbench.open("launches.cu");
    await shown("(64,32):(32,1)");
    await check("another instance of a kernel is shown when it is chosen", async () => {
      await workbench.answer("cute-analyzer: Select Instance...", "line 24", "kernel");
      await shown("(128,64):(64,1)");
    });
    await check("a click on the lens shows the next one", async () => {
      await page.locator(".codelens-decoration a", { hasText: "kernel: instance 2/2" }).first().click();
      await shown("(64,32):(32,1)");
    });
    await check("closed files are checked, and their findings are among the problems", async () => {
      await workbench.command("cute-analyzer: Check Workspace");
      const toast = page.locator(".notification-toast", { hasText: /[1-9] errors? and \d+ warnings? in 1 closed file\b/ });
      await toast.first().waitFor();
      await workbench.command("View: Focus Problems");
      await page.locator(".markers-panel .monaco-list-row", { hasText: "closed.cu" }).first().waitFor();
      await workbench.screenshot("13-problems");
    });
    await check("the messages to and from the server have an output", async () => {
      await workbench.command("cute-analyzer: Show LSP Trace");
      await page.locator(".panel .monaco-select-box, .panel select").filter({ hasText: "cute-analyzer: messages" }).first().waitFor();
    });
    await check("the walkthrough has its steps and pictures", async () => {
      await workbench.command("View: Toggle Panel Visibility");
      await workbench.command("cute-analyzer: Open Walkthrough");
      await page.locator(".tab", { hasText: "Walkthrough: cute-analyzer" }).waitFor();
      for (const step of ["Rest the mouse on a layout", "Correct what is wrong", "Explore a layout in the panel", "Assume run-time sizes", "Open a CUDA source"]) {
        await page.locator(".getting-started-step", { hasText: step }).first().click();
        await page.locator(".getting-started-step.expanded", { hasText: step }).first().waitFor();
      }
      const wide = () => page.locator(".getting-started-media img").first().evaluate((image) => image.naturalWidth);
      await assertEventually(async () => assert.ok((await wide()) > 500));
      await workbench.screenshot("14-walkthrough");
    });
    await check("the glossary has its pictures", async () => {
      await workbench.command("cute-analyzer: Open Glossary");
      await page.locator(".tab", { hasText: "glossary.md" }).waitFor();
      const pictures = workbench.panel().locator("img");
      await pictures.nth(14).waitFor();
      const wide = () => pictures.evaluateAll((images) => images.map((image) => image.naturalWidth));
      await assertEventually(async () => assert.ok((await wide()).every((pixels) => pixels > 50), `${await wide()}`));
      await workbench.screenshot("15-glossary");
    });
  });
}
