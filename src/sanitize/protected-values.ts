import {foldNames, nameWithin, protectionOf} from './secret-names.ts';
import {isMasked, looksLikeNumber} from './secret-shapes.ts';

/** Deeper levels of an answer are omitted; JSON.stringify could not write them either. */
export const MOST_LEVELS = 500;

/** Values under protected names, as text. */
export function protectedValues(json: unknown, own: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const walk = (value: unknown, name: string, level: number): void => {
    if (typeof value === 'object' && value !== null) {
      if (level === MOST_LEVELS) return;
      for (const [key, inner] of Object.entries(value))
        walk(inner, Array.isArray(value) ? name : nameWithin(name, key), level + 1);
    } else if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value);
      const protection = protectionOf(name, own);
      if (protection === undefined || isMasked(text)) return;
      if (!protection.startsWith('loose') || looksLikeNumber(text)) found.push(text);
    }
  };
  walk(json, '', 0);
  return found;
}

/** Numbers in a request body, by field name. */
export const sensitiveValues = (body: unknown, fields: readonly string[] = []): string[] =>
  protectedValues(body, foldNames(fields));
