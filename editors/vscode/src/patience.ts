// Work that is shown where it takes longer than a moment, so that nothing blinks. Knows nothing of VS Code.

/** Work on documents: what takes longer than `delay` milliseconds is shown until it is done. */
export class Patience {
  private readonly begun = new Map<string, { timer: NodeJS.Timeout; done: () => void }>();

  constructor(
    private readonly delay: number,
    private readonly show: (what: string, done: Promise<void>) => void,
  ) {}

  /** Work on a document begins, or goes on. */
  begin(what: string): void {
    if (this.begun.has(what)) {
      return;
    }
    let finish: () => void = () => undefined;
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.begun.set(what, { timer: setTimeout(() => this.show(what, done), this.delay), done: finish });
  }

  /** Work on a document is done. */
  end(what: string): void {
    const work = this.begun.get(what);
    clearTimeout(work?.timer);
    work?.done();
    this.begun.delete(what);
  }

  /** No work is done any more. */
  endAll(): void {
    for (const what of [...this.begun.keys()]) {
      this.end(what);
    }
  }
}
