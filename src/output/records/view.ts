import {groupMajor, majorIn} from '../../money/amount.ts';
import {cleanLine} from '../../sanitize/harmful.ts';
import {plainValue} from '../../sanitize/plain-value.ts';
import type {Paint, Style} from '../text/colour.ts';
import {selectedValue} from './select.ts';
import {relativeTime} from '../text/times.ts';
import {stringOf, type Json} from '../../narrow.ts';

export {plainValue};

/** What a cell may depend on besides its record. */
export interface Eye {
  /** A person is reading, so relative times are fine. Otherwise the plain data is shown. */
  terminal: boolean;
  /** Width of the terminal, in characters. */
  columns: number;
  nowMs: number;
  paint: Paint;
}

/** One line of a card, one column of a table. */
export interface Field {
  /** The name of the field in words: `source_account_id` is `Source`, `is_default` is `Default`. */
  label: string;
  /** The wire field that it shows; shown fields are not repeated among the unknown ones. */
  path: string;
  show: (value: Json, record: Json, eye: Eye) => string;
  align?: 'left' | 'right';
  /** Narrow terminals leave out the highest rank first; 0 is always shown. From 3 on, before a text is broken. */
  rank: number;
  /** Left out of a table on a terminal if no record has it. */
  optional?: true;
}

/** How one kind of record is presented. */
export interface View {
  /** Lower-case singular: `payout`. */
  noun: string;
  /** `noun` in the plural. */
  plural: string;
  /** What `-o id` prints for a record that is named by another field than `id`. */
  idPath?: string;
  card: readonly Field[];
  columns: readonly Field[];
}

/** A field that is shown in its own way. */
export const field = (label: string, path: string, show: Field['show'], rank = 0): Field => ({
  ...{label, path, rank, show},
});

export const text = (label: string, path: string, rank = 0): Field =>
  field(cleanLine(label), path, plainValue, rank); // a label may be the service's own field name

/** A boolean. */
export const yesNo = (label: string, path: string): Field =>
  field(label, path, (value) => (value === true ? 'yes' : value === false ? 'no' : plainValue(value)));

/** A list of words, such as rails. */
export const words = (label: string, path: string, rank = 0): Field =>
  field(
    label,
    path,
    (value) => (Array.isArray(value) ? value.map(plainValue).join(', ') : plainValue(value)),
    rank,
  );

/** Free text that most records do not have. */
export const remark = (label: string, path: string, rank = 2): Field => ({
  ...text(label, path, rank),
  optional: true,
});

/** Relative on a terminal, as sent elsewhere. */
export const time = (label: string, path: string, rank = 0): Field =>
  field(
    label,
    path,
    (value, _record, {terminal, nowMs}) =>
      typeof value === 'string' && terminal ? cleanLine(relativeTime(value, nowMs)) : plainValue(value),
    rank,
  );

/** A time for cards: as `time` shows it, followed by the exact time. */
export const moment = (label: string, path: string): Field =>
  field(label, path, (value, _record, {terminal, nowMs, paint}) => {
    if (typeof value !== 'string' || !terminal) return plainValue(value);
    const exact = cleanLine(value);
    const relative = relativeTime(exact, nowMs);
    return relative === exact || relative.endsWith(' UTC')
      ? exact
      : `${relative} ${paint('dim', `(${exact})`)}`; // coloured after sanitizing
  });

/** A settlement day, which is one of the bank's calendar: `2026-11-25 (New York)`. */
export const dayInNewYork = (value: Json): string =>
  /^\d{4}-\d\d-\d\d$/.test(stringOf(value)) ? `${plainValue(value)} (New York)` : plainValue(value);

/** Minor units of the record's currency, in major units with the currency: `1,500.75 USD`. */
export const money = (label: string, path = 'amount_in_minor_units'): Field => ({
  ...field(label, path, (value, record) => majorOf(value, selectedValue(record, 'currency_code'))),
  align: 'right',
});

/** `1,500.75 USD`, or `-` without an amount; one that cannot be shown in major units is shown in minor units and labelled. */
export function majorOf(minor: Json, currency: Json): string {
  if (minor === null || minor === undefined) return plainValue(minor);
  const major = majorIn(minor, currency);
  if (major !== undefined) return `${groupMajor(major)} ${plainValue(currency)}`;
  return `${plainValue(minor)} minor units ${plainValue(currency)}`;
}

const STATUS_STYLES: Readonly<Record<string, Style>> = {
  settled: 'green',
  verified: 'green',
  failed: 'red',
  canceled: 'red',
  created: 'yellow',
  pending: 'yellow',
  // Moves have upper-case statuses, as in the interface document.
  SETTLED: 'green',
  CREATED: 'yellow',
};

export const status = (label = 'Status', path = 'status'): Field =>
  field(label, path, (value, _record, {paint}) => {
    const word = plainValue(value);
    const style = STATUS_STYLES[word];
    return style === undefined ? word : paint(style, word);
  });
