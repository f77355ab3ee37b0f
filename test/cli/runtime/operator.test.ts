import assert from 'node:assert/strict';
import {userInfo} from 'node:os';
import {describe, it} from 'mocha';
import {operatorName} from '../../../src/cli/runtime/operator.ts';

describe('the name in the history of a batch', () => {
  it('is USER, which can be chosen, otherwise the user of the process', () => {
    assert.equal(operatorName({USER: 'ada'}), 'ada');
    for (const env of [{}, {USER: ''}]) assert.equal(operatorName(env), userInfo().username);
  });
});
