import {lostText} from '../answers/stop-words.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {isRecordedDoubt, type RowState} from '../model/outcome.ts';
import {notFoundOutcome, readRecord} from './read-record.ts';
import type {Json} from '../../narrow.ts';

/** A record as the service returned it, and when. */
export interface FetchedRecord {
  /** Undefined if the service no longer has it; then `errorCode` is its answer. */
  record: Json;
  errorCode?: string | undefined;
  at: number;
}

/** States of rows that their own record decides; besides, those in doubt. */
const FETCHED: ReadonlySet<RowState> = new Set(['accepted', 'unapproved', 'staged', 'held']);

/**
 * Writes what a fetched record shows into the journal, as `status --refresh` does. Returns the row with its new outcome,
 * which becomes durable with the next flush.
 */
export function recordFetched(
  {journal, plan}: OpenBatch,
  row: JournalRow,
  {record, errorCode, at}: FetchedRecord,
): JournalRow {
  const {outcome: before, ...rest} = row;
  if (before === undefined || before.id === null) return row;
  if (!FETCHED.has(before.state) && !isRecordedDoubt(before)) return row;
  const known = {...rest, outcome: {...before, id: before.id}};
  const {sanitizer} = journal;
  if (record === undefined) {
    const lost = notFoundOutcome(known, {errorCode});
    journal.record(lost, at);
    journal.setFact('state', 'stopped');
    journal.setFact('stop', {reason: 'lost-record', message: sanitizer.line(lostText(row, before.id))});
    return {...row, outcome: lost};
  }
  const answer = {json: record, status: 200, requestId: undefined};
  const read = readRecord(known, answer, {kind: plan.kind, token: (text) => sanitizer.token(text)});
  if (read?.ended !== undefined) journal.noteEnded(row.n, before.id, read.ended);
  if (read?.outcome === undefined) return row;
  journal.record(read.outcome, at);
  if (read.outcome.state === 'accepted' && before.state !== 'accepted') journal.noteFoundPaid();
  return {...row, outcome: read.outcome};
}
