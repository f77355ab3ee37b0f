import {RemitError} from '../../../errors.ts';
import type {BankDialect} from '../../../sandbox/base/bank-dialect.ts';
import type {ServerOptions} from '../../../sandbox/server.ts';
import type {TimingProfile} from '../../../sandbox/time/timing.ts';
import {readServiceFile} from '../../../profiles/service-source.ts';
import type {LocalContext} from '../../core/context.ts';
import {readBalance, readClock, readTime} from '../flag-values.ts';
import {readStdin} from '../../runtime/stdin.ts';
import {isPostgresUrl, readPostgresUrl} from '../../../store/postgres/url.ts';

/** The flags of `sandbox start` that determine how the sandbox behaves. */
export interface StartFlags {
  port: number;
  fresh: boolean;
  /** `postgres://…`, or `-` to read one from standard input; absent: a file of the state folder. */
  store?: string | undefined;
  timing: TimingProfile;
  /** A service file. */
  service?: string | undefined;
  seed?: string | undefined;
  balance?: string | undefined;
  'freeze-at'?: string | undefined;
  clock?: string | undefined;
  'no-magic-amounts'?: boolean | undefined;
  'strict-idempotency': boolean;
  'strict-auto-approve'?: boolean | undefined;
  'idempotency-ttl'?: number | undefined;
  'private-receivers'?: boolean | undefined;
  'async-initiation'?: 'test' | 'live' | 'both' | undefined;
  'settle-move-207'?: boolean | undefined;
  'bank-dialect'?: BankDialect | undefined;
}

/** @throws {RemitError} USAGE for an invalid amount, time or store. */
export function readStartFlags(flags: StartFlags): Omit<ServerOptions, 'store'> {
  readStore(flags);
  return {
    port: flags.port,
    timing: flags.timing,
    service: flags.service === undefined ? undefined : readServiceFile(flags.service),
    seed: flags.seed,
    strictIdempotency: flags['strict-idempotency'],
    strictAutoApprove: flags['strict-auto-approve'] === true,
    idempotencyTtlMs: flags['idempotency-ttl'] ?? null,
    privateReceivers: flags['private-receivers'] === true,
    mainBalanceMinor: flags.balance === undefined ? undefined : readBalance(flags.balance),
    magicAmounts: flags['no-magic-amounts'] !== true,
    asyncInitiation: readModes(flags['async-initiation']),
    settleMove207: flags['settle-move-207'] === true,
    bankDialect: flags['bank-dialect'],
    clockMode: flags.clock === undefined ? undefined : readClock('--clock', flags.clock),
    frozenAtMs: flags['freeze-at'] === undefined ? undefined : readTime('--freeze-at', flags['freeze-at']),
  };
}

function readModes(asked: StartFlags['async-initiation']): readonly ('test' | 'live')[] {
  if (asked === undefined) return [];
  return asked === 'both' ? ['test', 'live'] : [asked];
}

/**
 * The requested shared store, and the form in which it may be shown; undefined for a file.
 * @throws {RemitError} USAGE
 */
export function readStore(flags: StartFlags): {address: string; shown: string} | undefined {
  const {store} = flags;
  if (store === undefined) return undefined;
  if (!isPostgresUrl(store))
    throw new RemitError('USAGE', '--store takes the address of a PostgreSQL database', {
      hint: 'remit sandbox start --store postgres://localhost/sandbox',
    });
  return {address: store, shown: readPostgresUrl(store).shown};
}

/** Stands for the address of a store that is read from standard input. */
export const STORE_FROM_STDIN = '-';
const MOST_CHARACTERS = 10_000;

const VISIBLE_PASSWORD =
  'other users of this machine can see the password after --store in the list of processes; put it into PGPASSWORD or ~/.pgpass, or pass the address on standard input: --store -';

/** The flags with the address of the store, including one from standard input. Its password is never shown. */
export async function withStore<T extends StartFlags>(
  flags: T,
  {runtime, out}: Pick<LocalContext, 'runtime' | 'out'>,
): Promise<T> {
  const given = flags.store;
  if (given === undefined) return flags;
  const store =
    given === STORE_FROM_STDIN ? (await readStdin(runtime, 'the address', MOST_CHARACTERS)).trim() : given;
  if (isPostgresUrl(store)) {
    const {passwords} = readPostgresUrl(store);
    out.sanitizer.conceal(...passwords);
    if (passwords.length > 0 && given !== STORE_FROM_STDIN) out.warn(VISIBLE_PASSWORD);
  }
  return {...flags, store};
}
