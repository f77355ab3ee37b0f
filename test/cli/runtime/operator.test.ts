import assert from 'node:assert/strict';
import {userInfo} from 'node:os';
import {operatorName} from '../../../src/cli/runtime/operator.ts';

describe('the name in the history of a batch', () => {
  const {USER: before} = process.env;
  afterEach(() => {
    if (before === undefined) delete process.env['USER'];
    else process.env['USER'] = before;
  });

  it('is the user of the operating system, whatever USER says', () => {
    process.env['USER'] = 'mallory';
    assert.equal(operatorName(), userInfo().username);
  });
});
