import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {answeredRecord} from '../../../src/client/answers/record.ts';
import {recordWithId} from '../../../src/cli/write/compare.ts';
import {asReceived} from '../../../src/narrow.ts';

describe('the record of an id', () => {
  it('is the answer with this id, in any case of letters, or one that carries no id', () => {
    assert.deepEqual(recordWithId({id: 'A1', status: 'x'}, 'a1'), {id: 'A1', status: 'x'});
    assert.deepEqual(recordWithId(answeredRecord({data: {id: 'a1'}}), 'a1'), {id: 'a1'});
    assert.deepEqual(asReceived(recordWithId(answeredRecord({status: 'x', id: null}), 'a1') ?? {}), {
      status: 'x',
      id: 'a1',
    });
    for (const answer of [{}, {id: 'b2'}, null, 'text', [{id: 'a1'}], undefined, {status: 'x', id: {a: 1}}])
      assert.equal(recordWithId(answeredRecord(answer), 'a1'), undefined);
  });
});
