// @ts-check
// A grid with what is needed of it often: computed at first use, as the page is to appear at once.

/** Colours of cells. */
const CLASSES = 8;
/** Banks of one colour. */
const BANKS_OF_A_COLOUR = 4;

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

/** A grid with what is needed of it often. */
class Model {
  /** @param {Grid} grid */
  constructor(grid) {
    this.grid = grid;
    this.width = grid.columns.shown;
    this.height = grid.rows.shown;
    /** @type {Map<number, number> | null} */
    this.byIndex = null;
    /** @type {Map<number | string, number[]> | null} */
    this.byOffset = null;
      /** The length of the longest text, by what is shown. @type {Map<string, number>} */
    this.lengths = new Map();
    /** The first (thread, value) that has a cell, and how many have it. */
    this.pair = new Int32Array(grid.owners ? grid.indices.length : 0).fill(-1);
    this.sharers = new Int32Array(this.pair.length);
    /** @type {boolean | undefined} */
    this.byValue = undefined;
    /** The cells of each thread, or of each run of threads that have the same. @type {Map<number, number[]>} */
    this.ofColumn = new Map();
    if (grid.owners) {
      this.own(grid.owners);
    }
  }

  /** Notes who has which cell. @param {Owners} owners */
  own(owners) {
    const alike = owners.alike ?? 1;
    const columns = owners.threads / alike;
    owners.cells.forEach((index, entry) => {
      const cell = this.cellOf(index);
      if (cell === undefined) {
        return;
      }
      const column = entry % columns;
      if (this.pair[cell] === -1) {
        this.pair[cell] = Math.floor(entry / columns) * owners.threads + column * alike;
      }
      this.sharers[cell] = (this.sharers[cell] ?? 0) + alike;
      const cells = this.ofColumn.get(column);
      if (cells) {
        cells.push(cell);
      } else {
        this.ofColumn.set(column, [cell]);
      }
    });
  }

  /** The cells of a thread. @param {number} thread */
  cellsOf(thread) {
    return this.ofColumn.get(Math.floor(thread / (this.grid.owners?.alike ?? 1))) ?? [];
  }

  /** The index of the cell of a thread's value. @param {Owners} owners @param {number} thread @param {number} value */
  indexOf(owners, thread, value) {
    const alike = owners.alike ?? 1;
    return owners.cells[value * (owners.threads / alike) + Math.floor(thread / alike)] ?? -1;
  }

  /** The cell of a coordinate's index; nothing where it is not drawn. @param {number} index */
  cellOf(index) {
    this.byIndex ??= new Map(this.grid.indices.map((other, cell) => [other, cell]));
    return this.byIndex.get(index);
  }

  /** @param {number} cell */
  owner(cell) {
    const pair = this.pair[cell] ?? -1;
    const threads = this.grid.owners?.threads ?? 1;
    return pair < 0 ? null : { thread: pair % threads, value: Math.floor(pair / threads) };
  }

  /** The bank for elements of a width; without one, of the first width. @param {number} cell @param {number} [bits] */
  bank(cell, bits) {
    const banks = this.grid.banks.find((other) => other.bits === bits || !bits);
    return banks ? parseInt(banks.cells.charAt(cell), 32) : null;
  }

  /** @param {number} cell */
  coordinate(cell) {
    const { rows, columns } = this.grid;
    return coordinate([
      [rows, (rows.first ?? 0) + Math.floor(cell / this.width)],
      [columns, (columns.first ?? 0) + (cell % this.width)],
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
    const cell = typeof value === "number" ? this.cellOf(value) : undefined;
    return cell === undefined ? [] : [cell];
  }

  /** @param {Key} key @param {number} cell @returns {number | string} */
  key(key, cell) {
    return (key === "offset" ? this.grid.offsets[cell] : this.grid.indices[cell]) ?? -1;
  }

  /**
   * The text of a cell.
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
      if (owner && this.isByValue()) {
        return `V${owner.value}`;
      }
      return owner ? `${this.threadText(owner.thread, shown)} V${owner.value}${more > 0 ? ` +${more}` : ""}` : "-";
    }
    return String(this.grid.offsets[cell]);
  }

  /** Whether cells are told apart by their values alone: there is one thread, or all threads share each value. */
  isByValue() {
    const threads = this.grid.owners?.threads ?? 0;
    this.byValue ??= threads === 1 || (threads > 1 && this.sharers.every((sharers) => sharers === threads));
    return this.byValue;
  }

  /** A thread, by warp and lane where that is shown. @param {number} thread @param {string} shown */
  threadText(thread, shown) {
    const lanes = this.grid.lanes ?? 1;
    if (this.grid.owners?.holder === "cta") {
      return `CTA${thread}`;
    }
    return shown === "warp" || shown === "lane" ? `W${Math.floor(thread / lanes)} L${thread % lanes}` : `T${thread}`;
  }

  /** What the colour of cells means. @param {string} shown */
  legend(shown) {
    if (shown.startsWith("bank")) {
      return `colour: bank, ${BANKS_OF_A_COLOUR} banks each`;
    }
    if (this.grid.owners && shown !== "offset" && shown !== "index") {
      const holder = this.grid.owners.holder === "cta" ? "CTA" : "thread";
      return `colour: ${this.isByValue() ? "value" : shown === "own" ? holder : shown} modulo ${CLASSES}`;
    }
    return this.grid.legend;
  }

  /** The length of the longest text in a cell. @param {string} shown */
  longest(shown) {
    let longest = this.lengths.get(shown);
    if (longest === undefined) {
      longest = 1;
      for (let cell = 0; cell < this.grid.indices.length; cell += 1) {
        longest = Math.max(longest, this.text(cell, shown).length);
      }
      this.lengths.set(shown, longest);
    }
    return longest;
  }

  /** What the owner of a cell is coloured by. @param {{ thread: number, value: number }} owner @param {string} shown */
  ownerNumber(owner, shown) {
    const lanes = this.grid.lanes ?? 1;
    /** @type {Record<string, number>} */
    const numbers = { value: owner.value, warp: Math.floor(owner.thread / lanes), lane: owner.thread % lanes };
    return this.isByValue() ? owner.value : (numbers[shown] ?? owner.thread);
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
      return owner && this.ownerNumber(owner, shown) % CLASSES;
    }
    return Number(this.grid.classes.charAt(cell));
  }
}
