import type {JournalRow} from '../journal/rows/row.ts';
import {type Bucket, FORGOTTEN_CODE} from '../model/outcome.ts';
import {bucketBefore} from '../answers/outcome-of.ts';
import type {SourceRow} from './row-source.ts';
import type {Tries} from '../send/row-tries.ts';

/** A row that is being created. */
export interface CreateJob extends Tries {
  row: JournalRow;
  before: Bucket;
  /** It may have been sent, now or by an earlier run, and no answer is known. */
  maybe: boolean;
  /** It may have been sent by an earlier run. */
  isOld: boolean;
  /** When the service may first have accepted it; the key horizon counts from then. */
  sentAt: number | undefined;
  /**
   * An unanswered try used its key for other content: only an answer that creates a new record belongs to this row.
   */
  isKeyUsed: boolean;
  /** The last answer was a success without a readable record, or a redirect. */
  isUnreadable: boolean;
  /** The last answer, if its key was in use: 409. */
  inUse: string | undefined;
  /** A row in doubt that no run sends again. */
  isForgotten: boolean;
  /** When it was last sent in this run. */
  triedAt: number | undefined;
  /** Id of a record that is being processed and must be fetched; direct mode only. */
  lookFor: string | undefined;
}

/** @param isDoubt it may have been sent, whatever its outcome */
export function createJob({row, coveredSince, isKeyUsed = false}: SourceRow, isDoubt = false): CreateJob {
  const maybe = isDoubt || coveredSince !== undefined || row.outcome?.state === 'in_doubt';
  return {
    row,
    before: bucketBefore(row, maybe),
    maybe,
    // A row that the operator declared not paid is sent whatever its age, but still counts as sent before.
    isOld: maybe || (row.outcome !== undefined && row.outcome.stagedAt !== null),
    // For a row without a record, `stagedAt` is the time since which it is in doubt.
    sentAt: maybe ? (row.outcome?.stagedAt ?? coveredSince) : undefined,
    isKeyUsed,
    isUnreadable: false,
    inUse: undefined,
    isForgotten: row.outcome?.state === 'in_doubt' && row.outcome.code === FORGOTTEN_CODE,
    ...{sends: 0, tries: 0, successes: undefined, triedAt: undefined, lookFor: undefined},
  };
}
