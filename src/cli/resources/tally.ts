import {formatMajor, groupMajor, minorUnitsIn} from '../../money/amount.ts';
import {Totals} from '../../money/totals.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** A number of records, and the exact sums of their amounts by currency. Its size does not grow with the records. */
export class AmountTally {
  count = 0;
  /** Records without an amount that can be summed. */
  unread = 0;
  readonly totals = new Totals();

  add(record: ServiceRecord): void {
    this.count += 1;
    const {amount_in_minor_units: minor, currency_code: currency} = record;
    const units = typeof minor === 'number' && Number.isSafeInteger(minor) ? minor : minorUnitsIn(minor);
    if (units === undefined || currency === undefined) {
      this.unread += 1;
      return;
    }
    try {
      this.totals.add(currency, units);
    } catch {
      this.unread += 1; // a currency without known minor units
    }
  }

  /** `37.50 USD, 5.00 EUR`; empty if nothing could be summed. */
  get money(): string {
    return this.totals
      .entries()
      .map(([currency, minor]) => `${groupMajor(formatMajor(minor, currency))} ${currency}`)
      .join(', ');
  }
}
