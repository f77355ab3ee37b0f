import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {text} from '../../../src/output/records/view.ts';
import {makeOutput} from '../make-output.ts';

const view = {
  noun: 'value',
  plural: 'values',
  card: [],
  columns: [text('Where', 'where'), text('Effect', 'effect')],
};
const records = [
  {where: 'amount', effect: 'the bank sends it back two days on'},
  {where: 'last two digits', effect: 'it is paid'},
];

describe('a table on a terminal', () => {
  it('is wrapped between words if it is wider than the terminal, even by one character', async () => {
    for (let columns = 16; columns <= 60; columns += 1) {
      const {out, stdout} = makeOutput({colour: 'never'}, {columns});
      await out.list(records, view);
      const lines = stdout.text.trimEnd().split('\n');
      for (const line of lines) assert.ok(line.length <= columns, `${columns}: ${line}`);
      if (columns >= 51) assert.equal(lines.length, 3, `${columns} characters are enough`);
    }
  });
});
