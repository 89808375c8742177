// Kernels of other projects, where `cargo xtask fetch` has put their sources: pictures of them, which are looked at and kept
// nowhere.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { assertEventually, inWorkbench, values } from "./stage.mjs";

/** Each kernel: its folder below the corpus, its file, and the text of the line whose name is hovered. */
const KERNELS = [
  {
    name: "flash-attention-2",
    folder: "flash-attention/csrc/flash_attn/src",
    file: "flash_fwd_kernel.h",
    line: "    Tensor sQ = make_tensor",
    word: "sQ",
    hint: "Sw<3,3,3>",
  },
  {
    name: "flash-attention-on-hopper",
    folder: "cutlass/examples/88_hopper_fmha/collective",
    file: "fmha_collective_tma_warpspecialized.hpp",
    line: "Tensor sQ = make_tensor",
    word: "sQ",
    hint: "Sw<",
  },
  {
    // The source package of FlashAttention has its third version in the DSL only.
    name: "flash-attention-3-in-the-dsl",
    folder: "flash-attention/flash_attn/cute",
    file: "flash_fwd.py",
    line: "        sQ_layout_atom = warpgroup.make_smem_layout_atom(",
    word: "sQ_layout_atom",
    hint: "S<3,4,3>",
  },
  {
    name: "mla-on-blackwell",
    folder: "cutlass/examples/77_blackwell_fmha/kernel",
    file: "sm100_fmha_mla_tma_warpspecialized.hpp",
    line: "Tensor sQ = make_tensor",
    word: "sQ",
    hint: "Sw<",
  },
  {
    name: "flash-attention-4",
    folder: "flash-attention/flash_attn/cute",
    file: "flash_fwd_sm100.py",
    line: "        sQ_layout = sm100_utils_basic.make_smem_layout_a(",
    word: "sQ_layout",
    hint: "S<3,4,3>",
  },
];

/** The texts of a folder and of those below it, by their names. */
function texts(folder) {
  const names = fs.readdirSync(folder, { recursive: true }).filter((name) => fs.statSync(path.join(folder, name)).isFile());
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(folder, name), "utf8")]));
}

export async function kernelsOfOthers() {
  const corpus = values.corpus && path.resolve(values.corpus);
  for (const { name, folder, file, line, word, hint } of corpus ? KERNELS : []) {
    const project = path.join(corpus, folder, "..");
    const text = fs.readFileSync(path.join(corpus, folder, file), "utf8");
    const at = text.split("\n").findIndex((other) => other.includes(line));
    assert.notEqual(at, -1, `${file}: ${line}`);
    const toml = `include = ["${path.join(corpus, "cutlass/include")}"]\n`;
    const files = { ...texts(project), "cute-analyzer.toml": toml };
    const settings = { "workbench.colorTheme": "Default Dark Modern", "editor.fontSize": 13 };
    await inWorkbench({ files, settings }, async (workbench, check) => {
      const { page } = workbench;
      await workbench.open(file);
      await workbench.goTo(at + 1, text.split("\n")[at].indexOf(word) + 1);
      await check(`${name}: the hover of ${word} has its value`, async () => {
        // A statement of several lines has its hint in the last one.
        await page.locator(".view-line", { hasText: hint }).first().waitFor();
        await assertEventually(async () => {
          await workbench.command("Show or Focus Hover");
          const hover = page.locator(".monaco-hover:visible", { hasText: `${word}: ` }).first();
          await hover.waitFor({ timeout: 5000 });
          await page.waitForTimeout(500); // it fades in
          assert.ok(await hover.isVisible(), "new hints take it away");
        });
        await workbench.screenshot(`kernel-${name}`);
      });
    });
  }
}
