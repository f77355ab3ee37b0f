import {formatMajor, groupMajor} from '../../money/amount.ts';
import {cleanLine} from '../../sanitize/harmful.ts';
import type {Paint, Style} from '../text/colour.ts';
import {valueAt} from './select.ts';
import {relativeTime} from '../text/times.ts';

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
  label: string;
  /** The wire field that it shows; shown fields are not repeated among the unknown ones. */
  path: string;
  show: (value: unknown, record: unknown, eye: Eye) => string;
  align?: 'left' | 'right';
  /** Narrow terminals leave out the highest rank first; 0 is always shown. From 3 on, before any id is shortened. */
  rank: number;
  /** Narrow terminals show only the end of it. */
  isId?: true;
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

/** Any value on one line: text unchanged, objects as compact JSON, empty values as a dash. */
export function plainValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'string') return cleanLine(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  return cleanLine(JSON.stringify(value));
}

export function text(label: string, path: string, rank = 0): Field {
  return {label: cleanLine(label), path, rank, show: (value) => plainValue(value)}; // a label may be the service's own field name
}

/** An id, which a narrow terminal shortens. */
export const id = (label: string, path: string, rank = 0): Field => ({
  ...text(label, path, rank),
  isId: true,
});

/** Free text that most records do not have. */
export const remark = (label: string, path: string, rank = 1): Field => ({
  ...text(label, path, rank),
  optional: true,
});

/** Relative on a terminal, as sent elsewhere. */
export function time(label: string, path: string, rank = 0): Field {
  const show = (value: unknown, _record: unknown, eye: Eye) =>
    typeof value === 'string' && eye.terminal ? cleanLine(relativeTime(value, eye.nowMs)) : plainValue(value);
  return {label, path, rank, show};
}

/** Like `time`, followed by the exact time: for cards. */
export function moment(label: string, path: string): Field {
  const show = (value: unknown, _record: unknown, eye: Eye) => {
    if (typeof value !== 'string' || !eye.terminal) return plainValue(value);
    const exact = cleanLine(value);
    const words = relativeTime(exact, eye.nowMs);
    return words === exact ? exact : `${words} ${eye.paint('dim', `(${exact})`)}`; // coloured after sanitizing
  };
  return {label, path, rank: 0, show};
}

/** Minor units of the record's currency, in major units with the currency: `1,500.75 USD`. */
export function money(label: string, path = 'amount_in_minor_units', currencyPath = 'currency_code'): Field {
  const show = (value: unknown, record: unknown) => majorOf(value, valueAt(record, currencyPath));
  return {label, path, rank: 0, align: 'right', show};
}

/** `1,500.75 USD`; an amount that cannot be shown in major units is shown in minor units and labelled. */
export function majorOf(minor: unknown, currency: unknown): string {
  if (typeof currency === 'string' && typeof minor === 'number' && Number.isSafeInteger(minor)) {
    try {
      return `${groupMajor(formatMajor(BigInt(minor), currency))} ${currency}`;
    } catch {
      // An unknown currency: the service's word stands as it is.
    }
  }
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

export function status(label = 'Status', path = 'status'): Field {
  const show = (value: unknown, _record: unknown, eye: Eye) => {
    const word = plainValue(value);
    const style = STATUS_STYLES[word];
    return style === undefined ? word : eye.paint(style, word);
  };
  return {label, path, rank: 0, show};
}
