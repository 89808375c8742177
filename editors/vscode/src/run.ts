// What is said of a run. Knows nothing of VS Code.

/** The answer to `cute/run`. */
export interface RunReport {
  readonly subject: string;
  /** `cpu` or `cuda`. */
  readonly device: string;
  /** Why the CPU, or which GPU. */
  readonly why: string;
  readonly agrees: boolean;
  /** The comparison, then figures. */
  readonly lines: readonly string[];
}

/** The outcome in a few sentences. */
export function outcome(report: RunReport): string {
  const where = report.device === "cpu" ? "the CPU" : "the GPU";
  return `${report.subject} ran on ${where} (${report.why}): ${report.lines.join("; ")}`;
}
