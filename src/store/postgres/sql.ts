import type {CustomTypesConfig} from 'pg';
import type {SqlRow, SqlValue} from '../port/port.ts';

const translated = new Map<string, {text: string; name: string}>();

/** Beyond this number, statements are not kept prepared: texts that depend on a number of rows have many lengths. */
const PREPARED_MAX = 500;

/**
 * Translates `?` to `$1`, `$2`, …, except in quoted text, and names the statement that each connection keeps
 * prepared. The port's SQL has no comments and no operator that contains a question mark.
 */
export function toPostgres(sql: string): {text: string; name?: string} {
  const known = translated.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql.replace(/'(?:[^']|'')*'|"[^"]*"|\?/g, (found) => (found === '?' ? `$${++count}` : found));
  if (translated.size >= PREPARED_MAX) return {text};
  const statement = {text, name: `remit_${translated.size}`};
  translated.set(sql, statement);
  return statement;
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Text columns of the port's SQL compare by byte in SQLite; ids are ASCII of one format, which every collation orders
 * in the same way.
 */
const exact = (text: string): number | bigint => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
};
/** `sum(bigint)` is a numeric. */
const numeric = (text: string): number | bigint => (/^-?\d+$/.test(text) ? exact(text) : Number(text));

const READERS: Readonly<Record<number, (text: string) => SqlValue>> = {
  16: (text) => (text === 't' ? 1 : 0), // bool
  20: exact, // int8
  21: Number, // int2
  23: Number, // int4
  700: Number, // float4
  701: Number, // float8
  1700: numeric,
};
/** bytea */
const BYTES = 17;

/**
 * Values as SQLite's drivers return them: numbers if they are exact, else bigint; 0 and 1; text for everything else.
 */
export const portValues = (bytes: (text: string) => Uint8Array): CustomTypesConfig => ({
  getTypeParser: ((oid: number) =>
    oid === BYTES ? bytes : (READERS[oid] ?? String)) as CustomTypesConfig['getTypeParser'], // rows come as text only
});

/** Values for the driver, which accepts a Uint8Array only as a Buffer. */
export const toParameters = (params: readonly SqlValue[]): unknown[] =>
  params.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));

export const toRows = (rows: readonly unknown[]): SqlRow[] => rows as SqlRow[]; // created by `portValues`
