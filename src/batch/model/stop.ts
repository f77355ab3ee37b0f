import {RemitError} from '../../errors.ts';

/** Why a whole batch stops, rather than a row. */
export type StopReason =
  | 'credentials' // 401, or 403 at first or three in a row
  | 'collision' // another record than the one asked for
  | 'key-forgotten' // the service made a second record for a key it had seen
  | 'lost-record' // a record that we know is no longer found
  | 'refused-at-first' // everything was refused before anything succeeded
  | 'redirect'
  | 'unreachable'
  | 'rate-limited'
  | 'failing' // nothing but server errors or lost answers
  | 'unreadable' // successes without a record, as a sign-in page sends them
  | 'probe'
  | 'not-whole'; // the check between stage and release did not hold

/** Why a run stopped, in words for a person as well. */
export interface Stop {
  reason: StopReason | 'interrupted' | 'terminated';
  message: string;
}

/** Which of the two signals ended a run. */
export const signalReason = ({reason}: AbortSignal): 'interrupted' | 'terminated' =>
  reason instanceof RemitError && reason.code === 'TERMINATED' ? 'terminated' : 'interrupted';
