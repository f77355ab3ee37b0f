import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {describeIssue} from '../../../src/batch/input/issues.ts';

const WHOLE_FILE = {row: 0, line: 0, column: '', code: 'X', message: 'it is wrong', value: ''};

describe('an error in a file', () => {
  for (const [where, text] of [
    [{}, 'file: it is wrong'],
    [{line: 1, column: 'amount'}, 'line 1, column amount: it is wrong'],
    [{line: 7, row: 6}, 'line 7, row 6: it is wrong'],
    [
      {line: 7, row: 6, column: 'amount', value: '1,5'},
      'line 7, row 6, column amount: it is wrong (found: 1,5)',
    ],
    [
      {line: 7, column: 'currency_code', message: '"Dollar" is not a currency', value: 'Dollar'},
      'line 7, column currency_code: "Dollar" is not a currency',
    ],
  ] as const)
    it(`says where it is: ${text}`, () => assert.equal(describeIssue({...WHOLE_FILE, ...where}), text));
});
