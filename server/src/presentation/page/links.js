// @ts-check
// Which cells of the grids are the same thing, and in which cells two sheets differ.

/** Finds what the chosen cell is linked with: over links in both directions, and in the other sheet. */
function follow() {
  linked = new Map();
  if (!state.cursor) {
    return;
  }
  const { view, cell } = state.cursor;
  spread(view, cell);
  const twin = twinOf(view);
  const same = twin?.model.find("index", view.model.key("index", cell))[0];
  if (twin && same !== undefined) {
    spread(twin, same);
  }
}

/** The grid that a grid is compared with: results with results, never with what they are made of. @param {View} view */
function twinOf(view) {
  const at = sheets[view.sheet]?.results.indexOf(view.place) ?? -1;
  return at < 0
    ? undefined
    : views.find((other) => other.sheet !== view.sheet && sheets[other.sheet]?.results[at] === other.place);
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

/** Where two sheets are compared: the cells in which they differ, and how many. */
function compare() {
  let differing = 0;
  let compared = 0;
  for (const view of views) {
    view.different.clear();
    const twin = twinOf(view);
    if (!twin) {
      continue;
    }
    view.model.grid.indices.forEach((index, cell) => {
      const other = twin.model.cellOf(index);
      const isAlone = other === undefined;
      // A cell that both have is counted once.
      const counted = isAlone || view.sheet > 0 ? 1 : 0;
      compared += counted;
      if (isAlone || twin.model.text(other, state.shown) !== view.model.text(cell, state.shown)) {
        view.different.add(cell);
        differing += counted;
      }
    });
  }
  return compared > 0 ? `${differing} of ${compared} cells differ from the first` : "";
}
