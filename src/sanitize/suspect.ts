import {UUID} from './secret-shapes.ts';

/**
 * Without one of these, a text contains no secret shape and no field: most ids and statuses of a batch skip the
 * check. Two patterns: every command compiles them, and one for both takes three times as long. For the same reason
 * `(?![a-z])[^]` stands for `[^a-z]`.
 */
const SUSPECT_WORD =
  /…|(?:test|live|whsec)_|[:=]|\?31|(?:account|acct|a\/c|card|routing|iban|aba)(?![a-z])[^]/i;
const SUSPECT_NUMBER =
  /(?<![\w-])(?:\d(?:[ .\u00a0\u2009\u202f-]?\d){11})|(?:(?<![\w-])|(?<=\?\d\d))[A-Za-z]{2}\d\d[ -]?[A-Za-z0-9]/;

/** A time as services write it. Its colons name no field, and no digits around it can form one number with its own. */
const TIME = String.raw`(?<![\w-])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z(?![\w-])`;
/**
 * An id that is alone in its column of a table or in its line: it has more digits than a number, no capitals as an IBAN
 * has, and no number goes on after a tab or in another line.
 */
const LONE_ID = String.raw`(?<![^\t\n])${UUID}(?![^\t\n])`;
const TIME_OR_ID = new RegExp(`${TIME}|${LONE_ID}`, 'g');

/**
 * A stricter check of texts that contain one of those. Words such as `account` count only if a number follows soon,
 * because the reasons of failures contain them too.
 */
const SUSPECT_FIELD =
  /…|(?:test|live|whsec)_|[:=]|\?31|(?:account|acct|a\/c|card|routing|iban|aba)\D{0,20}\d(?:[ -]?\d){4}/i;
const SUSPECT_DIGITS =
  /(?<![\w-])\d(?:[ .\u00a0\u2009\u202f-]?\d){11}|(?:(?<![A-Za-z0-9])|(?<=\?\d\d))[A-Z]{2}\d\d(?:[ -]?[A-Z0-9]){11}/;

/** Whether a text may contain a secret shape or a field, other than times and ids, which most records have. */
export function isSuspect(text: string): boolean {
  if (!SUSPECT_WORD.test(text) && !SUSPECT_NUMBER.test(text)) return false;
  const rest = text.replace(TIME_OR_ID, '0');
  return SUSPECT_FIELD.test(rest) || SUSPECT_DIGITS.test(rest);
}
