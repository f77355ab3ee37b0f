import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {requestFieldsOf} from '../../../src/contract/origin/field-origins.ts';
import {schemaComponents, type Json} from '../../../src/contract/openapi/openapi-schemas.ts';
import {fieldsOf} from '../../../src/contract/openapi/operations-page.ts';
import {allOperations} from '../../../src/contract/operations/operations.ts';
import {RECORD_FIELDS} from '../../../src/contract/operations/record-fields.ts';

describe('fields that code without zod knows', () => {
  const components = schemaComponents();
  const namesIn = (schema: string) => fieldsOf(components[schema] as Json, components).map(({name}) => name); // a component is a schema

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

  it('are those that each request takes', () => {
    for (const {id, operation} of allOperations()) {
      const schema = operation.body ?? undefined;
      if (schema === undefined || schema === 'Empty') continue;
      assert.deepEqual(requestFieldsOf(id).sort(), [...new Set(namesIn(schema))].sort(), id);
    }
  });
});
