// The page of a layout, as `cute-analyzer draw -o x.html` writes it, in a real browser:
//   node page.mjs --server PROGRAM --chromium PROGRAM --artefacts FOLDER [--measure]
// `--measure` prints figures instead of checking.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { Checks } from "./checks.mjs";
import { CHROMIUM_FLAGS } from "./workbench.mjs";

const { values } = parseArgs({
  options: {
    ...Object.fromEntries(["server", "chromium", "artefacts"].map((name) => [name, { type: "string" }])),
    measure: { type: "boolean", default: false },
  },
});
const artefacts = path.resolve(values.artefacts);
fs.mkdirSync(artefacts, { recursive: true });
const checks = new Checks();

/** Draws a page and returns its address. */
function drawn(name, ...args) {
  const file = path.join(artefacts, `${name}.html`);
  execFileSync(values.server, ["draw", ...args, "-o", file], { stdio: ["ignore", "ignore", "inherit"] });
  return pathToFileURL(file).href;
}

const browser = await chromium.launch({ executablePath: values.chromium, headless: true, args: CHROMIUM_FLAGS });
/** What the browser complained of, and the machines that pages asked for something. */
const complaints = [];

/** Opens a page that has been painted. */
async function open(address, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 850 }, ...options });
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => request.url().startsWith("http") && complaints.push(request.url()));
  await page.goto(address);
  await page.waitForFunction(() => performance.getEntriesByName("cute-painted").length > 0);
  return page;
}

/** Milliseconds from the beginning of loading until the grid stands there, and those since the script began. */
const painted = (page) =>
  page.evaluate(() => {
    const at = (name) => performance.getEntriesByName(name)[0].startTime;
    return { all: at("cute-painted"), own: at("cute-painted") - at("cute-began") };
  });
const said = (page) => page.locator("#say").innerText();
const screenshot = (page, name) => page.screenshot({ path: path.join(artefacts, `${name}.png`) });

/** The rows of the table of where we are. */
const here = (page) =>
  page.locator("#place tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.innerText)));

/** The times of several loads, sorted. */
async function firstPaints(address, count) {
  const times = [];
  for (let load = 0; load < count; load += 1) {
    const page = await open(address);
    times.push(await painted(page));
    await page.close();
  }
  const sorted = (name) => times.map((time) => time[name]).sort((a, b) => a - b);
  return { all: sorted("all"), own: sorted("own") };
}

/** Milliseconds of processor time that the page's own thread takes for a load, sorted: what waiting for a core adds is not in it. */
async function processorTimes(address, count) {
  const times = [];
  for (let load = 0; load < count; load += 1) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 850 } });
    const tools = await page.context().newCDPSession(page);
    await tools.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async () => {
      const { metrics } = await tools.send("Performance.getMetrics");
      return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
    };
    const before = await spent();
    await page.goto(address);
    await page.waitForFunction(() => performance.getEntriesByName("cute-painted").length > 0);
    times.push((await spent()) - before);
    await page.close();
  }
  return times.sort((a, b) => a - b);
}

/** Milliseconds per frame while the grid is scrolled and cells are chosen, sorted. */
function frames(page) {
  return page.evaluate(async () => {
    const scroller = document.querySelector(".scroller");
    const canvas = scroller.querySelector("canvas");
    const times = [];
    for (let frame = 0; frame < 60; frame += 1) {
      await new Promise(requestAnimationFrame);
      const begun = performance.now();
      scroller.scrollTop = frame * 37;
      scroller.scrollLeft = frame * 61;
      const box = canvas.getBoundingClientRect();
      const at = { clientX: box.left + 200 + frame, clientY: box.top + 200, bubbles: true };
      canvas.dispatchEvent(new MouseEvent("mousemove", at));
      // The grid is drawn by a callback of the same frame that was asked for before this one.
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b);
  });
}

const plain = drawn("plain", "(128,64):(64,1)");
const copy = drawn(
  "copy",
  "make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_16,_16>,Stride<_16,_1>>{}, Layout<Shape<_8,_8>>{})",
);

if (values.measure) {
  const times = await firstPaints(plain, 15);
  const processor = await processorTimes(plain, 15);
  const page = await open(copy);
  const moves = await frames(page);
  const figure = (list, part) => Number(list[Math.floor((list.length - 1) * part)].toFixed(1));
  console.log(
    JSON.stringify({
      first_paint_ms: { median: figure(times.all, 0.5), worst: figure(times.all, 1), own: figure(times.own, 0.5), processor: figure(processor, 0.5) },
      frame_ms: { median: figure(moves, 0.5), p95: figure(moves, 0.95) },
    }),
  );
  await browser.close();
  process.exit(0);
}

await checks.check("128x64 is painted within 100 ms", async () => {
  const { all } = await firstPaints(plain, 8);
  assert.ok(all[0] < 100, `the quickest of 8 loads took ${all[0]} ms`);
});

await checks.check("the mouse on a cell says coordinate, index, offset and bank", async () => {
  const page = await open(plain);
  await page.locator("canvas").hover({ position: { x: 150, y: 100 } });
  const [row] = await here(page);
  const [, coordinate, index, offset, bank] = row;
  const [, down, across] = /^\((\d+),(\d+)\)$/.exec(coordinate).map(Number);
  assert.equal(Number(index), down + 128 * across);
  assert.equal(Number(offset), 64 * down + across);
  assert.equal(Number(bank), Math.floor(Number(offset) / 4) % 32, "elements of 8 bits are the first choice");
  await screenshot(page, "page-plain");
  await page.close();
});

await checks.check("everything is reached by the keyboard", async () => {
  const page = await open(plain);
  const reached = [];
  for (let tab = 0; tab < 14; tab += 1) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName));
  }
  for (const wanted of ["shown", "smaller", "larger", "back", "forward", "CANVAS", "SUMMARY"]) {
    assert.ok(reached.includes(wanted), `${wanted} in ${reached}`);
  }
  await page.locator("canvas").focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "End"]) {
    await page.keyboard.press(key);
  }
  assert.match(await said(page), /coordinate \(2,63\)/);
  const before = await page.locator("canvas").evaluate((canvas) => canvas.parentElement.clientWidth);
  await page.keyboard.press("-");
  assert.ok((await page.locator("canvas").evaluate((canvas) => canvas.parentElement.clientWidth)) < before);
  await page.keyboard.press("c");
  assert.equal(await page.locator("#shown").inputValue(), "index");
  await page.close();
});

await checks.check("a thread is picked, and its values are linked with the cells", async () => {
  const page = await open(drawn("mma", "SM80_16x8x8_F32F16F16F32_TN{}"));
  await page.locator("#thread").fill("5");
  const tables = page.locator("#values table");
  assert.deepEqual(
    await tables.locator("caption").allInnerTexts(),
    ["A: thread 5", "B: thread 5", "C: thread 5"],
  );
  const rows = await tables.nth(2).locator("tbody tr").allInnerTexts();
  assert.deepEqual(rows.map((row) => row.split("\t").at(-1)), ["(1,2)", "(1,3)", "(9,2)", "(9,3)"]);
  assert.deepEqual(await tables.nth(2).locator("th").allInnerTexts(), ["value", "V", "(M,N)"]);
  const last = tables.nth(2).locator("tbody tr").nth(3);
  await last.focus();
  assert.match(await said(page), /coordinate \(9,3\).*thread 5 · value 3/);
  assert.equal(await last.getAttribute("class"), "here");
  await screenshot(page, "page-thread");
  // A click on a cell picks the thread that has it; Escape lets it go.
  await page.locator("canvas").nth(2).click({ position: { x: 60, y: 40 } });
  assert.equal(await page.locator("#thread").inputValue(), "0");
  await page.keyboard.press("]");
  assert.equal(await page.locator("#thread").inputValue(), "1");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#thread").inputValue(), "");
  await page.close();
});

await checks.check("fragments of a tiled MMA are read as (V,M,N)", async () => {
  const mma = "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2,_1>>{}, Tile<_32,_32,_16>{})";
  const page = await open(drawn("tiled-mma", mma));
  await page.locator("#thread").fill("1");
  const tables = page.locator("#values table");
  const heads = await tables.locator("thead").allInnerTexts();
  assert.deepEqual(
    heads.map((head) => head.trim().split(/\s+/)),
    [["value", "(V,M,K)", "(M,K)"], ["value", "(V,N,K)", "(N,K)"], ["value", "(V,M,N)", "(M,N)"]],
  );
  // Two atoms lie side by side along N, 16 columns apart, as two warps are there.
  const rows = (await tables.nth(2).locator("tbody tr").allInnerTexts()).map((row) => row.split("\t"));
  assert.deepEqual(rows.map((row) => row[1]).slice(3, 5), ["((1,1),0,0)", "((0,0),0,1)"]);
  assert.deepEqual([rows[0][2], rows[4][2]], ["(0,2)", "(0,18)"]);
  await screenshot(page, "page-tiled-mma");
  await page.close();
});

await checks.check("a composition is stepped through: A(B(c)) is followed", async () => {
  const page = await open(drawn("composition", "composition((6,2):(8,2), (4,3):(3,1))", "--operands"));
  const result = page.locator("canvas").nth(2);
  await result.focus();
  for (let index = 1; index < 12; index += 1) {
    await page.keyboard.press("n");
    const rows = Object.fromEntries((await here(page)).map(([grid, , at, offset]) => [grid, { at, offset }]));
    assert.equal(rows["A o B"].at, String(index));
    assert.equal(rows["B"].at, String(index), "B is asked at the same coordinate");
    assert.equal(rows["A"].at, rows["B"].offset, "A is asked at the offset of B");
    assert.equal(rows["A o B"].offset, rows["A"].offset, "that is the result");
  }
  await screenshot(page, "page-composition");
  await page.locator("summary", { hasText: "How it comes about" }).click();
  const steps = page.locator("#about ol button");
  await steps.nth(1).focus();
  assert.equal(await steps.nth(1).getAttribute("aria-current"), "step");
  await page.close();
});

await checks.check("a swizzle is switched off and on, and banks follow", async () => {
  const page = await open(
    drawn("swizzle", "Sw<3,3,3> o 0 o (8,64):(64,1)", "--operands", "--by", "bank", "--type", "half_t"),
  );
  assert.equal(await page.locator("#shown").inputValue(), "bank16");
  const after = page.locator("canvas").nth(1);
  const banks = [];
  await after.focus();
  for (let row = 0; row < 8; row += 1) {
    banks.push((await here(page)).find(([grid]) => grid === "after").at(-1));
    await page.keyboard.press("ArrowDown");
  }
  assert.equal(new Set(banks).size, 8, `a column of 8 rows has no conflict: ${banks}`);
  await page.keyboard.press("s");
  assert.deepEqual(await page.locator("figure").evaluateAll((all) => all.map((one) => one.hidden)), [true, false]);
  await page.locator("#swizzle").selectOption("off");
  assert.deepEqual(await page.locator("figure").evaluateAll((all) => all.map((one) => one.hidden)), [false, true]);
  await page.close();
});

await checks.check("an access is shown phase by phase, with the lanes that collide, off and on", async () => {
  const page = await open(drawn("access", "Sw<3,3,3> o 0 o (8,64):(64,1)", "--operands", "--by", "bank", "--type", "half_t"));
  const options = await page.locator("#access option").allInnerTexts();
  const wanted = options.find((option) => option.startsWith("8 lanes along mode 0, 2 bytes"));
  await page.locator("#access").selectOption({ label: wanted });
  const captions = await page.locator("#conflicts caption").allInnerTexts();
  assert.match(captions[0], /before the swizzle: 8 wavefronts, 1 without conflicts/);
  assert.match(captions[1], /after: 1 wavefront, no bank conflict/);
  const rows = page.locator("#conflicts table").first().locator("tbody tr");
  assert.equal(await rows.count(), 1, "one bank");
  assert.match(await rows.first().innerText(), /1\s+0\s+8\s+0 \| 1 \| 2 \| 3 \| 4 \| 5 \| 6 \| 7/);
  assert.match(await page.locator("figcaption").first().innerText(), /framed: bank conflict/);
  await screenshot(page, "page-access");
  await page.keyboard.press("Tab");
  await page.locator("#access").selectOption("");
  assert.equal(await page.locator("#conflicts table").count(), 0);
  await page.close();
});

await checks.check("phases of a wide access are chosen one by one", async () => {
  const page = await open(drawn("phases", "(32,32):(32,1)", "--by", "bank", "--type", "float"));
  await page.locator("#access").selectOption({ label: "32 lanes along mode 0, 16 bytes each" });
  const rows = page.locator("#conflicts tbody tr");
  assert.equal(await rows.count(), 4 * 4, "four phases, four banks each");
  await page.locator("#phase").fill("2");
  assert.equal(await rows.count(), 4);
  assert.match(await rows.first().innerText(), /2\s+0\s+8\s+8 \| 9 \| 10 \| 11 \| 12 \| 13 \| 14 \| 15/);
  await page.close();
});

await checks.check("a product has A on its left and B above, and warps and lanes have colours", async () => {
  const mma = "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2,_1>>{}, Tile<_32,_32,_16>{})";
  const page = await open(drawn("arranged", mma));
  const [a, b, c] = await page.locator("figure").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  assert.ok(a.right <= c.left && b.bottom <= c.top, JSON.stringify([a, b, c]));
  await page.locator("#shown").selectOption("warp");
  assert.match(await page.locator("figcaption").first().innerText(), /colour: warp modulo 8/);
  await page.locator("canvas").nth(2).focus();
  await screenshot(page, "page-arranged");
  await page.close();
});

await checks.check("cells are fitted into the window, and the wheel changes their size", async () => {
  const page = await open(plain);
  const width = () => page.locator("canvas").evaluate((canvas) => canvas.parentElement.clientWidth);
  const first = await width();
  await page.locator("#fit").click();
  const fitted = await width();
  assert.ok(fitted < first);
  const isInSight = () => page.locator(".scroller").evaluate((one) => one.scrollHeight <= one.clientHeight);
  assert.ok(await isInSight());
  await page.locator("canvas").hover();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -100);
  await page.keyboard.up("Control");
  assert.ok((await width()) > fitted);
  await page.close();
});

await checks.check("a large layout is zoomed as a whole, and a larger one is shown in parts", async () => {
  const page = await open(drawn("large", "(512,384):(384,1)"));
  assert.doesNotMatch(await page.locator("figcaption").innerText(), /shows rows/);
  await page.locator("#fit").click();
  const isInSight = () => page.locator(".scroller").evaluate((one) => one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth);
  assert.ok(await isInSight());
  await screenshot(page, "page-large");
  assert.equal(await page.locator("button.part").count(), 0, "nothing is left out");
  await page.close();
  const huge = await browser.newPage({ viewport: { width: 1200, height: 850 } });
  await huge.addInitScript(() => {
    window.posted = [];
    window.acquireVsCodeApi = () => ({ postMessage: (message) => window.posted.push(message), setState() {}, getState: () => undefined });
  });
  await huge.goto(drawn("huge", "(8192,8192):(8192,1)"));
  assert.match(await huge.locator("figcaption").innerText(), /shows rows 0-479 of 8192, columns 0-479 of 8192/);
  assert.deepEqual(await huge.locator("button.part").allInnerTexts(), ["Columns ▶", "Rows ▼"]);
  await huge.locator("button.part", { hasText: "Rows" }).click();
  assert.deepEqual(await huge.evaluate(() => window.posted.at(-1)), { kind: "part", row: 480, column: 0 });
  await huge.close();
});

await checks.check("what was shown comes back", async () => {
  const page = await open(plain);
  const data = JSON.parse(await page.locator("#data").textContent());
  await page.evaluate((sheet) => window.postMessage({ sheet }, "*"), { ...data[0], name: "second" });
  await page.locator("#title", { hasText: "second" }).waitFor();
  await page.locator("#earlier").click();
  await page.locator("#title", { hasText: "(128,64):(64,1)" }).waitFor();
  await page.locator("#later").click();
  await page.locator("#title", { hasText: "second" }).waitFor();
  await page.close();
});

await checks.check("two tilers are compared side by side", async () => {
  const page = await open(
    drawn("compare", "zipped_divide((8,8):(8,1), <2:1,4:1>)", "--against", "zipped_divide((8,8):(8,1), <2:4,4:2>)"),
  );
  assert.match(await said(page), /^\d+ of 64 cells differ from the first$/);
  await page.locator("canvas").first().focus();
  await page.keyboard.press("ArrowRight");
  const rows = await here(page);
  assert.equal(rows.length, 2);
  assert.equal(rows[0][1], rows[1][1], "the same coordinate in both");
  assert.notEqual(rows[0][3], rows[1][3]);
  await screenshot(page, "page-compare");
  await page.close();
});

await checks.check("a comparison counts the values, not what they are made of", async () => {
  const [swizzled, plain] = ["Sw<3,3,3> o 0 o (8,64):(64,1)", "(8,64):(64,1)"];
  for (const [one, other] of [[swizzled, plain], [plain, swizzled]]) {
    const page = await open(drawn("swizzled-or-not", one, "--operands", "--against", other));
    assert.equal(await said(page), "448 of 512 cells differ from the first");
    await page.close();
  }
  const [by2, by4] = ["logical_divide((8,8):(8,1), <2,4>)", "logical_divide((8,8):(8,1), <4,2>)"];
  const page = await open(drawn("divided", by2, "--operands", "--against", by4));
  assert.match(await said(page), / of 64 cells differ from the first$/);
  await page.close();
});

await checks.check("light and dark follow the reader", async () => {
  for (const [colorScheme, page] of [["light", "rgb(255, 255, 255)"], ["dark", "rgb(30, 30, 30)"]]) {
    const shown = await open(plain, { colorScheme });
    assert.equal(await shown.evaluate(() => getComputedStyle(document.body).backgroundColor), page);
    await screenshot(shown, `page-${colorScheme}`);
    await shown.close();
  }
});

await checks.check("128x128 with 256 threads is smooth", async () => {
  const page = await open(copy);
  const times = await frames(page);
  const median = times[Math.floor(times.length / 2)];
  assert.ok(median < 34, `half of the frames took more than ${median} ms`);
  await page.locator("#smaller").click();
  await page.locator("#smaller").click();
  await page.locator("#smaller").click();
  assert.ok((await frames(page))[30] < 50, "all 16384 cells in sight");
  await screenshot(page, "page-many");
  await page.close();
});

await checks.check("nothing but the page's own script runs in it, and nothing is loaded", async () => {
  const page = await open(plain);
  assert.deepEqual(complaints, []);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.foreign = true";
    document.body.append(script);
    return window.foreign === true;
  });
  assert.equal(ran, false);
  const loaded = await page.evaluate(() => fetch("http://127.0.0.1:9/").then(() => "loaded", (error) => error.name));
  assert.notEqual(loaded, "loaded");
  assert.ok(complaints.every((text) => text.includes("Content Security Policy")), String(complaints));
  assert.ok(complaints.length >= 2, "the browser refused both");
  await page.close();
});

await browser.close();
process.exit(checks.finish());
