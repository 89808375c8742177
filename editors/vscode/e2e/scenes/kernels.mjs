// A kernel as people read it, in a dark and in a light theme: the pictures of the first page.
import assert from "node:assert/strict";
import { assertEventually, cores, inWorkbench, picture } from "./stage.mjs";

/** The part of the window that has the text with its hints. */
const WIDE = { x: 48, y: 36, width: 1232, height: 740 };

/** Light and dark, by the names of VS Code. */
const THEMES = { light: "Default Light Modern", dark: "Default Dark Modern" };

/** How light the upper left corner of an image is, of 255. Runs in the page. */
function lightness(image) {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  return context.getImageData(3, 3, 1, 1).data[0];
}

export async function aKernelInBothThemes() {
  for (const [name, theme] of Object.entries(THEMES)) {
    const settings = { "workbench.colorTheme": theme };
    await inWorkbench({ files: { "tensor_cores.cu": cores }, settings }, async (workbench, check) => {
      const { page } = workbench;
      await workbench.open("tensor_cores.cu");
      await check(`each tensor of a kernel has its layout, ${name}`, async () => {
        for (const [text, hint] of [
          ["Tensor gA = make_tensor", "(128,64):(64,1)"],
          ["Tensor sA = make_tensor", "(128,64):(72,1)"],
          ["Tensor sB = make_tensor", "(128,64):(72,1)"],
        ]) {
          await page.locator(".view-line", { hasText: text }).filter({ hasText: hint }).first().waitFor();
        }
        await page.locator(".codelens-decoration", { hasText: /smem [0-9.]+ of [0-9]+ KiB/ }).first().waitFor();
      });
      await check(`the mouse on a tensor shows its value, its bank conflicts and its picture, ${name}`, async () => {
        const lines = cores.split("\n");
        const line = lines.findIndex((text) => text.includes("Tensor sA = make_tensor"));
        await workbench.goTo(line + 1, lines[line].indexOf("sA") + 1);
        await workbench.command("Show or Focus Hover");
        const hover = page.locator(".monaco-hover:visible", { hasText: "bank conflict" }).first();
        await hover.waitFor();
        await assertEventually(async () => assert.ok((await hover.locator("img").count()) > 0, "it has a picture"));
        const light = await hover.locator("img").first().evaluate(lightness);
        assert.equal(light > 128, name === "light", `the background of the picture has ${light} of 255`);
        await page.waitForTimeout(500); // it fades in
        await picture(workbench, `kernel-${name}`, WIDE);
      });
    });
  }
}
