import {RemitError} from '../../errors.ts';
import type {RunFacts} from '../journal/facts.ts';
import type {Journal} from '../journal/journal.ts';
import type {BatchState} from '../model/batch-state.ts';
import {KINDS} from '../model/kinds.ts';
import type {Standing} from '../model/tally.ts';
import {CLOCK_AHEAD_MS, HORIZON_MS, KEY_IN_USE_MS} from '../model/record-age.ts';
import {DIRECT_WITH_USED_KEY} from '../model/outcome.ts';
import type {RunPath} from '../model/run-path.ts';
import type {Plan} from '../model/plan-facts.ts';
import type {Stop} from '../model/stop.ts';

/** What is left of a batch at rest, as far as the next command depends on it. Numbers are rows. */
export interface Remaining {
  state: BatchState;
  stop: Stop['reason'] | undefined;
  not_sent: number;
  /** Part of not_sent: the service refused them in a way that says nothing about the row. */
  refused: number;
  /** Part of not_sent: direct mode does not send them, staging does. */
  notDirect: number;
  in_doubt: number;
  /** Parts of in_doubt: another batch has their reference, so that no command sends them; … */
  disputed: number;
  /** … their key may be forgotten, so that only a person can find out what became of them. */
  lateDoubts: number;
  /** Part of in_doubt, and of neither of those: the record is known, and only a release reads it. */
  releasing: number;
  staged: number;
  held: number;
  /** The record of the first held row. */
  heldRecord: string | null;
  /** Rows with a record that was staged longer ago than the key horizon: part of staged, or in doubt since. */
  lateStaged: number;
  unapproved: number;
  rejected: number;
  failed: number;
  /** Part of in_doubt: the service still answered 409 long after their first request, so another replay will not help. */
  stuck: number;
  /** The first row whose record, which is known, has failed or was canceled. */
  deadReference: string | null;
  /** The party of the first row whose key was refused, when no record of it is known. */
  refusedParty: string | null;
  /** The record of another payment with which the first row is in conflict. */
  otherRecord: string | null;
  /** The service refused the replay of a staged row, or shows another record: a release would stop in the same way. */
  isProbeRefused: boolean;
  /** The profile of the last run approves by id past the horizon. */
  mayApproveById: boolean;
  /** The profile of the last run may release records that differ from their rows: no cap forbids it. */
  mayAcceptDifferences: boolean;
  /** The run stopped before the service had answered anything that shows it to be the service. */
  isUnproven: boolean;
  /** The unfinished batch that has claimed references of this one. */
  waitsFor: string | null;
  /** `cancel` was begun: nothing else of the batch is sent. */
  isCanceling: boolean;
  /** Rows whose record `cancel` has still to read. */
  cancelable: number;
}

export const readRunFacts = (journal: Journal): RunFacts =>
  journal.fact('runFacts') ?? {horizonMs: HORIZON_MS, approveById: false};

/** Stops that a wrong address explains. */
const AT_ADDRESS: ReadonlySet<string> = new Set(['unreadable', 'refused-at-first', 'redirect']);

/** When `cancel` was begun; undefined for any other batch. */
export const cancelBegan = (journal: Journal): number | undefined => journal.fact('canceling');

/** Durable when it returns: from then on nothing else of the batch is sent. */
export function beginCancel(journal: Journal, now: number): void {
  if (cancelBegan(journal) === undefined) journal.setFact('canceling', now);
}

/** @throws RemitError BATCH_CANCELED for any other run of a batch whose cancel was begun, and for a cancel that was not */
export function refuseCanceled(
  journal: Journal,
  {batchId, kind}: Plan,
  path: RunPath | 'as-before',
  runAgain?: string,
): void {
  const began = cancelBegan(journal);
  if (path === 'cancel' && began === undefined) throw new Error('a cancel begins with beginCancel');
  if (path === 'cancel' || began === undefined) return;
  const isDone = journal.fact('state') === 'canceled';
  const verb = [KINDS[kind].topic, 'batch'];
  throw new RemitError(
    'BATCH_CANCELED',
    `batch ${batchId} ${isDone ? 'is canceled' : 'is being canceled'}; nothing else of it is sent`,
    {
      hint: (commands) =>
        isDone
          ? `to send its rows after all, run the file as another batch: ${runAgain ?? commands.write(...verb, 'run', 'FILE', '--batch-id', 'NAME')}`
          : commands.write(...verb, 'cancel', batchId),
    },
  );
}

export function readRemaining(
  journal: Journal,
  {tally, statuses, held}: Standing,
  {state, stop, now}: {state: BatchState; stop: Stop | undefined; now: number},
): Remaining {
  const isAtRest = state !== 'running' && state !== 'planned';
  const {horizonMs, approveById, mayAcceptDifferences = true} = readRunFacts(journal);
  const count = (where: string): number =>
    isAtRest
      ? Number(journal.statement(`select count(*) as count from outcomes where ${where}`).get()!['count'])
      : 0;
  const late = `(staged_at < ${now - horizonMs} or staged_at > ${now + CLOCK_AHEAD_MS})`;
  // A row that was being released is past the horizon for certain only once a run has read its record.
  const wasLate = journal.fact('pastHorizon') === true;
  const lateReleases = wasLate
    ? count(`state = 'in_doubt' and id is not null and code is not 'REGISTRY' and ${late}`)
    : 0;
  const lateCreates = count(`state = 'in_doubt' and id is null and code is not 'REGISTRY' and ${late}`);
  return {
    ...{state, stop: stop?.reason, held},
    ...{not_sent: tally.not_sent.count, in_doubt: tally.in_doubt.count, staged: tally.staged.count},
    ...{unapproved: tally.unapproved.count, rejected: tally.rejected.count, failed: statuses['failed'] ?? 0},
    refused: count(
      `state = 'not_sent' and http between 400 and 499 and http not in (401, 403, 408, 425, 429)`,
    ),
    notDirect: count(`state = 'not_sent' and message = '${DIRECT_WITH_USED_KEY}'`),
    disputed: isAtRest ? journal.disputed() : 0,
    lateDoubts: lateCreates + lateReleases,
    releasing: count(`state = 'in_doubt' and id is not null and code is not 'REGISTRY'`) - lateReleases,
    lateStaged: count(`state = 'staged' and ${late}`) + lateReleases,
    stuck: count(
      `state = 'in_doubt' and id is null and http = 409 and code is not 'REGISTRY' and not ${late}
         and at - staged_at >= ${KEY_IN_USE_MS}`,
    ),
    heldRecord: isAtRest ? first(journal, 'o.id', `o.state = 'held'`) : null,
    deadReference: isAtRest
      ? first(journal, 'r.reference', `o.state = 'dead_key' and o.id is not null`)
      : null,
    refusedParty: isAtRest ? first(journal, 'r.party', `o.state = 'dead_key' and o.id is null`) : null,
    otherRecord: isAtRest
      ? first(journal, 'o.id', `o.state in ('collision', 'conflict') and o.id is not null`)
      : null,
    isProbeRefused: stop !== undefined && journal.fact('probeRefused') === true,
    mayApproveById: approveById,
    mayAcceptDifferences,
    isUnproven: stop !== undefined && AT_ADDRESS.has(stop.reason) && !journal.everAnswered(),
    waitsFor: tally.conflict.count > 0 ? (journal.fact('waitsFor') ?? null) : null,
    isCanceling: cancelBegan(journal) !== undefined,
    cancelable: count(`state in ('staged', 'held', 'unapproved') or (state = 'in_doubt' and id is not null)`),
  };
}

/** A column of the first row of the file for which this holds. */
function first(journal: Journal, column: string, where: string): string | null {
  const found = journal
    .statement(
      `select ${column} as found from outcomes o join rows r on r.n = o.n where ${where} order by o.n limit 1`,
    )
    .get();
  return found === undefined ? null : (found['found'] as string);
}
