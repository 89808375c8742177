// @ts-check
// An access of a warp, phase by phase: which lanes are served together, and which of them collide in a bank.

/** What the chosen phases touch in each grid, by cell. @type {Map<View, Map<number, { lane: number, bank: number, collides: boolean }>>} */
let touched = new Map();

/** The access that is chosen; nothing for none. */
function chosenAccess() {
  return sheets.length === 1 ? sheets[0]?.accesses[Number(tools.access.value)] : undefined;
}

/** The accesses to choose from. */
function offerAccess() {
  const accesses = (sheets.length === 1 && sheets[0]?.accesses) || [];
  const several = new Set(accesses.map((access) => access.bits)).size > 1;
  const options = accesses.map(({ label, bits }, number) =>
    make("option", [several ? `${label}, ${bits}-bit elements` : label], { value: String(number) }),
  );
  tools.access.replaceChildren(make("option", ["none"], { value: "" }), ...options);
  const first = sheets.length === 1 ? (sheets[0]?.access ?? null) : null;
  tools.access.value = first === null ? "" : String(first);
  element("access-tool", HTMLElement).hidden = accesses.length === 0;
  showAccess();
}

/** Marks what the chosen access touches, and says what it costs. */
function showAccess() {
  touched = new Map();
  const access = tools.access.value === "" ? undefined : chosenAccess();
  const most = Math.max(0, ...(access?.costs ?? []).map((cost) => cost.phases.length));
  element("phase-tool", HTMLElement).hidden = most < 2;
  tools.phase.max = String(most);
  const phase = tools.phase.value === "" ? null : Math.min(Math.max(Number(tools.phase.value), 1), most) - 1;
  const tables = (access?.costs ?? []).map((cost) => {
    const view = views.find((one) => one.place === cost.grid);
    const phases = cost.phases.filter((_, number) => phase === null || number === phase);
    if (view) {
      touched.set(view, touchedBy(view, phases, access?.bits ?? 0));
    }
    const ideal = cost.phases.length;
    const waves = `${cost.waves} wavefront${cost.waves === 1 ? "" : "s"}`;
    const caption = `${view?.model.grid.caption || "layout"}: ${waves}${cost.waves > ideal ? `, ${ideal} without conflicts` : ""}`;
    return conflictsOf(caption, cost.phases, phase);
  });
  const box = element("conflicts", HTMLElement);
  box.replaceChildren(...tables);
  box.hidden = tables.length === 0;
  offerPlaces();
  measure();
}

/** Where the source has the access that is chosen. */
function placeOfAccess() {
  return (tools.access.value === "" ? undefined : chosenAccess())?.place ?? null;
}

/** All cells that the lanes of phases touch, each with its bank. @param {View} view @param {Phase[]} phases @param {number} bits */
function touchedBy(view, phases, bits) {
  /** @type {Map<number, { lane: number, bank: number, collides: boolean }>} */
  const cells = new Map();
  for (const { conflicts, lanes, further } of phases) {
    const colliding = new Map(conflicts.map(({ bank, words }) => [bank, new Set(words.flat())]));
    const touch = (/** @type {number} */ lane, /** @type {number} */ index, /** @type {number} */ first) => {
      const cell = view.model.cellOf(index);
      if (cell !== undefined) {
        const bank = view.model.bank(cell, bits) ?? first;
        cells.set(cell, { lane, bank, collides: colliding.get(bank)?.has(lane) ?? false });
      }
    };
    lanes.forEach(([lane, index, bank]) => touch(lane, index, bank));
    further.forEach(([lane, index]) => touch(lane, index, 0));
  }
  return cells;
}

/** Which lanes collide on which bank, a row for each word. @param {string} caption @param {Phase[]} phases @param {number | null} chosen */
function conflictsOf(caption, phases, chosen) {
  const rows = phases.flatMap((phase, number) =>
    chosen === null || chosen === number
      ? phase.conflicts.map(({ bank, words }) =>
          make("tr", cellsOf([String(number + 1), String(bank), String(words.length), words.map((lanes) => lanes.join(" ")).join(" | ")])),
        )
      : [],
  );
  const head = headOf(["phase", "bank", "words", "lanes of each word"]);
  const none = rows.length === 0 ? ", no bank conflict" : "";
  return make("table", [make("caption", [caption + none]), make("thead", rows.length > 0 ? [head] : []), make("tbody", rows)]);
}

/** The text of a cell: the lane that touches it, where an access is chosen. @param {View} view @param {number} cell */
function textOf(view, cell) {
  const lanes = touched.get(view);
  if (!lanes) {
    return view.model.text(cell, state.shown);
  }
  const here = lanes.get(cell);
  return here ? `L${here.lane} b${here.bank}` : "";
}

/** The colour class of a cell: that of its bank, where an access is chosen. @param {View} view @param {number} cell */
function colourOf(view, cell) {
  const lanes = touched.get(view);
  if (!lanes) {
    return view.model.colour(cell, state.shown);
  }
  const here = lanes.get(cell);
  return here ? Math.floor(here.bank / BANKS_OF_A_COLOUR) : null;
}
