import type {ServerResponse} from 'node:http';

/** Changes within this time are sent as one event. */
const TOGETHER_MS = 150;
/** The most changes that a message names; above it, the message says that anything may have changed. */
const MOST_IDS = 100;
const MOST_READERS = 20;

/** Server-sent events about changed deliveries. It stores only the ids of one message, however slow a reader is. */
export class ChangeStream {
  readonly #readers = new Set<ServerResponse>();
  #ids: Set<string> | null = new Set();
  #timer: NodeJS.Timeout | undefined;

  /** False if there are too many readers. */
  add(response: ServerResponse): boolean {
    if (this.#readers.size >= MOST_READERS) return false;
    this.#readers.add(response);
    response.on('close', () => this.#readers.delete(response));
    response.write(': connected\n\n');
    return true;
  }

  changed(id: string): void {
    if (this.#readers.size === 0) return;
    if (this.#ids !== null && this.#ids.add(id).size > MOST_IDS) this.#ids = null;
    this.#timer ??= setTimeout(() => this.#send(), TOGETHER_MS).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const response of this.#readers) response.end();
  }

  #send(): void {
    this.#timer = undefined;
    const ids = this.#ids === null ? null : [...this.#ids];
    this.#ids = new Set();
    for (const response of this.#readers)
      if (response.writableNeedDrain)
        response.destroy(); // it does not read; its page will reconnect
      else response.write(`event: change\ndata: ${JSON.stringify({ids})}\n\n`);
  }
}
