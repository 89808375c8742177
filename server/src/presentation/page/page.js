// @ts-check
// What the page does: draws, follows, tells, and takes choices and messages.

/** Draws all grids before the next frame. */
function draw() {
  if (!awaited) {
    awaited = true;
    requestAnimationFrame(() => {
      awaited = false;
      for (const view of visible()) {
        view.draw();
      }
      if (performance.getEntriesByName("cute-painted").length === 0) {
        performance.mark("cute-painted");
      }
    });
  }
}

function visible() {
  return views.filter((view) => !view.figure.hidden);
}

function measure() {
  for (const view of visible()) {
    view.measure();
  }
  draw();
}

/** Reads the colours of the theme. */
function readColours() {
  const style = getComputedStyle(document.body);
  colours = {};
  for (const name of ["line", "edge", "dim", "mark"]) {
    colours[name] = style.getPropertyValue(`--${name}`).trim();
  }
  for (let index = 0; index < CLASSES; index += 1) {
    colours[`fill${index}`] = style.getPropertyValue(`--fill${index}`).trim();
    colours[`ink${index}`] = style.getPropertyValue(`--ink${index}`).trim();
  }
  draw();
}

/**
 * Chooses a cell: it and all that it is linked with are marked.
 * @param {View} view @param {number} cell @param {boolean} [reveal]
 */
function moveTo(view, cell, reveal = true) {
  if (state.cursor?.view === view && state.cursor.cell === cell) {
    return;
  }
  state.cursor = { view, cell };
  follow();
  if (reveal) {
    view.reveal(cell);
  }
  draw();
  tell();
}

/** Finds what the chosen cell is linked with: over links in both directions, and in the other sheet. */
function follow() {
  linked = new Map();
  if (!state.cursor) {
    return;
  }
  const { view, cell } = state.cursor;
  spread(view, cell);
  const twin = views.find((other) => other.sheet !== view.sheet && other.place === view.place);
  const same = twin?.model.find("index", view.model.key("index", cell))[0];
  if (twin && same !== undefined) {
    spread(twin, same);
  }
}

/** @param {View} start @param {number} cell */
function spread(start, cell) {
  const sheet = sheets[start.sheet];
  linked.set(start, new Set([cell]));
  const waiting = [start];
  for (let from = waiting.shift(); from !== undefined; from = waiting.shift()) {
    for (const link of sheet?.links ?? []) {
      const forward = link.from === from.place;
      const place = forward ? link.to : link.to === from.place ? link.from : -1;
      const to = views.find((view) => view.sheet === start.sheet && view.place === place);
      if (!to || linked.has(to)) {
        continue;
      }
      const [mine, theirs] = forward ? [link.of, link.is] : [link.is, link.of];
      const found = new Set();
      for (const cell of linked.get(from) ?? []) {
        for (const other of to.model.find(theirs, from.model.key(mine, cell))) {
          found.add(other);
        }
      }
      linked.set(to, found);
      waiting.push(to);
    }
  }
}

/** Says where we are: one line, a row per grid, and the values of the thread. */
function tell() {
  /** @type {string[][]} */
  const table = [];
  for (const view of views) {
    for (const cell of [...(linked.get(view) ?? [])].slice(0, 4)) {
      const { grid } = view.model;
      const owner = view.model.owner(cell);
      const bank = view.model.bank(cell, Number(state.shown.slice(4)));
      const name = `${pinned || sheets.length > 1 ? `${view.sheet + 1}: ` : ""}${grid.caption || "layout"}`;
      table.push([
        name,
        view.model.coordinate(cell),
        String(grid.indices[cell]),
        grid.owners ? "" : String(grid.offsets[cell]),
        owner ? String(owner.thread) : "",
        owner ? String(owner.value) : "",
        bank === null ? "" : String(bank),
      ]);
    }
  }
  const names = ["grid", "coordinate", "index", "offset", "thread", "value", "bank"];
  const used = names.map((_, column) => table.some((row) => row[column] !== ""));
  const keep = (/** @type {string[]} */ row) => row.filter((_, column) => used[column]);
  const place = element("place", HTMLTableElement);
  place.tHead?.replaceChildren(make("tr", keep(names).map((name) => make("th", [name], { scope: "col" }))));
  place.tBodies[0]?.replaceChildren(...table.map((row) => make("tr", keep(row).map((text) => make("td", [text])))));
  place.hidden = table.length === 0;
  say.textContent = table.map((row) => row.map((text, column) => (column === 0 ? text : text && `${names[column]} ${text}`)).filter(Boolean).join(" · ")).join("  |  ");
  tellValues();
}

/** The table of the chosen thread: its values with the cell of each, (V,M,N) by name. */
function tellValues() {
  const box = element("values", HTMLElement);
  const tables = [];
  for (const view of state.thread === null ? [] : visible()) {
    const { owners, caption } = view.model.grid;
    if (!owners || state.thread === null || state.thread >= owners.threads) {
      continue;
    }
    const rows = [];
    for (let value = 0; value < owners.values; value += 1) {
      const cell = view.model.byIndex.get(owners.cells[value * owners.threads + state.thread] ?? -1);
      const parts = [
        String(value),
        coordinate([[{ levels: owners.value_levels }, value]]),
        cell === undefined ? "not drawn" : view.model.coordinate(cell),
      ];
      const row = make("tr", parts.map((text) => make("td", [text])));
      if (cell !== undefined) {
        row.tabIndex = 0;
        row.dataset["cell"] = String(cell);
        const go = () => moveTo(view, cell);
        row.addEventListener("mouseenter", go);
        row.addEventListener("focus", go);
      }
      rows.push(row);
    }
    const head = ["V", valueNames(owners.value_levels), "cell"].map((name) => make("th", [name], { scope: "col" }));
    tables.push(
      make("table", [
        make("caption", [`${caption || "thread"}: thread ${state.thread}`]),
        make("thead", [make("tr", head)]),
        make("tbody", rows),
      ]),
    );
  }
  box.replaceChildren(...tables);
  box.hidden = tables.length === 0;
}

/** `(V,M,N)` where the values have these modes. @param {Level[]} levels */
function valueNames(levels) {
  const modes = new Set(levels.map((level) => level.mode.split(".")[0]));
  return modes.size === 1 ? "value" : `value (${modes.size} modes)`;
}

/** Chooses a thread, or none. @param {number | null} thread */
function choose(thread) {
  const most = Math.max(0, ...views.map((view) => (view.model.grid.owners?.threads ?? 0) - 1));
  state.thread = thread === null ? null : Math.min(Math.max(thread, 0), most);
  tools.thread.value = state.thread === null ? "" : String(state.thread);
  draw();
  tell();
  if (state.thread !== null) {
    for (const view of visible()) {
      const first = view.model.ofThread.get(state.thread)?.[0];
      if (first !== undefined && state.cursor === null) {
        view.reveal(first);
      }
    }
  }
}

/** The thread that has the chosen cell. */
function pick() {
  const owner = state.cursor && state.cursor.view.model.owner(state.cursor.cell);
  if (owner) {
    choose(owner.thread);
  }
}

/** The next coordinate of the grid in which we are, or of the last. @param {number} by */
function step(by) {
  const view = state.cursor?.view ?? visible().at(-1);
  if (!view) {
    return;
  }
  const { model } = view;
  const count = model.grid.indices.length;
  if (state.cursor === null) {
    moveTo(view, model.byIndex.get(0) ?? 0);
    return;
  }
  // Colexicographic, as indices count: down the rows first.
  const [row, column] = [Math.floor(state.cursor.cell / model.width), state.cursor.cell % model.width];
  const at = (column * model.height + row + by + count) % count;
  moveTo(view, (at % model.height) * model.width + Math.floor(at / model.height));
}

/** What a key of a letter does; whether it does anything. @param {string} key */
function act(key) {
  /** @type {Record<string, () => void>} */
  const acts = {
    Enter: pick,
    Escape: () => choose(null),
    n: () => step(1),
    p: () => step(-1),
    "]": () => choose(state.thread === null ? 0 : state.thread + 1),
    "[": () => choose(state.thread === null ? 0 : state.thread - 1),
    "+": () => resize(1),
    "=": () => resize(1),
    "-": () => resize(-1),
    s: () => rotate(tools.swizzle),
    c: () => rotate(tools.shown),
  };
  acts[key]?.();
  return key in acts;
}

/** Takes the next choice of a list. @param {HTMLSelectElement} list */
function rotate(list) {
  list.selectedIndex = (list.selectedIndex + 1) % Math.max(list.options.length, 1);
  list.dispatchEvent(new Event("change"));
}

/** @param {number} by */
function resize(by) {
  state.height = Math.min(Math.max(state.height + by, 0), HEIGHTS.length - 1);
  measure();
}

function showSwizzle() {
  const swizzled = sheets.some((sheet) => sheet.kind === "swizzle");
  element("swizzle-tool", HTMLElement).hidden = !swizzled;
  for (const view of views) {
    const isOne = sheets[view.sheet]?.kind === "swizzle";
    view.figure.hidden = isOne && state.swizzle === (view.place === 0 ? "on" : "off");
  }
  measure();
}

/** What cells can show. */
function offerShown() {
  const grids = views.map((view) => view.model.grid);
  const owned = grids.some((grid) => grid.owners !== null);
  const widths = [...new Set(grids.flatMap((grid) => grid.banks.map((banks) => banks.bits)))];
  /** @type {[string, string][]} */
  const choices = owned
    ? [["thread", "threads and values, by thread"], ["value", "threads and values, by value"], ["index", "indices"]]
    : [["offset", "offsets"], ["index", "indices"]];
  for (const bits of widths) {
    choices.push([`bank${bits}`, `banks of ${bits}-bit elements`]);
  }
  tools.shown.replaceChildren(...choices.map(([value, text]) => make("option", [text], { value })));
  const asked = sheets[0]?.shown ?? "own";
  const first = choices.find(([value]) => value.startsWith(asked)) ?? choices[0];
  const kept = choices.some(([value]) => value === state.shown) && asked === "own";
  state.shown = kept ? state.shown : (first?.[0] ?? "offset");
  tools.shown.value = state.shown;
  element("thread-tool", HTMLElement).hidden = !owned;
}

/** Where two sheets are compared: the cells in which they differ. */
function compare() {
  let differing = 0;
  let compared = 0;
  for (const view of views) {
    view.different.clear();
    const twin = views.find((other) => other.sheet !== view.sheet && other.place === view.place);
    if (!twin) {
      continue;
    }
    view.model.grid.indices.forEach((index, cell) => {
      const other = twin.model.byIndex.get(index);
      compared += view.sheet;
      if (other === undefined || twin.model.text(other, state.shown) !== view.model.text(cell, state.shown)) {
        view.different.add(cell);
        differing += view.sheet;
      }
    });
  }
  return compared > 0 ? `${differing} of ${compared} cells differ from the first` : "";
}

/** Shows one sheet, or two that are compared. @param {Sheet[]} next */
function show(next) {
  sheets = next;
  views = [];
  linked = new Map();
  state.cursor = null;
  state.thread = null;
  tools.thread.value = "";
  element("title", HTMLElement).textContent = sheets.map((sheet) => sheet.name || sheet.title).join("  |  ");
  document.title = sheets.map((sheet) => sheet.name || sheet.title).join(" | ");
  const parts = sheets.map((sheet, number) => {
    const mine = sheet.grids.map((grid, place) => new View(grid, number, place));
    views.push(...mine);
    const title = sheets.length > 1 ? `${number + 1}: ${sheet.name || sheet.title}` : sheet.title;
    const grids = make("div", mine.map((view) => view.figure), { class: "grids" });
    return make("section", title && title !== sheet.name ? [make("h2", [title]), grids] : [grids], { class: "sheet" });
  });
  element("sheets", HTMLElement).replaceChildren(...parts);
  offerShown();
  showSwizzle();
  tell();
  say.textContent = sheets.length > 1 ? compare() : "";
  element("about", HTMLElement).replaceChildren(...sheets.flatMap(about));
  editor?.setState({ sheets });
}

/** Facts and the derivation of a sheet, in which one step is the current one. @param {Sheet} sheet */
function about(sheet) {
  const made = [];
  if (sheet.facts.length > 0) {
    made.push(make("ul", sheet.facts.map((fact) => make("li", [fact]))));
  }
  if (sheet.derivation.length > 0) {
    const lines = sheet.derivation.map((line) => make("button", [line], { type: "button" }));
    for (const line of lines) {
      line.addEventListener("focus", () => {
        for (const other of lines) {
          other.removeAttribute("aria-current");
        }
        line.setAttribute("aria-current", "step");
      });
    }
    const list = make("ol", lines.map((line) => make("li", [line])));
    const details = make("details", [make("summary", ["How it comes about"]), list]);
    made.push(details);
  }
  return made;
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
tools.pin.hidden = editor === undefined;
tools.pin.addEventListener("click", () => {
  pinned = pinned ? null : (sheets.at(-1) ?? null);
  tools.pin.setAttribute("aria-pressed", String(pinned !== null));
  tools.pin.textContent = pinned ? `Compare with ${pinned.name}` : "Compare";
  if (!pinned && sheets.length > 1) {
    show(sheets.slice(-1));
  }
});
window.addEventListener("resize", measure);
window.addEventListener("message", (event) => {
  const shown = /** @type {{ sheet?: Sheet }} */ (event.data ?? {}).sheet;
  if (shown) {
    show(pinned ? [pinned, shown] : [shown]);
  }
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readColours);
new MutationObserver(readColours).observe(document.body, { attributeFilter: ["class"] });

readColours();
show(JSON.parse(element("data", HTMLElement).textContent ?? "[]"));
editor?.postMessage({ kind: "ready" });
