import assert from 'node:assert/strict';
import {describeIssue} from '../../../src/batch/input/issues.ts';

describe('an issue of a file', () => {
  it('is one line, although the name of its column has several', () => {
    const issue = {
      line: 1,
      row: 0,
      column: 'Note\r\nof Ann',
      code: 'x',
      message: 'unknown column',
      value: '',
    };
    assert.equal(describeIssue(issue), 'line 1, column Note of Ann: unknown column');
  });
});
