import {resolve} from 'node:path';
import {batchFolder} from '../../batch/journal/folder.ts';
import type {Kind} from '../../batch/model/kinds.ts';
import type {Attention} from '../../batch/journal/journal.ts';
import {nextCommand} from '../../batch/standing/next-command.ts';
import {readRemaining} from '../../batch/standing/remaining.ts';
import {readNews} from '../../batch/registry/news.ts';
import {type OpenBatch, openBatch} from '../../batch/journal/open-batch.ts';
import {reportFile, writeReport} from '../../batch/report/file.ts';
import {writeResults} from '../../batch/report/results.ts';
import {ASKING, readStatus, type StatusFile} from '../../batch/standing/status-file.ts';
import type {BatchState} from '../../batch/model/batch-state.ts';
import {endState, summarise, type Summary} from '../../batch/standing/summary.ts';
import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {batchCommand, type Placed} from './place.ts';
import {count} from './plan/view.ts';
import {progressLine} from './run/progress.ts';

interface Wanted {
  kind: Kind;
  batchId: string;
  stateDir: string;
  clock: Clock;
  /** Makes the flags by which the next command finds the batch, of the profile that it was last run with. */
  placing?: Placing;
}

/** `lastProfile`: as it was typed for the last run of the batch. */
export type Placing = (lastProfile: string | undefined) => Placed;
const NOWHERE: Placed = {flags: '', profile: ''};

const ATTENTION = 10;

/**
 * Where a batch stands. While a runner has it, what the runner last wrote; otherwise what the journal says, also after
 * the runner was killed.
 */
export async function statusOfBatch(
  wanted: Wanted,
): Promise<{summary: Summary; attention: Attention[]; placed: Placed; running: string | undefined}> {
  try {
    const batch = await openBatch({...wanted, purpose: `status of batch ${wanted.batchId}`, brief: true});
    try {
      await readNews(batch, wanted);
      const summary = readSummary(batch, wanted.clock.now(), wanted.placing);
      const attention = batch.journal.needingAttention(ATTENTION, summary.in_doubt);
      return {summary, attention, placed: placedFor(batch, wanted), running: undefined};
    } finally {
      await batch.close();
    }
  } catch (error) {
    const status = lastWord(error, wanted);
    if (status === undefined) throw withLastStanding(error, wanted);
    return {
      summary: {...status.summary, posts: 0, next: null},
      attention: [],
      placed: NOWHERE,
      running: runningText(status, error),
    };
  }
}

const placedFor = ({journal}: OpenBatch, {placing}: Wanted): Placed =>
  placing?.(journal.fact('typedProfile') ?? undefined) ?? NOWHERE;

/** What the process that has the batch last wrote; undefined when it wrote nothing, or the error is another one. */
function lastWord(error: unknown, {stateDir, kind, batchId}: Wanted): StatusFile | undefined {
  if (!(error instanceof RemitError) || error.code !== 'LOCKED') return undefined;
  return readStatus(batchFolder(stateDir, kind, batchId).status);
}

/** Where the disk is full, or the like, the lock cannot be taken: the error says what was written last. */
function withLastStanding(error: unknown, {stateDir, kind, batchId}: Wanted): unknown {
  if (!(error instanceof RemitError) || error.code !== 'STATE') return error;
  const status = readStatus(batchFolder(stateDir, kind, batchId).status);
  if (status === undefined) return error;
  const {accepted, planned} = status.summary;
  return new RemitError(
    'STATE',
    `${error.message}. At ${status.updated_at}, ${accepted} of ${count(planned, 'row')} of batch ${batchId} were accepted; more may have happened since`,
    {cause: error, hint: error.openHint, details: {...error.details, last_summary: status.summary}},
  );
}

function runningText(status: StatusFile, error: unknown): string {
  const {host, pid, phase, updated_at: at, activity} = status;
  const holder = (error as RemitError).details as {host?: string; pid?: number} | undefined; // of the lock
  if (holder?.pid !== undefined && (holder.pid !== pid || holder.host !== host))
    return `Process ${holder.pid} on ${holder.host} has the batch now; this is how it stood at ${at}.`;
  return phase === ASKING
    ? `Process ${pid} on ${host} waits for its question to be answered, since ${at}; nothing more is sent until then.`
    : `Running on ${host} as process ${pid}: ${activity === undefined ? phase : progressLine(phase, status.summary, activity)}, as of ${at}.`;
}

/** The file of the HTML report is told where one was written. */
export type Reported = Summary & {report_file?: string};

/**
 * Writes the results of a batch again, from its journal alone; sends nothing.
 * @param html a file for the HTML report, or `beside`: with the results
 */
export async function reportBatch(
  wanted: Wanted & {folder: string | undefined; html?: {file: string} | 'beside' | undefined},
): Promise<{summary: Reported; attention: Attention[]; placed: Placed}> {
  const batch = await openForReport(wanted);
  try {
    const {journal, plan} = batch;
    await readNews(batch, wanted);
    const before = readSummary(batch, wanted.clock.now(), wanted.placing);
    const folder = resolve(wanted.folder ?? plan.file.folder);
    const files = writeResults({journal, plan, summary: before, folder});
    journal.setFact('results', files);
    const summary = readSummary(batch, wanted.clock.now(), wanted.placing);
    const attention = journal.needingAttention(ATTENTION, summary.in_doubt);
    const placed = placedFor(batch, wanted);
    if (wanted.html === undefined) return {summary, attention, placed};
    const path = wanted.html === 'beside' ? reportFile(folder, plan) : resolve(wanted.html.file);
    writeReport({batch, summary, path, flags: placed.flags});
    return {summary: {...summary, report_file: path}, attention, placed};
  } finally {
    await batch.close();
  }
}

/** A batch that runs has no results yet: the refusal says how far it is. */
async function openForReport(wanted: Wanted): Promise<OpenBatch> {
  try {
    return await openBatch({...wanted, purpose: `report of batch ${wanted.batchId}`, brief: true});
  } catch (error) {
    const status = lastWord(error, wanted);
    if (status === undefined || !(error instanceof RemitError)) throw error;
    const {accepted, planned} = status.summary;
    throw new RemitError(
      'LOCKED',
      `no report of batch ${wanted.batchId} was written because the batch is still running: ${accepted} of ${count(planned, 'row')} accepted. ${runningText(status, error)}`,
      {cause: error, hint: error.openHint, details: {...error.details, summary: status.summary}},
    );
  }
}

/** The summary of a batch at rest. A runner that was killed left no word, but windows and outcomes tell what is open. */
export function readSummary(
  {plan, journal}: OpenBatch,
  now: number,
  placing: Placing = () => NOWHERE,
): Summary {
  const standing = journal.standingOf(plan);
  const sent = journal.windows(['stage', 'direct', 'release']).length > 0;
  const told = journal.fact('state');
  const killed = sent && (told === undefined || told === 'running');
  const state: BatchState = killed ? 'interrupted' : (told ?? 'planned');
  const command = batchCommand(plan.kind);
  const profile = journal.fact('typedProfile') ?? undefined;
  const {flags} = placing(profile);
  const stop = journal.fact('stop') ?? undefined;
  const end = endState(state, plan, standing);
  const mode = journal.fact('binding')?.mode ?? null;
  const next = nextCommand(readRemaining(journal, standing, {state: end, stop, now}), {
    ...{command, batchId: plan.batchId, mode, flags, profile: profile ?? null},
  });
  return summarise(plan, standing, {
    state,
    mode,
    posts: 0,
    elapsedMs: 0,
    stop,
    next,
    results: journal.fact('results'),
  });
}
