import {hasFailed, hasSucceeded, LIFECYCLES} from '../../contract/lifecycle.ts';
import {usualId} from '../../contract/ids.ts';
import type {Journal} from '../journal/journal.ts';
import type {Attention} from '../journal/rows/attention.ts';
import {pagesOf} from '../model/pages.ts';
import type {typingFor} from '../standing/next-command.ts';
import type {Summary} from '../standing/summary.ts';
import type {NotedReturn} from './noted-returns.ts';
import {must} from '../../narrow.ts';

/** How the bank has returned the money of a record, as a reconcile found it. */
export interface BankReturn {
  /** Such as `R03`; undefined if the bank gave none. */
  code: string | undefined;
  /** `YYYY-MM-DD` */
  day: string;
  /** The batch that has paid the row again, and whose payment did not come back; undefined if none is known. */
  paidAgainBy: string | undefined;
  /** The batch with its last second payment, which has not paid it yet; only that batch continues. */
  heldBy?: string | undefined;
  /**
   * That batch has sent the payment: since the last reconcile, or with another amount, so that a person has to confirm
   * its line. A reconcile is next.
   */
  sent?: 'later' | 'otherwise' | undefined;
  /** The reference under which it is paid again. */
  repayReference: string | undefined;
}

/** An accepted row whose money came back. The service shows its record as paid, or as failed if it came back early. */
export interface ReturnedRow extends BankReturn {
  n: number;
  reference: string;
  id: string;
  /** Minor units. */
  amount: number;
  currency: string;
  status: string | null;
}

interface KnownReturns<Key, Returned> {
  readonly found: ReadonlyMap<Key, Returned>;
  /** Set if more may have come back than is known: the command that finds out. */
  readonly readAgain?: string | undefined;
  /** Ids of records that may have come back: they are noted, and the book does not have them. */
  readonly unsure?: ReadonlySet<string> | undefined;
  /** The command that reconciles the accounts to which its money came back. */
  readonly reconcile?: string | undefined;
}
/** What the bank has returned, by the id of the record. */
export type BankReturns = KnownReturns<string, BankReturn>;
/** Rows of a batch that the bank has returned, by their numbers. */
export type ReturnsOfRows = KnownReturns<number, ReturnedRow>;
export type ReturnedRows = ReturnsOfRows['found'];
export const NO_RETURNS: ReturnedRows = new Map();

const PAGE = 10_000;

/**
 * The accepted rows whose record is among these, also if it has failed: its row is paid under another reference, and a
 * new key would pay it a second time.
 * @param returns by the id of the record
 */
export function returnedRows(journal: Journal, returns: BankReturns): ReturnsOfRows {
  return {...returns, found: rowsOf(journal, returns.found)};
}

function rowsOf<Back>(
  journal: Journal,
  byId: ReadonlyMap<string, Back>,
): Map<number, Back & Omit<ReturnedRow, keyof BankReturn>> {
  const found = new Map<number, Back & Omit<ReturnedRow, keyof BankReturn>>();
  if (byId.size === 0) return found;
  for (const page of pagesOf((after) => journal.rows.recordIds(after, PAGE), PAGE))
    for (const {n, id} of page) {
      const returned = byId.get(usualId(id));
      if (returned === undefined) continue;
      const {reference, amount, currency, outcome} = must(journal.rows.after(n - 1, 1)[0], 'row of a record');
      if (outcome?.state !== 'accepted') continue;
      found.set(n, {...returned, n, reference, id, amount, currency, status: outcome.status});
    }
  return found;
}

/** Those of the notes that are about accepted rows of a batch, with their references. */
export const notesOfRows = (
  journal: Journal,
  notes: readonly NotedReturn[],
): (NotedReturn & {reference: string})[] =>
  [...rowsOf(journal, new Map(notes.map((note) => [note.id, {note}]))).values()].map(({note, reference}) => ({
    ...note,
    reference,
  }));

/** A summary that says what the bank has returned. */
export type SummaryWithReturns = Summary & {
  /** Part of accepted: rows whose money came back. They are not part of settled. Absent if there are none. */
  returned?: number;
  /** More rows may have come back: the book that had them is lost or cannot be read. */
  returns_unknown?: true;
};

/**
 * Takes the returned rows out of what is settled or failed. A batch of which rows are still to be paid again, or of which
 * more may have come back, is not complete. A retry sends none of them.
 * @param typeOf builds the commands of a batch
 */
export function withReturns<S extends Summary>(
  summary: S,
  {found, readAgain, reconcile}: ReturnsOfRows,
  typeOf: (batchId: string) => ReturnType<typeof typingFor>,
): S & Pick<SummaryWithReturns, 'returned' | 'returns_unknown'> {
  const rows = [...found.values()];
  if (rows.length === 0 && readAgain === undefined) return summary;
  const open = rows.filter(({paidAgainBy}) => paidAgainBy === undefined);
  const isOpen = readAgain !== undefined || open.length > 0;
  const type = typeOf(summary.batch_id);
  const held = open.every(({heldBy}) => heldBy !== undefined)
    ? (open.find(({sent}) => sent === undefined) ?? open[0])
    : undefined;
  const again = held?.sent === undefined ? undefined : reconcile;
  const onward =
    readAgain ?? again ?? (held?.heldBy === undefined ? type('report') : typeOf(held.heldBy)('status'));
  const counts = {
    settled: summary.settled - rows.filter(({status}) => hasSucceeded(LIFECYCLES.payout, status)).length,
    failed: summary.failed - rows.filter(({status}) => hasFailed(status)).length,
  };
  const state = isPaidBut(rows, {...summary, ...counts}) ? 'complete' : summary.state;
  const isComplete = state === 'complete';
  const isRetry = summary.next === type('retry');
  const hasRest = summary.rejected + summary.unapproved + counts.failed > 0;
  const mayRetry = hasRest && readAgain === undefined && !open.some(mustBeWritten);
  const next = isRetry && !mayRetry ? onward : summary.next;
  return {
    ...summary,
    ...counts,
    ...(rows.length === 0 ? {} : {returned: rows.length}),
    ...(readAgain === undefined ? {} : {returns_unknown: true}),
    state: isComplete && isOpen ? 'incomplete' : state,
    next: !isComplete ? next : isOpen ? onward : state === summary.state ? next : null,
  };
}

/**
 * What a run or following that has just ended writes: its summary and rows with what the bank has returned. The summary
 * that it goes on with has no returns.
 */
export type ReturnsAtEnd = <S extends Summary>(
  summary: S,
) => {summary: S & Pick<SummaryWithReturns, 'returned' | 'returns_unknown'>; returned: ReturnedRows};

/** A retry is refused while such a row has no second payment. */
const mustBeWritten = ({status, heldBy}: ReturnedRow): boolean => hasFailed(status) && heldBy === undefined;

/** Whether a batch would be complete if none of these rows had failed. */
const isPaidBut = (
  rows: readonly ReturnedRow[],
  {state, accepted, already_paid: elsewhere, planned, failed, differs}: Summary,
): boolean =>
  state === 'incomplete' &&
  rows.some(({status}) => hasFailed(status)) &&
  accepted + elsewhere === planned &&
  failed + differs === 0;

/** The first rows that need attention. Those that the bank has returned are listed as such. */
export const attentionBeside = (
  journal: Journal,
  limit: number,
  {doubts, returned}: {doubts: number; returned: ReturnedRows},
): Attention[] => {
  const failed = new Set(
    [...returned.values()].filter(({status}) => hasFailed(status)).map((row) => row.reference),
  );
  return journal
    .needingAttention(limit + failed.size, doubts)
    .filter(({reference}) => !failed.has(reference))
    .slice(0, limit);
};

/** A row whose record may have come back is shown as neither paid nor returned. */
export const MAYBE_RETURNED = {
  state: 'maybe_returned',
  text: 'may have come back from the bank: reconcile again',
} as const;

export const mayBeBack = ({unsure}: Pick<ReturnsOfRows, 'unsure'>, id: string | null | undefined): boolean =>
  id != null && unsure?.has(usualId(id)) === true;

/** `returned by the bank on 2026-11-17, paid again by batch december` */
export const returnedText = (back: BankReturn): string =>
  [`returned by the bank on ${back.day}`, ...paidAgainText(back)].join(', ');

/** `paid again by batch december`; nothing if no batch has a second payment. */
export function paidAgainText({paidAgainBy, heldBy, sent}: BankReturn): string[] {
  if (paidAgainBy !== undefined) return [`paid again by batch ${paidAgainBy}`];
  if (heldBy === undefined) return [];
  if (sent === 'later') return [`paid again by batch ${heldBy} since the last reconcile`];
  return [
    sent === 'otherwise'
      ? `batch ${heldBy} has paid another amount for it`
      : `to be paid again by batch ${heldBy}`,
  ];
}

const AGAIN = /-again(\d{1,4})$/;

/**
 * The reference under which a returned row is paid again. The record of its own reference is settled, so its key pays
 * nothing any more. It is always the same one: a file that is run twice pays once.
 */
export function repayReference(reference: string): string {
  const [suffix, number] = AGAIN.exec(reference) ?? [];
  if (suffix === undefined) return `${reference}-again1`;
  return `${reference.slice(0, -suffix.length)}-again${Number(number) + 1}`;
}

/** The reference that this one pays again; undefined if it pays none again. */
export function repaidReference(reference: string): string | undefined {
  const [suffix, number] = AGAIN.exec(reference) ?? [];
  if (suffix === undefined || Number(number) === 0) return undefined;
  const first = reference.slice(0, -suffix.length);
  return number === '1' ? first : `${first}-again${Number(number) - 1}`;
}
