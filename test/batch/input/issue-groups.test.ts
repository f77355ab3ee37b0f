import assert from 'node:assert/strict';
import {type IssueGroup, groupsOf} from '../../../src/batch/input/issue-groups.ts';
import type {Issue} from '../../../src/batch/model/issue.ts';
import {RemitError} from '../../../src/errors.ts';
import {Bench, payeeId} from '../harness.ts';

const issue = (line: number, code = 'uuid', column = 'payee_id'): Issue => ({
  ...{row: Math.max(0, line - 1), line, column, code, message: 'is not a UUID', value: `x${line}`},
});

describe('the errors of a file', () => {
  it('are grouped by code and column, in the order of their first lines', () => {
    const {issues, rows, groups} = groupsOf([
      issue(9),
      issue(3, 'rail', 'rail'),
      issue(3),
      issue(4, 'uuid', 'x'),
    ]);
    assert.deepEqual([issues, rows], [4, 3]);
    assert.deepEqual(
      groups.map(({code, column, count, examples}) => [code, column, count, examples.map(({line}) => line)]),
      [
        ['uuid', 'payee_id', 2, [3, 9]],
        ['rail', 'rail', 1, [3]],
        ['uuid', 'x', 1, [4]],
      ],
    );
  });

  it('keep the ten first lines of a group, in whatever order they come', () => {
    for (const order of [(lines: number[]) => lines, (lines: number[]) => lines.toReversed()]) {
      const lines = order(Array.from({length: 500}, (_, i) => i + 2));
      const [group] = groupsOf(lines.map((line) => issue(line))).groups;
      assert.deepEqual(
        [group!.count, group!.examples.map(({line}) => line)],
        [500, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
      );
    }
  });

  it('name each cause of a file with thousands of errors, also one in its last row', async () => {
    const bench = new Bench();
    try {
      const rows = Array.from({length: 12_000}, (_, i) => `R${i},${payeeId(i)},"1 497,13",USD`);
      const text = `reference,payee_id,amount,currency_code\n${rows.join('\n')}\nLAST,nobody,10.00,USD\n`;
      const error = await bench.plan(bench.file('p.csv', text)).then(
        () => assert.fail('it was planned'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof RemitError);
      assert.match(error.message, /12001 errors in 12001 rows/);
      const {errors, error_groups: groups} = error.details as {errors: Issue[]; error_groups: IssueGroup[]};
      assert.equal(errors.length, 10_000);
      assert.deepEqual(
        groups.map(({code, count, examples}) => [code, count, examples[0].line]),
        [
          ['amount-grouping', 12_000, 2],
          ['uuid', 1, 12_002],
        ],
      );
      assert.match(groups[0]!.examples[0].message, /has separators.*--number-format '1 234,56'/);
    } finally {
      bench.remove();
    }
  });
});
