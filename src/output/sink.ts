import {RemitError} from '../errors.ts';
import {codeOf, messageOf} from '../narrow.ts';

/** The parts of a standard stream that we use. */
export interface OutStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** False if the reader does not keep up: `drain` follows. */
  write(data: string | Uint8Array, done?: () => void): boolean;
  on(event: StreamEvent, listener: (error: Error) => void): this;
  removeListener(event: StreamEvent, listener: (error: Error) => void): this;
}

export type StreamEvent = 'error' | 'drain' | 'close';

/**
 * One standard stream. If the reader goes away (EPIPE), writing ends silently, as `| head` expects. Any other
 * failure, such as a full disk, is kept and reported at the end, because a result that was not written is not a
 * success.
 */
export class Sink {
  readonly #stream: OutStream;
  #failure: unknown;
  #brokenPipe: unknown;
  #closed = false;
  #drained: Promise<void> | undefined;

  constructor(stream: OutStream) {
    this.#stream = stream;
    stream.on('error', (error) => this.#fail(error));
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Width in characters; 80 without a terminal, and if the terminal has no size (a pty of 0 columns). */
  get columns(): number {
    return (this.isTerminal && this.#stream.columns) || 80;
  }

  /** True once the reader is gone: long lists may stop. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when more may be written; usually without waiting. */
  write(text: string): Promise<void> | undefined {
    return text === '' ? undefined : this.#write(text);
  }

  /** Writes bytes that need not be text. */
  writeBytes(bytes: Uint8Array): Promise<void> | undefined {
    return this.#write(bytes);
  }

  #write(data: string | Uint8Array): Promise<void> | undefined {
    if (this.#closed) return undefined;
    try {
      if (this.#stream.write(data)) return undefined;
    } catch (error) {
      this.#fail(error); // a synchronous pipe throws where others emit
      return undefined;
    }
    this.#drained ??= this.#untilDrained();
    return this.#drained;
  }

  /** One wait shared by all writers: a server logs many requests at once, and Node warns above ten listeners. */
  #untilDrained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#stream.removeListener('drain', done);
        this.#stream.removeListener('error', done);
        this.#stream.removeListener('close', done);
        this.#drained = undefined;
        resolve();
      };
      this.#stream.on('drain', done).on('error', done).on('close', done);
    });
  }

  /** Resolves when everything written has left this process. */
  async flush(): Promise<void> {
    if (this.#closed) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#stream.removeListener('error', done);
        resolve();
      };
      this.#stream.on('error', done);
      try {
        this.#stream.write('', done);
      } catch (error) {
        this.#fail(error);
        done();
      }
    });
  }

  /** Why something could not be written, or undefined. A reader that left counts only if requested. */
  failure({brokenPipeToo = false} = {}): RemitError | undefined {
    const failure = this.#failure ?? (brokenPipeToo ? this.#brokenPipe : undefined);
    if (failure === undefined) return undefined;
    return new RemitError('STATE', `the output could not be written: ${messageOf(failure)}`, {
      cause: failure,
    });
  }

  #fail(error: unknown): void {
    this.#closed = true;
    if (codeOf(error) === 'EPIPE') this.#brokenPipe ??= error;
    else this.#failure ??= error;
  }
}
