import {exactJson} from '../../json/exact.ts';
import {majorIn} from '../../money/amount.ts';
import {ExactNumber, isObject, type JsonFields, type Json} from '../../narrow.ts';
import {quoteFormula} from '../../spreadsheet.ts';
import {selectedValue} from './select.ts';

/** An amount in major units. It is a number, so a minus sign begins no formula. */
class Major {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Cell = Json | Major;

/**
 * One CSV cell (RFC 4180). Text that a spreadsheet could run as a formula gets a leading apostrophe; numbers are
 * unchanged.
 */
export function csvCell(value: Cell): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber)
    return String(value);
  if (value instanceof Major) return value.text;
  const raw = typeof value === 'string' ? value : exactJson(value);
  const text = quoteFormula(raw);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvLine = (cells: readonly Json[]): string => `${cells.map(csvCell).join(',')}\n`;

/** The fields of some records, nested as they are. */
interface Node {
  /** A record has a value here that is not an object. */
  isValue: boolean;
  inner: Map<string, Node>;
}

/** Objects nested more deeply stay JSON. */
const MOST_DEPTH = 10;

/**
 * Paths of the CSV's columns if none were given: every field of the records, nested ones with dots, and next to each
 * amount in minor units the same in major units. Lists stay JSON, and so does an object with a dot in one of its
 * names; otherwise its parts would look like nested ones.
 */
export function csvColumns(records: readonly Json[]): string[] {
  const root: Node = {isValue: false, inner: new Map()};
  for (const record of records) if (isObject(record)) grow(root, record, 1);
  return pathsOf(root, '');
}

/**
 * Paths of the CSV's columns if the fields of its records are declared, in their order. An object whose names are free,
 * declared as `metadata.*`, is one column of JSON: its names differ from record to record.
 */
export function declaredColumns(paths: readonly string[]): string[] {
  const free = new Set(paths.flatMap((path) => (path.endsWith('.*') ? [path.slice(0, -2)] : [])));
  const root: Node = {isValue: false, inner: new Map()};
  for (const path of paths) {
    let node = root;
    let at = '';
    for (const name of path.split('.')) {
      at = at === '' ? name : `${at}.${name}`;
      let child = node.inner.get(name);
      if (child === undefined) node.inner.set(name, (child = {isValue: false, inner: new Map()}));
      node = child;
      if (free.has(at)) break;
    }
  }
  return pathsOf(root, '');
}

function grow(node: Node, record: JsonFields, depth: number): void {
  for (const name of Object.keys(record)) {
    let child = node.inner.get(name);
    if (child === undefined) node.inner.set(name, (child = {isValue: false, inner: new Map()}));
    const value = record[name];
    if (value === null || value === undefined) continue;
    const opens = isObject(value) && depth < MOST_DEPTH && !name.includes('.');
    if (opens && !Object.keys(value).some((key) => key.includes('.'))) grow(child, value, depth + 1);
    else child.isValue = true;
  }
}

function pathsOf({inner}: Node, prefix: string): string[] {
  return [...inner].flatMap(([name, child]) => {
    const path = `${prefix}${name}`;
    const major = majorName(name);
    return [
      ...(child.isValue || child.inner.size === 0 ? [path] : []),
      ...(major !== undefined && inner.has(CURRENCY) && !inner.has(major) ? [`${prefix}${major}`] : []),
      ...pathsOf(child, `${path}.`),
    ];
  });
}

const CURRENCY = 'currency_code';
const MINOR = '_in_minor_units';

/** `amount` of `amount_in_minor_units`. */
export const majorName = (name: string): string | undefined =>
  name.endsWith(MINOR) && name.length > MINOR.length ? name.slice(0, -MINOR.length) : undefined;

/** The field in minor units that a column in major units is calculated from. */
export const minorPath = (path: string): string => `${path}${MINOR}`;

/** The currency next to a field. */
export const currencyPath = (path: string): string => path.slice(0, path.lastIndexOf('.') + 1) + CURRENCY;

/** Writes a record as a row of these columns. */
export function csvRows(columns: readonly string[]): (record: Json) => string {
  if (columns.length === 1 && columns[0] === '') return (record) => csvLine([record]);
  const readers = columns.map(readerOf);
  return (record) => `${readers.map((read) => csvCell(read(record))).join(',')}\n`;
}

/** Reads the value of a column. A field may have a dot in its own name. */
function readerOf(path: string): (record: Json) => Cell {
  const [minorAt, currencyAt] = [minorPath(path), currencyPath(path)];
  return (record) => {
    const value =
      isObject(record) && Object.hasOwn(record, path) ? record[path] : selectedValue(record, path);
    if (value !== undefined) return isObject(value) && Object.keys(value).length === 0 ? '' : value;
    const minor = selectedValue(record, minorAt);
    return minor === undefined ? undefined : majorOf(minor, selectedValue(record, currencyAt));
  };
}

/** Empty if it cannot be calculated; the column in minor units has it as it came. */
function majorOf(minor: Json, currency: Json): Major | undefined {
  const major = majorIn(minor, currency);
  return major === undefined ? undefined : new Major(major);
}

/** Fields of later records that have no column of their own and are in no column of an enclosing object. */
export function withoutColumn(records: readonly Json[], columns: readonly string[]): string[] {
  const known = new Set(columns);
  return csvColumns(records).filter((path) => {
    const steps = path.split('.');
    return !known.has(path) && !steps.some((_, at) => known.has(steps.slice(0, at).join('.')));
  });
}
