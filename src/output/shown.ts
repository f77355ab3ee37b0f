import type {Printable} from '../narrow.ts';
import type {View} from './records/view.ts';

/** A record that is being shown, and what its view calls it. */
export interface ShownRecord {
  noun: string;
  record: Printable;
}

export type OnShown = (shown: ShownRecord) => void;

/** Most records of one run that are reported. */
const MOST = 100;

/** Reports the first records that are shown, for completion to offer their ids. */
export class ShownRecords {
  readonly #onShown: OnShown | undefined;
  #count = 0;

  constructor(onShown: OnShown | undefined) {
    this.#onShown = onShown;
  }

  note(records: readonly Printable[], view: View | undefined): void {
    if (this.#onShown === undefined || view === undefined) return;
    for (const record of records.slice(0, MOST - this.#count)) {
      this.#count += 1;
      this.#onShown({noun: view.noun, record});
    }
  }
}
