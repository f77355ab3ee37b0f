import {hasFailed} from '../../contract/lifecycle.ts';
import type {Waited} from '../../client/reading/poll.ts';
import {RemitError} from '../../errors.ts';
import {plainValue} from '../../output/records/view.ts';
import {failureReasonText} from '../../output/views/failure.ts';
import {showWithReturn} from '../core/bank-returns.ts';
import type {Context} from '../core/context.ts';
import {withDoctor} from '../core/next-step.ts';
import {unknownStatus} from '../core/unknown-status.ts';
import {DEFAULT_WAIT_MS} from '../input/durations.ts';
import {
  approvalNote,
  type AwaitedKind,
  isUnapproved,
  openWait,
  readWithin,
  type WaitFlagValues,
  type Waiting,
} from './awaited.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';
import {asReceived} from '../../narrow.ts';

interface RecordWait {
  id: string;
  /** As the write answered it; undefined if nothing was read yet. */
  initial: ServiceRecord | undefined;
  flags: WaitFlagValues;
}

/**
 * Waits for a record and shows it. Whatever ends the wait early, the last seen record is on stdout or in the error, and
 * the error names the command that continues to wait: ending a wait stops nothing at the service.
 * @throws RemitError ENDED_BADLY, WAIT_TIMEOUT, or what a read threw
 */
export async function waitForRecord(
  context: Context,
  kind: AwaitedKind,
  asked: RecordWait,
): Promise<ServiceRecord> {
  const {out, effects} = context;
  const {id, initial, flags} = asked;
  const {view} = kind;
  const {until, timeout: timeoutMs = DEFAULT_WAIT_MS} = flags;
  const next = waitCommand(context, kind, id, until);
  const noteApproval = approvalNote(context, kind, id, until);
  let seen = initial;
  effects.waitsFor({noun: view.noun, id, status: initial?.status ?? null, next});
  if (initial !== undefined) noteApproval(initial);
  const waiting: Waiting = openWait(context, kind, {
    until,
    show: () => {
      const [trouble] = waiting.troubles.values();
      const unread = trouble === undefined ? '' : `; cannot be read now, trying again: ${trouble.reason}`;
      out.progress(`${view.noun} ${id}: ${waiting.textOf(id)}${unread}`);
    },
  });
  let waited: Waited<ServiceRecord>;
  try {
    waited = await waiting.waitFor({
      ...{id, timeoutMs, initial},
      read: (leftMs) => kind.read(context, id, readWithin(leftMs)),
      onChange: (record) => {
        seen = record;
        effects.saw(record.status);
        noteApproval(record);
      },
    });
  } catch (error) {
    out.endProgress();
    await out.unfinished(seen, view);
    throw error;
  }
  await waiting.end();
  if (waited.outcome === 'reached' && waited.record !== undefined) {
    await showWithReturn(context, waited.record, view);
    return waited.record;
  }
  await out.unfinished(waited.record, view);
  const ended = {id, waited, until};
  throw waited.outcome === 'ended'
    ? endedBadly(context, kind, ended)
    : timedOut(context, kind, {...ended, next, timeoutMs});
}

interface Ended {
  id: string;
  waited: Waited<ServiceRecord>;
  until: string | undefined;
}

const goalOf = ({lifecycle}: AwaitedKind, until: string | undefined): string =>
  until ?? lifecycle.good.join(' or ');

function waitCommand(
  {commands}: Context,
  {topic}: AwaitedKind,
  id: string,
  until: string | undefined,
): string {
  return commands.read(topic, 'wait', id, ...(until === undefined ? [] : ['--until', until]));
}

function endedBadly({commands}: Context, kind: AwaitedKind, {id, waited, until}: Ended): RemitError {
  const {record} = waited;
  const status = record?.status;
  const reason = failureReasonText(record);
  const why = reason === undefined ? '' : ` (${plainValue(reason)})`;
  return new RemitError(
    'ENDED_BADLY',
    `${kind.noun} ${id} is ${plainValue(status)}${why}; it will not be ${goalOf(kind, until)}`,
    {
      details: detailsOf(id, waited),
      hint:
        record !== undefined && hasFailed(record.status) ? kind.waits?.repair(commands, record) : undefined,
    },
  );
}

function timedOut(
  {commands}: Context,
  kind: AwaitedKind,
  {id, waited, until, ...asked}: Ended & {next: string; timeoutMs: number},
): RemitError {
  const {topic, noun} = kind;
  const {record, lastError} = waited;
  const status = record?.status;
  const isOpen = isUnapproved(kind, status, until);
  const next = isOpen ? commands.write(topic, 'approve', id) : asked.next;
  const assumed = record && unknownStatus(kind, record);
  const known =
    status === undefined
      ? 'its status could not be read'
      : `its ${lastError === undefined ? '' : 'last known '}status is ${plainValue(status)}${isOpen ? ' and it needs an approval' : ''}`;
  const seen = assumed === undefined ? known : `it ${assumed}`;
  const trouble = lastError === undefined ? '' : `; the last read failed: ${lastError.message}`;
  return new RemitError(
    'WAIT_TIMEOUT',
    `${noun} ${id} was not ${goalOf(kind, until)} within ${asked.timeoutMs / 1000} s: ${seen}${trouble}`,
    {
      details: detailsOf(id, waited),
      hint: assumed === undefined && !isExplained(lastError) ? next : withDoctor(next, commands),
      cause: lastError,
    },
  );
}

/** Whether an error names the key of the service file that may be wrong. */
const isExplained = (error: RemitError | undefined): boolean => error?.details?.['assumption'] !== undefined;

const detailsOf = (id: string, {record, polls}: Waited<ServiceRecord>) => ({
  id,
  status: record?.status ?? null,
  polls,
  record: record === undefined ? null : asReceived(record),
});
