import {RemitError} from '../../errors.ts';
import {keysOf} from '../../narrow.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {type FactName, SURVIVES_REVISION} from '../journal/facts.ts';
import {Journal} from '../journal/journal.ts';
import {KINDS} from '../model/kinds.ts';
import {openDoubt, type Outcome, type RowState} from '../model/outcome.ts';
import {pagesOf} from '../model/pages.ts';
import type {Plan} from '../model/plan-facts.ts';

/** What an edited file changes in a batch that has already run. */
export interface RevisionFacts {
  added: number;
  corrected: number;
  /** References that were removed from the file and were never sent. */
  dropped: string[];
}

/** Rows that may be replaced: definitely refused without a record, or never sent. */
const CORRECTABLE: ReadonlySet<RowState> = new Set(['rejected', 'not_sent', 'conflict']);
const NEVER_SENT: ReadonlySet<RowState> = new Set(['not_sent', 'conflict', 'already_paid']);
const PAGE = 1000;
const SHOWN = 5;

/**
 * Carries the state of a batch over to the plan of its edited file. New rows are added. A row that was never sent, or
 * was finally refused, may be changed; a row that may have been sent must stay unchanged and must not be missing. Row
 * numbers belong to a file, so windows are not carried over: the rows that they leave open are recorded as in doubt.
 *
 * @throws RemitError CSV_INVALID naming the rows that prevent it; the batch stays unchanged
 */
export function mergeRevision(old: SqliteDatabase, fresh: SqliteDatabase, plan: Plan): RevisionFacts {
  const before = new Journal(old);
  before.makeDoubtExplicit(); // states that are true whether or not the revision is accepted
  const after = new Journal(fresh);
  const facts: RevisionFacts = {added: 0, corrected: 0, dropped: []};
  const corrected: string[] = [];
  const refused: {reference: string; why: string}[] = [];

  for (const row of allRows(after)) {
    const known = before.rows.of(row.reference);
    if (known === undefined) facts.added++;
    else if (known.fingerprint === row.fingerprint)
      continue; // carried over below
    else if (isCorrectable(before, known)) corrected.push(row.reference);
    else refused.push({reference: row.reference, why: `was changed, but ${wordsFor(before, known)}`});
  }
  for (const row of allRows(before)) {
    if (after.rows.of(row.reference) !== undefined) continue;
    if (wasSent(before, row))
      refused.push({
        reference: row.reference,
        why: `was removed from the file, but ${wordsFor(before, row)}`,
      });
    else facts.dropped.push(row.reference);
  }
  if (refused.length > 0) throw refusal(plan, refused);

  const moved = <Row extends {n: number; reference: string}>(rows: Row[]): Row[] =>
    rows.flatMap((row) => {
      const to = after.rows.of(row.reference)?.n; // row numbers are those of the file
      return to === undefined ? [] : [{...row, n: to}];
    });
  after.former.addGenerations(moved(before.former.generations()));
  after.former.addEndedRecords(moved(before.former.endedRecords()));
  for (const row of allRows(after)) {
    const known = before.rows.of(row.reference);
    const outcome = known?.fingerprint === row.fingerprint ? standingOutcome(before, known) : undefined;
    if (known !== undefined && outcome !== undefined)
      after.record({...outcome, n: row.n}, before.writtenAt(known.n) ?? outcome.stagedAt ?? plan.plannedAt);
    if (after.unflushed >= PAGE) after.flush();
  }
  after.setFact('dropped', [...(before.fact('dropped') ?? []), ...facts.dropped, ...corrected]);
  facts.corrected = corrected.length;
  for (const name of keysOf(SURVIVES_REVISION)) if (SURVIVES_REVISION[name]) copyFact(before, after, name);
  after.flush();
  return facts;
}

function copyFact<Name extends FactName>(from: Journal, to: Journal, name: Name): void {
  const value = from.fact(name);
  if (value !== undefined) to.setFact(name, value);
}

function* allRows(journal: Journal): Generator<JournalRow> {
  for (const page of pagesOf((after, limit) => journal.rows.after(after, limit), PAGE)) yield* page;
}

/** The outcome of a row, with the doubt that an open window leaves made explicit. */
function standingOutcome(journal: Journal, row: JournalRow): Outcome | undefined {
  const since = row.outcome === undefined ? journal.coveredSince(row.n) : undefined;
  return since === undefined ? row.outcome : openDoubt(row.n, since);
}

const stateOf = (journal: Journal, row: JournalRow): RowState =>
  standingOutcome(journal, row)?.state ?? 'not_sent';

const isCorrectable = (journal: Journal, row: JournalRow): boolean =>
  CORRECTABLE.has(stateOf(journal, row)) && !isDeclared(row) && !wasDoubted(row);

const wasSent = (journal: Journal, row: JournalRow): boolean =>
  !NEVER_SENT.has(stateOf(journal, row)) || isDeclared(row);

/**
 * Whether the row counts as not sent only because the operator declared it. It was in doubt, and a wrong statement
 * must not lead to a second payment. It may have become a conflict since.
 */
const isDeclared = ({outcome}: JournalRow): boolean =>
  (outcome?.state === 'not_sent' || outcome?.state === 'conflict') && outcome.stagedAt !== null;

/** Refused in the end, but an earlier try was never answered, and that request may still be in progress. */
const wasDoubted = (row: JournalRow): boolean =>
  row.outcome?.state === 'rejected' && row.outcome.stagedAt !== null;

function wordsFor(journal: Journal, row: JournalRow): string {
  const state = isDeclared(row) || wasDoubted(row) ? 'in_doubt' : stateOf(journal, row);
  return state === 'in_doubt' ? 'it may have been sent' : `it is ${state.replace('_', ' ')}`;
}

function refusal(plan: Plan, refused: {reference: string; why: string}[]): RemitError {
  const shown = refused.slice(0, SHOWN).map(({reference, why}) => `${reference} ${why}`);
  const more = refused.length > SHOWN ? `; and ${refused.length - SHOWN} more` : '';
  return new RemitError(
    'CSV_INVALID',
    `batch ${plan.batchId} was run before, and ${plan.file.name} no longer matches it: ${shown.join('; ')}${more}; nothing was sent`,
    {
      hint: (commands) =>
        `restore those rows, or continue with the file as it was planned: ${commands.write(KINDS[plan.kind].topic, 'batch', 'resume', plan.batchId)}`,
      details: {batch_id: plan.batchId, refused},
    },
  );
}
