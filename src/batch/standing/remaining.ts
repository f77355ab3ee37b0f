import {RemitError} from '../../errors.ts';
import type {BatchFacts, RunFacts} from '../journal/facts.ts';
import type {Journal} from '../journal/journal.ts';
import type {BatchState} from '../model/batch-state.ts';
import {KINDS} from '../model/kinds.ts';
import {FORMER_CODE, type RowState} from '../model/outcome.ts';
import type {Standing} from '../model/tally.ts';
import {USUAL_HORIZON_MS} from '../../service/service-file.ts';
import type {RunPath} from '../model/run-path.ts';
import type {Plan} from '../model/plan-facts.ts';
import type {RunStop} from '../model/stop.ts';

/** The unfinished part of a batch at rest that the next command depends on. Numbers are rows. */
export interface Remaining {
  state: BatchState;
  stop: RunStop['reason'] | undefined;
  not_sent: number;
  /** Part of not_sent: the service refused them for reasons unrelated to the row. */
  refused: number;
  /** Part of not_sent: direct mode does not send them, but staging does. */
  notDirect: number;
  in_doubt: number;
  /** Part of in_doubt: another batch has their reference, so no command sends them. */
  disputed: number;
  /** Part of in_doubt: their key may be forgotten, so only a person can find out what happened to them. */
  lateDoubts: number;
  /** Part of in_doubt, and of neither of those: the record is known, and only a release reads it. */
  releasing: number;
  staged: number;
  held: number;
  /** Rows with a record that was staged longer ago than the key horizon: part of staged, or in doubt since. */
  lateStaged: number;
  /** Part of staged: an earlier record of the reference shows no end any more, so a release leaves them. */
  waiting: number;
  /** Part of staged: an earlier record of the reference is not found, so a person has to find out what became of it. */
  goneStaged: number;
  /** The same part of not_sent. */
  goneUnsent: number;
  goneHeld: number;
  /** The record for which a row waits, if it was last shown as created: once it is canceled, the row is paid. */
  openFormer: string | null;
  unapproved: number;
  /** The part of them whose record only an approval by its id releases. */
  lateUnapproved: number;
  rejected: number;
  /** Accepted rows whose record has failed, without those that another record may have paid. */
  failed: number;
  /** In conflict: they hold a release, and no command sends them by itself. */
  conflicts: number;
  /**
   * Part of in_doubt that another replay will not help: the service still answered 409 long after the first request,
   * refused a row that may have been sent before, or has one record for two rows; or several runs in a row got no
   * readable record.
   */
  stuck: number;
  /** Part of stuck: the rows whose record also came back for another row, which stops the run. */
  shared: number;
  /** Part of stuck: the rows without a readable record. */
  unreadable: number;
  /** Part of unreadable: the rows whose record is known. */
  unreadableReleases: number;
  /** The first row that is held. */
  heldReference: string | null;
  /** The first row whose known record has failed or was canceled. */
  deadReference: string | null;
  /** The party of the first row whose key was refused and whose record is unknown. */
  refusedParty: string | null;
  /** The record of another payment with which the service answered the first such row. */
  otherRecord: string | null;
  /** See `LeftRows.takenRow`. */
  takenRow: {reference: string; party: string | null} | null;
  /** See `LeftRows.mixedUpRow`. */
  mixedUpRow: string | null;
  /** See `LeftRows.replacedRow`. */
  replacedRow: {reference: string; id: string} | null;
  /** The party of the first row whose reference may have two paid records. */
  maybeTwiceParty: string | null;
  /** The first approved row whose record differs. */
  differingReference: string | null;
  /** The first row that is in conflict with another batch. */
  conflictReference: string | null;
  /**
   * The service refused the replay of a staged row, or returned another record; a release would stop in the same way.
   */
  isProbeRefused: boolean;
  /** A replay cannot release the records that are left, as the last run has shown. */
  mustApproveById: boolean;
  /** The profile of the last run approves by id past the horizon. */
  mayApproveById: boolean;
  /** The run stopped before any answer showed that the address belongs to the service. */
  isUnproven: boolean;
  /** The unfinished batch that has claimed references of this one. */
  waitsFor: string | null;
  /** Rows that a retry does not send because of another batch; `ended` of them have a record that has ended. */
  retryWaits: BatchFacts['retryWaits'];
  /** `cancel` was started: nothing else of the batch is sent. */
  isCanceling: boolean;
  /** Rows whose record `cancel` has yet to read. */
  cancelable: number;
  /** If the service has refused twice to cancel each of them: the first of these records. */
  uncancelableRecord: string | null;
}

/** After so many runs that brought no readable record for a row, a person has to find out what happened to it. */
const UNREADABLE_RUNS = 3;

const readRunFacts = (journal: Journal): RunFacts =>
  journal.fact('runFacts') ?? {horizonMs: USUAL_HORIZON_MS, approveById: false};

/** Reasons for a stop that a wrong address can cause. */
const AT_ADDRESS: ReadonlySet<string> = new Set(['unreadable', 'refused-at-first', 'redirect']);

/** Reasons for a stop after which records can still be approved by their ids. */
const BY_ID_ONLY: ReadonlySet<string> = new Set(['key-forgotten', 'bodies-compared']);

/** When `cancel` was started; undefined for any other batch. */
const cancelBegan = (journal: Journal): number | undefined => journal.fact('canceling');

/** Durable when it returns: from then on nothing else of the batch is sent. */
export function beginCancel(journal: Journal, now: number): void {
  if (cancelBegan(journal) === undefined) journal.setFact('canceling', now);
}

/**
 * @throws RemitError BATCH_CANCELED for any other run of a batch whose cancel was started, and for a cancel that was
 *   not
 */
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
    `batch ${batchId} ${isDone ? 'is canceled' : 'is being canceled'}; nothing more will be sent`,
    {
      hint: (commands) =>
        isDone
          ? `to send its rows after all, run the file as another batch: ${runAgain ?? commands.write(...verb, 'run', 'FILE', '--batch-id', 'NAME')}`
          : commands.write(...verb, 'cancel', batchId),
    },
  );
}

function openFormer(journal: Journal): string | null {
  const {reference, id} = journal.fact('openFormer') ?? {};
  const outcome = reference === undefined ? undefined : journal.rows.of(reference)?.outcome;
  return id !== undefined && outcome?.code === FORMER_CODE && WAITING.has(outcome.state) ? id : null;
}

/** States in which a row waits for an earlier record, and nothing else can have paid it. */
const WAITING: ReadonlySet<RowState> = new Set(['not_sent', 'staged']);

export function readRemaining(
  journal: Journal,
  {tally, statuses, held, differs, maybePaidTwice}: Standing,
  {state, stop, now}: {state: BatchState; stop: RunStop | undefined; now: number},
): Remaining {
  const isAtRest = state !== 'running' && state !== 'planned';
  const {horizonMs, approveById} = readRunFacts(journal);
  const {left} = journal;
  const rows = isAtRest ? left.counts({now, horizonMs}) : undefined;
  // Only a run that reads its record can show that a row being released is past the horizon.
  const lateReleases = journal.fact('pastHorizon') === true ? (rows?.lateReleases ?? 0) : 0;
  const isGivenUp = (journal.fact('unreadableRuns') ?? 0) >= UNREADABLE_RUNS;
  const unreadable = isGivenUp ? (rows?.unreadable ?? 0) : 0;
  const unreadableReleases = isGivenUp ? (rows?.unreadableReleases ?? 0) : 0;
  const shared = rows?.shared ?? 0;
  const isUnproven = stop !== undefined && AT_ADDRESS.has(stop.reason) && !journal.everAnswered();
  const refusedDoubts = isUnproven ? 0 : (rows?.refusedDoubts ?? 0); // another address may know them
  const isProbeRefused =
    (stop !== undefined || tally.staged.count > 0) && journal.fact('probeRefused') === true;
  return {
    ...{state, stop: stop?.reason, held},
    ...{not_sent: tally.not_sent.count, in_doubt: tally.in_doubt.count, staged: tally.staged.count},
    ...{unapproved: tally.unapproved.count, rejected: tally.rejected.count},
    failed: (statuses['failed'] ?? 0) - (rows?.failedMaybePaid ?? 0),
    conflicts: tally.conflict.count,
    refused: rows?.refused ?? 0,
    notDirect: rows?.notDirect ?? 0,
    disputed: isAtRest ? left.disputed() : 0,
    lateDoubts: (rows?.lateCreates ?? 0) + lateReleases,
    releasing: (rows?.releasing ?? 0) - lateReleases - unreadableReleases,
    waiting: rows?.waiting ?? 0,
    lateUnapproved: approveById ? 0 : (rows?.lateUnapproved ?? 0),
    goneStaged: rows?.goneStaged ?? 0,
    goneUnsent: rows?.goneUnsent ?? 0,
    goneHeld: rows?.goneHeld ?? 0,
    openFormer: isAtRest ? openFormer(journal) : null,
    lateStaged: (rows?.lateStaged ?? 0) + lateReleases,
    stuck: (rows?.stuck ?? 0) + refusedDoubts + shared + unreadable,
    shared,
    unreadable,
    unreadableReleases,
    heldReference: isAtRest && held > 0 ? left.heldReference() : null,
    deadReference: isAtRest ? left.deadReference() : null,
    refusedParty: isAtRest ? left.refusedParty() : null,
    otherRecord: isAtRest ? left.otherRecord() : null,
    takenRow: isAtRest ? left.takenRow() : null,
    mixedUpRow: isAtRest ? left.mixedUpRow() : null,
    replacedRow: isAtRest ? left.replacedRow() : null,
    maybeTwiceParty: isAtRest && maybePaidTwice > 0 ? left.maybeTwiceParty() : null,
    differingReference: isAtRest && differs > 0 ? left.differingReference() : null,
    conflictReference: isAtRest ? left.conflictReference() : null,
    isProbeRefused,
    mustApproveById:
      (stop !== undefined && BY_ID_ONLY.has(stop.reason)) ||
      (isProbeRefused && journal.fact('releaseById') !== undefined),
    mayApproveById: approveById,
    isUnproven,
    waitsFor: tally.conflict.count > 0 ? (journal.fact('waitsFor') ?? null) : null,
    retryWaits: isAtRest ? (journal.fact('retryWaits') ?? null) : null,
    isCanceling: cancelBegan(journal) !== undefined,
    cancelable: rows?.cancelable ?? 0,
    uncancelableRecord:
      rows !== undefined && rows.cancelable > 0 && rows.uncancelable === rows.cancelable
        ? left.uncancelableRecord()
        : null,
  };
}
