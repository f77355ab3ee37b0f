import {stringOf} from '../../narrow.ts';
import {counted} from '../../phrases.ts';
import type {Clock} from '../../clock.ts';
import {BARE_COMMANDS, type CommandBuilder, RemitError} from '../../errors.ts';
import {batchFolder} from '../journal/folder.ts';
import type {Attention} from '../journal/rows/attention.ts';
import {isHeldElsewhere, type OpenBatch} from '../journal/open-batch.ts';
import {openToRead} from './private-copy.ts';
import type {Kind} from '../model/kinds.ts';
import {synchroniseBatch} from '../registry/synchronise.ts';
import {progressLine} from '../standing/progress.ts';
import {
  attentionBeside,
  type BankReturns,
  NO_RETURNS,
  type ReturnedRow,
  returnedRows,
  type ReturnsOfRows,
  type SummaryWithReturns,
  withReturns,
} from '../report/returned.ts';
import {typingFor} from '../standing/next-command.ts';
import {type CommandsFor, readSummary} from '../standing/read-summary.ts';
import {ASKING, readStatus, type StatusFile} from '../standing/status-file.ts';
import type {Summary} from '../standing/summary.ts';

export interface WantedBatch {
  kind: Kind;
  batchId: string;
  stateDir: string;
  clock: Clock;
  commandsFor?: CommandsFor;
  /** The command that runs a planned batch, with what has to be accepted. */
  nextOfPlan?: (batch: OpenBatch) => Promise<string | null>;
  /** Another next command, if a policy asks for an approval first. */
  underPolicy?: (batch: OpenBatch, next: string | null) => string | null;
  /** What the bank has returned, by the id of the record; absent: nothing is known. */
  returnsOf?: (batch: OpenBatch) => Promise<BankReturns>;
}

/** Maximum number of rows listed as needing attention. */
export const ATTENTION = 10;

/**
 * The summary of a batch: what its process last wrote while it runs, otherwise the state of the journal, even after
 * the process was killed.
 */
export async function statusOfBatch(wanted: WantedBatch): Promise<{
  summary: SummaryWithReturns;
  attention: Attention[];
  /** Rows that the bank has returned. */
  returned: ReturnedRow[];
  commands: CommandBuilder;
  running: string | undefined;
}> {
  try {
    const batch = await openToRead({...wanted, purpose: `status of batch ${wanted.batchId}`, brief: true});
    try {
      if (batch.copy === undefined) await synchroniseBatch(batch, wanted);
      const returned = await returnedOf(batch, wanted);
      const summary = returnedIn(batch, await summaryOf(batch, wanted), {returned, wanted});
      const beside = {doubts: summary.in_doubt, returned: returned.found};
      const attention = attentionBeside(batch.journal, ATTENTION, beside);
      const commands = commandsOf(batch, wanted);
      return {summary, attention, returned: [...returned.found.values()], commands, running: undefined};
    } finally {
      await batch.close();
    }
  } catch (error) {
    const status = lastStatus(error, wanted);
    if (status === undefined) throw withLastStanding(error, wanted);
    return {
      summary: {...status.summary, posts: 0, next: null},
      attention: [],
      returned: [],
      commands: BARE_COMMANDS,
      running: runningText(status, error),
    };
  }
}

/** The rows that the bank has returned, as far as a reconcile has found them. */
export const returnedOf = async (batch: OpenBatch, {returnsOf}: WantedBatch): Promise<ReturnsOfRows> =>
  returnsOf === undefined ? {found: NO_RETURNS} : returnedRows(batch.journal, await returnsOf(batch));

/** The summary with these rows. The next command of a batch that would be complete writes them to a file. */
export function returnedIn<S extends Summary>(
  batch: OpenBatch,
  summary: S,
  {returned, wanted}: {returned: ReturnsOfRows; wanted: WantedBatch},
): S & Pick<SummaryWithReturns, 'returned' | 'returns_unknown'> {
  const {kind} = summary;
  const commands = commandsOf(batch, wanted);
  return withReturns(summary, returned, (batchId) => typingFor(commands, {kind, batchId}));
}

/** The summary of a batch at rest. */
export async function summaryOf(
  batch: OpenBatch,
  {clock, commandsFor, nextOfPlan, underPolicy}: WantedBatch,
): Promise<Summary> {
  const found = readSummary(batch, clock.now(), commandsFor);
  const summary = underPolicy === undefined ? found : {...found, next: underPolicy(batch, found.next)};
  if (isHeldElsewhere(batch) || nextOfPlan === undefined || !awaitsRun(batch, summary)) return summary;
  return {...summary, next: await nextOfPlan(batch)};
}

/**
 * Whether this revision of the plan was never confirmed, so that only `run` can continue the batch. After `cancel` has
 * started, only `cancel` can.
 */
export function awaitsRun({journal, plan}: OpenBatch, summary: Summary): boolean {
  if (journal.fact('canceling') !== undefined) return false;
  const {state, stopped_because: stop, not_sent: unsent} = summary;
  if (state === 'planned') return true;
  return stop === null && unsent > 0 && journal.fact('confirmed')?.planHash !== plan.planHash;
}

export const commandsOf = (batch: OpenBatch, {commandsFor}: WantedBatch): CommandBuilder =>
  commandsFor?.(batch) ?? BARE_COMMANDS;

/**
 * The last status written by the process that has the batch. Undefined if there is none, or if the error is not about
 * a lock.
 */
export function lastStatus(error: unknown, {stateDir, kind, batchId}: WantedBatch): StatusFile | undefined {
  if (!(error instanceof RemitError) || error.code !== 'LOCKED') return undefined;
  return readStatus(batchFolder(stateDir, kind, batchId).status);
}

/** If the lock cannot be taken, for example because the disk is full, the error includes the last written status. */
function withLastStanding(error: unknown, {stateDir, kind, batchId}: WantedBatch): unknown {
  if (!(error instanceof RemitError) || error.code !== 'STATE') return error;
  const status = readStatus(batchFolder(stateDir, kind, batchId).status);
  if (status === undefined) return error;
  const {accepted, planned} = status.summary;
  return new RemitError(
    'STATE',
    `${error.message}. At ${status.updated_at}, ${accepted} of ${counted(planned, 'row')} of batch ${batchId} were accepted; more may have happened since`,
    {cause: error, hint: error.openHint, details: {...error.details, last_summary: status.summary}},
  );
}

export function runningText(status: StatusFile, error: unknown): string {
  const {host, pid, phase, updated_at: at, activity} = status;
  const {pid: holder, host: where} = error instanceof RemitError ? (error.details ?? {}) : {}; // from the lock
  if (typeof holder === 'number' && (holder !== pid || where !== host))
    return `Process ${holder} on ${stringOf(where)} is using the batch; these figures are as of ${at}.`;
  return phase === ASKING
    ? `Process ${pid} on ${host} has been waiting for an answer to its prompt since ${at}; nothing more is sent until then.`
    : `Running on ${host} as process ${pid}: ${activity === undefined ? phase : progressLine(phase, status.summary, activity)}, as of ${at}.`;
}
