import {fstatSync, writeSync} from 'node:fs';
import {isatty} from 'node:tty';
import {codeOf} from '../../narrow.ts';
import type {OutStream, StreamEvent} from '../../output/sink.ts';

/** This much fits into every pipe, so that writing it does not wait for the reader. */
const DIRECT_BYTES = 16_384;

type Listener = (error: Error) => void;

/**
 * Standard output or standard error. Node takes a millisecond to make a stream of either, so the first bytes to a pipe
 * or a file are written without one. Node's stream takes over on terminals, for long output, and when a pipe is full.
 */
export class StandardStream implements OutStream {
  readonly #fd: 1 | 2;
  #isTerminal: boolean | undefined;
  #stream: NodeJS.WriteStream | undefined;
  #directBytes = process.platform === 'win32' ? 0 : DIRECT_BYTES;
  #listeners: [StreamEvent, Listener][] = [];

  constructor(fd: 1 | 2) {
    this.#fd = fd;
  }

  get isTTY(): boolean {
    return (this.#isTerminal ??= fstatSync(this.#fd).isCharacterDevice() && isatty(this.#fd));
  }

  get columns(): number | undefined {
    return this.isTTY ? this.#opened().columns : undefined;
  }

  write(data: string | Uint8Array, done?: () => void): boolean {
    if (this.#stream !== undefined || this.isTTY) return this.#opened().write(data, done);
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    if (bytes.length > this.#directBytes) return this.#opened().write(bytes, done);
    this.#directBytes -= bytes.length;
    const written = this.#writeNow(bytes);
    if (written < bytes.length) return this.#opened().write(bytes.subarray(written), done);
    if (done !== undefined) process.nextTick(done);
    return true;
  }

  on(event: StreamEvent, listener: Listener): this {
    if (this.#stream === undefined) this.#listeners.push([event, listener]);
    else this.#stream.on(event, listener);
    return this;
  }

  removeListener(event: StreamEvent, listener: Listener): this {
    const at = this.#listeners.findIndex(([one, its]) => one === event && its === listener);
    if (at >= 0) this.#listeners.splice(at, 1);
    this.#stream?.removeListener(event, listener);
    return this;
  }

  /** How many bytes are written, or have failed for good; the rest is left to the stream. */
  #writeNow(bytes: Uint8Array): number {
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
    } catch (error) {
      if (codeOf(error) === 'EAGAIN') return written; // a full pipe
      process.nextTick(() => this.#fail(error as Error)); // as a stream does
      return bytes.length;
    }
    return written;
  }

  /** A reader that has gone is no error for those who do not listen for one. */
  #fail(error: Error): void {
    const listeners = this.#listeners.filter(([event]) => event === 'error');
    if (listeners.length === 0 && codeOf(error) !== 'EPIPE') throw error;
    for (const [, listener] of listeners) listener(error);
  }

  #opened(): NodeJS.WriteStream {
    if (this.#stream !== undefined) return this.#stream;
    const stream = this.#fd === 1 ? process.stdout : process.stderr;
    for (const [event, listener] of this.#listeners) stream.on(event, listener);
    if (this.#listeners.every(([event]) => event !== 'error'))
      stream.on('error', (error) => {
        if (codeOf(error) !== 'EPIPE') throw error;
      });
    this.#listeners = [];
    return (this.#stream = stream);
  }
}
