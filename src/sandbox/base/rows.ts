import {ownJson} from '../../narrow.ts';
import type {SqlRow} from '../../store/port/port.ts';

/** Readers of columns, whose type the SQL port cannot know. A wrong type is a broken invariant. */
export function text(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} holds ${typeof value}, not text`);
  return value;
}

export function textOrNull(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

/** A text of a closed set that only the sandbox writes, such as a status. */
export const word = <Word extends string>(row: SqlRow, column: string): Word => text(row, column) as Word;

export const wordOrNull = <Word extends string>(row: SqlRow, column: string): Word | null =>
  row[column] === null ? null : word(row, column);

/** Counts, amounts and times: integers that a double keeps exact. */
export function int(row: SqlRow, column: string): number {
  const value = Number(row[column]);
  if (!Number.isSafeInteger(value)) throw new TypeError(`column ${column} holds no safe integer`);
  return value;
}

export function intOrNull(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : int(row, column);
}

/** Sums and balances, which may exceed what a double keeps exact. */
export function big(row: SqlRow, column: string): bigint {
  const value = row[column];
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string')
    return BigInt(value);
  throw new TypeError(`column ${column} holds no integer`);
}

/** JSON that we wrote ourselves. */
export function json<T>(row: SqlRow, column: string): T {
  return ownJson(text(row, column));
}

let last = {ms: 0, text: new Date(0).toISOString()};

/** Cached for the next one: a record contains its creation time up to three times. */
export function iso(ms: number): string {
  if (ms !== last.ms) last = {ms, text: new Date(ms).toISOString()};
  return last.text;
}
