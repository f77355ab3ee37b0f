import {ExactNumber, isList, isObject, type Json} from '../../narrow.ts';
import type {LineText} from '../model/line.ts';

/** Objects of a service are not deeper; what is below is not read. */
const MOST_DEPTH = 8;

/** Every text and number of a value with the path of its field: `transfer_details.trace_number`. Numbers keep their digits. */
export function textLeaves(value: Json, path = '', depth = 0): LineText[] {
  if (typeof value === 'string') return value === '' ? [] : [{path, text: value}];
  if (typeof value === 'number' || value instanceof ExactNumber) return [{path, text: String(value)}];
  if (depth === MOST_DEPTH) return [];
  const inner = isList(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
  return [...inner].flatMap(([name, one]) =>
    textLeaves(one, path === '' ? String(name) : `${path}.${name}`, depth + 1),
  );
}

/** The last part of a path: `trace_number`. */
export const fieldOf = ({path}: LineText): string => path.slice(path.lastIndexOf('.') + 1);
