// How things are said. Knows nothing of VS Code.

/** A number of things: `1 value`, `2 values`. */
export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
