import type {Clock} from '../../clock.ts';
import {RecordReader} from '../record/reader.ts';
import {listSegments} from '../record/segments.ts';
import type {DeliveryLog} from './delivery-log.ts';

/** How much of an existing record is read: its newest segments. */
const NEWEST_BYTES = 48 * 1_048_576;
const EVERY_MS = 200;

/** Fills the log from the record: first with its newest deliveries, then with what any process adds. */
export class RecordFeed {
  readonly #reader: RecordReader;
  readonly #log: DeliveryLog;
  readonly #older: ReadonlySet<string>;

  constructor(folder: string, log: DeliveryLog, newestBytes = NEWEST_BYTES) {
    this.#reader = new RecordReader(folder);
    this.#log = log;
    let left = newestBytes;
    const older = listSegments(folder)
      .reverse()
      .filter(({bytes}) => (left -= bytes) < 0);
    this.#older = new Set(older.map(({file}) => file));
    if (this.#older.size > 0) log.hasOlder = true;
  }

  /** Reads what was added since the last call. */
  read(): void {
    for (const entry of this.#reader.more(({file}) => !this.#older.has(file))) this.#log.add(entry);
  }

  /** Continues reading until `signal` aborts. */
  async follow(clock: Clock, signal: AbortSignal, onFailure: (error: Error) => void): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(EVERY_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        this.read();
      } catch (error) {
        return onFailure(error as Error);
      }
    }
  }
}
