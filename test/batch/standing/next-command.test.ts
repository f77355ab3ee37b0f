import type {Kind} from '../../../src/batch/model/kinds.ts';
import {commandsAs} from '../bare-commands.ts';
import assert from 'node:assert/strict';
import {nextCommand} from '../../../src/batch/standing/next-command.ts';
import type {Remaining} from '../../../src/batch/standing/remaining.ts';

const NOTHING: Remaining = {
  ...{
    state: 'incomplete',
    stop: undefined,
    not_sent: 0,
    refused: 0,
    notDirect: 0,
    in_doubt: 0,
    staged: 0,
    held: 0,
  },
  ...{
    disputed: 0,
    lateDoubts: 0,
    releasing: 0,
    lateStaged: 0,
    waiting: 0,
    goneStaged: 0,
    goneUnsent: 0,
    goneHeld: 0,
    openFormer: null,
    uncancelableRecord: null,
    lateUnapproved: 0,
    unapproved: 0,
    rejected: 0,
    failed: 0,
  },
  ...{
    heldReference: null,
    deadReference: null,
    refusedParty: null,
    otherRecord: null,
    takenRow: null,
    mixedUpRow: null,
    replacedRow: null,
    maybeTwiceParty: null,
    differingReference: null,
    conflictReference: null,
    stuck: 0,
    shared: 0,
    isProbeRefused: false,
  },
  ...{
    conflicts: 0,
    mayApproveById: false,
    mustApproveById: false,
    unreadable: 0,
    unreadableReleases: 0,
    isCanceling: false,
    cancelable: 0,
  },
  ...{isUnproven: false, waitsFor: null, retryWaits: null},
};
const next = (
  remaining: Partial<Remaining>,
  profile: string | null = 'acme',
  mode: 'test' | 'live' = 'test',
  kind: Kind = 'payout',
) =>
  nextCommand(
    {...NOTHING, ...remaining},
    {commands: commandsAs(profile, mode), kind, batchId: 'b1'},
  )?.replace(/(^|&& )remit pay(?:out|in)s batch /, '$1') ?? null;

describe('the next command of a batch', () => {
  for (const [words, remaining, command] of [
    ['is none when every row is paid', {state: 'complete'}, null],
    ['is none while it runs', {state: 'running', not_sent: 3}, null],
    ['is none once it is canceled', {state: 'canceled', isCanceling: true, in_doubt: 1}, null],
    ['runs what is planned', {state: 'planned', not_sent: 3}, 'run b1 -p acme'],
    ['releases what is staged', {state: 'staged', staged: 3}, 'release b1 -p acme'],
    [
      'resolves a row whose record shows another payment each time before it approves the others by id',
      {
        state: 'stopped',
        stop: 'collision',
        mustApproveById: true,
        shared: 1,
        stuck: 1,
        in_doubt: 1,
        staged: 2,
      },
      'resolve b1 --from FILE -p acme',
    ],
    [
      'stages what is left before it releases what is staged',
      {state: 'staged', staged: 3, not_sent: 1},
      'resume b1 -p acme',
    ],
    [
      'stages what is in doubt before it releases what is staged',
      {state: 'staged', staged: 3, in_doubt: 1},
      'resume b1 -p acme',
    ],
    [
      'releases what is staged without what the service refuses',
      {state: 'staged', staged: 3, not_sent: 1, refused: 1},
      'release b1 --accept rest -p acme',
    ],
    [
      'releases what is staged without what is in conflict',
      {state: 'staged', staged: 3, conflicts: 1},
      'release b1 --accept rest -p acme',
    ],
    [
      'releases what is staged without what only a person can find out about',
      {state: 'staged', staged: 3, in_doubt: 1, stuck: 1},
      'release b1 --accept rest -p acme',
    ],
    [
      'releases what is staged beside a row that was answered with another record',
      {state: 'stopped', stop: 'collision', staged: 3, conflicts: 1},
      'release b1 --accept rest -p acme',
    ],
    [
      'creates the rest beside such a row first',
      {state: 'stopped', stop: 'collision', staged: 3, not_sent: 1, conflicts: 1},
      'resume b1 -p acme',
    ],
    [
      'sends what is in doubt again, when nothing is staged',
      {state: 'held', in_doubt: 2},
      'resume b1 -p acme',
    ],
    [
      'goes on with a release of which only doubts are left',
      {state: 'staged', in_doubt: 2, releasing: 2},
      'release b1 -p acme',
    ],
    ['runs without --direct what direct mode does not send', {not_sent: 2, notDirect: 2}, 'run b1 -p acme'],
    ['resumes direct mode where other rows are left', {not_sent: 3, notDirect: 2}, 'resume b1 -p acme'],
    ['creates the rest before that', {state: 'staged', in_doubt: 3, releasing: 2}, 'resume b1 -p acme'],
    [
      'releases what is staged beside a row in doubt',
      {state: 'held', in_doubt: 1, staged: 2},
      'release b1 --accept rest -p acme',
    ],
    [
      'releases a row whose release was not answered, beside a conflict',
      {state: 'held', in_doubt: 1, releasing: 1, conflicts: 1},
      'release b1 --accept rest -p acme',
    ],
    [
      'sends the rest before it releases a part',
      {state: 'held', in_doubt: 1, staged: 2, not_sent: 1},
      'resume b1 -p acme',
    ],
    [
      'releases a part where the rest was refused',
      {state: 'held', staged: 2, not_sent: 1, refused: 1},
      'release b1 --accept rest -p acme',
    ],
    ['sends again what was not approved', {unapproved: 1}, 'retry b1 -p acme'],
    ['sends again what was rejected', {rejected: 1}, 'retry b1 -p acme'],
    ['sends again what has failed', {failed: 1}, 'retry b1 -p acme'],
    [
      'shows a record that differs',
      {staged: 1, held: 1, heldReference: 'INV-1'},
      'status b1 --row INV-1 -p acme',
    ],
    [
      'checks the profile first, where nothing has shown that the service is at its address',
      {state: 'stopped', not_sent: 3, isUnproven: true},
      'remit profiles test -p acme && resume b1 -p acme',
    ],
    [
      'shows the batch that has staged the rows to be retried',
      {rejected: 1, failed: 1, retryWaits: {batch: 'b2', rows: 2, ended: 0}},
      'status b2 -p acme',
    ],
    [
      'retries what no other batch has',
      {rejected: 2, retryWaits: {batch: 'b2', rows: 1, ended: 0}},
      'retry b1 -p acme',
    ],
    [
      'ignores that batch once no row waits',
      {retryWaits: {batch: 'b2', rows: 2, ended: 0}},
      'report b1 --html -p acme',
    ],
    [
      'shows the batch that has staged a row whose record has ended',
      {deadReference: 'A-1', retryWaits: {batch: 'b2', rows: 0, ended: 1}},
      'status b2 -p acme',
    ],
    ['shows the batch that has to be finished first', {waitsFor: 'b2'}, 'status b2 -p acme'],
    ['sends what it can before that', {state: 'stopped', not_sent: 2, waitsFor: 'b2'}, 'resume b1 -p acme'],
    [
      'names a row whose key belongs to a record that has ended',
      {deadReference: "Miller's 7"},
      "retry b1 --row 'Miller'\\''s 7' -p acme",
    ],
    [
      'looks for the record of a row whose key was refused, before anything sends it with a new key',
      {refusedParty: 'p-1'},
      'remit payouts list --payee p-1 --all -p acme',
    ],
    [
      'shows the record of another payment with which a row is in conflict',
      {otherRecord: 'r-1'},
      'remit payouts get r-1 -p acme',
    ],
    [
      'asks for what was found out about rows whose every replay is answered with 409',
      {in_doubt: 1, stuck: 1},
      'resolve b1 --from FILE -p acme',
    ],
    [
      'makes refusals final where the service is known to be at its address, and refuses all that is left',
      {state: 'stopped', stop: 'refused-at-first', not_sent: 3, refused: 3},
      'resume b1 --accept refusals -p acme',
    ],
    [
      'makes nothing final where only rows in doubt are left',
      {state: 'stopped', stop: 'refused-at-first', in_doubt: 2},
      'resume b1 -p acme',
    ],
    [
      'does so as well if other rows come after them, since a resume would send these first and stop again',
      {state: 'stopped', stop: 'refused-at-first', not_sent: 4, refused: 3},
      'resume b1 --accept refusals -p acme',
    ],
    [
      'sends the other rows if too few were refused to stop another run',
      {state: 'stopped', stop: 'refused-at-first', not_sent: 4, refused: 2},
      'resume b1 -p acme',
    ],
    [
      'asks the same where their answers would stop the run before it sends what is left',
      {state: 'stopped', stop: 'failing', in_doubt: 2, stuck: 2, not_sent: 1},
      'resolve b1 --from FILE -p acme',
    ],
    [
      'asks the same where a record that is another payment would stop the run',
      {state: 'stopped', stop: 'collision', in_doubt: 1, stuck: 1, shared: 1, staged: 2},
      'resolve b1 --from FILE -p acme',
    ],
    [
      'resumes after a collision that another run does not meet again',
      {state: 'stopped', stop: 'collision', in_doubt: 1, stuck: 1, not_sent: 2},
      'resume b1 -p acme',
    ],
    [
      'asks for what was found out about a row that is never readable, although others were not sent',
      {state: 'stopped', stop: 'unreadable', in_doubt: 1, stuck: 1, unreadable: 1, not_sent: 2},
      'resolve b1 --from FILE -p acme',
    ],
    [
      'releases what is staged beside it, whatever stopped the run',
      {state: 'stopped', stop: 'failing', staged: 4, in_doubt: 1, stuck: 1, unreadable: 1},
      'release b1 --accept rest -p acme',
    ],
    [
      'asks for what was found out, if a release would have to read the record of such a row',
      {
        ...{state: 'stopped', stop: 'failing', staged: 4, in_doubt: 1, stuck: 1},
        ...{unreadable: 1, unreadableReleases: 1},
      },
      'resolve b1 --from FILE -p acme',
    ],
    [
      'asks for what was found out about a lost record, although records have to be approved by their ids',
      {state: 'stopped', stop: 'lost-record', in_doubt: 1, releasing: 1, staged: 1, mustApproveById: true},
      'resolve b1 --from FILE -p acme',
    ],
    [
      'asks the same about a lost record that cancel has found',
      {state: 'stopped', stop: 'lost-record', in_doubt: 1, releasing: 1, cancelable: 2, isCanceling: true},
      'resolve b1 --from FILE -p acme',
    ],
    ['sends the other rows in doubt beside them', {in_doubt: 2, stuck: 1}, 'resume b1 -p acme'],
    [
      'cancels what is staged where the service refuses its replay',
      {state: 'stopped', stop: 'probe', staged: 2, isProbeRefused: true},
      'cancel b1 -p acme',
    ],
    [
      'asks for what was found out about rows that no command sends',
      {in_doubt: 2, disputed: 2},
      'resolve b1 --from FILE -p acme',
    ],
    ['sends what is in doubt beside them', {in_doubt: 2, disputed: 1}, 'resume b1 -p acme'],
    [
      'releases by their ids what is staged, although a row past the horizon holds the release',
      {in_doubt: 1, lateDoubts: 1, staged: 2, lateStaged: 2, mayApproveById: true},
      'release b1 --accept rest -p acme',
    ],
    [
      'releases by their ids what is staged, although a conflict holds the release',
      {state: 'held', conflicts: 1, staged: 2, lateStaged: 2, mayApproveById: true},
      'release b1 --accept rest -p acme',
    ],
    [
      'releases by their ids what was staged only: a resume would stage it again',
      {state: 'staged', staged: 2, mustApproveById: true, mayApproveById: true},
      'release b1 -p acme',
    ],
    [
      'releases by their ids what is staged beside a row that nobody can find out about',
      {state: 'stopped', staged: 2, in_doubt: 1, stuck: 1, mustApproveById: true, mayApproveById: true},
      'release b1 --accept rest -p acme',
    ],
    [
      'asks for what was found out past the horizon',
      {in_doubt: 2, lateDoubts: 2},
      'resolve b1 --from FILE -p acme',
    ],
    [
      'lets the profile approve by id what was staged past the horizon',
      {state: 'staged', staged: 2, lateStaged: 2},
      'remit profiles set acme --approve-by-id && release b1 -p acme',
    ],
    [
      'releases that where the profile does so already',
      {state: 'held', staged: 2, lateStaged: 2, mayApproveById: true},
      'release b1 -p acme',
    ],
    [
      'lets the profile approve by id what can no longer be released by a replay',
      {state: 'stopped', staged: 2, mustApproveById: true},
      'remit profiles set acme --approve-by-id && resume b1 -p acme',
    ],
    [
      'does that too if only rows in doubt are left',
      {state: 'stopped', in_doubt: 1, releasing: 1, mustApproveById: true},
      'remit profiles set acme --approve-by-id && resume b1 -p acme',
    ],
    [
      'continues with them where the profile does so already',
      {state: 'stopped', staged: 2, mustApproveById: true, mayApproveById: true},
      'resume b1 -p acme',
    ],
    [
      'shows a held row that is left over: nothing releases it by its id before its difference is accepted',
      {...{staged: 1, held: 1, heldReference: 'INV-3'}, mustApproveById: true, mayApproveById: true},
      'status b1 --row INV-3 -p acme',
    ],
    [
      'goes on with a cancel',
      {state: 'stopped', isCanceling: true, staged: 2, cancelable: 2},
      'cancel b1 -p acme',
    ],
    [
      'asks for what was found out before a cancel can end',
      {state: 'stopped', isCanceling: true, in_doubt: 1, lateDoubts: 1},
      'resolve b1 --from FILE -p acme',
    ],
    [
      'finds the batches that have a reference in conflict',
      {conflictReference: 'INV 1'},
      "find 'INV 1' -p acme",
    ],
    ['writes the report if nothing else is left', {}, 'report b1 --html -p acme'],
  ] as const satisfies readonly (readonly [string, Partial<Remaining>, string | null])[])
    it(words, () => assert.equal(next(remaining), command));

  it('cancels records past the horizon if there is no profile that could approve them', () =>
    assert.equal(next({state: 'staged', staged: 2, lateStaged: 2}, null), 'cancel b1'));

  it('cancels records that can only be approved by id if there is no profile that could approve them', () =>
    assert.equal(next({state: 'stopped', staged: 2, mustApproveById: true}, null), 'cancel b1'));

  it('cancels first the record for which a row waits, if it was last shown as created', () => {
    const id = '018f0000-0000-7000-8000-000000000009';
    const left = {not_sent: 1, openFormer: id};
    assert.equal(
      next({...left, state: 'held'}, 'acme', 'live'),
      `remit payouts cancel ${id} --live -p acme && resume b1 --live -p acme`,
    );
    assert.equal(next({...left, state: 'complete'}), null);
  });

  it('includes --live with a live key, if the command sends something', () => {
    assert.equal(next({rejected: 1}, 'acme', 'live'), 'retry b1 --live -p acme');
    assert.equal(next({disputed: 1, in_doubt: 1}, 'acme', 'live'), 'resolve b1 --from FILE -p acme');
  });
});
