// A source is opened and read: hints, hovers, findings, fixes, the status and the settings; and the extension's page.
import assert from "node:assert/strict";
import { assertEventually, hint, HINT, inWorkbench, LAYOUT, picture, placeOf, source, TEXT } from "./stage.mjs";

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

export async function whatAUserSees() {
  const begun = performance.now();
  await inWorkbench({ files: { "wrong.cu": source, "memory.cu": conflicts } }, async (workbench, check) => {
    const { page } = workbench;
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
    await picture(workbench, "hints", TEXT);

    await check("while a line is typed, the hints below it stay, and none blinks", async () => {
      const { line } = placeOf("auto columns");
      const below = ["auto columns", "auto every_sixth", "auto a ", "auto b "];
      const shown = () =>
        page.locator(".view-line").evaluateAll(
          (lines, names) =>
            names.map((name) => lines.map((one) => one.innerText.replaceAll("\u00a0", " ")).find((text) => text.includes(name)) ?? ""),
          below,
        );
      const before = await shown();
      assert.ok(before.every((text) => /;\s*\S/.test(text)), before.join("\n"));
      await workbench.goTo(line, 1);
      await page.keyboard.press("Enter");
      await page.keyboard.press("ArrowUp");
      await page.evaluate((names) => {
        window.missing = [];
        const look = () => {
          const lines = [...document.querySelectorAll(".view-line")].map((one) => one.innerText.replaceAll("\u00a0", " "));
          for (const name of names) {
            const text = lines.find((one) => one.includes(name));
            if (text !== undefined && !/;\s*\S/.test(text)) {
              window.missing.push(text);
            }
          }
          window.looking = requestAnimationFrame(look);
        };
        look();
      }, below);
      await page.keyboard.type("  Tensor t = make_layout(", { delay: 60 });
      await page.waitForTimeout(2500);
      const missing = await page.evaluate(() => {
        cancelAnimationFrame(window.looking);
        return window.missing;
      });
      assert.deepEqual(missing, [], "a hint went away while a line was typed");
      await workbench.screenshot("1-half-typed");
      assert.deepEqual(await shown(), before);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+Shift+k");
      await workbench.line("Tensor t").waitFor({ state: "detached" });
    });

    await check("the mouse on a layout shows it", async () => {
      await workbench.line("auto columns").locator("span", { hasText: /^\s*columns\s*$/ }).first().hover();
      const hover = page.locator(".monaco-hover:visible", { hasText: LAYOUT }).first();
      await hover.waitFor();
      const drawn = hover.locator("img");
      await drawn.waitFor();
      const [wide, high] = await drawn.evaluate((image) => [image.naturalWidth, image.naturalHeight]);
      assert.ok(wide > 100 && high > 100, `the picture has ${wide} x ${high} pixels`);
      await page.waitForTimeout(500); // it fades in
      await picture(workbench, "hover", TEXT);
    });

    await check("the mouse on a mistake says what is wrong, with its numbers", async () => {
      await workbench.line("auto r = composition").locator("span", { hasText: /composition/ }).first().hover();
      const says = page.locator(".monaco-hover:visible", { hasText: "at coordinate 5 the result is 7" }).first();
      await says.filter({ hasText: "not-a-composition" }).waitFor();
      // VS Code's own part of the hover says it; ours does not say it again.
      const times = (await says.innerText()).split("at coordinate 5 the result is 7").length - 1;
      assert.equal(times, 1, "the finding stands so often");
      await page.waitForTimeout(500); // it fades in
      await workbench.screenshot("2-finding");
    });

    for (const [what, link] of [
      ["the code of a finding", (hover) => hover.locator("a.code-link")],
      ["a link of a hover", (hover) => hover.locator("a", { hasText: "Rule not-a-composition" })],
    ]) {
      await check(`${what} opens the page of its rule`, async () => {
        await page.mouse.move(0, 0);
        await workbench.line("auto r = composition").locator("span", { hasText: /composition/ }).first().hover();
        const hover = page.locator(".monaco-hover:visible", { hasText: "not-a-composition" }).first();
        await hover.waitFor();
        await link(hover).first().click();
        await page.locator(".tab", { hasText: "not-a-composition.md" }).waitFor();
        await workbench.screenshot("3-rule");
        await page.locator(".tab", { hasText: "wrong.cu" }).click();
        await workbench.line("auto r = composition").waitFor();
      });
    }

    await check("a quick fix changes the text and settles the finding", async () => {
      const { line, column } = placeOf("make_tile(Int<4>{}, Int<5>{})");
      await workbench.goTo(line, column);
      const before = await workbench.line("auto tiles").innerText();
      const underlined = () => page.locator(".squiggly-error, .squiggly-warning").count();
      const mistakes = await underlined();
      await page.keyboard.press("Control+.");
      await page.locator(".action-widget .monaco-list-row.action").first().waitFor();
      await picture(workbench, "fix", TEXT);
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
    await check("switched off for good it takes everything away, and comes back", async () => {
      const squiggles = page.locator(".squiggly-error, .squiggly-warning");
      await workbench.set({ "cute-analyzer.enable": false });
      await squiggles.first().waitFor({ state: "detached" });
      await page.locator("#status\\.languageStatus").hover();
      await page.locator(".monaco-hover:visible", { hasText: "cute-analyzer" }).filter({ hasText: "off" }).first().waitFor();
      await workbench.set({});
      await squiggles.first().waitFor();
      await hint(workbench).waitFor();
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
  });
}

/** The page of the extension in VS Code: the README with its pictures. */
export async function theExtensionsPage() {
  await inWorkbench({ files: { "wrong.cu": source } }, async (workbench, check) => {
    const { page } = workbench;
    await check("the README of the installed extension has its pictures", async () => {
      await page.keyboard.press("Control+Shift+x");
      await page.locator(".extension-list-item", { hasText: "cute-analyzer" }).first().click();
      const pictures = workbench.panel().locator("img");
      await pictures.nth(1).waitFor();
      const wide = await pictures.evaluateAll((images) => images.map((image) => image.naturalWidth));
      assert.ok(wide.length >= 2 && wide.every((pixels) => pixels > 500), `${wide} pixels wide`);
      await workbench.screenshot("11-readme");
    });
  });
}
