import {failureOf} from '../../contract/failure.ts';
import {canReach, isFinal, LIFECYCLES, hasFailed, wasCanceled} from '../../contract/lifecycle.ts';
import type {Kind} from '../model/kinds.ts';
import {APPROVAL_LOST, CANCELED_LATER, DIFFERS_CODE, type Outcome, wentBackText} from '../model/outcome.ts';
import type {JsonFields, Printable} from '../../narrow.ts';

/** What the fetched record of an accepted or unapproved row shows. */
export interface SeenRecord {
  is: 'same' | 'moved';
  status: string;
  /** The contract does not know this status. It is stored as it is, and the record is fetched again. */
  unknown: boolean;
  facts: Pick<Outcome, 'state' | 'code' | 'message'>;
}

/**
 * Judges a new status against the previous one. The order of statuses is mostly an assumption, so a final status is
 * accepted from any other. A step back is reported: the payment may not happen. A record that is `created` is not
 * approved, and one that was canceled pays nothing: their rows leave the accepted ones.
 * @param options.state `accepted`: the row was accepted when its record was last read
 * @param options.isOfOther `before` was the status of another payment, so nothing went back
 */
export function judgeSeen(options: {
  kind: Kind;
  state: 'accepted' | 'unapproved';
  before: string | null;
  isOfOther?: boolean;
  status: string;
  record: JsonFields;
}): SeenRecord {
  const {kind, state, before, isOfOther = false, status, record} = options;
  const lifecycle = LIFECYCLES[kind];
  const isKnown = (name: string) => Object.hasOwn(lifecycle.next, name);
  const unknown = !isKnown(status);
  const moved = (facts: SeenRecord['facts']): SeenRecord => ({is: 'moved', status, unknown, facts});
  const facts = {state: 'accepted', code: null, message: null} as const;
  if (status === lifecycle.initial && state === 'accepted')
    return moved({state: 'unapproved', code: null, message: APPROVAL_LOST});
  if (status === before) return {is: 'same', status, unknown, facts};
  const isBack =
    before !== null &&
    !isOfOther &&
    isKnown(before) &&
    !unknown &&
    !isFinal(lifecycle, status) &&
    !canReach(lifecycle, before, status);
  if (isBack) return moved({state: 'accepted', code: DIFFERS_CODE, message: wentBackText(before, status)});
  if (wasCanceled(status))
    return moved({state: 'dead_key', code: null, message: state === 'accepted' ? CANCELED_LATER : null});
  return moved(hasFailed(status) ? {...facts, ...reasonOf(record)} : facts);
}

/** Why a record failed, if it says so. */
function reasonOf(record: Printable): {code: string | null; message: string} {
  const {code, message} = failureOf(record) ?? {};
  const isCode = code !== undefined && /^[\w.-]{1,100}$/.test(code);
  return {code: isCode ? code : null, message: message ?? 'it failed after it had been accepted'};
}
