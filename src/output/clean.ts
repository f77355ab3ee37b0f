/**
 * Text of the service, made harmless before a terminal sees it: escape sequences could rewrite the screen, and bidi
 * marks could show one id or amount as another.
 */

/** C0 (without tab and line feed), DEL, C1, line and paragraph separators, and everything that changes direction. */
const HARMFUL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** What JSON.stringify leaves as it is although a terminal would act on it. */
const UNESCAPED = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Strips what a terminal would act on; line breaks and tabs stay. */
export function cleanText(text: string): string {
  return text.replace(HARMFUL, '');
}

/** The same, on one line: for cells, cards and messages. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replace(/[\t\n]+/g, ' ')
    .trim();
}

/** Compact or indented JSON in which nothing can act on a terminal; it parses to the same value. */
export function safeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value ?? null, undefined, indent);
  return text.replace(UNESCAPED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
