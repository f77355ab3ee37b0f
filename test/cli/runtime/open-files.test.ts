import assert from 'node:assert/strict';
import {socketCeiling} from '../../../src/cli/runtime/open-files.ts';

describe('the sockets that a run may open', () => {
  it('are as many as it ever uses if the limit is high or unknown', () => {
    assert.equal(socketCeiling(1_048_576, 30), 1024);
    assert.equal(socketCeiling(undefined, 30), 1024);
  });
  it('leave some files for journals and results', () => {
    assert.equal(socketCeiling(1024, 30), 946);
    assert.equal(socketCeiling(256, 30), 178);
  });
  it('are one at least', () => assert.equal(socketCeiling(32, 30), 1));
  it('are known for this process', () => assert.ok(socketCeiling() >= 1));
});
