export interface LineQueueOptions<Line> {
  /** Writes lines at once; returns a promise if their reader does not keep up. */
  write: (lines: readonly Line[]) => Promise<void> | undefined;
  /** The line that reports omitted lines. */
  gap: (lines: number) => Line;
  bytesOf: (line: Line) => number;
  bounds?: {lines: number; bytes: number};
}

const BOUNDS = {lines: 10_000, bytes: 8 * 1_048_576};

/**
 * Lines on their way to stdout. A reader that stalls must neither block the listener nor fill its memory: a limited
 * number wait for it, later ones are omitted, and a line reports how many.
 */
export class LineQueue<Line> {
  readonly #options: LineQueueOptions<Line>;
  readonly #waiting: Line[] = [];
  #bytes = 0;
  #leftOut = 0;
  #isStalled = false;

  constructor(options: LineQueueOptions<Line>) {
    this.#options = options;
  }

  /** @param line created only if there is space for it */
  push(line: () => Line): void {
    const {bytesOf, bounds = BOUNDS} = this.#options;
    if (this.#waiting.length >= bounds.lines || this.#bytes >= bounds.bytes) {
      this.#leftOut += 1;
      return;
    }
    const made = line();
    this.#bytes += bytesOf(made);
    this.#waiting.push(made);
  }

  /** Writes the waiting lines; if the reader stalls, waits until it reads again. */
  flush(): void {
    if (this.#isStalled) return;
    const written = this.#writeAll();
    if (written === undefined) return;
    this.#isStalled = true;
    void written.then(() => {
      this.#isStalled = false;
      this.flush();
    });
  }

  /** Writes the waiting lines and a last line, whether the reader stalls or not. */
  end(last: Line): void {
    void this.#writeAll(last);
  }

  #writeAll(...last: Line[]): Promise<void> | undefined {
    const lines = this.#waiting.splice(0);
    if (this.#leftOut > 0) lines.push(this.#options.gap(this.#leftOut));
    lines.push(...last);
    this.#bytes = 0;
    this.#leftOut = 0;
    return lines.length === 0 ? undefined : this.#options.write(lines);
  }
}
