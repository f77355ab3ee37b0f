import {exactJson} from '../json/exact.ts';
import type {Printable} from '../narrow.ts';
import {cleanLine} from './harmful.ts';

/** Any value on one line: text unchanged, objects as compact JSON, empty values as a dash. */
export function plainValue(value: Printable | bigint): string {
  if (value === undefined || value === null || value === '') return '-';
  if (typeof value === 'string') return cleanLine(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  return cleanLine(exactJson(value));
}
