import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {SCHEMAS, check, type SchemaName} from '../../../src/contract/schemas/registry.ts';

describe('schema registry', () => {
  it('checks any JSON without throwing, and names at least one issue if it refuses', () => {
    const names = Object.keys(SCHEMAS) as SchemaName[];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.jsonValue(), (name, value) => {
        const result = check(name, value);
        assert.ok(result.ok || result.issues.length > 0);
      }),
    );
  });

  it('names a field by its dotted path', () => {
    const result = check('PayeePaymentMethodAdd', {type: 'bank_account', bank_account: {}});
    assert.ok(!result.ok);
    assert.ok(result.issues.some(({field}) => field === 'bank_account.holder_name'));
  });
});
