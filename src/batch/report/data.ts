import {BARE_COMMANDS, type CommandBuilder} from '../../errors.ts';
import {isFinal, LIFECYCLES} from '../../contract/lifecycle.ts';
import {Totals} from '../../money/totals.ts';
import {readConfirmations} from '../journal/confirmations.ts';
import type {RecordedConfirmation} from '../journal/facts.ts';
import type {Journal} from '../journal/journal.ts';
import type {TroubledRow} from '../journal/rows/report-rows.ts';
import type {Mode} from '../../contract/mode.ts';
import type {Kind} from '../model/kinds.ts';
import {isHeldElsewhere, type OpenBatch} from '../journal/open-batch.ts';
import type {Summary} from '../standing/summary.ts';
import type {Plan} from '../model/plan-facts.ts';

/** Why a row needs attention, the most urgent first. */
const TROUBLES = [
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
export type RowTrouble = (typeof TROUBLES)[number];

export interface TroubleGroup {
  trouble: RowTrouble;
  count: number;
  totals: Totals;
  /** The first of them, up to the limit of the report. */
  rows: TroubledRow[];
}

/** Accepted rows by the status of their records, in number and money. */
export type AcceptedParts = Record<'settled' | 'failed' | 'underway', {count: number; totals: Totals}>;

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
}

export function readReport(
  batch: OpenBatch,
  summary: Summary,
  {commands = BARE_COMMANDS, mostRows = MOST_ROWS, file}: ReportOptions = {},
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
    accepted: readAccepted(journal, plan.kind),
    lastChangeAt,
    troubles: summary.state === 'planned' ? [] : readTroubles(journal, plan.kind, mostRows),
    confirmations: readConfirmations(journal),
    retried: journal.former.generations().length,
  };
}

function readAccepted(journal: Journal, kind: Kind): AcceptedParts {
  const part = () => ({count: 0, totals: new Totals()});
  const parts: AcceptedParts = {settled: part(), failed: part(), underway: part()};
  const lifecycle = LIFECYCLES[kind];
  for (const {status, currency, count, sum} of journal.report.acceptedSums()) {
    const isGood = lifecycle.good.some((good) => good === status);
    const into = parts[isGood ? 'settled' : isFinal(lifecycle, status ?? '') ? 'failed' : 'underway'];
    into.count += count;
    into.totals.add(currency, sum);
  }
  return parts;
}

function readTroubles({report}: Journal, kind: Kind, mostRows: number): TroubleGroup[] {
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
    if (group.count === 0) continue;
    if (room > 0) group.rows = report.troubledRows(clear, trouble, room);
    room -= group.rows.length;
    groups.push(group);
  }
  return groups;
}
