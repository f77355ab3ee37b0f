import type {Answer} from '../../client/answers/answer.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {type Bucket, bucketOf, FORMER_GONE_CODE, NOT_COMPARED_CODE, type Outcome} from '../model/outcome.ts';
import {notComparedIn} from './difference.ts';

/**
 * The bucket in which the tally counts a row when a phase begins. `covered` matters only if the row has no outcome.
 */
export function bucketBefore(row: JournalRow, covered: boolean): Bucket {
  if (row.outcome === undefined) return covered ? 'in_doubt' : 'not_sent';
  return bucketOf(row.outcome.state);
}

/** Builds a new outcome for a row, based on its previous one. */
export function outcomeOf(
  row: JournalRow,
  facts: Partial<Outcome> & Pick<Outcome, 'state'>,
  answer?: Answer,
): Outcome {
  const known = row.outcome;
  const {status, stagedAt, http, code, message, requestId, attempts, orphan, differences} = facts; // spreading them takes five times as long
  const id = facts.id === undefined ? (known?.id ?? null) : facts.id;
  const left = orphan === undefined ? (known?.orphan ?? null) : orphan;
  return {
    n: row.n,
    state: facts.state,
    id,
    status: status === undefined ? (known?.status ?? null) : status,
    stagedAt: stagedAt === undefined ? (known?.stagedAt ?? null) : stagedAt,
    http: http === undefined ? (answer?.status ?? null) : http,
    code:
      facts.state === 'held'
        ? heldCodeOf(row, facts)
        : code === undefined
          ? (answer?.errorCode ?? null)
          : code,
    message:
      message === undefined
        ? (answer?.warning ?? answer?.message ?? unexplained(facts.state, answer))
        : message,
    requestId: requestId === undefined ? (answer?.requestId ?? null) : requestId,
    attempts: attempts ?? known?.attempts ?? 0,
    orphan: left === id ? null : left, // a later answer has shown that it is the record of the row
    differences,
  };
}

/** Whether a held row can be released as it is. */
export const heldCode = ({differences = []}: Pick<Outcome, 'differences'>): string | null =>
  notComparedIn(differences).length > 0 ? NOT_COMPARED_CODE : null;

/** A row that stays held without another comparison keeps its code, unless it is left for an earlier record. */
function heldCodeOf(
  {outcome}: JournalRow,
  {differences, code}: Partial<Pick<Outcome, 'differences' | 'code'>>,
): string | null {
  if (code === FORMER_GONE_CODE) return code;
  return differences === undefined && outcome?.state === 'held' ? outcome.code : heldCode({differences});
}

/** The message for an answer without one. */
function unexplained(state: Outcome['state'], answer: Answer | undefined): string | null {
  if (answer === undefined) return null;
  if (state === 'held') return answer.assumption?.text ?? null; // why the record cannot be compared with its row
  const isBare = answer.status >= 400 && answer.errorCode === undefined;
  return isBare && UNWANTED.has(state) ? `the service answered ${answer.status} without a reason` : null;
}
const UNWANTED: ReadonlySet<Outcome['state']> = new Set(['rejected', 'unapproved', 'not_sent']);
