import type {Answer} from '../../client/answers/answer.ts';
import {isObject} from '../../narrow.ts';
import {endsOtherwise, isEnd, paysOtherwise} from '../answers/answers.ts';
import {showsPaymentOf} from '../answers/echo.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import type {Kind} from '../model/kinds.ts';
import {DIFFERS_AS_ACCEPTED, DIFFERS_CODE, wasReadAsOther, type Outcome} from '../model/outcome.ts';
import {judgeSeen} from './judge.ts';

export interface ReadRecord {
  status: string;
  /** The contract does not know the status. */
  isUnknown: boolean;
  /** Absent if nothing has changed. */
  outcome?: Outcome | undefined;
  /** The record has just failed, or was canceled. */
  ended?: 'failed' | 'canceled' | undefined;
}

/** The parts of an answer that are read. */
export type ReadAnswer = Pick<Answer, 'json' | 'status' | 'requestId'>;

/**
 * What the record of a row shows. Undefined if it has no status. A difference that an earlier GET showed is judged again:
 * it is gone once the record shows the payment of the row.
 * @param token a status as the journal stores it, so that the two can be compared
 */
export function readRecord(
  row: RecordedRow,
  answer: ReadAnswer,
  {kind, token}: {kind: Kind; token: (text: string) => string},
): ReadRecord | undefined {
  const record = answer.json;
  if (!isObject(record) || typeof record['status'] !== 'string') return undefined;
  const known = row.outcome;
  const {code, message} = known;
  const isDifferent = code === DIFFERS_CODE;
  const agrees = wasReadAsOther(known) && showsPaymentOf(record, row, kind);
  // The status that was seen with the difference was that of another payment.
  const before = agrees ? null : known.status;
  const seen = judgeSeen({kind, before, record, status: token(record['status'])});
  const {status, unknown: isUnknown} = seen;
  const read = {http: answer.status, requestId: answer.requestId ?? null};
  const otherEnd = agrees ? undefined : endsOtherwise(answer, row, {kind});
  if (otherEnd !== undefined)
    return {
      status,
      isUnknown,
      outcome: isDifferent ? undefined : {...known, ...otherEnd, ...read},
    };
  const found = isDifferent ? undefined : paysOtherwise(answer, row, kind);
  if (seen.is === 'same' || seen.is === 'stale')
    return {
      status,
      isUnknown,
      outcome: found === undefined ? undefined : {...known, ...found, ...read},
    };
  const isNoted = (isDifferent && !agrees) || code === DIFFERS_AS_ACCEPTED.code;
  const differs = found ?? (isNoted ? {code, message} : undefined);
  const facts =
    seen.facts.message === null && differs !== undefined ? {...seen.facts, ...differs} : seen.facts;
  return {
    status,
    isUnknown,
    outcome: {...known, ...facts, status, ...read},
    ended: isEnd(status) ? status : undefined,
  };
}
