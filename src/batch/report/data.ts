import {isFinal, LIFECYCLES} from '../../contract/lifecycle.ts';
import {Totals} from '../../money/totals.ts';
import {readConfirmations} from '../journal/confirmations.ts';
import type {Confirmation} from '../journal/facts.ts';
import {STATE} from '../model/row-state.ts';
import type {Journal} from '../journal/journal.ts';
import type {Kind, Mode} from '../model/kinds.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {DIFFERS_CODE} from '../model/outcome.ts';
import type {Summary} from '../standing/summary.ts';
import {readTimeline, type TimelinePoint} from '../standing/timeline.ts';
import type {Plan} from '../model/plan-facts.ts';

/** Why a row needs attention, the most urgent first. */
export const TROUBLES = [
  'in_doubt',
  'collision',
  'failed',
  'dead_key',
  'conflict',
  'unapproved',
  'unclear', // accepted, but its status means nothing here, or means that it was not approved
  'differs', // accepted, and not all as was asked for
  'held',
  'rejected',
  'not_sent',
] as const;
export type Trouble = (typeof TROUBLES)[number];

export interface TroubledRow {
  n: number;
  line: number;
  reference: string;
  party: string;
  /** Minor units. */
  amount: number;
  currency: string;
  id: string | null;
  status: string | null;
  code: string | null;
  message: string | null;
}

export interface TroubleGroup {
  trouble: Trouble;
  count: number;
  totals: Totals;
  /** The first of them, as far as the report has room. */
  rows: TroubledRow[];
}

/** Accepted rows by how far their records are, in number and money. */
export type AcceptedParts = Record<'settled' | 'failed' | 'underway', {count: number; totals: Totals}>;

/** All that a report says: a function of the state of the batch alone. */
export interface ReportData {
  plan: Plan;
  summary: Summary;
  mode: Mode | null;
  /** Host of the service that the batch is bound to. */
  service: string | null;
  /** When the service last answered for a row; before the first run, when the batch was planned. */
  asOf: number;
  /** Flags that a command needs to find the batch with the same profile: ` -p acme`. */
  flags: string;
  accepted: AcceptedParts;
  /** Rows whose record was ever asked for, with the time of the last change. */
  lastChangeAt: number | null;
  troubles: TroubleGroup[];
  confirmations: Confirmation[];
  timeline: TimelinePoint[];
  /** Rows that were sent again with a new key. */
  retried: number;
}

/** Rows that a report lists; the others are in the results. */
export const MOST_ROWS = 1000;

export function readReport(
  batch: OpenBatch,
  summary: Summary,
  {flags = '', mostRows = MOST_ROWS}: {flags?: string; mostRows?: number | undefined} = {},
): ReportData {
  const {journal, plan} = batch;
  const timeline = readTimeline(journal);
  const binding = journal.fact('binding');
  const lastChange = journal.statement('select max(at) as at from outcomes').get()!['at'];
  const lastChangeAt = lastChange === null ? null : Number(lastChange);
  return {
    plan,
    summary,
    mode: binding?.mode ?? null,
    service: binding === undefined ? null : new URL(binding.baseUrl).host,
    asOf: Math.max(plan.plannedAt, lastChangeAt ?? 0, journal.fact('asOf') ?? 0),
    flags,
    accepted: readAccepted(journal, plan.kind),
    lastChangeAt,
    troubles: summary.state === 'planned' ? [] : readTroubles(journal, plan.kind, mostRows),
    confirmations: readConfirmations(journal),
    timeline,
    retried: journal.generations().length,
  };
}

/** Sums in two halves, for a sum may pass 2^63 although no amount does. */
const HALVES = 'sum(r.amount / 1000000) as high, sum(r.amount % 1000000) as low';
const wholeOf = (row: Record<string, unknown>): bigint =>
  BigInt(row['high'] as number) * 1_000_000n + BigInt(row['low'] as number);

function readAccepted(journal: Journal, kind: Kind): AcceptedParts {
  const part = () => ({count: 0, totals: new Totals()});
  const parts: AcceptedParts = {settled: part(), failed: part(), underway: part()};
  const lifecycle = LIFECYCLES[kind];
  const rows = journal
    .statement(
      `select o.status, r.currency, count(*) as count, ${HALVES}
       from outcomes o join rows r on r.n = o.n where o.state = 'accepted' group by 1, 2`,
    )
    .all();
  for (const row of rows) {
    const status = (row['status'] as string | null) ?? '';
    const isGood = lifecycle.good.some((good) => good === status);
    const into = parts[isGood ? 'settled' : isFinal(lifecycle, status) ? 'failed' : 'underway'];
    into.count += Number(row['count']);
    into.totals.add(row['currency'] as string, wholeOf(row));
  }
  return parts;
}

/** SQL of the trouble of a row, or null. The statuses are the contract's. */
function troubleSql(kind: Kind): string {
  const {next, initial} = LIFECYCLES[kind];
  const clear = Object.keys(next).filter((status) => status !== initial);
  return `case ${STATE}
    when 'accepted' then case
      when o.status = 'failed' then 'failed'
      when o.code = '${DIFFERS_CODE}' then 'differs'
      when o.status is null or o.status in (${clear.map((status) => `'${status}'`).join(', ')}) then null
      else 'unclear' end
    when 'staged' then null
    when 'already_paid' then null
    else ${STATE} end`;
}

function readTroubles(journal: Journal, kind: Kind, mostRows: number): TroubleGroup[] {
  const trouble = troubleSql(kind);
  const counted = journal
    .statement(
      `select ${trouble} as trouble, r.currency, count(*) as count, ${HALVES}
       from rows r left join outcomes o on o.n = r.n group by 1, 2`,
    )
    .all();
  const groups: TroubleGroup[] = [];
  let room = mostRows;
  for (const name of TROUBLES) {
    const group: TroubleGroup = {trouble: name, count: 0, totals: new Totals(), rows: []};
    for (const row of counted.filter((row) => row['trouble'] === name)) {
      group.count += Number(row['count']);
      group.totals.add(row['currency'] as string, wholeOf(row));
    }
    if (group.count === 0) continue;
    if (room > 0) group.rows = troubledRows(journal, trouble, name, room);
    room -= group.rows.length;
    groups.push(group);
  }
  return groups;
}

function troubledRows(journal: Journal, sql: string, trouble: Trouble, limit: number): TroubledRow[] {
  return journal
    .statement(
      `select r.n, r.line, r.reference, r.party, r.amount, r.currency, o.id, o.status, o.code, o.message
       from rows r left join outcomes o on o.n = r.n where ${sql} = ? order by r.n limit ?`,
    )
    .all(trouble, limit)
    .map((row) => ({
      ...(row as unknown as TroubledRow), // the columns are named so
      n: Number(row['n']),
      line: Number(row['line']),
      amount: Number(row['amount']),
    }));
}
