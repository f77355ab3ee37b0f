import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {groupsOf} from '../../../../src/batch/input/issue-groups.ts';
import type {Issue} from '../../../../src/batch/model/issue.ts';
import {addRow, emptyPart} from '../../../../src/batch/model/part.ts';
import type {Survey} from '../../../../src/batch/registry/survey.ts';
import {issuesText, surveyText} from '../../../../src/cli/batch/plan/view.ts';

const issue = (line: number, code = 'uuid', column = 'payee_id'): Issue => ({
  ...{row: line - 1, line, column, code, message: 'is not a UUID', value: `x${line}`},
});

describe('the errors of a file, as they are shown', () => {
  it('are listed one by one when there are few, and counted when there are many', () => {
    const few = groupsOf([issue(2), issue(3), issue(4)]).groups;
    assert.equal(issuesText(few).split('\n').length, 3);
    const many = groupsOf(Array.from({length: 198}, (_, i) => issue(i + 2))).groups;
    assert.equal(
      issuesText(many),
      '  line 2, row 1, column payee_id: is not a UUID (found: x2)\n' +
        '      the same on 197 other lines: 3, 4, 5, 6, 7, 8, 9, 10, 11, and 188 more',
    );
    const four = groupsOf([issue(2), issue(3), issue(4), issue(5)]).groups;
    assert.match(issuesText(four), /the same on 3 other lines: 3, 4, 5$/);
  });

  it('are one line for each cause', () => {
    const many = Array.from({length: 500}, (_, i) => issue(i + 2));
    const lines = issuesText(groupsOf([...many, issue(502, 'rail', 'rail')]).groups).split('\n');
    assert.equal(lines.length, 3);
    assert.match(lines[2]!, /^ +line 502, row 501, column rail: is not a UUID/);
  });
});

describe('what the registry has of a plan, as it is shown', () => {
  const none: Survey = {
    ...{
      paidBy: new Map(),
      doubts: 0,
      disputed: emptyPart(),
      shifts: new Map(),
      conflicts: 0,
      conflictExample: undefined,
    },
    ...{similar: {count: 0, examples: []}, alike: {count: 0, examples: []}, elsewhere: new Map()},
  };

  it('is nothing where no other batch has a reference of it', () => {
    assert.deepEqual(surveyText(none), []);
  });

  it('counts the look-alikes that are not listed', () => {
    const examples = [1, 2, 3, 4, 5].map((n) => ({
      reference: `A-${n}`,
      earlier: {
        ...{batch: 'b', namespace: 'nov', reference: `B-${n}`},
        id: null,
        at: '2026-11-24T00:00:00.000Z',
      },
    }));
    const lines = surveyText({...none, alike: {count: 5, examples}});
    assert.equal(lines.length, 5);
    assert.equal(
      lines[0],
      '  A-1 looks like B-1 of batch b (namespace nov, not recorded as paid yet, 2026-11-24): same party, amount and currency',
    );
    assert.equal(surveyText({...none, alike: {count: 12, examples}}).at(-1), '  … 7 more');
    const similar = {count: 6, examples: [['A-1', 'a-1']]};
    assert.equal(surveyText({...none, similar}).at(-1), '  … 5 more');
  });

  it('names the first row that another batch has', () => {
    const one = surveyText({...none, conflicts: 1, conflictExample: 'A-7'});
    assert.match(one[0]!, /^ {2}1 row \(A-7\) whose reference another batch uses/);
    assert.match(
      surveyText({...none, conflicts: 3, conflictExample: 'A-7'})[0]!,
      /^ {2}3 rows \(A-7, …\) whose/,
    );
  });

  it('names rows in doubt that are not sent', () => {
    const disputed = emptyPart();
    addRow(disputed, {currency: 'USD', amount: 100});
    const [line, ...others] = surveyText({...none, disputed});
    assert.match(line!, /1 row in doubt whose reference another batch has claimed/);
    assert.deepEqual(others, []);
  });
});
