import {isObject} from '../narrow.ts';
import {quoteFormula} from '../spreadsheet.ts';
import {valueAt} from './select.ts';

/**
 * One CSV cell (RFC 4180). Text that a spreadsheet could run as a formula gets a leading apostrophe; numbers are
 * unchanged.
 */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const raw = typeof value === 'string' ? value : JSON.stringify(value);
  const text = quoteFormula(raw);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(',')}\n`;

/**
 * Paths of the CSV's columns if none were given: every field of the records, with objects expanded one level. An
 * object with a dot in one of its names stays whole; otherwise its parts would look like nested ones.
 */
export function csvColumns(records: readonly unknown[]): string[] {
  const paths = new Set<string>();
  for (const record of records) {
    if (record === null || typeof record !== 'object') continue;
    for (const [key, value] of Object.entries(record)) {
      const inner = isObject(value) ? Object.keys(value) : undefined;
      if (inner === undefined || [key, ...inner].some((name) => name.includes('.'))) paths.add(key);
      else for (const name of inner) paths.add(`${key}.${name}`);
    }
  }
  return [...paths];
}

export const csvRow = (record: unknown, columns: readonly string[]): string =>
  csvLine(columns.map((path) => (columns.length === 1 && path === '' ? record : cellOf(record, path))));

/** A field may have a dot in its own name. */
const cellOf = (record: unknown, path: string): unknown =>
  record !== null && typeof record === 'object' && Object.hasOwn(record, path)
    ? Reflect.get(record, path)
    : valueAt(record, path);
