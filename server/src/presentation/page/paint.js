// @ts-check
// Drawing the visible part of a grid. A frame has few changes of colour and of font, as they cost more than cells.

/** @typedef {{ from: number, to: number }} Stretch */
/**
 * The visible part: rows and columns, how far it is scrolled, and where the last cells end.
 * @typedef {{ pen: CanvasRenderingContext2D, rows: Stretch, columns: Stretch, x0: number, y0: number,
 *   right: number, bottom: number }} Sight
 */

/** Pixels from line to line below which a group has no lines. */
const LEAST_GROUP = 8;
const MONOSPACE = "ui-monospace, Menlo, Consolas, monospace";

/** The colours of the theme, by name. @type {Record<string, string>} */
let colours = {};
/** A frame has been requested. */
let awaited = false;

/** Reads the colours of the theme. */
function readColours() {
  const style = getComputedStyle(document.body);
  const names = ["page", "line", "edge", "dim", "mark"];
  for (let index = 0; index < CLASSES; index += 1) {
    names.push(`fill${index}`, `ink${index}`);
  }
  colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** Draws all grids before the next frame. */
function draw() {
  if (awaited) {
    return;
  }
  awaited = true;
  requestAnimationFrame(() => {
    awaited = false;
    visible().forEach(paint);
    if (performance.getEntriesByName("cute-painted").length === 0) {
      performance.mark("cute-painted");
    }
  });
}

/** @param {View} view */
function paint(view) {
  const { canvas, scroller, model } = view;
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [scroller.clientWidth, scroller.clientHeight];
  const [pixelsWide, pixelsHigh] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelsWide || canvas.height !== pixelsHigh) {
    canvas.width = pixelsWide;
    canvas.height = pixelsHigh;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d", { alpha: false });
  if (!pen) {
    return;
  }
  const { scrollLeft: x0, scrollTop: y0 } = scroller;
  /** @type {Sight} */
  const sight = {
    pen,
    rows: inSight(y0, height - view.top, view.cellHeight, model.height),
    columns: inSight(x0, width - view.left, view.cellWidth, model.width),
    x0,
    y0,
    right: Math.min(width, view.left + model.width * view.cellWidth - x0),
    bottom: Math.min(height, view.top + model.height * view.cellHeight - y0),
  };
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = colours["page"] ?? "#fff";
  pen.fillRect(0, 0, width, height);
  pen.save();
  pen.beginPath();
  pen.rect(view.left, view.top, sight.right - view.left + 1, sight.bottom - view.top + 1);
  pen.clip();
  paintCells(view, sight);
  paintLines(view, sight);
  paintMarks(view, sight);
  pen.restore();
  paintLabels(view, sight);
}

/**
 * The cells of an axis that a stretch of pixels shows.
 * @param {number} start @param {number} length @param {number} size @param {number} count @returns {Stretch}
 */
function inSight(start, length, size, count) {
  return { from: Math.max(0, Math.floor(start / size)), to: Math.min(count, Math.ceil((start + length) / size)) };
}

/** Where a cell is on the canvas. @param {View} view @param {Sight} sight @param {number} cell @returns {[number, number]} */
function corner(view, sight, cell) {
  const { width } = view.model;
  return [
    view.left + (cell % width) * view.cellWidth - sight.x0,
    view.top + Math.floor(cell / width) * view.cellHeight - sight.y0,
  ];
}

/** The cells, those that the chosen thread does not have pale. @param {View} view @param {Sight} sight */
function paintCells(view, sight) {
  const { model } = view;
  const chosen = state.thread === null || !model.grid.owners ? null : new Set(model.cellsOf(state.thread));
  /** Cells of the same looks. @type {Map<string, { colour: number | null, pale: boolean, cells: number[] }>} */
  const alike = new Map();
  for (let row = sight.rows.from; row < sight.rows.to; row += 1) {
    for (let column = sight.columns.from; column < sight.columns.to; column += 1) {
      const cell = row * model.width + column;
      const colour = colourOf(view, cell);
      const pale = chosen !== null && !chosen.has(cell);
      const looks = `${colour} ${pale}`;
      const same = alike.get(looks);
      if (same) {
        same.cells.push(cell);
      } else {
        alike.set(looks, { colour, pale, cells: [cell] });
      }
    }
  }
  const { pen } = sight;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = `${Math.max(9, Math.min(13, view.cellHeight * 0.5))}px ${MONOSPACE}`;
  for (const { colour, pale, cells } of alike.values()) {
    pen.globalAlpha = pale ? 0.3 : 1;
    paintAlike(view, sight, colour, cells);
  }
  pen.globalAlpha = 1;
}

/** Cells of one colour with their texts. @param {View} view @param {Sight} sight @param {number | null} colour @param {number[]} cells */
function paintAlike(view, sight, colour, cells) {
  const { pen } = sight;
  const { cellWidth, cellHeight } = view;
  if (colour !== null) {
    pen.fillStyle = colours[`fill${colour}`] ?? "#ccc";
    for (const cell of cells) {
      pen.fillRect(...corner(view, sight, cell), cellWidth, cellHeight);
    }
  }
  if (view.hasText) {
    pen.fillStyle = (colour === null ? colours["dim"] : colours[`ink${colour}`]) ?? "#111";
    for (const cell of cells) {
      const [x, y] = corner(view, sight, cell);
      pen.fillText(textOf(view, cell), x + cellWidth / 2, y + cellHeight / 2 + 1);
    }
  }
}

/** After how many cells a nested mode begins anew; never where the lines would hide the cells. @param {Axis} axis @param {number} size */
function groupOf(axis, size) {
  const every = axis.levels[1]?.every ?? Number.POSITIVE_INFINITY;
  return every * size < LEAST_GROUP ? Number.POSITIVE_INFINITY : every;
}

/** Lines between cells, heavier where a nested mode begins anew and around all. @param {View} view @param {Sight} sight */
function paintLines(view, sight) {
  const { rows, columns } = view.model.grid;
  const { pen, x0, y0, right, bottom } = sight;
  /** @param {boolean} heavy */
  const lines = (heavy) => {
    const wanted = (/** @type {Axis} */ axis, /** @type {number} */ at) =>
      (at === 0 || at === axis.shown || ((axis.first ?? 0) + at) % groupOf(axis, view.cellHeight) === 0) === heavy;
    pen.beginPath();
    for (let column = sight.columns.from; column <= sight.columns.to; column += 1) {
      if (wanted(columns, column)) {
        const x = view.left + column * view.cellWidth - x0;
        pen.moveTo(x, view.top);
        pen.lineTo(x, bottom);
      }
    }
    for (let row = sight.rows.from; row <= sight.rows.to; row += 1) {
      if (wanted(rows, row)) {
        const y = view.top + row * view.cellHeight - y0;
        pen.moveTo(view.left, y);
        pen.lineTo(right, y);
      }
    }
    pen.stroke();
  };
  if (view.cellHeight > 7) {
    pen.strokeStyle = colours["line"] ?? "#777";
    pen.lineWidth = 0.75;
    lines(false);
  }
  pen.strokeStyle = colours["edge"] ?? "#111";
  pen.lineWidth = view.cellHeight > 11 ? 2 : 1;
  lines(true);
}

/** What is chosen, linked or different. @param {View} view @param {Sight} sight */
function paintMarks(view, sight) {
  const { pen, rows, columns } = sight;
  const { width } = view.model;
  const seen = (/** @type {number} */ cell) => {
    const [row, column] = [Math.floor(cell / width), cell % width];
    return row >= rows.from && row < rows.to && column >= columns.from && column < columns.to;
  };
  pen.fillStyle = pen.strokeStyle = colours["mark"] ?? "#c2185b";
  const fold = Math.min(8, view.cellHeight / 2);
  for (const cell of view.different) {
    if (seen(cell)) {
      const [x, y] = corner(view, sight, cell);
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + fold, y);
      pen.lineTo(x, y + fold);
      pen.fill();
    }
  }
  pen.lineWidth = 2;
  for (const [cell, { collides }] of touched.get(view) ?? []) {
    if (collides && seen(cell)) {
      const [x, y] = corner(view, sight, cell);
      pen.strokeRect(x + 1, y + 1, Math.max(view.cellWidth - 2, 1), Math.max(view.cellHeight - 2, 1));
    }
  }
  pen.lineWidth = 3;
  for (const cell of linked.get(view) ?? []) {
    if (seen(cell)) {
      const [x, y] = corner(view, sight, cell);
      pen.strokeRect(x + 1.5, y + 1.5, Math.max(view.cellWidth - 3, 1), Math.max(view.cellHeight - 3, 1));
    }
  }
}

/** Coordinates beside the cells. @param {View} view @param {Sight} sight */
function paintLabels(view, sight) {
  const { rows, columns } = view.model.grid;
  const { pen, x0, y0 } = sight;
  pen.fillStyle = colours["dim"] ?? "#555";
  pen.strokeStyle = colours["line"] ?? "#777";
  pen.lineWidth = 1;
  pen.font = `12px ${MONOSPACE}`;
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  columns.levels.forEach((level, depth) => {
    const y = view.top - 4 - (depth + 0.5) * view.levelHeight;
    for (const span of spans(level, sight.columns, view.cellWidth, columns.first ?? 0)) {
      const from = Math.max(view.left + span.from * view.cellWidth - x0, view.left);
      const to = view.left + span.to * view.cellWidth - x0;
      if (to - from > 8) {
        pen.fillText(String(span.coordinate), (from + to) / 2, y);
        if (depth > 0) {
          pen.strokeRect(from + 2, y + view.levelHeight / 2, to - from - 4, 0);
        }
      }
    }
  });
  pen.textAlign = "right";
  rows.levels.forEach((level, depth) => {
    const x = view.left - 6 - depth * view.levelWidth;
    for (const span of spans(level, sight.rows, view.cellHeight, rows.first ?? 0)) {
      const from = Math.max(view.top + span.from * view.cellHeight - y0, view.top);
      const to = view.top + span.to * view.cellHeight - y0;
      if (to - from > 8) {
        pen.fillText(String(span.coordinate), x - 4, (from + to) / 2);
        if (depth > 0) {
          pen.strokeRect(x, from + 2, 0, to - from - 4);
        }
      }
    }
  });
}

/**
 * Runs of equal coordinate; where cells are small only every n-th has a label.
 * @param {Level} level @param {Stretch} range the cells that are seen @param {number} size
 * @param {number} first the position of the first cell
 */
function spans(level, range, size, first) {
  const found = [];
  const least = Math.max(1, Math.ceil(24 / (size * level.every)));
  const end = first + range.to;
  for (let run = Math.floor((first + range.from) / level.every); run * level.every < end; run += 1) {
    const coordinate = run % level.extent;
    if (coordinate % least === 0) {
      const until = least > 1 ? run + Math.min(least, level.extent - coordinate) : run + 1;
      found.push({ coordinate, from: run * level.every - first, to: Math.min(until * level.every, end) - first });
    }
  }
  return found;
}
