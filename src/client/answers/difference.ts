import {plainValue} from '../../sanitize/plain-value.ts';
import type {Json} from '../../narrow.ts';

/** A field whose value in the answer to a write is not the requested one. */
export interface Difference {
  field: string;
  asked: Json;
  answered: Json;
}

/** `label is Old, requested New; url is …`. */
export const differencesInWords = (differences: readonly Difference[]): string =>
  differences
    .map(({field, asked, answered}) => `${field} is ${plainValue(answered)}, requested ${plainValue(asked)}`)
    .join('; ');
