import type {Clock} from '../clock.ts';
import {cleanLine} from '../sanitize/harmful.ts';
import type {Sink} from './sink.ts';
import {cutTo} from './text/width.ts';

/** Without a terminal, a progress line is a line of a log: one per this interval is enough. */
const PLAIN_EVERY_MS = 10_000;

/**
 * One line on stderr with the progress of a long run: rewritten in place on a terminal, printed occasionally
 * elsewhere.
 */
export class Progress {
  readonly #sink: Sink;
  readonly #clock: Clock;
  readonly #silent: boolean;
  #shown = '';
  #lastPlainMs = Number.NEGATIVE_INFINITY;

  constructor(sink: Sink, clock: Clock, silent: boolean) {
    this.#sink = sink;
    this.#clock = clock;
    this.#silent = silent;
  }

  show(text: string): void {
    if (this.#silent) return;
    const line = cleanLine(text);
    if (this.#sink.isTerminal) {
      this.#shown = line;
      void this.#sink.write(`\r\u001b[K${cutTo(line, this.#sink.columns - 1)}`);
      return;
    }
    const now = this.#clock.monotonic();
    if (now - this.#lastPlainMs < PLAIN_EVERY_MS) return;
    this.#lastPlainMs = now;
    void this.#sink.write(`${line}\n`);
  }

  /** Removes the line while `write` puts other output on the terminal, then shows it again. */
  around(write: () => void): void {
    if (this.#shown === '') {
      write();
      return;
    }
    void this.#sink.write('\r\u001b[K');
    write();
    void this.#sink.write(cutTo(this.#shown, this.#sink.columns - 1));
  }

  /** Removes the line: it is out of date, and the result follows. */
  end(): void {
    if (this.#shown !== '') void this.#sink.write('\r\u001b[K');
    this.#shown = '';
    this.#lastPlainMs = Number.NEGATIVE_INFINITY;
  }
}
