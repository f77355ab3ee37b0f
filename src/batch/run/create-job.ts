import type {JournalRow} from '../journal/row.ts';
import type {Bucket} from '../model/outcome.ts';
import {bucketBefore} from '../answers/outcome-of.ts';
import type {SourceRow} from './row-source.ts';
import type {Tries} from '../send/row-tries.ts';

/** A row that is being created. */
export interface CreateJob extends Tries {
  row: JournalRow;
  before: Bucket;
  /** It may have been sent, now or by an earlier run, without an answer that we know. */
  maybe: boolean;
  /** It may have been sent by an earlier run. */
  isOld: boolean;
  /** When the service may first have accepted it: the key horizon counts from then. */
  sentAt: number | undefined;
  /** An unanswered try used its key for other content: only an answer that makes a new record is one of this row. */
  isKeyUsed: boolean;
  /** When it was last sent in this run. */
  triedAt: number | undefined;
  /** Id of a record that is being processed, to be fetched; direct mode only. */
  lookFor: string | undefined;
}

export function createJob({row, coveredSince, isKeyUsed = false}: SourceRow): CreateJob {
  const maybe = coveredSince !== undefined || row.outcome?.state === 'in_doubt';
  return {
    row,
    before: bucketBefore(row, maybe),
    maybe,
    // Declared not paid by an operator, it is sent whatever its age, but it still counts as sent before.
    isOld: maybe || (row.outcome !== undefined && row.outcome.stagedAt !== null),
    // Of a row without a record, `stagedAt` keeps when it was first left in doubt.
    sentAt: maybe ? (row.outcome?.stagedAt ?? coveredSince) : undefined,
    isKeyUsed,
    ...{sends: 0, tries: 0, successes: undefined, triedAt: undefined, lookFor: undefined},
  };
}
