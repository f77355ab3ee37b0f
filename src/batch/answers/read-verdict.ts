import type {Answer} from '../../client/answers/answer.ts';
import {meaningOf} from '../../client/answers/verdict.ts';
import {isObject, type JsonObject} from '../../narrow.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {Kind} from '../model/kinds.ts';
import {approvedOtherwise, endsOtherwise, isEnd, judgeFailure, judgeLook, type NotSent} from './answers.ts';
import type {ExchangeResult} from './wire.ts';

/** The verdict on a fetched record. Each phase has one table that decides what follows from it. */
export type ReadVerdict =
  /** The record is still `created`. */
  | {is: 'open'; record: JsonObject}
  /** The record was approved or canceled. */
  | {is: 'moved'; state: 'accepted' | 'dead_key'; status: string; answer: Answer}
  | {is: 'not-found'; answer: Answer}
  /**
   * The answer shows no record with a status that we know, or that another payment was approved or has ended: then
   * `other` has the differences.
   */
  | {is: 'unknown'; other?: string}
  | {is: 'throttled' | 'credentials' | 'failing'}
  /** The request may have arrived, and no answer came. */
  | {is: 'unanswered'}
  /** It was given up here, because the run was stopped. */
  | {is: 'aborted'}
  | NotSent;

/** The row whose record is read. */
export interface Reading {
  /** Undefined if the record may be another payment than the row: then only its status counts. */
  row: JournalRow | undefined;
  id: string;
  kind: Kind;
  /** An earlier GET has already shown that this record ended. */
  isKnownEnd?: boolean;
}

/** Judges a GET of the known record of a row. */
export function judgeRead(end: ExchangeResult, reading: Reading): ReadVerdict {
  if ('failure' in end) {
    if (end.failure.kind === 'aborted') return {is: 'aborted'};
    const verdict = judgeFailure(end.failure);
    return verdict.is === 'maybe' ? {is: 'unanswered'} : verdict;
  }
  const {answer} = end;
  switch (meaningOf(answer)) {
    case 'success': {
      const found = judgeRecord(answer, reading);
      return found.is === 'moved' ? {...found, answer} : found;
    }
    case 'not-found':
      return {is: 'not-found', answer};
    case 'throttled':
      return {is: 'throttled'};
    case 'unauthorized':
    case 'forbidden':
      return {is: 'credentials'};
    case 'failing':
      return {is: 'failing'};
    default:
      return {is: 'unknown'};
  }
}

/** What a record shows that was read without an error; `Moved` without the answer. */
type ShownRecord = Open | Unknown | Omit<Moved, 'answer'>;

/** Judges a record that was fetched by its id. */
export function judgeRecord(answer: Pick<Answer, 'json' | 'status'>, reading: Reading): ShownRecord {
  const {state, status} = judgeLook(answer, reading.id);
  const {row, kind} = reading;
  const other = status === null || row === undefined ? undefined : endsOtherwise(answer, row, reading);
  if (other !== undefined) return {is: 'unknown', other: other.message};
  if (state === 'open') return {is: 'open', record: isObject(answer.json) ? answer.json : {}};
  if (state === 'unknown' || status === null) return {is: 'unknown'};
  const isPaid = state === 'accepted' && !isEnd(status);
  const paid = isPaid && row !== undefined ? approvedOtherwise(answer, row, kind) : undefined;
  return paid === undefined ? {is: 'moved', state, status} : {is: 'unknown', other: paid.message};
}

type Unknown = Extract<ReadVerdict, {is: 'unknown'}>;
export type Open = Extract<ReadVerdict, {is: 'open'}>;
export type Moved = Extract<ReadVerdict, {is: 'moved'}>;
