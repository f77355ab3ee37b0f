/** What ids look like. The interface document promises UUIDs; the ids of other services may be any plain text. */
export const ID_FORMATS = ['uuid', 'any'] as const;
export type IdFormat = (typeof ID_FORMATS)[number];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Needs no escaping in JSON and is no formula in a spreadsheet; four times the length of a UUID at most. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_.:~-]{0,143}$/;

export const isUuid = (text: string): boolean => UUID.test(text);
export const isId = (text: string, format: IdFormat): boolean =>
  isUuid(text) || (format === 'any' && PLAIN.test(text));

/** Upper and lower case are the same in a UUID, and differ in any other id. */
export const usualId = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);
export const isSameId = (a: string, b: string): boolean => a === b || usualId(a) === usualId(b);
