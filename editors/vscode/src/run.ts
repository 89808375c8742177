// What is said of a run. Knows nothing of VS Code.

/** The answer to `cute/run`. */
export interface RunReport {
  readonly layout: string;
  readonly device: string;
  readonly size: number;
  readonly compared: number;
  readonly agrees: boolean;
  readonly difference?: { readonly coordinate: unknown; readonly expected: unknown; readonly got: unknown } | null;
}

/** The outcome in one sentence, and whether it was on the device that was asked for. */
export function outcome(report: RunReport, wanted: "cpu" | "cuda"): string {
  const where = report.device === "cpu" ? "on the CPU" : `on ${report.device}`;
  const instead = wanted === "cuda" && report.device === "cpu" ? " (there is no CUDA device here, or no driver)" : "";
  const compared = `${report.compared} of ${report.size} offsets`;
  if (report.agrees || !report.difference) {
    return `${report.layout} ran ${where}${instead}: ${compared} agree with the algebra.`;
  }
  const { coordinate, expected, got } = report.difference;
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  return `${report.layout} ran ${where}${instead}: coordinate ${text(coordinate)} gives ${text(got)}, not ${text(expected)}.`;
}
