import {exactJson} from '../json/exact.ts';
import {minorUnitsIn} from '../money/amount.ts';
import {isObject, type Printable} from '../narrow.ts';
import {selectedValue} from './records/select.ts';
import {plainValue} from './records/view.ts';

/** A long list may have one in each record. */
const MOST_WARNINGS = 3;

/** Warns about amounts of shown records that are no whole number of minor units: their value in major units is unknown. */
export class AmountCheck {
  readonly #warn: (text: string) => void;
  #left = MOST_WARNINGS;

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  ofRecords(records: readonly Printable[]): void {
    for (const record of records) {
      if (this.#left === 0) return;
      const field = oddAmountIn(record);
      if (field === undefined) continue;
      this.#left -= 1;
      const [id, value] = [selectedValue(record, 'id'), selectedValue(record, field)];
      const of = typeof id === 'string' ? ` of ${plainValue(id)}` : '';
      this.#warn(
        `${plainValue(field)}${of} is ${plainValue(exactJson(value)).slice(0, 60)}, not a whole number of minor units`,
      );
    }
  }
}

/** The first field of a record that states minor units and cannot be read as such. */
function oddAmountIn(record: Printable): string | undefined {
  if (!isObject(record)) return undefined;
  for (const name of Object.keys(record)) {
    if (!name.endsWith('_in_minor_units') && name !== 'amount_in_cents') continue;
    const value = record[name];
    if (value !== null && value !== undefined && minorUnitsIn(value) === undefined) return name;
  }
  return undefined;
}
