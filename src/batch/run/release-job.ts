import type {Answer} from '../../client/answers/answer.ts';
import type {Journal} from '../journal/journal.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import {type Bucket, DIFFERS_AS_ACCEPTED, type Outcome, LOST, wasLost} from '../model/outcome.ts';
import {bucketBefore} from '../answers/outcome-of.ts';
import type {Tries} from '../send/row-tries.ts';
import type {RunSettings} from '../send/run-settings.ts';

/** States from which a row may be released. */
export type Releasable = 'staged' | 'in_doubt' | 'held' | 'unapproved';

/** Such answers in a row, if they do not have the documented code, until bodies are taken to be compared. */
export const KEY_REFUSALS = 2;

/** States of the rows that a release sends. */
export const releasable = (settings: RunSettings): readonly Releasable[] => [
  'staged',
  'in_doubt',
  ...(settings.acceptDifferences ? (['held'] as const) : []),
  ...(settings.retryUnapproved ? (['unapproved'] as const) : []),
];

/** A row with a record that is being released. */
export interface ReleaseJob extends Tries {
  row: RecordedRow;
  id: string;
  before: Bucket;
  /** A release was sent and not answered, or `mustCompare`: the record is fetched before anything else. */
  look: boolean;
  /** Its record may not be the one that was compared when it was staged: it was found approved, and no longer is. */
  mustCompare: boolean;
  /** Its record was read in this run and had not changed. */
  looked: boolean;
  /** The service is still processing it, so `created` does not mean that nothing happens. */
  processing: boolean;
  maybe: boolean;
  /** The record could not be read in the last answer. */
  isUnreadable: boolean;
  /** The answer to a standalone approve that refused it or left the record unchanged, possibly in an earlier run. */
  refused: Refusal | undefined;
}

export type Refusal = Pick<Answer, 'status' | 'errorCode' | 'message' | 'warning' | 'requestId'>;

/** @param mayTryAgain a release that was refused before is sent again */
export function releaseJob(row: RecordedRow, mayTryAgain: boolean): ReleaseJob {
  const {outcome} = row;
  const maybe = outcome.state === 'in_doubt';
  const mustCompare = outcome.state === 'unapproved' || wasLost(outcome);
  return {
    row,
    id: outcome.id,
    before: bucketBefore(row, false),
    look: maybe || mustCompare,
    mustCompare,
    looked: false,
    processing: false,
    maybe,
    isUnreadable: false,
    ...{sends: 0, tries: 0, successes: undefined},
    refused: mayTryAgain ? undefined : refusalOf(outcome),
  };
}

/**
 * Whether records are approved by their ids instead of a replay, within the horizon too: the profile allows it, and
 * the service has forgotten keys, or refuses a replay that asks for approval.
 */
export const releasesById = (journal: Journal, {approveById = false}: RunSettings): boolean =>
  approveById && journal.fact('releaseById') !== undefined;

/** The service has forgotten keys, so a request that was not answered may have paid by a second record. */
export const hasForgottenKeys = (journal: Journal): boolean =>
  journal.fact('releaseById') === 'keys-forgotten';

export const attemptsOf = ({row, sends}: ReleaseJob): number => row.outcome.attempts + sends;

/** The part of a refusal that an outcome stores, so that `refusalOf` finds it again. */
export const factsOf = ({status, errorCode, message, warning, requestId}: Refusal) => ({
  status: 'created',
  http: status,
  code: errorCode ?? null,
  message: warning ?? message ?? null,
  requestId: requestId ?? null,
});

/** A row in doubt keeps the acceptance of its difference: another run may find out that it was paid. */
export function acceptedFor(
  {outcome}: RecordedRow,
  {state}: Pick<Outcome, 'state'>,
): Pick<Outcome, 'code'> | undefined {
  const isAccepted = outcome.state === 'held' || outcome.code === DIFFERS_AS_ACCEPTED.code;
  return state === 'in_doubt' && isAccepted ? {code: DIFFERS_AS_ACCEPTED.code} : undefined;
}

/**
 * The refusal of a standalone approve after which the record could not be read. Other doubts have no answer of their
 * own.
 */
function refusalOf({state, status, http, code, message, requestId}: Outcome): Refusal | undefined {
  const isLost = http === 404 && message === LOST;
  if (state !== 'in_doubt' || status !== 'created' || http === null || http === 202 || isLost)
    return undefined;
  return {
    status: http,
    ...(code === null ? {} : {errorCode: code}),
    ...(message === null ? {} : {message}),
    ...(requestId === null ? {} : {requestId}),
  };
}
