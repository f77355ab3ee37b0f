import {failureOf} from '../../contract/failure.ts';
import type {Json} from '../../narrow.ts';
import {field, plainValue, type Field} from '../records/view.ts';

/** `R01 account closed`: the reason code and its text, as far as the record has them. */
export function failureReasonText(record: Json): string | undefined {
  const {code, message} = failureOf(record) ?? {};
  const words = [code, message].filter((part) => part !== undefined);
  return words.length === 0 ? undefined : words.join(' ');
}

/** The column of a list that says why a record failed. */
export const failureColumn = (label: string, path: string): Field => ({
  ...field(label, path, (_value, record) => plainValue(failureReasonText(record)), 2),
  optional: true,
});
