import type {Answer} from '../../client/answers/answer.ts';
import {isFinal, LIFECYCLES} from '../../contract/lifecycle.ts';
import {isObject, stringOf, type JsonFields} from '../../narrow.ts';
import {differsIn, endsOtherwise, isEnd, noteOfDifference, paysOtherwise} from '../answers/answers.ts';
import {showsPaymentOf} from '../answers/echo.ts';
import {outcomeOf} from '../answers/outcome-of.ts';
import {judgeRecord} from '../answers/read-verdict.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import type {Kind} from '../model/kinds.ts';
import {
  DIFFERS_AS_ACCEPTED,
  DIFFERS_CODE,
  hasGoneBack,
  LOST,
  lostCode,
  mayBePaidTwice,
  type Outcome,
  twiceText,
  wasLost,
  wasReadAsOther,
} from '../model/outcome.ts';
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
  if (isOpen(known)) return readOpen(row, {...answer, json: record}, {kind, token});
  const state = known.state === 'unapproved' ? 'unapproved' : 'accepted';
  const isBack = hasGoneBack(known);
  const isDifferent = code === DIFFERS_CODE && !isBack;
  const isOfOther = isDifferent && wasReadAsOther(known);
  const agrees = isOfOther && showsPaymentOf(record, row, kind);
  // The status that was seen with the difference was that of another payment.
  const before = agrees ? null : known.status;
  const seen = judgeSeen({kind, state, before, isOfOther, record, status: token(record['status'])});
  const {status, unknown: isUnknown, facts} = seen;
  const read = {http: answer.status, requestId: answer.requestId ?? null};
  const other = agrees ? undefined : otherIn(answer, row, {kind, isDifferent});
  // Another payment shows nothing about that of the row, except that the row is accepted with a record that differs.
  if (other?.isEnd || (other !== undefined && (state === 'unapproved' || facts.state !== 'accepted')))
    return {
      status,
      isUnknown,
      outcome: isDifferent || known.state !== 'accepted' ? undefined : {...known, ...other.facts, ...read},
    };
  if (known.state === 'accepted' && mayBePaidTwice(known)) {
    const message = twiceText(known, status);
    const isKnown = status === known.status && message === known.message;
    return {status, isUnknown, outcome: isKnown ? undefined : {...known, status, message, ...read}};
  }
  const found = other?.facts;
  // A row in doubt is one whose record was not found when it was last read.
  if (seen.is === 'same' && known.state !== 'in_doubt')
    return {status, isUnknown, outcome: found === undefined ? undefined : {...known, ...found, ...read}};
  const isNoted =
    (isDifferent && !agrees) ||
    (isBack && !isFinal(LIFECYCLES[kind], status)) ||
    code === DIFFERS_AS_ACCEPTED.code;
  const differs = found ?? (isNoted ? {code, message} : undefined);
  return {
    status,
    isUnknown,
    outcome: {
      ...known,
      ...(facts.message === null && differs !== undefined ? {...facts, ...differs} : facts),
      ...{status, ...read},
    },
    ended: isEnd(status) ? status : undefined,
  };
}

/** Whether the row was not accepted when its record was last read, and a release may have approved it since. */
const isOpen = (known: Outcome): boolean =>
  known.state === 'staged' || known.state === 'held' || (known.state === 'in_doubt' && !wasLost(known));

/**
 * What the record of such a row shows. One that is still `created` shows nothing: a release that was not answered may be in
 * progress. Nor does one that shows another payment.
 */
function readOpen(
  row: RecordedRow,
  answer: ReadAnswer & {json: JsonFields},
  {kind, token}: {kind: Kind; token: (text: string) => string},
): ReadRecord {
  const known = row.outcome;
  const {json: record} = answer;
  const seen = judgeSeen({
    ...{kind, state: 'unapproved', before: null, record},
    status: token(stringOf(record['status'])),
  });
  const {status, unknown: isUnknown, facts} = seen;
  if (judgeRecord(answer, {row, id: known.id, kind}).is !== 'moved') return {status, isUnknown};
  const differs = isEnd(status) ? undefined : noteOfDifference(row, differsIn(answer, row, kind), false);
  return {
    status,
    isUnknown,
    outcome: {
      ...known,
      ...facts,
      ...differs,
      status,
      http: answer.status,
      requestId: answer.requestId ?? null,
    },
    ended: isEnd(status) ? status : undefined,
  };
}

/** The outcome of a row whose record is not found; one that may be paid twice stays that. */
export function notFoundOutcome(
  row: RecordedRow,
  {errorCode, requestId}: Pick<Answer, 'errorCode' | 'requestId'>,
): Outcome {
  const {outcome} = row;
  if (mayBePaidTwice(outcome)) return {...outcome, message: twiceText(outcome, 'not found')};
  const code = lostCode(outcome, errorCode);
  const facts = {state: 'in_doubt', message: LOST, http: 404, code} as const;
  return outcomeOf(row, {...facts, requestId: requestId ?? null});
}

/** Why the answer shows another payment. A difference that is known already is not judged again, unless it has ended. */
function otherIn(
  answer: ReadAnswer,
  row: RecordedRow,
  {kind, isDifferent}: {kind: Kind; isDifferent: boolean},
): {facts: Pick<Outcome, 'code' | 'message'>; isEnd: boolean} | undefined {
  const ended = endsOtherwise(answer, row, {kind});
  if (ended !== undefined) return {facts: ended, isEnd: true};
  const facts = isDifferent ? undefined : paysOtherwise(answer, row, kind);
  return facts === undefined ? undefined : {facts, isEnd: false};
}
