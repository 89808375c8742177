// @ts-check
// The data, as `document.rs` has it, and the elements of the page. Nothing here finds a layout out by itself.

/**
 * @typedef {{ mode: string, extent: number, every: number }} Level
 * @typedef {{ label: string, extent: number, first?: number, shown: number, levels: Level[] }} Axis
 * @typedef {{ holder?: "cta", threads: number, values: number, thread_levels: Level[], value_levels: Level[],
 *   value_modes: string[], tile_modes: string[], alike?: number, cells: number[] }} Owners
 * @typedef {{ caption: string, layout: string, size: number, cosize: number | null, rows: Axis, columns: Axis, legend: string,
 *   indices: number[], offsets: (number | string)[], classes: string, faded: string,
 *   banks: { bits: number, cells: string }[], owners: Owners | null, lanes: number | null, source: Place | null,
 *   notes: string[] }} Grid
 * @typedef {{ uri: string, line: number, character: number }} Place
 * @typedef {{ bank: number, words: number[][] }} Conflict
 * @typedef {{ waves: number, lanes: [number, number, number][], further: [number, number][], conflicts: Conflict[] }} Phase
 * @typedef {{ label: string, bits: number, costs: { grid: number, waves: number, phases: Phase[] }[],
 *   place: Place | null }} Access
 * @typedef {"index" | "offset"} Key
 * @typedef {{ from: number, to: number, of: Key, is: Key }} Link
 * @typedef {{ name: string, kind: string, title: string, grids: Grid[], results: number[], links: Link[], facts: string[],
 *   derivation: string[], shown: "own" | "thread" | "value" | "bank",
 *   accesses: Access[], access: number | null, expression: string | null }} Sheet
 * @typedef {{ format: number, sheets: Sheet[], pinned: Sheet | null }} Kept
 */

performance.mark("cute-began");

/** Counts the forms that `Sheet` has had: what an older page has kept is not shown. */
const FORMAT = 6;

/** What an editor gives to the page of a panel. */
/** @type {{ postMessage(message: unknown): void, setState(state: Kept): void, getState(): Kept | undefined } | undefined} */
const editor = /** @type {any} */ (window).acquireVsCodeApi?.();

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
