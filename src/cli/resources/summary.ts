import {setImmediate} from 'node:timers/promises';
import type {Listing} from '../../client/reading/listing.ts';
import {isBadEnd, LIFECYCLES, TRANSFER_STATUSES} from '../../contract/lifecycle.ts';
import {formatMajor, groupMajor} from '../../money/amount.ts';
import {bars} from '../../output/records/bars.ts';
import {selectedValue} from '../../output/records/select.ts';
import {plainValue, text, type Field, type View} from '../../output/records/view.ts';
import {isUtf8} from '../../output/text/charset.ts';
import {counted} from '../../phrases.ts';
import type {Context} from '../core/context.ts';
import {noteMoved} from './lists.ts';
import {AmountTally} from './tally.ts';
import type {Shown} from '../help/outputs/forms.ts';
import type * as schemas from '../help/outputs/service.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';
import type {Json} from '../../narrow.ts';

/** Payins or payouts with one status, rail or day, in one currency. */
export type SummaryRow = Shown<typeof schemas.SummaryRow>;

const DIMENSIONS = ['status', 'rail', 'day'] as const;
/** A service that invents values must not fill the memory; ten years have fewer days. */
const MOST_VALUES = 4000;
const OTHER = 'other';

/** Failed and canceled payments move no money; payins and payouts have the same statuses. */
const movesNothing = (status: string): boolean => isBadEnd(LIFECYCLES.payout, status);

/** Counts and sums by status and, of those that may move money, by rail and day. Its size depends on the number of days, not on the number of records. */
export class ListSummary {
  count = 0;
  /** Failed and canceled records, which the groups by rail and day do not contain. */
  movingNothing = 0;
  readonly #tallies = {
    status: new Map<string, Map<string, AmountTally>>(),
    rail: new Map<string, Map<string, AmountTally>>(),
    day: new Map<string, Map<string, AmountTally>>(),
  };

  add(record: ServiceRecord): void {
    this.count += 1;
    const values = {
      status: wordOf(record.status),
      rail: wordOf(record.rail),
      day: dayOf(record.created_at),
    };
    const isLeftOut = movesNothing(values.status);
    if (isLeftOut) this.movingNothing += 1;
    for (const by of DIMENSIONS)
      if (by === 'status' || !isLeftOut)
        tallyOf(this.#tallies[by], values[by], wordOf(record.currency_code)).add(record);
  }

  /** Records without an amount that can be summed. */
  get unread(): number {
    const tallies = [...this.#tallies.status.values()].flatMap((currencies) => [...currencies.values()]);
    return tallies.reduce((sum, {unread}) => sum + unread, 0);
  }

  rows(): SummaryRow[] {
    return DIMENSIONS.flatMap((by) =>
      ordered(by, this.#tallies[by]).flatMap(([value, currencies]) =>
        [...currencies.values()].flatMap((tally) => rowsOf(by, value, tally)),
      ),
    );
  }
}

function tallyOf(
  values: Map<string, Map<string, AmountTally>>,
  value: string,
  currency: string,
): AmountTally {
  const name = values.has(value) || values.size < MOST_VALUES ? value : OTHER;
  const currencies = values.get(name) ?? new Map<string, AmountTally>();
  values.set(name, currencies);
  const code = currencies.has(currency) || currencies.size < MOST_VALUES / 10 ? currency : OTHER;
  const tally = currencies.get(code) ?? new AmountTally();
  currencies.set(code, tally);
  return tally;
}

function rowsOf(by: SummaryRow['by'], value: string, {count, unread, totals}: AmountTally): SummaryRow[] {
  const sums = totals.entries().map(([currency, minor]) => ({
    ...{by, value, count: count - unread, currency_code: currency},
    ...{amount_in_minor_units: String(minor), amount: formatMajor(minor, currency)},
  }));
  const none = {by, value, count: unread, currency_code: null, amount_in_minor_units: null, amount: null};
  return unread === 0 ? sums : [...sums, none];
}

/** Statuses in the order of their lifecycle, days with the newest first, rails by name. */
function ordered<T>(by: SummaryRow['by'], values: ReadonlyMap<string, T>): [string, T][] {
  const known: readonly string[] = TRANSFER_STATUSES;
  const place = (status: string) => (known.includes(status) ? known.indexOf(status) : known.length);
  return [...values].sort(([a], [b]) => {
    if (by === 'day') return b.localeCompare(a);
    return (by === 'status' ? place(a) - place(b) : 0) || a.localeCompare(b);
  });
}

const wordOf = (value: string | undefined): string => value?.slice(0, 100) ?? 'unknown';

/** The day in UTC. */
function dayOf(value: string | undefined): string {
  const at = Date.parse(value ?? '');
  return Number.isNaN(at) ? 'unknown' : new Date(at).toISOString().slice(0, 10);
}

/** Days that a terminal shows; other formats have all of them. */
const DAYS_SHOWN = 31;

/** Reads a whole list page by page, and shows its counts and sums by status, rail and day. */
export async function showSummary(
  context: Context,
  view: View,
  listing: Listing<ServiceRecord>,
): Promise<void> {
  const {out, runtime, effects} = context;
  const summary = new ListSummary();
  for await (const {items} of listing.pages()) {
    await setImmediate(); // the request for the next page leaves before this one is counted
    for (const record of items) summary.add(record);
    out.progress(`${counted(summary.count, view.noun, view.plural)} read`);
  }
  out.endProgress();
  noteMoved(effects, listing);
  const all = summary.rows();
  const days = all.filter(({by}) => by === 'day');
  const isShort = out.forPeople && out.isTerminal && days.length > DAYS_SHOWN;
  const rows = isShort ? all.slice(0, all.length - days.length + DAYS_SHOWN) : all;
  await out.list(
    rows,
    summaryView(rows, {terminal: out.isTerminal, utf8: isUtf8(runtime.env)}),
    summaryColumns,
  );
  const shownDays = isShort ? `; the newest ${DAYS_SHOWN} days are shown` : '';
  if (summary.count === 0 && out.isTerminal && !effects.isPartial) return; // the empty list says so there
  if (days.length > 0) out.note('Days are in UTC.');
  out.note(`Summary of ${rangeOf(summary.count, view, {listing, effects})}${shownDays}.`);
  if (summary.movingNothing > 0)
    out.note(
      `The totals by rail and day leave out failed and canceled ${view.plural}: ${summary.movingNothing}.`,
    );
  noteUnread(context, summary.unread, view);
}

async function summaryColumns(): Promise<string[]> {
  const [{columnsOf}, {SummaryRow}] = await Promise.all([
    import('../help/outputs/listed-columns.ts'),
    import('../help/outputs/service.ts'),
  ]);
  return columnsOf(SummaryRow);
}

/** The sums do not contain all records, so the command does not end with 0. */
function noteUnread({out, effects}: Context, unread: number, {noun, plural}: View): void {
  if (unread === 0) return;
  const which = unread === 1 ? `1 ${noun} has` : `${unread} ${plural} have`;
  out.warn(
    `${which} no amount that can be summed: not a whole number of minor units, or an unknown currency`,
  );
  effects.tookPartly();
}

/** After a page with a warning (207), or of a list that changed meanwhile, records may be missing although it has ended. */
function rangeOf(
  count: number,
  {noun, plural}: View,
  {listing, effects}: {listing: Listing<ServiceRecord>; effects: Context['effects']},
): string {
  const records = counted(count, noun, plural);
  if (listing.more) return `the first ${records}`;
  if (effects.isPartial) return `the ${records} read; more may exist`;
  return count === 1 ? records : `all ${records}`;
}

function summaryView(
  rows: readonly SummaryRow[],
  {terminal, utf8}: {terminal: boolean; utf8: boolean},
): View {
  const largest = new Map<Json, number>();
  for (const {by, count} of rows) largest.set(by, Math.max(largest.get(by) ?? 0, count));
  const share = (record: Json) =>
    Number(selectedValue(record, 'count')) / (largest.get(selectedValue(record, 'by')) ?? 1);
  const count: Field = {...text('Count', 'count'), align: 'right'};
  const amount: Field = {
    ...text('Amount', 'amount'),
    align: 'right',
    show: (value, record) =>
      typeof value === 'string'
        ? `${groupMajor(value)} ${plainValue(selectedValue(record, 'currency_code'))}`
        : '-',
  };
  return {
    ...{noun: 'group', plural: 'records to summarize', card: []},
    columns: [
      text('By', 'by'),
      text('Value', 'value'),
      count,
      ...(terminal ? [bars(share, utf8)] : []),
      amount,
    ],
  };
}
