import assert from 'node:assert/strict';
import {isObject} from '../../src/narrow.ts';
import {checkService} from '../../src/service/file/parse.ts';
import {findOperation} from '../../src/service/routes.ts';
import {type Schema, serviceSchema, STATUSES_OF} from '../../src/service/file/schema.ts';
import type {ServiceFile} from '../../src/service/service-file.ts';
import {isAmountField} from '../../src/service/units.ts';

/** Values that suit one of the patterns in the schema. */
const TEXTS = ['other_name', 'x-other', '/other', '12h', 'v1=', 'v1:{timestamp}:{payload}', 'GET /other'];

/**
 * A service file with nothing but the key that a message names, and what the message says to add.
 * @throws if the schema has no such key, or the file is not valid
 */
export function settingOf(key: string, resourceOfAll = 'payouts'): ServiceFile {
  const names = partsOf(key);
  const [section, holder = '', field = ''] = names;
  if (section === 'routes') {
    const operation = findOperation(holder);
    assert.ok(operation !== undefined, `${holder} is not an operation`);
    return checkService({routes: {[holder]: `${operation.method} /other${operation.path}`}}, key);
  }
  if (section === 'fields' && isAmountField(field))
    return checkService(
      {fields: {[holder]: {[field]: 'other'}}, units: {[`${holder}.${field}`]: 'minor'}},
      key,
    );
  if (section === 'statuses')
    return checkService(
      {statuses: {[holder || resourceOfAll]: {OTHER: STATUSES_OF[holder || resourceOfAll]![0]}}},
      key,
    );
  let schema: Schema = serviceSchema();
  for (const name of names) {
    schema = schema.anyOf?.find((one) => one.properties?.[name] !== undefined) ?? schema;
    const own: Schema | undefined = schema.properties?.[name];
    const inner = own ?? (isObject(schema.additionalProperties) ? schema.additionalProperties : undefined);
    assert.ok(inner !== undefined, `the schema has no key ${key}`);
    schema = inner;
  }
  const value = names.reduceRight<unknown>((inner, name) => ({[name]: inner}), valueFor(schema));
  return checkService(value, key);
}

/** `routes.payouts.list` has two parts after the first, joined: the id of an operation. A field may have one before it. */
function partsOf(key: string): string[] {
  const [section = '', ...rest] = key.split('.');
  if (section === 'fields' && rest.length === 3) return [section, rest.slice(0, 2).join('.'), rest[2]!];
  return section === 'routes' || section === 'units' || section === 'bodies'
    ? [section, rest.join('.')]
    : [section, ...rest];
}

function valueFor(schema: Schema): unknown {
  if (schema.anyOf !== undefined) return valueFor(schema.anyOf[0]!);
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === 'integer') return schema.minimum;
  if (schema.type !== 'object') {
    const text = TEXTS.find((one) => new RegExp(schema.pattern ?? '').test(one));
    assert.ok(text !== undefined, `no value for ${schema.pattern}`);
    return text;
  }
  const [first] = Object.entries(schema.properties ?? {});
  if (first !== undefined) return {[first[0]]: valueFor(first[1])};
  const {propertyNames, additionalProperties} = schema;
  const name = propertyNames === undefined ? 'other' : String(valueFor({type: 'string', ...propertyNames}));
  return isObject(additionalProperties) ? {[name]: valueFor(additionalProperties)} : {};
}
