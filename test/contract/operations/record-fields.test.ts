import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {requestFieldsOf} from '../../../src/contract/origin/field-origins.ts';
import {schemaComponents, type OpenApi} from '../../../src/contract/openapi/openapi-schemas.ts';
import {fieldsOf} from '../../../src/contract/openapi/operations-page.ts';
import {allOperations} from '../../../src/contract/operations/operations.ts';
import {FIELD_TYPES, RECORD_FIELDS} from '../../../src/contract/operations/record-fields.ts';

describe('fields that code without zod knows', () => {
  const components = schemaComponents();
  const namesIn = (schema: string) =>
    fieldsOf(components[schema] as OpenApi, components).map(({name}) => name); // a component is a schema

  it('are those of the records that each resource answers with', () => {
    const found: Record<string, Set<string>> = {};
    for (const {id, operation} of allOperations()) {
      const own = (found[id.split('.')[0]!] ??= new Set());
      for (const answer of Object.values(operation.ok)) {
        if (answer === null || answer === 'EventTypeList') continue;
        const record = answer.endsWith('Page')
          ? answer.slice(0, -4)
          : answer === 'MoveEnvelope'
            ? 'Move'
            : answer;
        for (const name of namesIn(record)) own.add(name);
      }
    }
    for (const [resource, names] of Object.entries(found))
      assert.deepEqual(
        [...RECORD_FIELDS[resource as keyof typeof RECORD_FIELDS]].sort(),
        [...names].sort(),
        resource,
      );
  });

  it('have the types of the schemas', () => {
    const types = new Map<string, string>(Object.entries(FIELD_TYPES));
    const seen = new Set<string>();
    for (const {operation} of allOperations())
      for (const answer of Object.values(operation.ok)) {
        if (answer === null || answer === 'EventTypeList') continue;
        const name = answer.endsWith('Page')
          ? answer.slice(0, -4)
          : answer === 'MoveEnvelope'
            ? 'Move'
            : answer;
        for (const [field, schema] of Object.entries(
          (
            components[name] as {
              properties: Record<string, {type?: string | string[]; anyOf?: {type: string}[]}>;
            }
          ).properties,
        )) {
          const options = (schema.anyOf ?? [schema]).flatMap(({type}) => type ?? 'string');
          if (options.includes('integer') || field === 'failure_reason') continue; // other code reads them, in any form
          seen.add(field);
          const type = types.get(field);
          const isNullable = options.includes('null') && !options.includes('object');
          const expected = {string: 'text', boolean: 'flag', object: 'object', array: 'list'}[options[0]!];
          if (type === 'text or null') assert.equal(options[0], 'string', `${name}.${field}`);
          else
            assert.equal(
              type === 'id' ? 'text' : type,
              isNullable ? 'text or null' : expected,
              `${name}.${field}`,
            );
        }
      }
    assert.deepEqual([...types.keys()].sort(), [...seen].sort());
  });

  it('are those that each request takes', () => {
    for (const {id, operation} of allOperations()) {
      const schema = operation.body ?? undefined;
      if (schema === undefined || schema === 'Empty') continue;
      assert.deepEqual(requestFieldsOf(id).sort(), [...new Set(namesIn(schema))].sort(), id);
    }
  });
});
