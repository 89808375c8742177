// @ts-check
// What is chosen, and one grid on the page.

/** What is chosen; the same for all grids. */
const state = {
  shown: "offset",
  /** @type {"both" | "on" | "off"} */
  swizzle: "both",
  /** @type {number | null} */
  thread: null,
  height: 5,
  /** @type {{ view: View, cell: number } | null} */
  cursor: null,
  step: -1,
};
/** @type {Sheet[]} */
let sheets = [];
/** The sheet that stays for comparison. @type {Sheet | null} */
let pinned = null;
/** @type {View[]} */
let views = [];
/** @type {Map<View, Set<number>>} */
let linked = new Map();
/** @type {Record<string, string>} */
let colours = {};
let awaited = false;

const tools = {
  shown: element("shown", HTMLSelectElement),
  swizzle: element("swizzle", HTMLSelectElement),
  thread: element("thread", HTMLInputElement),
  pin: element("pin", HTMLButtonElement),
};
const say = element("say", HTMLElement);

/** One grid on the page: a canvas that holds the cells in sight. */
class View {
  /** @param {Grid} grid @param {number} sheet @param {number} place */
  constructor(grid, sheet, place) {
    this.model = new Model(grid);
    this.sheet = sheet;
    this.place = place;
    /** Cells in which a compared grid differs. @type {Set<number>} */
    this.different = new Set();
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "grid of cells");
    this.canvas.setAttribute(
      "aria-label",
      `${grid.caption} ${grid.layout}: ${grid.rows.shown} rows, ${grid.columns.shown} columns`,
    );
    this.canvas.setAttribute("aria-describedby", "say");
    this.sizer = make("div", [this.canvas]);
    this.scroller = make("div", [this.sizer], { class: "scroller" });
    const notes = [`size ${grid.size}${grid.cosize === null ? "" : `, cosize ${grid.cosize}`}`, ...grid.notes];
    const title = grid.caption ? `${grid.caption}: ${grid.layout}` : grid.layout;
    this.figure = make("figure", [make("figcaption", [title, make("small", [notes.join(" · ")])]), this.scroller]);
    this.cellWidth = 0;
    this.cellHeight = 0;
    this.hasText = true;
    this.levelWidth = 0;
    this.levelHeight = 18;
    this.left = 0;
    this.top = 0;
    this.scroller.addEventListener("scroll", draw, { passive: true });
    this.canvas.addEventListener("mousemove", (event) => this.point(event));
    this.canvas.addEventListener("click", (event) => {
      this.point(event);
      pick();
    });
    this.canvas.addEventListener("focus", () => {
      if (state.cursor?.view !== this) {
        moveTo(this, 0);
      }
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** The size of cells and labels, for what is shown. */
  measure() {
    const { rows, columns } = this.model.grid;
    this.cellHeight = HEIGHTS[state.height] ?? 26;
    this.hasText = this.cellHeight >= LEAST_WITH_TEXT;
    const scale = Math.min(1, this.cellHeight / 26);
    this.cellWidth = this.cellHeight;
    if (this.hasText) {
      let longest = 1;
      for (let cell = 0; cell < this.model.grid.indices.length; cell += 1) {
        longest = Math.max(longest, this.model.text(cell, state.shown).length);
      }
      this.cellWidth = Math.max(this.cellHeight * 1.15, longest * 7.9 * scale + 8 * scale);
    }
    this.levelWidth = Math.max(...rows.levels.map((level) => String(level.extent).length), 1) * 8 + 14;
    this.left = rows.levels.length * this.levelWidth + (rows.levels.length > 0 ? 4 : 0);
    this.top = columns.levels.length * this.levelHeight + 4;
    const width = Math.ceil(this.left + this.model.width * this.cellWidth) + 2;
    const height = Math.ceil(this.top + this.model.height * this.cellHeight) + 2;
    this.sizer.style.width = `${width}px`;
    this.sizer.style.height = `${height}px`;
    const most = Math.max(240, Math.floor(window.innerHeight * 0.7));
    const room = (document.body.clientWidth - 32 - 24 * (sheets.length - 1)) / Math.max(sheets.length, 1);
    this.scroller.style.width = `${Math.min(width + (height > most ? 16 : 0), room)}px`;
    this.scroller.style.height = `${Math.min(height + (width > room ? 16 : 0), most)}px`;
  }

  /** @param {MouseEvent} event */
  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left - this.left + this.scroller.scrollLeft;
    const y = event.clientY - box.top - this.top + this.scroller.scrollTop;
    const [column, row] = [Math.floor(x / this.cellWidth), Math.floor(y / this.cellHeight)];
    const inside = column >= 0 && column < this.model.width && row >= 0 && row < this.model.height;
    const onLabels = event.clientX - box.left < this.left || event.clientY - box.top < this.top;
    if (inside && !onLabels) {
      moveTo(this, row * this.model.width + column, false);
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const cell = state.cursor?.view === this ? state.cursor.cell : 0;
    const { width, height } = this.model;
    const [row, column] = [Math.floor(cell / width), cell % width];
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / this.cellHeight) - 1);
    /** @type {Record<string, [number, number]>} */
    const moves = {
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      Home: [row, 0],
      End: [row, width - 1],
      PageUp: [row - page, column],
      PageDown: [row + page, column],
    };
    const move = moves[event.key];
    if (move) {
      const to = [Math.min(Math.max(move[0], 0), height - 1), Math.min(Math.max(move[1], 0), width - 1)];
      moveTo(this, (to[0] ?? 0) * width + (to[1] ?? 0));
    } else if (!act(event.key)) {
      return;
    }
    event.preventDefault();
  }

  /** Brings a cell into sight. @param {number} cell */
  reveal(cell) {
    const [x, y] = [(cell % this.model.width) * this.cellWidth, Math.floor(cell / this.model.width) * this.cellHeight];
    const { scroller } = this;
    const [width, height] = [scroller.clientWidth - this.left, scroller.clientHeight - this.top];
    scroller.scrollLeft = Math.min(Math.max(scroller.scrollLeft, x + this.cellWidth - width), x);
    scroller.scrollTop = Math.min(Math.max(scroller.scrollTop, y + this.cellHeight - height), y);
  }

  draw() {
    const { canvas, scroller, model } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [scroller.clientWidth, scroller.clientHeight];
    const [pixelsWide, pixelsHigh] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== pixelsWide || canvas.height !== pixelsHigh) {
      canvas.width = pixelsWide;
      canvas.height = pixelsHigh;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const pen = canvas.getContext("2d");
    if (!pen) {
      return;
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const { scrollLeft: x0, scrollTop: y0 } = scroller;
    const columns = inSight(x0, width - this.left, this.cellWidth, model.width);
    const rows = inSight(y0, height - this.top, this.cellHeight, model.height);
    const right = Math.min(width, this.left + model.width * this.cellWidth - x0);
    const bottom = Math.min(height, this.top + model.height * this.cellHeight - y0);
    pen.save();
    pen.beginPath();
    pen.rect(this.left, this.top, right - this.left + 1, bottom - this.top + 1);
    pen.clip();
    this.drawCells(pen, rows, columns, x0, y0);
    this.drawBorders(pen, rows, columns, x0, y0, right, bottom);
    this.drawMarks(pen, rows, columns, x0, y0);
    pen.restore();
    this.drawLabels(pen, rows, columns, x0, y0);
  }

  /** @param {number} column @param {number} x0 */
  x(column, x0) {
    return this.left + column * this.cellWidth - x0;
  }

  /** @param {number} row @param {number} y0 */
  y(row, y0) {
    return this.top + row * this.cellHeight - y0;
  }

  /** @param {CanvasRenderingContext2D} pen @param {Stretch} rows @param {Stretch} columns @param {number} x0 @param {number} y0 */
  drawCells(pen, rows, columns, x0, y0) {
    const { model } = this;
    const chosen = state.thread === null ? null : new Set(model.ofThread.get(state.thread) ?? []);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.font = `${Math.max(9, Math.min(13, this.cellHeight * 0.5))}px ui-monospace, Menlo, Consolas, monospace`;
    pen.lineWidth = 0.5;
    pen.strokeStyle = colours["line"] ?? "#777";
    for (let row = rows.from; row < rows.to; row += 1) {
      for (let column = columns.from; column < columns.to; column += 1) {
        const cell = row * model.width + column;
        const [x, y] = [this.x(column, x0), this.y(row, y0)];
        const colour = model.colour(cell, state.shown);
        pen.globalAlpha = chosen && model.grid.owners && !chosen.has(cell) ? 0.3 : 1;
        if (colour !== null) {
          pen.fillStyle = colours[`fill${colour}`] ?? "#ccc";
          pen.fillRect(x, y, this.cellWidth, this.cellHeight);
        }
        if (this.cellHeight > 7) {
          pen.strokeRect(x, y, this.cellWidth, this.cellHeight);
        }
        if (this.hasText) {
          pen.fillStyle = (colour === null ? colours["dim"] : colours[`ink${colour}`]) ?? "#111";
          pen.fillText(model.text(cell, state.shown), x + this.cellWidth / 2, y + this.cellHeight / 2 + 1);
        }
      }
    }
    pen.globalAlpha = 1;
  }

  /**
   * The frame, and lines where a nested mode begins anew.
   * @param {CanvasRenderingContext2D} pen @param {Stretch} rows @param {Stretch} columns
   * @param {number} x0 @param {number} y0 @param {number} right @param {number} bottom
   */
  drawBorders(pen, rows, columns, x0, y0, right, bottom) {
    const { model } = this;
    pen.strokeStyle = colours["edge"] ?? "#111";
    pen.lineWidth = this.cellHeight > 11 ? 2 : 1;
    pen.beginPath();
    const every = (/** @type {Axis} */ axis) => axis.levels[1]?.every ?? Number.POSITIVE_INFINITY;
    for (let column = columns.from; column <= columns.to; column += 1) {
      if (column === 0 || column === model.width || column % every(model.grid.columns) === 0) {
        pen.moveTo(this.x(column, x0), this.top);
        pen.lineTo(this.x(column, x0), bottom);
      }
    }
    for (let row = rows.from; row <= rows.to; row += 1) {
      if (row === 0 || row === model.height || row % every(model.grid.rows) === 0) {
        pen.moveTo(this.left, this.y(row, y0));
        pen.lineTo(right, this.y(row, y0));
      }
    }
    pen.stroke();
  }

  /** What is chosen, linked or different. @param {CanvasRenderingContext2D} pen @param {Stretch} rows @param {Stretch} columns @param {number} x0 @param {number} y0 */
  drawMarks(pen, rows, columns, x0, y0) {
    const { width } = this.model;
    const here = linked.get(this) ?? new Set();
    pen.fillStyle = pen.strokeStyle = colours["mark"] ?? "#c2185b";
    const seen = (/** @type {number} */ cell) => {
      const [row, column] = [Math.floor(cell / width), cell % width];
      return row >= rows.from && row < rows.to && column >= columns.from && column < columns.to;
    };
    const corner = Math.min(8, this.cellHeight / 2);
    for (const cell of this.different) {
      if (seen(cell)) {
        const [x, y] = [this.x(cell % width, x0), this.y(Math.floor(cell / width), y0)];
        pen.beginPath();
        pen.moveTo(x, y);
        pen.lineTo(x + corner, y);
        pen.lineTo(x, y + corner);
        pen.fill();
      }
    }
    pen.lineWidth = 3;
    for (const cell of here) {
      if (seen(cell)) {
        const [x, y] = [this.x(cell % width, x0), this.y(Math.floor(cell / width), y0)];
        pen.strokeRect(x + 1.5, y + 1.5, Math.max(this.cellWidth - 3, 1), Math.max(this.cellHeight - 3, 1));
      }
    }
  }

  /** Coordinates beside the cells. @param {CanvasRenderingContext2D} pen @param {Stretch} rows @param {Stretch} columns @param {number} x0 @param {number} y0 */
  drawLabels(pen, rows, columns, x0, y0) {
    const { grid } = this.model;
    pen.fillStyle = colours["dim"] ?? "#555";
    pen.strokeStyle = colours["line"] ?? "#777";
    pen.lineWidth = 1;
    pen.font = "12px ui-monospace, Menlo, Consolas, monospace";
    pen.textBaseline = "middle";
    grid.columns.levels.forEach((level, depth) => {
      const y = this.top - 4 - (depth + 0.5) * this.levelHeight;
      for (const span of spans(level, columns, this.cellWidth)) {
        const [from, to] = [Math.max(this.x(span.from, x0), this.left), this.x(span.to, x0)];
        if (to - from > 8) {
          pen.textAlign = "center";
          pen.fillText(String(span.coordinate), (from + to) / 2, y);
          if (depth > 0) {
            pen.strokeRect(from + 2, y + this.levelHeight / 2, to - from - 4, 0);
          }
        }
      }
    });
    grid.rows.levels.forEach((level, depth) => {
      const x = this.left - 6 - depth * this.levelWidth;
      for (const span of spans(level, rows, this.cellHeight)) {
        const [from, to] = [Math.max(this.y(span.from, y0), this.top), this.y(span.to, y0)];
        if (to - from > 8) {
          pen.textAlign = "right";
          pen.fillText(String(span.coordinate), x - 4, (from + to) / 2);
          if (depth > 0) {
            pen.strokeRect(x, from + 2, 0, to - from - 4);
          }
        }
      }
    });
  }
}

/** @typedef {{ from: number, to: number }} Stretch */

/**
 * The cells of an axis that a stretch of pixels shows.
 * @param {number} start @param {number} length @param {number} size @param {number} count @returns {Stretch}
 */
function inSight(start, length, size, count) {
  return { from: Math.max(0, Math.floor(start / size)), to: Math.min(count, Math.ceil((start + length) / size)) };
}

/**
 * Runs of equal coordinate; where cells are small only every so many has a label.
 * @param {Level} level @param {Stretch} range @param {number} size
 */
function spans(level, range, size) {
  const found = [];
  const least = Math.max(1, Math.ceil(24 / (size * level.every)));
  for (let run = Math.floor(range.from / level.every); run * level.every < range.to; run += 1) {
    const coordinate = run % level.extent;
    if (coordinate % least === 0) {
      const until = least > 1 ? run + Math.min(least, level.extent - coordinate) : run + 1;
      found.push({ coordinate, from: run * level.every, to: Math.min(until * level.every, range.to) });
    }
  }
  return found;
}
