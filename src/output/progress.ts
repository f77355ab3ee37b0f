import type {Clock} from '../clock.ts';
import {cleanLine} from '../sanitize/harmful.ts';
import type {Sink} from './sink.ts';
import {cutTo} from './text/width.ts';

/** Without a terminal, a progress line is a line of a log: one per this interval is enough. */
const PLAIN_EVERY_MS = 10_000;

/**
 * The progress of a long run on stderr: a line, or several on a terminal, where they are rewritten in place. Elsewhere
 * the first line is printed occasionally.
 */
export class Progress {
  readonly #sink: Sink;
  readonly #clock: Clock;
  readonly #silent: boolean;
  #shown: readonly string[] = [];
  #lastPlainMs = Number.NEGATIVE_INFINITY;

  constructor(sink: Sink, clock: Clock, silent: boolean) {
    this.#sink = sink;
    this.#clock = clock;
    this.#silent = silent;
  }

  show(text: string): void {
    if (this.#silent) return;
    const lines = text.split('\n').map(cleanLine);
    if (this.#sink.isTerminal) {
      const cleared = this.#cleared();
      this.#shown = lines;
      void this.#sink.write(cleared + this.#block());
      return;
    }
    const now = this.#clock.monotonic();
    if (now - this.#lastPlainMs < PLAIN_EVERY_MS) return;
    this.#lastPlainMs = now;
    void this.#sink.write(`${lines[0]}\n`);
  }

  /** Removes the lines while `write` puts other output on the terminal, then shows them again. */
  around(write: () => void): void {
    if (this.#shown.length === 0) {
      write();
      return;
    }
    void this.#sink.write(this.#cleared());
    write();
    void this.#sink.write(this.#block());
  }

  /** Removes the lines: they are out of date, and the result follows. */
  end(): void {
    if (this.#shown.length > 0) void this.#sink.write(this.#cleared());
    this.#shown = [];
    this.#lastPlainMs = Number.NEGATIVE_INFINITY;
  }

  /** Erases the shown lines, from the last one up. */
  #cleared(): string {
    return `\r\u001b[K${'\u001b[1A\u001b[K'.repeat(Math.max(0, this.#shown.length - 1))}`;
  }

  #block(): string {
    return this.#shown.map((line) => cutTo(line, this.#sink.columns - 1)).join('\n');
  }
}
