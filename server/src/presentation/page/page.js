// @ts-check
// Shows what `document.rs` says of a layout, and links it: it finds no layout out by itself.
(() => {
  "use strict";
  /**
   * The data, as `document.rs` has it.
   * @typedef {{ mode: string, extent: number, every: number }} Level
   * @typedef {{ label: string, extent: number, shown: number, levels: Level[] }} Axis
   * @typedef {{ threads: number, values: number, thread_levels: Level[], value_levels: Level[], cells: number[] }} Owners
   * @typedef {{ caption: string, layout: string, size: number, cosize: number | null, rows: Axis, columns: Axis,
   *   indices: number[], offsets: (number | string)[], classes: string, faded: string,
   *   banks: { bits: number, cells: string }[], owners: Owners | null, notes: string[] }} Grid
   * @typedef {"index" | "offset"} Key
   * @typedef {{ from: number, to: number, of: Key, is: Key }} Link
   * @typedef {{ name: string, kind: string, title: string, grids: Grid[], links: Link[], facts: string[],
   *   derivation: string[], shown: "own" | "thread" | "value" | "bank" }} Sheet
   */

  /** What an editor gives to the page of a panel. */
  /** @type {{ postMessage(message: unknown): void, setState(state: unknown): void } | undefined} */
  const editor = /** @type {any} */ (window).acquireVsCodeApi?.();
  const CLASSES = 8;
  /** Banks of one colour. */
  const BANKS_OF_A_COLOUR = 4;
  /** Heights of a cell to choose from; below the third, no text stands in it. */
  const HEIGHTS = [4, 7, 11, 16, 20, 26, 34];
  const LEAST_WITH_TEXT = 16;

  /** @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
  function element(id, type) {
    const found = document.getElementById(id);
    if (!(found instanceof type)) {
      throw new Error(`no element ${id}`);
    }
    return found;
  }

  /**
   * @param {string} tag
   * @param {(Node | string)[]} children
   * @param {Record<string, string>} attributes
   */
  function make(tag, children = [], attributes = {}) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  /**
   * A coordinate as CuTe prints it, from the leaves that a position has along its axes.
   * @param {[Axis | { levels: Level[] }, number][]} along
   */
  function coordinate(along) {
    /** @typedef {{ children: Tree[], value: number | null }} Tree */
    /** @type {Tree} */
    const root = { children: [], value: null };
    for (const [axis, position] of along) {
      for (const level of axis.levels) {
        let node = root;
        for (const step of level.mode.split(".").map(Number)) {
          node = node.children[step] ??= { children: [], value: null };
        }
        node.value = Math.floor(position / level.every) % level.extent;
      }
    }
    /** @param {Tree} tree @returns {string} */
    const print = (tree) => (tree.value !== null ? String(tree.value) : `(${tree.children.map(print).join(",")})`);
    return root.children.length === 1 && root.children[0] ? print(root.children[0]) : print(root);
  }

  /** A grid with what is asked of it often. */
  class Model {
    /** @param {Grid} grid */
    constructor(grid) {
      this.grid = grid;
      this.width = grid.columns.shown;
      this.height = grid.rows.shown;
      /** Cells by index. */
      this.byIndex = new Map(grid.indices.map((index, cell) => [index, cell]));
      /** Cells by offset, found when first asked for. @type {Map<number | string, number[]> | null} */
      this.byOffset = null;
      /** The first (thread, value) that has a cell, and how many have it. */
      this.pair = new Int32Array(grid.indices.length).fill(-1);
      this.sharers = new Int32Array(grid.indices.length);
      /** @type {Map<number, number[]>} */
      this.ofThread = new Map();
      const owners = grid.owners;
      owners?.cells.forEach((index, pair) => {
        const cell = this.byIndex.get(index);
        if (cell === undefined) {
          return;
        }
        if (this.pair[cell] === -1) {
          this.pair[cell] = pair;
        }
        this.sharers[cell] = (this.sharers[cell] ?? 0) + 1;
        const thread = pair % owners.threads;
        const cells = this.ofThread.get(thread);
        if (cells) {
          cells.push(cell);
        } else {
          this.ofThread.set(thread, [cell]);
        }
      });
    }

    /** @param {number} cell */
    owner(cell) {
      const pair = this.pair[cell] ?? -1;
      const threads = this.grid.owners?.threads ?? 1;
      return pair < 0 ? null : { thread: pair % threads, value: Math.floor(pair / threads) };
    }

    /** @param {number} cell @param {number} [bits] */
    bank(cell, bits) {
      const banks = this.grid.banks.find((other) => other.bits === bits) ?? this.grid.banks[0];
      return banks ? parseInt(banks.cells.charAt(cell), 32) : null;
    }

    /** @param {number} cell */
    coordinate(cell) {
      const { rows, columns } = this.grid;
      return coordinate([
        [rows, Math.floor(cell / this.width)],
        [columns, cell % this.width],
      ]);
    }

    offsets() {
      /** @type {Map<number | string, number[]>} */
      const found = new Map();
      this.grid.offsets.forEach((offset, cell) => {
        const same = found.get(offset);
        if (same) {
          same.push(cell);
        } else {
          found.set(offset, [cell]);
        }
      });
      return found;
    }

    /** The cells with this key. @param {Key} key @param {number | string} value */
    find(key, value) {
      if (key === "offset") {
        return (this.byOffset ??= this.offsets()).get(value) ?? [];
      }
      const cell = typeof value === "number" ? this.byIndex.get(value) : undefined;
      return cell === undefined ? [] : [cell];
    }

    /** @param {Key} key @param {number} cell @returns {number | string} */
    key(key, cell) {
      return (key === "offset" ? this.grid.offsets[cell] : this.grid.indices[cell]) ?? -1;
    }

    /**
     * What stands in a cell.
     * @param {number} cell @param {string} shown
     */
    text(cell, shown) {
      if (shown.startsWith("bank")) {
        return String(this.bank(cell, Number(shown.slice(4))) ?? "");
      }
      if (shown === "index") {
        return String(this.grid.indices[cell]);
      }
      if (shown !== "offset" && this.grid.owners) {
        const owner = this.owner(cell);
        const more = (this.sharers[cell] ?? 1) - 1;
        return owner ? `T${owner.thread} V${owner.value}${more > 0 ? ` +${more}` : ""}` : "-";
      }
      return String(this.grid.offsets[cell]);
    }

    /**
     * The colour class of a cell; nothing for none.
     * @param {number} cell @param {string} shown
     */
    colour(cell, shown) {
      if (this.grid.faded.charAt(cell) === "1") {
        return null;
      }
      if (shown.startsWith("bank")) {
        const bank = this.bank(cell, Number(shown.slice(4)));
        return bank === null ? null : Math.floor(bank / BANKS_OF_A_COLOUR);
      }
      const owner = this.owner(cell);
      if (this.grid.owners && shown !== "offset" && shown !== "index") {
        return owner && (shown === "value" ? owner.value : owner.thread) % CLASSES;
      }
      return Number(this.grid.classes.charAt(cell));
    }
  }

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

    /** @param {CanvasRenderingContext2D} pen @param {Range} rows @param {Range} columns @param {number} x0 @param {number} y0 */
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
     * @param {CanvasRenderingContext2D} pen @param {Range} rows @param {Range} columns
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

    /** What is chosen, linked or different. @param {CanvasRenderingContext2D} pen @param {Range} rows @param {Range} columns @param {number} x0 @param {number} y0 */
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

    /** Coordinates beside the cells. @param {CanvasRenderingContext2D} pen @param {Range} rows @param {Range} columns @param {number} x0 @param {number} y0 */
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

  /** @typedef {{ from: number, to: number }} Range */

  /**
   * The cells of an axis that a stretch of pixels shows.
   * @param {number} start @param {number} length @param {number} size @param {number} count @returns {Range}
   */
  function inSight(start, length, size, count) {
    return { from: Math.max(0, Math.floor(start / size)), to: Math.min(count, Math.ceil((start + length) / size)) };
  }

  /**
   * Runs of equal coordinate; where cells are small only every so many has a label.
   * @param {Level} level @param {Range} range @param {number} size
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
})();
