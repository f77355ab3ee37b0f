import type {Answer} from '../../client/answers/answer.ts';
import type {Kind} from '../model/kinds.ts';
import {
  CAME_AGAIN,
  type Outcome,
  REFUSED_AFTER_DOUBT,
  RETURNED_OTHER,
  type RowState,
} from '../model/outcome.ts';
import {KEY_IN_USE_MS} from '../model/record-age.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {noteOfAnswer, type Known} from '../answers/answers.ts';
import type {ExchangeResult} from '../answers/wire.ts';
import {wordsOf} from '../answers/words.ts';

/**
 * A new key could pay a second time, so no command sends the row again before an operator has searched for its
 * record.
 */
const KEY_REFUSED =
  'the service refused its key and named no record. Look for a record with this reference: resolve with --paid if it was paid, retry with --row if there is none';

const OTHER_CONTENT =
  'this record was made by an earlier request with other content, which was never answered';

export const STILL_PROCESSING = 'the service is still processing it';

export const TOO_OLD =
  'it may have been sent longer ago than the key horizon, so the service may have forgotten the key; find out whether it was paid, then resolve it';

/** Message for a row whose every request was answered with 409, since `forMs`. */
export const keyInUse = (forMs: number): string =>
  forMs < KEY_IN_USE_MS
    ? 'An earlier request with its key may still be in progress, so its outcome is not known yet'
    : 'Its key is still in use and no record came back: look for a record with this reference, then resolve the row';

/** The message of a collision. It says so if a retry has sent the same request again, and a collision was the answer. */
export const collisionText = ({outcome}: JournalRow, message: string): string =>
  outcome?.message === RETURNED_OTHER ? message + CAME_AGAIN : message;

export const refusedAfterDoubt = (end: ExchangeResult): string => `${REFUSED_AFTER_DOUBT}: ${wordsOf(end)}`;

/** The record cannot belong to this row: only a 201 creates a new record, and the key was used for other content. */
export const isOfOtherContent = (isKeyUsed: boolean, {id}: Known, answer: Answer | undefined): boolean =>
  isKeyUsed && id !== null && answer?.status !== 201;

/** Code and message for the outcome of a row, in addition to those of the answer. */
export function noteOf(
  row: JournalRow,
  verdict: Known,
  {
    kind,
    state,
    isForeign,
    isAccepted,
  }: {kind: Kind; state: RowState; isForeign: boolean; isAccepted: boolean},
): Partial<Pick<Outcome, 'code' | 'message' | 'differences'>> | undefined {
  if (isForeign) return {message: OTHER_CONTENT};
  if (state === 'dead_key' && verdict.id === null) return {message: KEY_REFUSED};
  if (state === 'accepted' && verdict.differs) return noteOfAnswer(row, verdict, kind, isAccepted);
  const {message, differs} = verdict;
  return message === undefined ? undefined : {message, differences: differs};
}
