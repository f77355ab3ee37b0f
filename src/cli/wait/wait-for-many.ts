import {hasSucceeded} from '../../contract/lifecycle.ts';
import type {Waited} from '../../client/reading/poll.ts';
import {expectedSettlement} from '../../contract/settlement.ts';
import {ERRORS, EXIT, type ErrorCode, type ExitCode, RemitError} from '../../errors.ts';
import {dayInNewYork, plainValue, remark, status, text, type View} from '../../output/records/view.ts';
import {failureReasonText} from '../../output/views/failure.ts';
import type {Context} from '../core/context.ts';
import {warnOfReturns} from '../core/bank-returns.ts';
import {DEFAULT_WAIT_MS} from '../input/durations.ts';
import {readStdin} from '../runtime/stdin.ts';
import {
  type AwaitedKind,
  isUnapproved,
  openWait,
  readWithin,
  type WaitFlagValues,
  type Waiting,
} from './awaited.ts';
import {done, type CommandOutcome} from '../core/outcome.ts';
import {waitForRecord} from './wait-for-record.ts';
import type {Shown} from '../help/outputs/forms.ts';
import type * as schemas from '../help/outputs/service.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** How the wait for one of many records ended. */
export type WaitRow = Shown<typeof schemas.WaitRow>;

const MOST_CHARACTERS = 1_000_000;
/** Reads at the same time. Each record is still read on its own schedule. */
const READS = 10;
/** Until then nothing is shown, unless each record was read: most waits for final records end sooner. */
const FIRST_SCREEN_MS = 1_000;
/** Lines of records on the screen of a terminal. */
const MOST_LINES = 12;
/** More open ids than this do not fit into a command to type. */
const MOST_IN_HINT = 20;
/** Commands that approve, each a line. */
const MOST_APPROVALS = 5;

/** Waits for the records that were typed, or for those whose ids are on stdin; a single one is shown. */
export async function waitForTyped(
  context: Context,
  kind: AwaitedKind,
  {typed, flags}: {typed: readonly string[]; flags: WaitFlagValues},
): Promise<CommandOutcome> {
  const [only] = typed;
  if (typed.length === 1 && only !== undefined && only !== '-')
    return done(await waitForRecord(context, kind, {id: only, initial: undefined, flags}));
  const ids = await readIds(typed, context);
  return {data: undefined, exitCode: await waitForMany(context, kind, {ids, ...flags})};
}

/** The ids that were typed; `-` stands for those on stdin, separated by spaces or lines. */
async function readIds(typed: readonly string[], {runtime}: Pick<Context, 'runtime'>): Promise<string[]> {
  const ids: string[] = [];
  for (const word of typed)
    if (word === '-') ids.push(...(await readStdin(runtime, 'ids', MOST_CHARACTERS)).split(/\s+/));
    else ids.push(word);
  const distinct = [...new Set(ids.filter((id) => id !== ''))];
  if (distinct.length === 0)
    throw new RemitError('USAGE', 'stdin contains no ids', {hint: 'name at least one id'});
  return distinct;
}

/**
 * Waits for many records at once, all within the same time limit. With -o ndjson each change of a status is a line.
 * Returns a row for each id, in the order given, and the exit code of the worst one.
 */
async function waitForMany(
  context: Context,
  kind: AwaitedKind,
  {ids, until, timeout = DEFAULT_WAIT_MS}: {ids: readonly string[]} & Omit<WaitFlagValues, 'wait'>,
): Promise<ExitCode> {
  const {out, stop, commands, clock} = context;
  const {plural} = kind.view;
  const rows = new Map<string, WaitRow>();
  const together = kind.waits?.readTogether?.(context);
  const limited = limit(together === undefined ? READS : Infinity);
  const read = together ?? ((id: string, leftMs: number) => kind.read(context, id, readWithin(leftMs)));
  const isStream = out.settings.format === 'ndjson';
  const unread = new Set(ids);
  const startedMs = clock.monotonic();
  const show = (id: string) => {
    unread.delete(id);
    const isEarly = unread.size > 0 && clock.monotonic() - startedMs < FIRST_SCREEN_MS;
    if (isStream || isEarly || rows.size === ids.length) return; // the result follows at once
    out.progress(screenText(plural, {ids, rows, waiting}));
  };
  const waiting: Waiting = openWait(context, kind, {until, show});
  const one = async (id: string): Promise<void> => {
    const row = await rowOf(context, id, () =>
      waiting.waitFor({
        ...{id, timeoutMs: timeout, read: (leftMs) => limited(() => read(id, leftMs))},
        onChange: (record) => {
          if (isStream) void out.event({type: 'change', id, status: record.status ?? null, record});
        },
      }),
    );
    rows.set(id, row);
    waiting.troubles.delete(id);
    if (isStream) void out.event({type: 'end', ...row});
    if (row.outcome !== 'timeout') show(id); // the others end at the same time
  };
  const settled = await Promise.allSettled(ids.map(one));
  await waiting.end();
  const found = ids.flatMap((id) => rows.get(id) ?? []);
  const thrown = settled.find((result) => result.status === 'rejected');
  const isWhole = out.settings.format === 'json' || out.settings.format === 'yaml';
  const isEmpty = thrown !== undefined && (isWhole || found.length === 0);
  if (!isStream && !isEmpty) await out.list(found, waitView);
  if (thrown === undefined)
    await warnOfReturns(
      context,
      kind.view,
      found.flatMap(({id, status}) => (hasSucceeded(kind.lifecycle, status) ? [id] : [])),
    );
  const open = ids.filter((id) => (rows.get(id)?.outcome ?? 'timeout') === 'timeout');
  const what = `${open.length} of ${ids.length} ${plural}`;
  const target = until === undefined ? [] : ['--until', until];
  const next = open.length > MOST_IN_HINT ? undefined : commands.read(kind.topic, 'wait', ...open, ...target);
  if (thrown !== undefined) throw stopped(stop.reason, {what, open, next}) ?? thrown.reason;
  if (open.length > 0) {
    const end = next === undefined ? '' : ' Continue to wait with:';
    const was = open.length === 1 ? 'was' : 'were';
    out.note(`${what} ${was} not ${until ?? 'final'} within ${timeout / 1000} s.${end}`);
    if (next !== undefined) out.hint(next);
    const created = open.filter((id) => isUnapproved(kind, waiting.last.get(id)?.status, until));
    noteApprovals(context, kind, created);
  }
  noteEnds(context, kind, {rows: found, until});
  return worstExit(found);
}

/** Why the command fails although every record was read, or nothing is open any more. */
function noteEnds(
  {out}: Context,
  {view: {plural}}: AwaitedKind,
  {rows, until}: {rows: readonly WaitRow[]; until: string | undefined},
): void {
  const ended = rows.filter(({outcome}) => outcome === 'ended').length;
  const unread = rows.filter(({outcome}) => outcome === 'error').length;
  const [has, was] = ended === 1 ? ['has', 'was'] : ['have', 'were'];
  const how = until === undefined ? `${has} failed or ${was} canceled` : `will not be ${until}`;
  if (ended > 0) out.note(`${ended} of ${rows.length} ${plural} ${how}.`);
  if (unread > 0) out.note(`${unread} of ${rows.length} ${plural} could not be read.`);
}

/** Without an approval these will never be settled. Each is approved by a command of its own. */
function noteApprovals(
  {out, commands}: Context,
  {topic, noun, view: {plural}}: AwaitedKind,
  created: readonly string[],
): void {
  if (created.length === 0) return;
  const what = created.length === 1 ? `1 ${noun} needs` : `${created.length} ${plural} need`;
  const more = created.length > MOST_APPROVALS ? `; the first ${MOST_APPROVALS}` : '';
  out.note(`${what} an approval before any money moves${more}:`);
  for (const id of created.slice(0, MOST_APPROVALS)) out.hint(commands.write(topic, 'approve', id));
}

/** Why the wait ended if it was stopped, with the command that continues it. */
function stopped(
  reason: RemitError | undefined,
  {what, open, next}: {what: string; open: readonly string[]; next: string | undefined},
): RemitError | undefined {
  if (reason === undefined) return undefined;
  const message = `${reason.message} while waiting for ${what}. Stopping the wait does not stop them`;
  return new RemitError(reason.code, message, {hint: next, details: {open, next: next ?? null}});
}

async function rowOf(
  {stop}: Context,
  id: string,
  wait: () => Promise<Waited<ServiceRecord>>,
): Promise<WaitRow> {
  try {
    const {outcome, record, lastError} = await wait();
    const reason = failureReasonText(record) ?? lastError?.reason ?? null;
    const settles = {expected_settlement_date: expectedSettlement(record) ?? null};
    return {id, outcome, status: record?.status ?? null, ...settles, reason, error: errorOf(outcome)};
  } catch (error) {
    if (!(error instanceof RemitError) || stop.signal.aborted) throw error;
    const unread = {status: null, expected_settlement_date: null};
    return {id, outcome: 'error', ...unread, reason: error.reason, error: error.code};
  }
}

const errorOf = (outcome: Waited<ServiceRecord>['outcome']): ErrorCode | null =>
  outcome === 'reached' ? null : outcome === 'ended' ? 'ENDED_BADLY' : 'WAIT_TIMEOUT';

/** The first of these that applies is the exit code of all; 3 and 7 come before what the records themselves say. */
const BY_WEIGHT: readonly ExitCode[] = [
  ...[EXIT.CREDENTIALS, EXIT.CONFLICT, EXIT.UNAVAILABLE, EXIT.INVALID, EXIT.NOT_FOUND],
  ...[EXIT.ENDED_BADLY, EXIT.TIMED_OUT],
];

function worstExit(rows: readonly WaitRow[]): ExitCode {
  const exits = new Set<ExitCode>(rows.flatMap(({error}) => (error === null ? [] : [ERRORS[error].exit])));
  return BY_WEIGHT.find((code) => exits.has(code)) ?? [...exits][0] ?? EXIT.OK;
}

/**
 * The screen while it waits: `3 of 10 payouts done: approved 7, settled 3`, then a line for each record that is still
 * open, with its status and the day on which it is expected to settle.
 */
function screenText(
  plural: string,
  {ids, rows, waiting}: {ids: readonly string[]; rows: ReadonlyMap<string, WaitRow>; waiting: Waiting},
): string {
  const {last, troubles} = waiting;
  const counts = new Map<string, number>();
  for (const {status} of last.values()) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].sort().map(([name, count]) => `${plainValue(name)} ${count}`);
  const open = ids.filter((id) => !rows.has(id));
  const lines = open.slice(0, MOST_LINES).map((id) => `${plainValue(id)}  ${waiting.textOf(id)}`);
  const more = open.length > MOST_LINES ? [`and ${open.length - MOST_LINES} more`] : [];
  const counted = parts.length === 0 ? '' : `: ${parts.join(', ')}`;
  const [trouble] = troubles.values();
  const unread =
    trouble === undefined ? '' : `; ${troubles.size} cannot be read now, trying again: ${trouble.reason}`;
  return [`${rows.size} of ${ids.length} ${plural} done${counted}${unread}`, ...lines, ...more].join('\n');
}

const waitView: View = {
  noun: 'wait',
  plural: 'waits',
  card: [],
  columns: [
    text('ID', 'id'),
    text('Outcome', 'outcome'),
    status(),
    {...remark('Expected settlement', 'expected_settlement_date'), show: dayInNewYork, rank: 2}, // before the reason
    remark('Reason', 'reason', 1),
  ],
};

type Limited = <T>(run: () => Promise<T>) => Promise<T>;

/** Runs at most `most` at the same time; the others wait for their turn in order. */
function limit(most: number): Limited {
  let running = 0;
  const queue: (() => void)[] = [];
  return async (run) => {
    if (running >= most) await new Promise<void>((resolve) => queue.push(resolve));
    else running += 1;
    try {
      return await run();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
