import {isSameId} from '../../contract/ids.ts';
import {DECLARED_NOT_PAID} from '../model/declared.ts';
import {DIFFERS_CODE, type Outcome} from '../model/outcome.ts';

/** Whether the outcome of a row is what the operator states, so that there is nothing to record. */
export function isRecordedAs(
  {state, id, status, code, message}: Outcome,
  resolution: {paid: string} | 'not-paid',
): boolean {
  if (resolution === 'not-paid')
    return (state === 'not_sent' || state === 'staged') && message === DECLARED_NOT_PAID;
  if (id === null || !isSameId(id, resolution.paid)) return false;
  if (state === 'already_paid') return true;
  return state === 'accepted' && status !== 'failed' && code !== DIFFERS_CODE;
}
