// @ts-check
// What the page does: shows sheets, and takes choices and messages.

/** Shows what comes next, behind what was shown. @param {Sheet[]} next */
function add(next) {
  const [before, now] = [past[at]?.at(-1), next.at(-1)];
  // A value that is evaluated again takes the place of what it was.
  const same = before?.name === now?.name && before?.title === now?.title;
  past = [...past.slice(0, same ? at : at + 1), next].slice(-MOST_KEPT);
  at = past.length - 1;
  show(next);
}

/** Goes back or forth in what was shown. @param {number} by */
function turn(by) {
  const next = past[at + by];
  if (next) {
    at += by;
    show(next);
  }
}

/** Says which of the buttons do something. */
function offerPlaces() {
  tools.earlier.hidden = tools.later.hidden = past.length < 2;
  tools.earlier.disabled = at <= 0;
  tools.later.disabled = at >= past.length - 1;
  tools.source.hidden = !editor || !sourceOfAll();
  tools.link.hidden = !editor || !sheets.at(-1)?.expression;
}

/** Where the chosen access is, or else where the value that is shown is declared. */
function sourceOfAll() {
  const sheet = sheets.at(-1);
  return placeOfAccess() ?? sheet?.grids[sheet.results.at(-1) ?? 0]?.source ?? null;
}

/** Shows one sheet, or two that are compared. @param {Sheet[]} next */
function show(next) {
  sheets = next;
  views = [];
  linked = new Map();
  state.cursor = null;
  element("title", HTMLElement).textContent = sheets.map((sheet) => sheet.name || sheet.title).join("  |  ");
  document.title = sheets.map((sheet) => sheet.name || sheet.title).join(" | ");
  const parts = sheets.map((sheet, number) => {
    const mine = sheet.grids.map((grid, place) => new View(grid, number, place));
    views.push(...mine);
    const title = sheets.length > 1 ? `${number + 1}: ${sheet.name || sheet.title}` : sheet.title;
    const grids = make("div", mine.map((view) => view.figure), { class: `grids ${sheet.kind}` });
    return make("section", title && title !== sheet.name ? [make("h2", [title]), grids] : [grids], { class: "sheet" });
  });
  element("sheets", HTMLElement).replaceChildren(...parts);
  if (state.thread !== null && state.thread > lastThread()) {
    state.thread = null;
    tools.thread.value = "";
  }
  offerShown();
  offerAccess();
  offerPlaces();
  showSwizzle();
  if (state.fits) {
    fit();
  }
  tell();
  tellValues();
  say.textContent = sheets.length > 1 ? compare() : "";
  element("about", HTMLElement).replaceChildren(...sheets.flatMap(about));
  keep();
}

/** A panel that was hidden loads its page anew: it then shows this again. */
function keep() {
  setTimeout(() => editor?.setState({ format: FORMAT, sheets, pinned }));
}

/** Says what the button does that keeps a sheet beside those that come. */
function offerToCompare() {
  tools.pin.hidden = editor === undefined;
  tools.pin.setAttribute("aria-pressed", String(pinned !== null));
  tools.pin.textContent = pinned ? `Compare with ${pinned.name}` : "Compare";
}

/** Follows the theme. */
function recolour() {
  readColours();
  draw();
}

tools.shown.addEventListener("change", () => {
  state.shown = tools.shown.value;
  measure();
  tell();
  if (sheets.length > 1) {
    say.textContent = compare();
  }
});
tools.swizzle.addEventListener("change", () => {
  state.swizzle = tools.swizzle.value === "on" ? "on" : tools.swizzle.value === "off" ? "off" : "both";
  showSwizzle();
});
tools.thread.addEventListener("input", () => choose(tools.thread.value === "" ? null : Number(tools.thread.value)));
element("tools", HTMLFormElement).addEventListener("submit", (event) => event.preventDefault());
element("smaller", HTMLButtonElement).addEventListener("click", () => resize(-1));
element("larger", HTMLButtonElement).addEventListener("click", () => resize(1));
element("back", HTMLButtonElement).addEventListener("click", () => step(-1));
element("forward", HTMLButtonElement).addEventListener("click", () => step(1));
tools.pin.addEventListener("click", () => {
  pinned = pinned ? null : (sheets.at(-1) ?? null);
  offerToCompare();
  if (!pinned && sheets.length > 1) {
    show(sheets.slice(-1));
  } else {
    keep();
  }
});
tools.access.addEventListener("change", showAccess);
tools.phase.addEventListener("input", showAccess);
tools.earlier.addEventListener("click", () => turn(-1));
tools.later.addEventListener("click", () => turn(1));
tools.source.addEventListener("click", () => editor?.postMessage({ kind: "reveal", place: sourceOfAll() }));
tools.link.addEventListener("click", () => editor?.postMessage({ kind: "link", expression: sheets.at(-1)?.expression }));
element("fit", HTMLButtonElement).addEventListener("click", fit);
window.addEventListener("resize", measure);
window.addEventListener("message", (event) => {
  const { sheet, reason } = /** @type {{ sheet?: Sheet, reason?: string }} */ (event.data ?? {});
  if (sheet) {
    add(pinned ? [pinned, sheet] : [sheet]);
  } else if (reason !== undefined) {
    // What is shown stays.
    say.textContent = reason;
  }
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
new MutationObserver(recolour).observe(document.body, { attributeFilter: ["class"] });

readColours();
const before = editor?.getState();
const kept = before?.format === FORMAT ? before : undefined;
pinned = kept?.pinned ?? null;
offerToCompare();
add(kept?.sheets ?? JSON.parse(element("data", HTMLElement).textContent ?? "[]"));
editor?.postMessage({ kind: "ready" });
