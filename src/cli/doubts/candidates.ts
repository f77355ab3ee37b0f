import {isSameId} from '../../contract/ids.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import type {PaymentKind} from '../../doubts/open-payment.ts';
import {RemitError} from '../../errors.ts';
import {newestFirst} from '../../service/paging.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import {amountOfRecord} from '../guard/amount-read.ts';
import type {Payment} from './payment.ts';
import type {JsonFields} from '../../narrow.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** Records that may be the payment in doubt. */
export interface Candidates {
  records: readonly {id: string; status: string; created_at: string}[];
  /** A sentence without its full stop. */
  text: string;
}

/** Records that are searched, and candidates that are shown. */
const SEARCHED = 200;
const SHOWN = 10;
/** Equal records that are too old to be candidates, and are shown. */
const OLDER_SHOWN = 3;
/** The clocks of the service and of this machine may differ. */
const CLOCK_SLACK_MS = 24 * 3_600_000;
/** A person is waiting for the list, and a script for its refusal. */
const PATIENCE_MS = 10_000;

type PartyField = 'payee_id' | 'payer_id' | `${'source' | 'destination'}_${'subaccount' | 'account'}_id`;

interface CandidateList {
  operation: OperationId;
  query: (payment: Payment) => JsonFields;
  /** The fields that must name the two ends. */
  party: PartyField | undefined;
  source?: PartyField;
  command: (payment: Payment) => readonly string[];
  time: 'created_at' | 'posted_at';
  /** Fields with another value show that the record is something else. */
  only?: {direction: string};
}

const PLACES: Readonly<Record<PaymentKind, CandidateList>> = {
  payout: {
    operation: 'payouts.list',
    query: ({party}) => ({payee_id: party ?? undefined}),
    party: 'payee_id',
    command: ({party}) => ['payouts', 'list', ...(party === null ? [] : ['--payee', party])],
    time: 'created_at',
  },
  payin: {
    operation: 'payins.list',
    query: ({party}) => ({payer_id: party ?? undefined}),
    party: 'payer_id',
    command: ({party}) => ['payins', 'list', ...(party === null ? [] : ['--payer', party])],
    time: 'created_at',
  },
  move: {
    operation: 'moves.list',
    query: () => ({}),
    party: 'destination_subaccount_id',
    source: 'source_subaccount_id',
    command: () => ['moves', 'list'],
    time: 'created_at',
  },
  'account transfer': {
    operation: 'accountTransfers.list',
    query: ({source}) => ({account_id: source ?? undefined}),
    party: 'destination_account_id',
    source: 'source_account_id',
    command: ({source}) => ['transfers', 'list', ...(source === null ? [] : ['--account', source])],
    time: 'created_at',
  },
  'bank transaction': {
    operation: 'treasury.transactions',
    query: ({party}) => ({account_id: party ?? ''}), // without an account there is no list to read
    party: undefined, // the list is that of the account
    command: ({party}) => ['treasury', ...(party === null ? ['accounts'] : ['transactions', party])],
    time: 'posted_at',
    only: {direction: 'credit'},
  },
};

export const listCommand = (commands: Context['commands'], payment: Payment): string =>
  commands.read(...PLACES[payment.kind].command(payment));

/** The command that shows one of its records. */
export function getCommand(commands: Context['commands'], payment: Payment, id: string): string {
  const [topic = payment.kind] = PLACES[payment.kind].command(payment);
  return commands.read(topic, 'get', id);
}

/**
 * Searches the newest records for those with the same parties, amount and currency since the day before the payment was
 * sent. Older ones are no candidates, but are named: the clock of the service may be wrong by more.
 */
export async function candidatesFor(
  context: Context,
  payment: Payment,
  sinceMs: number,
): Promise<Candidates> {
  const {client, profile, stop} = context;
  const {operation, query: queryOf} = PLACES[payment.kind];
  const query = {...queryOf(payment), ...newestFirst(profile.service.paging)};
  const options = {limit: SEARCHED, pageSize: 100, retries: 0, totalMs: PATIENCE_MS, signal: stop.signal};
  const records: Candidates['records'][number][] = [];
  const older: Candidates['records'][number][] = [];
  let searched = 0;
  let rest: string | undefined;
  try {
    const listing = client.records(operation, query, options);
    for await (const record of listing) {
      searched += 1;
      if (!isEqual(record, payment)) continue;
      const isOlder = timeIn(record, payment.kind) < sinceMs - CLOCK_SLACK_MS; // an unreadable time excludes nothing
      (isOlder ? older : records).push(shownOf(record, payment.kind));
    }
    if (listing.more) rest = `only the first ${searched} records were searched`;
  } catch (error) {
    if (stop.signal.aborted || !(error instanceof RemitError)) throw error;
    rest = `the list could not be read to its end: ${error.message}`;
  }
  const since = new Date(sinceMs - CLOCK_SLACK_MS).toISOString();
  return {records, text: [foundText(payment.kind, {records, older, since}), rest].filter(Boolean).join('; ')};
}

function foundText(
  kind: PaymentKind,
  {records, older, since}: {records: Candidates['records']; older: Candidates['records']; since: string},
): string {
  const count = older.length === 1 ? 'one like it is' : `${older.length} like it are`;
  const left = older.length === 0 ? '' : `; ${count} older: ${recordsInWords(older, OLDER_SHOWN)}`;
  if (records.length > 0) return `It may be ${recordsInWords(records, SHOWN)}${left}`;
  return older.length === 0
    ? `No ${kind} in the list matches it`
    : `No ${kind} since ${since} in the list matches it${left}. If the clock of the service is wrong, check ${older.length === 1 ? 'that one' : 'those'} too`;
}

function recordsInWords(records: Candidates['records'], most: number): string {
  const shown = records.slice(0, most).map(({id, status, created_at: at}) => `${id} (${status}, ${at})`);
  return `${shown.join(', ')}${records.length > most ? `, and ${records.length - most} more` : ''}`;
}

/** Milliseconds since the epoch; NaN if it cannot be read. */
function timeIn(record: ServiceRecord, kind: PaymentKind): number {
  return Date.parse(record[PLACES[kind].time] ?? '');
}

function isEqual(record: ServiceRecord, payment: Payment): boolean {
  const {party, source, only} = PLACES[payment.kind];
  const named = (field: PartyField | undefined, id: string | null) => {
    const value = field && record[field];
    return value === undefined || id === null || isSameId(value, id);
  };
  if (!named(party, payment.party) || !named(source, payment.source)) return false;
  if (only !== undefined && (record.direction ?? only.direction) !== only.direction) return false;
  const amount = amountOfRecord(record, plainValue(record.id));
  if (amount.kind !== 'read') return true;
  const {currency, amountMinor} = payment;
  const isOther = currency !== null && amount.currency !== undefined && amount.currency !== currency;
  return (amountMinor === null || amount.minor === amountMinor) && !isOther;
}

const shownOf = (record: ServiceRecord, kind: PaymentKind) => ({
  id: plainValue(record.id),
  status: plainValue(record.status),
  created_at: plainValue(record[PLACES[kind].time]),
});
