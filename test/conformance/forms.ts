import assert from 'node:assert/strict';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|\+00:00)$/;

/** What a field of an answer must look like. */
export type Form = (value: unknown) => void;

const matches =
  (pattern: RegExp): Form =>
  (value) => {
    assert.equal(typeof value, 'string');
    assert.match(value as string, pattern);
  };

export const isUuid = matches(UUID);
export const isTime = matches(UTC);
export const isText: Form = (value) => assert.equal(typeof value, 'string');
export const isCurrency = matches(/^[A-Z]{3}$/);
export const isCountry = matches(/^[A-Z]{2}$/);
export const isWhole: Form = (value) => assert.ok(Number.isSafeInteger(value), String(value));
export const isBoolean: Form = (value) => assert.equal(typeof value, 'boolean');
export const isObject: Form = (value) =>
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), JSON.stringify(value));
export const isList: Form = (value) => assert.ok(Array.isArray(value), JSON.stringify(value));
export const oneOf =
  (...values: readonly unknown[]): Form =>
  (value) =>
    assert.ok(values.includes(value), `${JSON.stringify(value)} is none of ${values.join(', ')}`);
export const orNull =
  (form: Form): Form =>
  (value) =>
    value === null ? undefined : form(value);

/** Each field is there, and of its form. */
export function hasForms(record: Record<string, unknown>, forms: Readonly<Record<string, Form>>): void {
  for (const [field, form] of Object.entries(forms)) {
    assert.ok(field in record, `${field} is missing: ${JSON.stringify(record)}`);
    form(record[field]);
  }
}
