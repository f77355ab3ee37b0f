import {ExactNumber, isList, isObject, type Printable} from '../narrow.ts';
import {factsOf, factsWithin, foldNames, type NameFacts, protectionOf} from './secret-names.ts';
import {isMasked, looksLikeNumber} from './secret-shapes.ts';

/** Deeper levels of an answer are omitted; JSON.stringify could not write them either. */
export const MOST_LEVELS = 500;

/** Values under protected names, as text. */
export function protectedValues(json: Printable, own: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const walk = (value: Printable, name: NameFacts, level: number): void => {
    if (typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber) {
      const protection = protectionOf(name, own);
      if (protection === undefined) return;
      const text = String(value);
      if (!isMasked(text) && (!protection.startsWith('loose') || looksLikeNumber(text))) found.push(text);
    } else if (level === MOST_LEVELS) {
      return;
    } else if (isList(value)) {
      for (const item of value) walk(item, name, level + 1);
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) walk(value[key], factsWithin(name, key), level + 1);
    }
  };
  walk(json, factsOf(''), 0);
  return found;
}

/** Numbers in a request body, by field name. */
export const sensitiveValues = (body: Printable, fields: readonly string[] = []): string[] =>
  protectedValues(body, foldNames(fields));
