// @ts-check
// What is said in words: where we are, the values of a thread, and what follows.

/** Where we are: one line, and a row per grid. */
function tell() {
  /** @type {string[][]} */
  const table = [];
  for (const view of views) {
    for (const cell of [...(linked.get(view) ?? [])].slice(0, 4)) {
      const { grid } = view.model;
      const owner = view.model.owner(cell);
      const bank = view.model.bank(cell, Number(state.shown.slice(4)));
      const name = `${sheets.length > 1 ? `${view.sheet + 1}: ` : ""}${grid.caption || "layout"}`;
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
  place.tHead?.replaceChildren(headOf(keep(names)));
  place.tBodies[0]?.replaceChildren(...table.map((row) => make("tr", cellsOf(keep(row)))));
  place.hidden = table.length === 0;
  const inWords = (/** @type {string[]} */ row) =>
    row.map((text, column) => (column === 0 ? text : text && `${names[column]} ${text}`)).filter(Boolean).join(" · ");
  say.textContent = table.map(inWords).join("  |  ");
  markRow();
}

/** @param {string[]} texts */
function headOf(texts) {
  return make("tr", texts.map((text) => make("th", [text], { scope: "col" })));
}

/** @param {string[]} texts */
function cellsOf(texts) {
  return texts.map((text) => make("td", [text]));
}

/** The tables of the chosen thread, one per grid whose cells have owners. */
function tellValues() {
  const box = element("values", HTMLElement);
  const tables = state.thread === null ? [] : visible().flatMap((view) => valuesOf(view, state.thread ?? 0));
  box.replaceChildren(...tables);
  box.hidden = tables.length === 0;
  markRow();
}

/** The values of a thread with the cell of each, under the names that comments use: `(V,M,N)`. @param {View} view @param {number} thread */
function valuesOf(view, thread) {
  const { owners, caption } = view.model.grid;
  if (!owners || thread >= owners.threads) {
    return [];
  }
  const rows = [];
  for (let value = 0; value < owners.values; value += 1) {
    const cell = view.model.cellOf(view.model.indexOf(owners, thread, value));
    const place = coordinate([[{ levels: owners.value_levels }, value]]);
    const row = make("tr", cellsOf([String(value), place, cell === undefined ? "not drawn" : view.model.coordinate(cell)]));
    if (cell !== undefined) {
      row.tabIndex = 0;
      row.dataset["place"] = `${views.indexOf(view)} ${cell}`;
      const go = () => moveTo(view, cell);
      row.addEventListener("mouseenter", go);
      row.addEventListener("focus", go);
    }
    rows.push(row);
  }
  const head = headOf(["value", together(owners.value_modes, "V"), together(owners.tile_modes, "cell")]);
  const noun = owners.holder === "cta" ? "CTA" : "thread";
  const title = make("caption", [`${caption || noun}: ${noun} ${thread}`]);
  return [make("table", [title, make("thead", [head]), make("tbody", rows)])];
}

/** Names of modes as one coordinate. @param {string[]} names @param {string} none */
function together(names, none) {
  return names.length > 1 ? `(${names.join(",")})` : (names[0] ?? none);
}

/** Marks the rows of the cells that are chosen. */
function markRow() {
  for (const row of element("values", HTMLElement).querySelectorAll("tr[data-place]")) {
    const [view, cell] = (row.getAttribute("data-place") ?? "").split(" ").map(Number);
    const there = views[view ?? -1];
    row.classList.toggle("here", there !== undefined && linked.get(there)?.has(cell ?? -1) === true);
  }
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
    made.push(make("details", [make("summary", ["How it comes about"]), list]));
  }
  return made;
}
