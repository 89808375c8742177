// Whether a server that ended is started again. Knows nothing of VS Code.

/** How often, within how long. */
const MOST = 4;
const WITHIN_MS = 3 * 60 * 1000;

/** Counts the ends of a server that were not requested. */
export class Crashes {
  private times: number[] = [];

  /** Notes an end; whether to start again. */
  again(now: number): boolean {
    this.times = [...this.times.filter((time) => now - time < WITHIN_MS), now];
    return this.times.length <= MOST;
  }

  /** A restart that the user requested resets the count. */
  forget(): void {
    this.times = [];
  }
}

/** What to say when it is not started again. */
export const GIVEN_UP =
  `cute-analyzer: the server ended ${MOST + 1} times within ${WITHIN_MS / 60_000} minutes and is not started again. ` +
  "Its log says why; please report it with the source that it was reading.";
