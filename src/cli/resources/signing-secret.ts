import {asObject, isList, isObject, type Json} from '../../narrow.ts';
import type {Sanitizer} from '../../sanitize/sanitizer.ts';

/** The secret of a new endpoint, and the field that contains it. */
export interface SigningSecret {
  value: string;
  field: string;
}

/** Common field names, the most likely first, in letters and digits only. */
const NAMES = [
  ...['signingsecret', 'webhooksigningsecret', 'webhooksecret', 'endpointsecret', 'sharedsecret', 'secret'],
  ...['signingkey', 'webhookkey', 'hmackey', 'secretkey', 'key'],
];
const SHORTEST = 8;
const MOST_LEVELS = 5;

/**
 * Finds the secret in the answer to a create, at any level and under any name that services use. The key of the
 * profile never counts, whatever field contains it. A field named as the signing secret may have any length.
 */
export function findSigningSecret(answer: Json, sanitizer: Sanitizer): SigningSecret | undefined {
  const found = [...textFields(answer, 0)].filter(({field, value}) => {
    const shortest = folded(field) === NAMES[0] ? 1 : SHORTEST;
    return NAMES.includes(folded(field)) && value.length >= shortest && sanitizer.isClean(value);
  });
  return found.sort((a, b) => NAMES.indexOf(folded(a.field)) - NAMES.indexOf(folded(b.field)))[0];
}

/** The answer without any field that contains the secret. */
export function withoutSecret(answer: Json, secret: string): Json {
  if (isList(answer)) return answer.map((item) => withoutSecret(item, secret));
  if (!isObject(answer)) return answer;
  return Object.fromEntries(
    Object.entries(answer)
      .filter(([, value]) => value !== secret)
      .map(([field, value]) => [field, withoutSecret(value, secret)]),
  );
}

function* textFields(value: Json, level: number): Generator<SigningSecret> {
  if (level > MOST_LEVELS) return;
  for (const [field, inner] of isList(value) ? value.entries() : Object.entries(asObject(value)))
    if (typeof inner === 'string') yield {field: String(field), value: inner};
    else yield* textFields(inner, level + 1);
}

const folded = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
