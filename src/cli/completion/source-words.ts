/*
 * Where the values of a flag or argument come from, as one word: `=a|b` these values; `@kind` values that only this
 * machine knows (values.ts); `%file` and `%folder` paths; `?` a value that cannot be completed; `-` no value at all.
 */

export const NO_VALUE = '-';
export const UNKNOWN = '?';
export const FILE = '%file';
export const FOLDER = '%folder';

export const oneOf = (values: readonly string[]): string => `=${values.join('|')}`;
