// How things are said. Knows nothing of VS Code.

/** What the server says of a document: `cute/status`. */
export interface DocumentStatus {
  readonly uri: string;
  readonly state: "analysing" | "ready";
  readonly values?: number;
  readonly findings?: number;
  /** The limits that were reached, in words. */
  readonly limits?: readonly string[];
}

/** A number of things: `1 value`, `2 values`. */
export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** The state of a document in a few words; numbers of an earlier version are marked. */
export function saidOf(status: DocumentStatus | undefined): string {
  if (!status) {
    return "running";
  }
  if (status.values === undefined) {
    return "reading";
  }
  const numbers = `${count(status.values, "value")}, ${count(status.findings ?? 0, "finding")}`;
  if (status.state === "analysing") {
    return `${numbers}, updating`;
  }
  return status.limits?.length ? `${numbers}, ${count(status.limits.length, "limit")} reached` : numbers;
}
