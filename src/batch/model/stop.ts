import {RemitError} from '../../errors.ts';

/** Why a whole batch stops, as opposed to a single row. */
export type StopReason =
  | 'credentials' // 401, or a 403 as the first answer or three times in a row
  | 'collision' // the service returned the record of another payment
  | 'key-forgotten' // the service created a second record for a key that it had seen
  | 'bodies-compared' // it refuses a key that is sent with another `auto_approve`
  | 'lost-record' // a record that we know is no longer found
  | 'wrong-route' // a record is not found under its id, although it is in the list
  | 'refused-at-first' // everything was refused before anything succeeded
  | 'redirect'
  | 'unreachable'
  | 'rate-limited'
  | 'failing' // nothing but server errors or lost answers
  | 'unreadable' // successes without a record, as a sign-in page returns them
  | 'probe'
  | 'not-canceled' // a cancel left records that are not canceled
  | 'not-whole'; // the check between stage and release failed

/** Refusals in a row, before anything has succeeded, that stop a run. */
export const REFUSED_STREAK = 3;

/** Why a run stopped, also in words. */
export interface RunStop {
  reason: StopReason | 'interrupted' | 'terminated';
  message: string;
}

/** Which of the two signals ended a run. */
export const signalReason = ({reason}: AbortSignal): 'interrupted' | 'terminated' =>
  reason instanceof RemitError && reason.code === 'TERMINATED' ? 'terminated' : 'interrupted';
