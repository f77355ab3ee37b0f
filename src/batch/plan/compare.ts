import {hasFailed} from '../../contract/lifecycle.ts';
import {nextTurn} from '../../clock.ts';
import {formatMajor} from '../../money/amount.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {Journal} from '../journal/journal.ts';
import {type PaidContent, paidContentOf} from '../journal/rows/paid-content.ts';
import {bucketOf, DIFFERS_CODE} from '../model/outcome.ts';
import {pagesOf} from '../model/pages.ts';
import {addRow, emptyPart} from '../model/part.ts';
import {KINDS, type Kind} from '../model/kinds.ts';

/** Who receives how much. */
export interface ComparedPayment {
  party: string;
  /** Major units. */
  amount: string;
  currency: string;
}

/** A row that differs between a file and what a batch has paid. */
export interface RowDifference {
  reference: string;
  /** Line of the file, or row of the sheet; null if the file does not have it. */
  line: number | null;
  /** State of the row in the batch; null if the batch does not have it. */
  state: string | null;
  id: string | null;
  file: ComparedPayment | null;
  paid: ComparedPayment | null;
  /** What differs, if both have it. */
  fields: string[];
}

export interface Comparison {
  /** Rows of the file, and rows that the batch has paid. */
  rows: {file: number; paid: number; same: number};
  notPaid: Differences;
  notInFile: Differences;
  differ: Differences;
}

/** Rows that are listed of each kind; all are counted. */
const LISTED = 10_000;

/** Differences of one kind. */
export class Differences {
  /** All of them, with the amounts of the file; of the batch, if the file does not have them. */
  readonly part = emptyPart();
  /** The first ones. */
  readonly listed: RowDifference[] = [];

  add(difference: RowDifference, row: JournalRow): void {
    addRow(this.part, row);
    if (this.listed.length < LISTED) this.listed.push(difference);
  }
}

const PAGE = 1000;

interface ComparedBatch {
  journal: Journal;
  /** The state of a row that the bank has returned, or may have: it is not paid. */
  backState: (row: JournalRow) => string | undefined;
}

/**
 * Compares the rows of a file with the rows that a batch has paid, by reference. Offline, and in constant memory: both
 * are read in pages.
 */
export async function compareRows(
  kind: Kind,
  file: Journal,
  {journal: batch, backState}: ComparedBatch,
): Promise<Comparison> {
  const found: Comparison = {
    rows: {file: 0, paid: 0, same: 0},
    notPaid: new Differences(),
    notInFile: new Differences(),
    differ: new Differences(),
  };
  batch.makeDoubtExplicit();
  for (const page of pagesOf((after) => file.rows.after(after, PAGE), PAGE)) {
    for (const row of page)
      compareRow(kind, row, batch.rows.of(row.reference), found, {file, batch, backState});
    await nextTurn();
  }
  for (const page of pagesOf((after) => batch.rows.after(after, PAGE), PAGE)) {
    for (const row of page) {
      if (!isPaid(row) || backState(row) !== undefined) continue;
      found.rows.paid++;
      if (file.rows.of(row.reference) !== undefined) continue;
      const paid = paymentOf(paidContentOf(row, kind, (n) => batch.rows.differencesOf(n)));
      found.notInFile.add({...differenceOf(row, batch), line: null, file: null, paid}, row);
    }
    await nextTurn();
  }
  return found;
}

/** Approved or further, and not failed since; or paid by another batch. */
const isPaid = ({outcome}: JournalRow): boolean =>
  outcome?.state === 'already_paid' || (outcome?.state === 'accepted' && !hasFailed(outcome.status));

function compareRow(
  kind: Kind,
  row: JournalRow,
  known: JournalRow | undefined,
  found: Comparison,
  {file, batch, backState}: {file: Journal; batch: Journal; backState: ComparedBatch['backState']},
): void {
  found.rows.file++;
  const line = file.rows.lineOf(row.n);
  const back = known && backState(known);
  if (known === undefined || back !== undefined || !isPaid(known)) {
    const {state, id} = known === undefined ? {state: null, id: null} : differenceOf(known, batch);
    const difference = {
      reference: row.reference,
      line,
      state: back ?? state,
      id,
      fields: [],
      file: paymentOf(row),
      paid: null,
    };
    found.notPaid.add(difference, row);
    return;
  }
  const paid = paidContentOf(known, kind, (n) => batch.rows.differencesOf(n));
  const fields = fieldsThatDiffer(kind, row, {...known, ...paid});
  if (fields.length === 0) found.rows.same++;
  else
    found.differ.add(
      {...differenceOf(known, batch), line, file: paymentOf(row), paid: paymentOf(paid), fields},
      row,
    );
}

function fieldsThatDiffer(kind: Kind, row: JournalRow, known: JournalRow & {isKnown: boolean}): string[] {
  return [
    ...(row.party === known.party ? [] : [KINDS[kind].party]),
    ...(row.amount === known.amount ? [] : ['amount']),
    ...(row.currency === known.currency ? [] : ['currency_code']),
    // The record at the service is not what the row asked for.
    ...(known.outcome?.code === DIFFERS_CODE || !known.isKnown ? ['record'] : []),
  ];
}

function differenceOf(
  row: JournalRow,
  batch: Journal,
): Pick<RowDifference, 'reference' | 'state' | 'id' | 'fields'> {
  const {reference, outcome} = row;
  const id = outcome?.id ?? null;
  const isFailure = outcome?.state === 'accepted' && hasFailed(outcome.status);
  return {
    reference,
    state: isFailure ? 'failed' : bucketOf(batch.stateOf(row)),
    id: id === null ? null : batch.sanitizer.token(id),
    fields: [],
  };
}

const paymentOf = ({party, amount, currency}: PaidContent): ComparedPayment => ({
  party,
  amount: formatMajor(BigInt(amount), currency),
  currency,
});
