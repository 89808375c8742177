// @ts-check
// One grid on the page: its elements, its measures, and what the mouse and the keyboard do in it.

/** One grid on the page: a canvas that holds the visible cells. */
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
    this.legend = make("span");
    const notes = [`size ${grid.size}${grid.cosize === null ? "" : `, cosize ${grid.cosize}`}`, ...grid.notes];
    const title = grid.caption ? `${grid.caption}: ${grid.layout}` : grid.layout;
    this.canvas.addEventListener("dblclick", () => this.toSource());
    this.canvas.title = editor && grid.source ? "A double click goes to its declaration, or to the copy that is chosen" : "";
    this.scroller.addEventListener("wheel", (event) => this.zoom(event), { passive: false });
    const caption = [title, make("small", [notes.join(" · "), this.legend]), ...this.parts()];
    this.figure = make("figure", [make("figcaption", caption), this.scroller]);
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

  /** Goes to what the cell is touched by, or to the declaration of the layout. */
  toSource() {
    const cell = state.cursor?.view === this ? state.cursor.cell : undefined;
    const isTouched = cell !== undefined && touched.get(this)?.has(cell);
    const place = (isTouched ? placeOfAccess() : null) ?? this.model.grid.source;
    if (place) {
      editor?.postMessage({ kind: "reveal", place });
    }
  }

  /** Buttons that lead to the parts of a grid that are not drawn. */
  parts() {
    const { rows, columns } = this.model.grid;
    /** @param {Axis} axis @param {number} by */
    const next = (axis, by) => Math.min(Math.max((axis.first ?? 0) + by * axis.shown, 0), axis.extent - 1);
    /** @type {[string, Axis, number][]} */
    const ways = [["◀ Columns", columns, -1], ["Columns ▶", columns, 1], ["▲ Rows", rows, -1], ["Rows ▼", rows, 1]];
    const buttons = ways.flatMap(([name, axis, by]) => {
      const begin = (axis.first ?? 0) + by * axis.shown;
      if (!editor || begin >= axis.extent || begin <= -axis.shown) {
        return [];
      }
      const button = make("button", [name], { type: "button", class: "part" });
      const row = axis === rows ? next(rows, by) : (rows.first ?? 0);
      const column = axis === columns ? next(columns, by) : (columns.first ?? 0);
      button.addEventListener("click", () => editor?.postMessage({ kind: "part", row, column }));
      return [button];
    });
    return buttons.length > 0 ? [make("span", buttons, { role: "group", "aria-label": "Parts of the layout" })] : [];
  }

  /** With the control key the wheel changes the size of cells, as in a map. @param {WheelEvent} event */
  zoom(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      resize(event.deltaY < 0 ? 1 : -1);
    }
  }

  /** The size of cells and labels, for what is shown. */
  measure() {
    const { rows, columns } = this.model.grid;
    const legend = touched.has(this) ? `colour: bank, ${BANKS_OF_A_COLOUR} banks each; framed: bank conflict` : this.model.legend(state.shown);
    this.legend.textContent = legend && ` · ${legend}`;
    this.cellHeight = HEIGHTS[state.height] ?? 26;
    this.hasText = this.cellHeight >= LEAST_WITH_TEXT;
    const scale = Math.min(1, this.cellHeight / 26);
    this.cellWidth = this.cellHeight;
    if (this.hasText) {
      const longest = touched.has(this) ? LONGEST_LANE : this.model.longest(state.shown);
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
    // The operands of a product are around it: two grids in a row.
    const inRow = sheets.length * (sheets[this.sheet]?.kind === "mma" ? 2 : 1);
    const room = (document.body.clientWidth - 32 - 24 * (inRow - 1)) / Math.max(inRow, 1);
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
}
