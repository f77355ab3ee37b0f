import {NUMBER_FORMATS, type NumberFormat} from '../../../money/amount.ts';
import type {CsvColumn} from './csv-columns.ts';
import {shortQuote, type Refuse} from '../file/refusal.ts';
import {currencyDecimals, signedMinor, wholeMinor, type ValuePlace} from '../file/values.ts';

const NAME_FORMAT = `name the form with --number-format: ${Object.keys(NUMBER_FORMATS).join('  ')}`;

type Cell = (column: CsvColumn) => string;

/** Reads the amounts of a CSV. Without a declared form, amounts are read as 1234.56, and some must show decimals. */
export class CsvAmounts {
  readonly #refuse: Refuse;
  readonly #format: NumberFormat | undefined;
  /** The first amount that may be in minor units. */
  #firstWhole: {line: number; text: string} | undefined;
  #hasDecimals = false;

  constructor(refuse: Refuse, format: NumberFormat | undefined) {
    this.#refuse = refuse;
    this.#format = format;
  }

  /** The signed amount of a row, minor units. */
  of(cell: Cell, currency: string, at: ValuePlace): bigint {
    const [debit, credit] = [cell('debit'), cell('credit')];
    if (debit !== '' && credit !== '') throw at.refuse(at.place, 'has a debit and a credit');
    if (debit !== '') return -this.#unsigned(debit, currency, at);
    if (credit !== '') return this.#unsigned(credit, currency, at);
    const minor = cell('amount_in_minor_units');
    if (minor === '' && cell('amount') === '') throw at.refuse(at.place, 'the amount is missing');
    currencyDecimals(currency, at);
    const amount = minor === '' ? this.#major(cell('amount'), currency, at) : wholeMinor(minor, at);
    const direction = cell('direction').toLowerCase();
    if (direction === '') return amount;
    if (amount < 0n) throw at.refuse(at.place, 'has a direction and an amount with a sign');
    if (['credit', 'c', 'cr', 'crdt'].includes(direction)) return amount;
    if (['debit', 'd', 'dr', 'dbit'].includes(direction)) return -amount;
    throw at.refuse(at.place, `the direction ${shortQuote(direction)} is neither credit nor debit`);
  }

  /** @throws RemitError if no amount shows whether they are in major units */
  end(): void {
    if (this.#firstWhole === undefined || this.#hasDecimals || this.#format !== undefined) return;
    const {line, text} = this.#firstWhole;
    throw this.#refuse(
      {line},
      `${shortQuote(text)} may be in major or in minor units: no amount has decimals`,
      'map the column to amount_in_minor_units, or name the form of major units, such as --number-format 1234.56',
    );
  }

  #unsigned(text: string, currency: string, at: ValuePlace): bigint {
    const amount = this.#major(text, currency, at);
    if (amount < 0n) throw at.refuse(at.place, 'a debit or credit has a sign');
    return amount;
  }

  #major(text: string, currency: string, at: ValuePlace): bigint {
    const exponent = currencyDecimals(currency, at);
    const format: {decimal: '.' | ','; group?: string} = NUMBER_FORMATS[this.#format ?? '1234.56'];
    const [, sign = '', digits = ''] = /^([+-]?)(\d.*)$/.exec(text) ?? [];
    const [whole = '', fraction, ...more] = digits.split(format.decimal);
    const groups = format.group === undefined ? [whole] : whole.split(format.group);
    const isGrouped = groups.every(
      (group, index) => (index === 0 || group.length === 3) && /^\d+$/.test(group),
    );
    if (!isGrouped || more.length > 0 || (groups.length > 1 && (groups[0]?.length ?? 0) > 3))
      throw at.refuse(
        at.place,
        `${shortQuote(text)} is not an amount such as ${this.#format ?? '1234.56'}`,
        NAME_FORMAT,
      );
    if (fraction !== undefined && fraction.length > exponent)
      throw at.refuse(
        at.place,
        `${shortQuote(text)} has more decimals than ${currency}, which has ${exponent}`,
        NAME_FORMAT,
      );
    if (this.#format === undefined && fraction?.length === 3 && whole.length < 4)
      throw at.refuse(at.place, `${shortQuote(text)} may be more or less than a thousand`, NAME_FORMAT);
    if (fraction !== undefined) this.#hasDecimals = true;
    else if (exponent > 0 && at.place !== undefined && 'line' in at.place)
      this.#firstWhole ??= {line: at.place.line, text};
    return signedMinor(`${sign}${groups.join('')}.${fraction ?? ''}`, currency, '.', at);
  }
}
