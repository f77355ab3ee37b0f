import {isIdField} from '../../contract/ids.ts';
import {isList, isObject, type JsonFields, type Json, receivedFields} from '../../narrow.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Difference} from '../../client/answers/difference.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** How the record after a change differs from the request. Only fields that the record contains are compared. */
export const changedOtherwise = (requested: JsonFields, record: ServiceRecord): Difference[] =>
  Object.entries(requested).flatMap(([field, asked]) => {
    const answered = receivedFields(record)[field];
    const isSame = asked === undefined || answered === undefined || isEqual(field, answered, asked);
    return isSame ? [] : [{field, asked, answered}];
  });

/** The same for a new record. The interface document does not show its fields, so null is no value. */
export const createdOtherwise = (requested: JsonFields, record: ServiceRecord): Difference[] =>
  changedOtherwise(requested, record).filter(({answered}) => answered !== null);

/** Ids and codes may be returned in another case. */
function isEqual(field: string, a: Json, b: Json): boolean {
  const [one, other] = [normal(a), normal(b)];
  if (!isIdField(field) && !field.endsWith('_code')) return one === other;
  return one.toLowerCase() === other.toLowerCase();
}

/** Fields of the request that the record should contain, but does not. A description may be left out. */
export const notShownAfter = (requested: JsonFields, record: ServiceRecord): string[] =>
  Object.entries(requested).flatMap(([field, asked]) =>
    asked === undefined || field === 'description' || receivedFields(record)[field] !== undefined
      ? []
      : [field],
  );

/** Services may trim texts, reorder lists and keys, write URLs in their canonical form and store an empty text as null. */
function normal(value: Json): string {
  if (isList(value)) return JSON.stringify([...new Set(value.map(normal))].sort());
  if (isObject(value))
    return JSON.stringify(
      Object.entries(value)
        .map(([key, inner]) => [key, normal(inner)])
        .sort(),
    );
  const text =
    value === null || value === '' ? '' : plainValue(value).normalize('NFC').replaceAll(/\s+/g, ' ').trim();
  return URL.canParse(text) ? new URL(text).href : text;
}
