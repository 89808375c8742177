// @ts-check
// What is shown and chosen: the same for all grids.

/** Heights of a cell to choose from; the smallest show a large layout as a whole. */
const HEIGHTS = [1, 2, 4, 7, 11, 16, 20, 26, 34];
const LEAST_WITH_TEXT = 16;
/** The length of the longest text in a cell that a lane touches: `L31 b31`. */
const LONGEST_LANE = 7;
/** The most sheets that are kept to go back to. */
const MOST_KEPT = 20;

const state = {
  shown: "offset",
  /** @type {"both" | "on" | "off"} */
  swizzle: "both",
  /** @type {number | null} */
  thread: null,
  /** Which of the heights. */
  height: 7,
  /** Whether each layout gets the height with which all of it is visible. */
  fits: false,
  /** @type {{ view: View, cell: number } | null} */
  cursor: null,
};
/** @type {Sheet[]} */
let sheets = [];
/** The sheet that stays for comparison. @type {Sheet | null} */
let pinned = null;
/** What was shown, and which of it is. @type {Sheet[][]} */
let past = [];
let at = -1;
/** @type {View[]} */
let views = [];
/** The cells of each grid that the chosen one is linked with. @type {Map<View, Set<number>>} */
let linked = new Map();

const tools = {
  shown: element("shown", HTMLSelectElement),
  swizzle: element("swizzle", HTMLSelectElement),
  thread: element("thread", HTMLInputElement),
  access: element("access", HTMLSelectElement),
  phase: element("phase", HTMLInputElement),
  earlier: element("earlier", HTMLButtonElement),
  later: element("later", HTMLButtonElement),
  source: element("source", HTMLButtonElement),
  link: element("link", HTMLButtonElement),
  pin: element("pin", HTMLButtonElement),
};
const say = element("say", HTMLElement);

/** The grids that are not hidden. */
function visible() {
  return views.filter((view) => !view.figure.hidden);
}
