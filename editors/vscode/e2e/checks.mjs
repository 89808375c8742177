// Named checks, reported in the Test Anything Protocol.

/** Runs named checks one after the other, reported in the Test Anything Protocol. */
export class Checks {
  #count = 0;
  #failed = 0;

  async check(name, body, onFailure = async () => {}) {
    this.#count += 1;
    try {
      await body();
      console.log(`ok ${this.#count} - ${name}`);
    } catch (error) {
      this.#failed += 1;
      console.log(`not ok ${this.#count} - ${name}\n    ${String(error.message).replaceAll("\n", "\n    ")}`);
      await onFailure();
    }
  }

  /** The exit code. */
  finish() {
    console.log(`1..${this.#count}`);
    return this.#failed === 0 && this.#count > 0 ? 0 : 1;
  }
}
