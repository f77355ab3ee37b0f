import {BARE_COMMANDS} from '../../../../src/errors.ts';
import {Commands} from '../../../../src/cli/line/command-line.ts';
import assert from 'node:assert/strict';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {revisionText} from '../../../../src/cli/batch/plan/view.ts';
import {doubtsText} from '../../../../src/cli/batch/summary-view.ts';

describe('what an edited file changes', () => {
  it('names ten removed rows, how many more there are, and where all of them are listed', () => {
    const dropped = Array.from({length: 12}, (_, n) => `A-${n + 1}`);
    const words = revisionText(2, {added: 0, corrected: 0, dropped});
    assert.match(words, /12 removed and never sent: A-1, .*A-10, and 2 more \(plan -o json lists them all/);
    assert.doesNotMatch(words, /A-11/);
    assert.doesNotMatch(revisionText(2, {added: 0, corrected: 0, dropped: dropped.slice(0, 10)}), /more/);
  });
});

describe('rows in doubt', () => {
  const NEXT = 'remit payouts batch run b';
  const left = (n: number) => ({kind: 'payout', batch_id: 'b', in_doubt: n, next: NEXT}) as Summary; // all it reads

  it('are named; if there are many, with the command that writes them all to a file', () => {
    assert.equal(
      doubtsText(left(12), ['A-1', 'A-2'], BARE_COMMANDS),
      `12 rows in doubt (the service may have accepted them): A-1, A-2, and 10 more (remit payouts batch report b writes all of them to a file). To find out: ${NEXT}`,
    );
    assert.doesNotMatch(doubtsText(left(2), ['A-1', 'A-2'], BARE_COMMANDS), /more/);
    const acme = new Commands({profile: 'acme', mode: 'test', named: false});
    assert.match(doubtsText(left(3), ['A-1'], acme), /batch report b -p acme writes/);
    const late = {...left(1), next: 'remit payouts batch resolve b --from FILE'};
    assert.match(
      doubtsText(late, ['A-1'], BARE_COMMANDS),
      /^1 row in doubt \(the service may have accepted it\): A-1\. Resolve it with: remit payouts batch resolve b --from/,
    );
  });
});
