import assert from 'node:assert/strict';
import {nextCommand, type Remaining} from '../../src/batch/next-command.ts';

const NOTHING: Remaining = {
  ...{state: 'complete', not_sent: 0, in_doubt: 0, staged: 0, held: 0, unapproved: 0, failed: 0},
  disputed: 0,
};
const next = (remaining: Partial<Remaining>) =>
  nextCommand({...NOTHING, ...remaining}, (verb, flags = '') => verb + flags, {pastHorizon: false});

describe('the next command of a batch', () => {
  for (const [words, remaining, command] of [
    ['is none when nothing is left', {}, null],
    ['sends what is in doubt again, when nothing is staged', {state: 'held', in_doubt: 2}, 'resume'],
    [
      'releases what is staged beside a row in doubt',
      {state: 'held', in_doubt: 1, staged: 2},
      'release --release-rest',
    ],
    [
      'sends the rest before it releases a part',
      {state: 'held', in_doubt: 1, staged: 2, not_sent: 1},
      'resume',
    ],
    ['tries approvals again', {unapproved: 1}, 'release'],
    ['releases records that differ', {staged: 1, held: 1}, 'release --accept-differences'],
    ['sends failed rows again', {failed: 1}, 'retry'],
    ['names the rows that no command sends', {in_doubt: 2, disputed: 2}, 'report'],
    ['names them also where they hold the release', {state: 'held', in_doubt: 2, disputed: 2}, 'report'],
    ['sends what is in doubt beside them', {in_doubt: 2, disputed: 1}, 'resume'],
  ] as const satisfies readonly (readonly [string, Partial<Remaining>, string | null])[])
    it(words, () => assert.equal(next(remaining), command));
});
