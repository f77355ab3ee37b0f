import type {ServiceRecord} from '../../client/answers/record.ts';
import type {Listing} from '../../client/reading/listing.ts';
import {usualId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {minorUnitsIn} from '../../money/amount.ts';
import {type Json, type JsonFields, receivedFields} from '../../narrow.ts';
import {counted} from '../../phrases.ts';
import type {ReportedBalance} from '../../reconcile/model/asked.ts';
import type {BankLine} from '../../reconcile/model/line.ts';
import type {ExpectedPayment} from '../../reconcile/model/payment.ts';
import {isUnread, serviceLine, type DayAt, type Unread} from '../../reconcile/service/service-line.ts';
import {servicePayment, serviceTransfer} from '../../reconcile/service/service-payment.ts';
import {newestFirst} from '../../service/paging.ts';
import type {Context} from '../core/context.ts';

/** What is read, whatever the last day of the period: what comes later may be the line of one of its payments. */
export interface ReadingSince {
  /** `YYYY-MM-DD` in New York. */
  from: string;
  dayAt: DayAt;
}

/** Reasons why a run is not conclusive: the first of each kind, and how many follow. */
export class UnreadRecords {
  readonly #first: string[] = [];
  #more = 0;

  add({unread}: Unread): void {
    if (this.#first.length < 3) this.#first.push(unread);
    else this.#more += 1;
  }

  get why(): string[] {
    return this.#more === 0
      ? this.#first
      : [...this.#first, `and ${counted(this.#more, 'more record')} that cannot be read`];
  }
}

/** All bank-reported transactions of an account from a day on. The list has no filter by time. */
export async function readBankLines(
  context: Context,
  account: string,
  {from, dayAt}: ReadingSince,
  unreadable: UnreadRecords,
): Promise<BankLine[]> {
  const lines: BankLine[] = [];
  const {client, out} = context;
  const query = {account_id: account, ...newestFirst(context.profile.service.paging)};
  let read = 0;
  const listing = client.records('treasury.transactions', query, options(context, unreadable));
  for await (const {shown, id} of checked(context, listing)) {
    const line = serviceLine(shown, account, dayAt, id);
    read += 1;
    if (read % 100 === 0) out.progress(`${counted(read, 'bank transaction')} read`);
    if (isUnread(line)) unreadable.add(line);
    else if (line.bookingDay >= from) lines.push(line);
  }
  out.endProgress();
  return lines;
}

/** The payouts, payins and account transfers that were created since a day. */
export async function readPayments(
  context: Context,
  accounts: ReadonlySet<string>,
  {from, dayAt}: ReadingSince,
  unreadable: UnreadRecords,
): Promise<ExpectedPayment[]> {
  const {client, out} = context;
  const payments: ExpectedPayment[] = [];
  const add = (read: ExpectedPayment | Unread | undefined) => {
    if (read === undefined) return;
    if (isUnread(read)) unreadable.add(read);
    else payments.push(read);
    if (payments.length % 100 === 0) out.progress(`${counted(payments.length, 'payment')} read`);
  };
  const query = {created_from: `${from}T00:00:00Z`}; // a day in New York begins hours after the day in UTC
  const listed = (name: 'payouts.list' | 'payins.list' | 'accountTransfers.list', params: JsonFields) =>
    checked(context, client.records(name, params, options(context, unreadable)));
  for await (const {shown} of listed('payouts.list', query)) add(servicePayment(shown, 'payout', dayAt));
  for await (const {shown} of listed('payins.list', query)) add(servicePayment(shown, 'payin', dayAt));
  for await (const {shown} of listed('accountTransfers.list', {})) {
    const ends = serviceTransfer(shown, accounts, dayAt);
    if (isUnread(ends)) unreadable.add(ends);
    else for (const end of ends) if (end.day >= from) add(end);
  }
  out.endProgress();
  return payments;
}

/** Payments of earlier runs that are still open: what became of them since. One that is not found stays as it was. */
export async function readCarriedOver(
  {client, out, stop}: Context,
  payments: readonly ExpectedPayment[],
  dayAt: DayAt,
): Promise<ExpectedPayment[]> {
  const found: ExpectedPayment[] = [];
  for (const {kind, recordId} of payments) {
    if (recordId === undefined || kind === 'transfer') continue;
    try {
      const params = {id: recordId};
      const {data} = await client.record(`${kind}s.get`, {params, options: {signal: stop.signal}});
      const read = servicePayment(out.sanitizer.value(data, 'line'), kind, dayAt);
      if (read !== undefined && !isUnread(read)) found.push(read);
    } catch (error) {
      if (!(error instanceof RemitError) || error.httpStatus !== 404) throw error;
    }
  }
  return found;
}

/** A warning of the service makes a list incomplete, as does a list that moved while it was read. */
const options = (context: Context, unreadable?: UnreadRecords) => ({
  ...{all: true, pageSize: 100, checksFilters: true, signal: context.stop.signal},
  onWarning: ({text = 'the service answered 207 without a warning: the list may be incomplete'}) => {
    context.effects.tookPartly();
    if (unreadable === undefined) context.out.warn(text);
    else unreadable.add({unread: context.out.sanitizer.line(text)});
  },
});

/**
 * Records of a list that changed while it was read may be missing. The book is on disk, so secrets that a service repeats
 * are masked, and characters that control a terminal removed, before anything of a record is kept.
 */
async function* checked(
  {effects, out}: Context,
  listing: Listing<ServiceRecord>,
): AsyncGenerator<{shown: Json; id: Json}> {
  for await (const record of listing)
    yield {shown: out.sanitizer.value(record, 'line'), id: receivedFields(record)['id']};
  if (listing.hasMoved) effects.tookPartly();
}

/** The accounts with their labels as received; the service has no operation that reads one account. */
export async function labelsOf(context: Context, ids: readonly string[]): Promise<Map<string, string>> {
  const labels = new Map<string, string>();
  for await (const {id, label} of context.client.records('treasury.accounts', {}, options(context)))
    if (id !== undefined && label !== undefined && ids.includes(usualId(id))) labels.set(usualId(id), label);
  return labels;
}

/** The latest reported balance; undefined for an account without one. */
export async function reportedBalance(
  {client, stop}: Context,
  account: string,
  dayAt: DayAt,
): Promise<ReportedBalance | undefined> {
  try {
    const params = {account_id: account};
    const {data} = await client.record('treasury.balance', {params, options: {signal: stop.signal}});
    const minor = minorUnitsIn(data['current_balance_in_minor_units']);
    const {currency_code: currency, as_of: at} = data;
    if (minor === undefined || currency === undefined) return undefined;
    const ms = Date.parse(String(at));
    return {account, currency, minor, day: Number.isNaN(ms) ? undefined : dayAt(ms)};
  } catch (error) {
    if (error instanceof RemitError && error.httpStatus === 404) return undefined;
    throw error;
  }
}
