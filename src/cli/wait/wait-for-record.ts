import type {Waited} from '../../client/reading/poll.ts';
import type {Lifecycle} from '../../contract/lifecycle.ts';
import {RemitError} from '../../errors.ts';
import {selectedValue} from '../../output/records/select.ts';
import {plainValue, type View} from '../../output/records/view.ts';
import {failureReasonText} from '../../output/views/failure.ts';
import type {Context} from '../core/context.ts';
import {withDoctor} from '../core/way-out.ts';
import {statusWatch, unknownStatus} from '../core/unknown-status.ts';
import {DEFAULT_WAIT_MS} from '../input/durations.ts';
import {isUnapproved, seenIn, seenText, shortReason} from './seen.ts';

export interface WaitFlagValues {
  wait?: boolean | undefined;
  until?: string | undefined;
  /** Milliseconds. */
  timeout?: number | undefined;
}

export const isStillWaiting = ({wait, until}: WaitFlagValues): boolean =>
  wait === true || until !== undefined;

/** A record that takes time, and how to wait for it. */
export interface Waiting {
  /** `payouts`: the topic of its commands. */
  topic: string;
  view: View;
  id: string;
  /** As the write answered it; undefined if nothing was read yet. */
  initial: unknown;
  /** The successful final status: `settled`. */
  goal: string;
  lifecycle: Lifecycle;
  /** Its name in a service file. */
  resource: string;
  poll: (options: {
    until: string | undefined;
    timeoutMs: number;
    onChange: (record: unknown) => void;
    onRead: (error: RemitError | undefined) => void;
  }) => Promise<Waited<unknown>>;
  /** What to type after it failed. */
  repair: (record: unknown) => string | undefined;
}

/**
 * Waits for a record. Whatever ends the wait early, the last seen record is on stdout or in the error, and the error
 * names the command that continues to wait: ending a wait stops nothing at the service.
 * @throws RemitError ENDED_BADLY, WAIT_TIMEOUT, or what a read threw
 */
export async function waitForRecord(
  context: Context,
  waiting: Waiting,
  flags: WaitFlagValues,
): Promise<unknown> {
  const {out, effects} = context;
  const {id, view, initial} = waiting;
  const timeoutMs = flags.timeout ?? DEFAULT_WAIT_MS;
  const next = waitCommand(context, waiting, flags.until);
  const noteApproval = approvalNote(context, waiting, flags.until);
  const noteStatus = statusWatch(context, waiting, flags.until);
  let seen = initial;
  effects.waitsFor({noun: view.noun, id, status: statusText(initial), next});
  noteApproval(initial);
  noteStatus(`${view.noun} ${id}`, initial);
  const show = () => out.progress(`${view.noun} ${id}: ${seenText(known)}${unreadText(trouble)}`);
  let trouble: RemitError | undefined;
  let known = initial === undefined ? undefined : seenIn(initial);
  let waited: Waited<unknown>;
  try {
    waited = await waiting.poll({
      until: flags.until,
      timeoutMs,
      onChange: (record) => {
        seen = record;
        effects.saw(selectedValue(record, 'status'));
        noteApproval(record);
        noteStatus(`${view.noun} ${id}`, record);
        known = seenIn(record);
        trouble = undefined;
        show();
      },
      onRead: (error) => {
        if (error === trouble) return;
        trouble = error;
        show();
      },
    });
  } catch (error) {
    out.endProgress();
    await out.unfinished(seen, view);
    throw error;
  }
  out.endProgress();
  if (waited.outcome === 'reached') return waited.record;
  await out.unfinished(waited.record, view);
  throw waited.outcome === 'ended'
    ? endedBadly(waiting, waited, flags.until)
    : timedOut(context, {waiting, waited, next, timeoutMs, until: flags.until});
}

const unreadText = (error: RemitError | undefined): string =>
  error === undefined ? '' : `; cannot be read now, trying again: ${shortReason(error.message)}`;

function waitCommand({commands}: Context, {topic, id}: Waiting, until: string | undefined): string {
  return commands.read(topic, 'wait', id, ...(until === undefined ? [] : ['--until', until]));
}

function endedBadly(waiting: Waiting, waited: Waited<unknown>, until: string | undefined): RemitError {
  const {view, id, goal, repair} = waiting;
  const {record} = waited;
  const status = selectedValue(record, 'status');
  const reason = failureReasonText(record);
  const why = reason === undefined ? '' : ` (${plainValue(reason)})`;
  return new RemitError(
    'ENDED_BADLY',
    `${view.noun} ${id} is ${plainValue(status)}${why}; it will not be ${until ?? goal}`,
    {details: detailsOf(waiting, waited), hint: status === 'failed' ? repair(record) : undefined},
  );
}

function timedOut(
  {commands}: Context,
  {
    waiting,
    waited,
    ...asked
  }: {
    waiting: Waiting;
    waited: Waited<unknown>;
    next: string;
    timeoutMs: number;
    until: string | undefined;
  },
): RemitError {
  const {topic, view, id, goal} = waiting;
  const {timeoutMs, until} = asked;
  const isOpen = isUnapproved(selectedValue(waited.record, 'status'), until);
  const next = isOpen ? commands.write(topic, 'approve', id) : asked.next;
  const status = selectedValue(waited.record, 'status');
  const assumed = unknownStatus(waiting, waited.record);
  const known =
    status === undefined
      ? 'its status could not be read'
      : `its ${waited.lastError === undefined ? '' : 'last known '}status is ${plainValue(status)}${isOpen ? ' and it needs an approval' : ''}`;
  const seen = assumed === undefined ? known : `it ${assumed}`;
  const trouble = waited.lastError === undefined ? '' : `; the last read failed: ${waited.lastError.message}`;
  return new RemitError(
    'WAIT_TIMEOUT',
    `${view.noun} ${id} was not ${until ?? goal} within ${timeoutMs / 1000} s: ${seen}${trouble}`,
    {
      details: detailsOf(waiting, waited),
      hint: assumed === undefined && !isExplained(waited.lastError) ? next : withDoctor(next, commands),
      cause: waited.lastError,
    },
  );
}

/** Whether an error names the key of the service file that may be wrong. */
const isExplained = (error: unknown): boolean =>
  error instanceof RemitError && error.details?.['assumption'] !== undefined;

const detailsOf = ({id}: Waiting, {record, polls}: Waited<unknown>) => ({
  id,
  status: selectedValue(record, 'status') ?? null,
  polls,
  record: record ?? null,
});

const statusText = (record: unknown): string | null => {
  const status = selectedValue(record, 'status');
  return typeof status === 'string' ? status : null;
};

/**
 * Reports once that the record waits for an approval: another person may give it, so that waiting is not a mistake.
 */
export function approvalNote(
  {out, commands}: Context,
  {topic, view, id}: Pick<Waiting, 'topic' | 'view' | 'id'>,
  until: string | undefined,
): (record: unknown) => void {
  let told = false;
  return (record) => {
    if (told || !isUnapproved(selectedValue(record, 'status'), until)) return;
    told = true;
    out.note(`The ${view.noun} needs an approval before any money moves:`);
    out.hint(commands.write(topic, 'approve', id));
  };
}
