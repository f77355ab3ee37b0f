import assert from 'node:assert/strict';
import {allOperations} from '../../../src/contract/operations/operations.ts';
import {HANDLERS} from '../../../src/sandbox/handlers/all.ts';

describe('sandbox handlers', () => {
  const operations: string[] = allOperations().map(({id}) => id);

  it('has a handler for every operation of the contract', () => {
    const missing = operations.filter((id) => !Object.hasOwn(HANDLERS, id));
    assert.deepEqual(
      missing,
      [],
      'add a handler in src/sandbox/handlers/ and name it in src/sandbox/handlers/all.ts',
    );
  });

  it('has no handler without an operation', () => {
    const extra = Object.keys(HANDLERS).filter((id) => !operations.includes(id));
    assert.deepEqual(extra, [], 'declare the operation in src/contract/ or remove the handler');
  });
});
