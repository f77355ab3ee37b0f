import {standing, waitFor, type Waited, type WaitOptions} from '../../client/reading/poll.ts';
import {isFinal, wasCanceled, type Lifecycle} from '../../contract/lifecycle.ts';
import {expectedSettlement} from '../../contract/settlement.ts';
import type {CommandBuilder, RemitError} from '../../errors.ts';
import {plainValue, type View} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import {noteFrozenClock} from '../core/sandbox-clock.ts';
import {statusWatch} from '../core/unknown-status.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** How a read is limited. */
export interface ReadLimits {
  retries?: number;
  totalMs?: number;
}

/** A kind of record that takes time, and how it is read. */
export interface AwaitedKind {
  /** Its name in a service file. */
  readonly resource: 'payins' | 'payouts' | 'moves' | 'accountTransfers';
  /** Of its commands. */
  readonly topic: 'payins' | 'payouts' | 'moves' | 'transfers';
  readonly noun: 'payin' | 'payout' | 'move' | 'account transfer';
  readonly view: View;
  readonly lifecycle: Lifecycle;
  /** Absent if it has no `wait`, because an approval settles it at once. */
  readonly waits?: {
    /** What to read after a failure. */
    readonly repair: (commands: CommandBuilder, record: ServiceRecord) => string | undefined;
    /** Reads several of them together. Absent: each is read by itself. */
    readonly readTogether?: (context: Context) => (id: string) => Promise<ServiceRecord>;
  };
  /** As the service answers it. */
  readonly read: (context: Context, id: string, limits?: ReadLimits) => Promise<ServiceRecord>;
}

export interface WaitFlagValues {
  wait?: boolean | undefined;
  until?: string | undefined;
  /** Milliseconds. */
  timeout?: number | undefined;
}

export const isStillWaiting = ({wait, until}: WaitFlagValues): boolean =>
  wait === true || until !== undefined;

/** What the last read of a record showed. */
interface LastRead {
  status: string;
  /** The day on which it is expected to settle, if the service says so. */
  settles: string | undefined;
}

/** Without an approval it will never be settled; it can be canceled as it is. */
export const isUnapproved = (
  {lifecycle: {initial}}: Pick<AwaitedKind, 'lifecycle'>,
  status: string | undefined,
  until: string | undefined,
): boolean => until !== initial && !wasCanceled(until) && status === initial;

/**
 * Reports once that the record waits for an approval: another person may give it, so that waiting is not a mistake.
 */
export function approvalNote(
  {out, commands}: Context,
  kind: AwaitedKind,
  id: string,
  until: string | undefined,
): (record: ServiceRecord) => void {
  let told = false;
  return (record) => {
    if (told || !isUnapproved(kind, record.status, until)) return;
    told = true;
    out.note(`The ${kind.noun} needs an approval before any money moves:`);
    out.hint(commands.write(kind.topic, 'approve', id));
  };
}

const SHORTEST_READ_MS = 1_000;

/** One read of a wait: it is not repeated at once, and ends with the wait, but gets at least a second. */
export const readWithin = (leftMs: number): ReadLimits => ({
  retries: 0,
  totalMs: Math.max(leftMs, SHORTEST_READ_MS),
});

/** One of the records that are waited for. */
interface OneWait extends Pick<WaitOptions<ServiceRecord>, 'timeoutMs' | 'initial'> {
  id: string;
  read: (leftMs: number) => Promise<ServiceRecord>;
  onChange: (record: ServiceRecord) => void;
}

/**
 * The wait for one record or several. What is odd about any of them is a warning, once.
 * @param show shows on the screen what is known; called after each read that has changed something
 */
export function openWait(
  context: Context,
  kind: AwaitedKind,
  {until, show}: {until: string | undefined; show: (id: string) => void},
) {
  const {clock, runtime, stop, out} = context;
  const {lifecycle, noun} = kind;
  const last = new Map<string, LastRead>();
  /** Why open records could not be read the last time. */
  const troubles = new Map<string, RemitError>();
  const noteStatus = statusWatch(context, kind, until);
  let clockNote: Promise<void> | undefined;
  const see = (id: string, record: ServiceRecord) => {
    last.set(id, {status: record.status ?? 'unknown', settles: expectedSettlement(record)});
    noteStatus(`${noun} ${id}`, record);
  };
  return {
    last,
    troubles,
    waitFor: ({id, read, onChange, ...limits}: OneWait): Promise<Waited<ServiceRecord>> => {
      if (limits.initial !== undefined) see(id, limits.initial);
      return waitFor<ServiceRecord>({
        ...{...limits, lifecycle, until, clock, random: runtime.random, signal: stop.signal},
        read: ({timeoutMs: leftMs}) => read(leftMs),
        onChange: (record) => {
          see(id, record);
          onChange(record);
          troubles.delete(id);
          if (standing(lifecycle, record.status, until) !== 'open') return;
          clockNote ??= noteFrozenClock(context);
          show(id);
        },
        onRead: (error) => {
          if (error === troubles.get(id)) return;
          if (error === undefined) troubles.delete(id);
          else troubles.set(id, error);
          show(id);
        },
      });
    },
    end: async (): Promise<void> => {
      await clockNote;
      out.endProgress();
    },
    /** `initiated, expected 2026-11-25`: beside an id, it fits into 80 columns. */
    textOf: (id: string): string => {
      const seen = last.get(id);
      if (seen === undefined) return 'not read yet';
      const isOpen = seen.settles !== undefined && !isFinal(lifecycle, seen.status);
      return `${plainValue(seen.status)}${isOpen ? `, expected ${plainValue(seen.settles)}` : ''}`;
    },
  };
}

export type Waiting = ReturnType<typeof openWait>;
