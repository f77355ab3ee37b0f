import {BARE_COMMANDS, type CommandBuilder} from '../../errors.ts';
import {hasFailed, hasSucceeded, isBadEnd, LIFECYCLES} from '../../contract/lifecycle.ts';
import {Totals} from '../../money/totals.ts';
import {readConfirmations} from '../journal/confirmations.ts';
import type {RecordedConfirmation} from '../journal/facts.ts';
import type {Journal} from '../journal/journal.ts';
import type {TroubledRow} from '../journal/rows/report-rows.ts';
import type {Mode} from '../../contract/mode.ts';
import type {Kind} from '../model/kinds.ts';
import {isHeldElsewhere, type OpenBatch} from '../journal/open-batch.ts';
import {NO_RETURNS, type ReturnedRows, returnedText} from './returned.ts';
import {must} from '../../narrow.ts';
import type {Summary} from '../standing/summary.ts';
import type {Plan} from '../model/plan-facts.ts';

/** Why a row needs attention, the most urgent first. */
const TROUBLES = [
  'in_doubt',
  'collision',
  'failed',
  'returned', // accepted; the bank sent the money back
  'dead_key',
  'conflict',
  'unapproved',
  'unclear', // accepted, but its status means nothing here, or means that it was not approved
  'differs', // accepted, and not all as was asked for
  'held',
  'rejected',
  'not_sent',
] as const;
export type RowTrouble = (typeof TROUBLES)[number];

export interface TroubleGroup {
  trouble: RowTrouble;
  count: number;
  totals: Totals;
  /** The first of them, up to the limit of the report. */
  rows: TroubledRow[];
}

/** Accepted rows by the status of their records, in number and money. */
export type AcceptedParts = Record<
  'settled' | 'failed' | 'underway' | 'returned',
  {count: number; totals: Totals}
>;

/** Everything that a report shows. It depends only on the state of the batch. */
export interface ReportData {
  plan: Plan;
  summary: Summary;
  mode: Mode | null;
  /** Host of the service that the batch is bound to. */
  service: string | null;
  /** When the service last answered for a row, or when the batch was planned if it has not run. */
  asOf: number;
  /** Builds the commands that it names. */
  commands: CommandBuilder;
  /** The file of the report; undefined for the usual one, beside the results. */
  file: string | undefined;
  /** Another process has the batch, so every other command for it is refused. */
  isHeld: boolean;
  accepted: AcceptedParts;
  /** Rows whose record was ever requested, with the time of the last change. */
  lastChangeAt: number | null;
  troubles: TroubleGroup[];
  confirmations: RecordedConfirmation[];
  /** Rows that were sent again with a new key. */
  retried: number;
}

/** Maximum number of rows that a report lists; the others are in the results. */
const MOST_ROWS = 1000;

interface ReportOptions {
  commands?: CommandBuilder | undefined;
  mostRows?: number | undefined;
  /** See `ReportData`. */
  file?: string | undefined;
  /** Rows that the bank has returned, if that is known. */
  returned?: ReturnedRows | undefined;
}

export function readReport(
  batch: OpenBatch,
  summary: Summary,
  {commands = BARE_COMMANDS, mostRows = MOST_ROWS, file, returned = NO_RETURNS}: ReportOptions = {},
): ReportData {
  const {journal, plan} = batch;
  const binding = journal.fact('binding');
  const lastChangeAt = journal.report.lastChangeAt();
  return {
    plan,
    summary,
    isHeld: isHeldElsewhere(batch),
    mode: binding?.mode ?? null,
    service: binding === undefined ? null : new URL(binding.baseUrl).host,
    asOf: Math.max(
      ...[plan.plannedAt, lastChangeAt, journal.fact('asOf')].filter((at) => typeof at === 'number'),
    ),
    commands,
    file,
    accepted: readAccepted(journal, plan.kind, returned),
    lastChangeAt,
    troubles: summary.state === 'planned' ? [] : readTroubles(journal, plan.kind, {mostRows, returned}),
    confirmations: readConfirmations(journal),
    retried: journal.former.generations().length,
  };
}

function readAccepted(journal: Journal, kind: Kind, returned: ReturnedRows): AcceptedParts {
  const part = () => ({count: 0, totals: new Totals()});
  const parts: AcceptedParts = {settled: part(), failed: part(), underway: part(), returned: part()};
  const lifecycle = LIFECYCLES[kind];
  const partOf = (status: string | null) => {
    return parts[
      hasSucceeded(lifecycle, status) ? 'settled' : isBadEnd(lifecycle, status) ? 'failed' : 'underway'
    ];
  };
  for (const {status, currency, count, sum} of journal.report.acceptedSums()) {
    const into = partOf(status);
    into.count += count;
    into.totals.add(currency, sum);
  }
  for (const {status, currency, amount} of returned.values()) {
    const from = partOf(status);
    from.count -= 1;
    from.totals.subtract(currency, amount);
    parts.returned.count += 1;
    parts.returned.totals.add(currency, amount);
  }
  return parts;
}

function readTroubles(
  {report, rows}: Journal,
  kind: Kind,
  {mostRows, returned}: {mostRows: number; returned: ReturnedRows},
): TroubleGroup[] {
  const {next, initial} = LIFECYCLES[kind];
  const clear = Object.keys(next).filter((status) => status !== initial);
  const sums = report.troubleSums(clear);
  const groups: TroubleGroup[] = [];
  let room = mostRows;
  for (const trouble of TROUBLES) {
    const group: TroubleGroup = {trouble, count: 0, totals: new Totals(), rows: []};
    for (const {currency, count, sum} of sums.filter((one) => one.trouble === trouble)) {
      group.count += count;
      group.totals.add(currency, sum);
    }
    if (trouble === 'returned') addReturned(group, returned, rows, room);
    const listed = trouble === 'failed' ? withoutReturned(group, returned) : 0;
    if (group.count === 0) continue;
    if (room > 0 && trouble !== 'returned')
      group.rows = report
        .troubledRows(clear, trouble, room + listed)
        .filter(({n}) => listed === 0 || !returned.has(n))
        .slice(0, room);
    room -= group.rows.length;
    groups.push(group);
  }
  return groups;
}

/** @returns how many of these rows the bank has returned: they are in the group of that */
function withoutReturned(group: TroubleGroup, returned: ReturnedRows): number {
  const failed = [...returned.values()].filter(({status}) => hasFailed(status));
  group.count -= failed.length;
  for (const {currency, amount} of failed) group.totals.subtract(currency, amount);
  return failed.length;
}

/** The service shows these rows as paid, so their journal has no trouble of them; or as failed. */
function addReturned(group: TroubleGroup, returned: ReturnedRows, rows: Journal['rows'], room: number): void {
  for (const back of returned.values()) {
    const {n, reference, id, amount, currency, status, code = null} = back;
    group.count += 1;
    group.totals.add(currency, amount);
    if (group.rows.length >= room) continue;
    const {party} = must(rows.after(n - 1, 1)[0], 'row of a return');
    const of = {n, line: rows.lineOf(n), reference, party, amount, currency};
    group.rows.push({...of, id, status, code, message: returnedText(back)});
  }
}
