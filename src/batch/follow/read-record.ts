import type {Answer} from '../../client/answers/answer.ts';
import {isObject} from '../../narrow.ts';
import {paysOtherwise} from '../answers/answers.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import type {Kind} from '../model/kinds.ts';
import {DIFFERS_AS_ACCEPTED, DIFFERS_CODE, type Outcome} from '../model/outcome.ts';
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

/**
 * What the record of a row shows. Undefined if it has no status.
 * @param token a status as the journal stores it, so that the two can be compared
 */
export function readRecord(
  row: RecordedRow,
  answer: Answer,
  {kind, token}: {kind: Kind; token: (text: string) => string},
): ReadRecord | undefined {
  const record = answer.json;
  if (!isObject(record) || typeof record['status'] !== 'string') return undefined;
  const known = row.outcome;
  const seen = judgeSeen({kind, before: known.status, record, status: token(record['status'])});
  const {status, unknown: isUnknown} = seen;
  const {code, message} = known;
  const read = {http: answer.status, requestId: answer.requestId ?? null};
  const found = code === DIFFERS_CODE ? undefined : paysOtherwise(answer, row, kind);
  if (seen.is === 'same' || seen.is === 'stale')
    return {
      status,
      isUnknown,
      outcome: found === undefined ? undefined : {...known, ...found, ...read},
    };
  const isNoted = code === DIFFERS_CODE || code === DIFFERS_AS_ACCEPTED.code;
  const differs = found ?? (isNoted ? {code, message} : undefined);
  const facts =
    seen.facts.message === null && differs !== undefined ? {...seen.facts, ...differs} : seen.facts;
  return {
    status,
    isUnknown,
    outcome: {...known, ...facts, status, ...read},
    ended: status === 'failed' || status === 'canceled' ? status : undefined,
  };
}
