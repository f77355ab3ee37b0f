import type {StatusFile} from '../batch/standing/status-file.ts';
import type {Clock} from '../clock.ts';
import {RemitError} from '../errors.ts';
import {must, ownJson} from '../narrow.ts';
import type {TeamDatabase} from './connection.ts';
import {leaseHolderText} from './hold.ts';
import {acquire, type Acquired, type FoundLease, type LeaseHolder, type Wanted} from './lease.ts';

const POLL_MS = 1000;
const TRIES = 5;

/** The lease of the book is kept like that of a batch of this kind. */
export const BOOK = {kind: 'book', id: 'bank'} as const;

/**
 * Takes a lease. A process that does not renew its lease is waited for until it expires.
 * @throws RemitError LOCKED with the process that has it
 */
export const acquireWhenFree = async (
  db: TeamDatabase,
  wanted: Wanted,
  how: {clock: Clock; say: (text: string) => void; waitMs?: number | undefined},
): Promise<{acquired: Acquired; takenAt: number}> => must(await acquireOrJoin(db, wanted, how), 'lease');

/**
 * Takes a lease, as above.
 * @param how.mayJoin whether to send for the process that has it
 * @returns undefined if that process lets others send for it
 * @throws RemitError LOCKED with the process that has it
 */
export async function acquireOrJoin(
  db: TeamDatabase,
  wanted: Wanted,
  {
    clock,
    say,
    waitMs = 0,
    mayJoin = false,
  }: {clock: Clock; say: (text: string) => void; waitMs?: number | undefined; mayJoin?: boolean},
): Promise<{acquired: Acquired; takenAt: number} | undefined> {
  const startedAt = clock.monotonic();
  let first: {found: FoundLease; at: number} | undefined;
  let failures = 0;
  for (;;) {
    const takenAt = clock.monotonic();
    let result: Awaited<ReturnType<typeof acquire>>;
    try {
      result = await acquire(db, wanted);
    } catch (error) {
      if (!(error instanceof RemitError) || ++failures > TRIES) throw error;
      await clock.sleep(POLL_MS); // a commit without an answer: the same owner finds its own lease
      continue;
    }
    if ('lease' in result) return {acquired: result, takenAt};
    const {held} = result;
    if (first?.found.owner !== held.owner) {
      first = {found: held, at: takenAt};
      say(
        `${holderOf(held)} has the ${wanted.kind === BOOK.kind ? 'book of bank lines' : 'batch'}. Waiting to see whether it is alive.`,
      );
    }
    // A holder that renews its lease within its whole time is alive.
    const isAlive = held.version > first.found.version && held.left_ms > 0;
    if (isAlive && mayJoin && ownJson<LeaseHolder>(held.holder ?? '{}').shares === true) return undefined;
    if (isAlive && takenAt - startedAt >= waitMs) throw heldError(wanted, held);
    await clock.sleep(POLL_MS);
  }
}

const holderOf = ({holder}: FoundLease): string =>
  holder === null ? 'Another process' : capital(leaseHolderText(ownJson<LeaseHolder>(holder)));
const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function heldError({kind, id}: Wanted, found: FoundLease): RemitError {
  const summary = found.status === null ? undefined : ownJson<StatusFile>(found.status).summary;
  const progress = summary === undefined ? '' : `; ${summary.accepted} of ${summary.planned} rows accepted`;
  const {host, pid, purpose, since, shares} = ownJson<LeaseHolder>(found.holder ?? '{}');
  const isBook = kind === BOOK.kind;
  const what = isBook ? 'the book of bank lines' : `batch ${id}${progress}`;
  return new RemitError('LOCKED', `${holderOf(found)} has ${what}`, {
    hint: isBook
      ? 'run the same command again when it has ended; a process that has died loses the book soon'
      : `wait for it to end (--wait-lock TIME waits); a process that has died loses the batch after 30 s${shares === true ? '. `run` with the id of the batch sends rows for it' : ''}`,
    details: {host, pid, purpose, since},
  });
}
