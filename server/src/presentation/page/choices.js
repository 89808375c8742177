// @ts-check
// What can be chosen: a cell, a thread, a step, what cells show and how large they are.

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

/** The sizes of all grids anew. */
function measure() {
  for (const view of visible()) {
    view.measure();
  }
  draw();
}

/** The last thread of those that have cells; -1 where none has. */
function lastThread() {
  return Math.max(-1, ...views.map((view) => (view.model.grid.owners?.threads ?? 0) - 1));
}

/** Chooses a thread, or none. @param {number | null} thread */
function choose(thread) {
  const most = Math.max(0, lastThread());
  state.thread = thread === null ? null : Math.min(Math.max(thread, 0), most);
  tools.thread.value = state.thread === null ? "" : String(state.thread);
  draw();
  tell();
  tellValues();
  if (state.thread !== null) {
    for (const view of visible()) {
      const first = view.model.cellsOf(state.thread)[0];
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
    moveTo(view, model.cellOf(0) ?? 0);
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
    a: () => rotate(tools.access),
    f: () => fit(),
    h: () => turn(-1),
    H: () => turn(1),
  };
  acts[key]?.();
  return key in acts;
}

/** Takes the next choice of a list. @param {HTMLSelectElement} list */
function rotate(list) {
  list.selectedIndex = (list.selectedIndex + 1) % Math.max(list.options.length, 1);
  list.dispatchEvent(new Event("change"));
}

/** Makes cells larger or smaller, also those of the layouts that follow. @param {number} by */
function resize(by) {
  state.fits = false;
  state.height = Math.min(Math.max(state.height + by, 0), HEIGHTS.length - 1);
  measure();
}

/** Makes cells as large as they can be with all of every grid visible, now and of each layout that follows. */
function fit() {
  state.fits = true;
  const isInSight = () =>
    visible().every(({ scroller }) => scroller.scrollWidth <= scroller.clientWidth && scroller.scrollHeight <= scroller.clientHeight);
  for (state.height = HEIGHTS.length - 1; state.height > 0; state.height -= 1) {
    measure();
    if (isInSight()) {
      break;
    }
  }
  measure();
}

/** Shows a swizzled layout before its swizzle, after it, or both. */
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
    ? [["thread", "threads and values, by thread"], ["value", "threads and values, by value"],
        ["warp", "warps and lanes, by warp"], ["lane", "warps and lanes, by lane"], ["index", "indices"]]
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
