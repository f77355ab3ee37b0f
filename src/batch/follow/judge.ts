import {failureOf} from '../../contract/failure.ts';
import {canReach, isFinal, LIFECYCLES} from '../../contract/lifecycle.ts';
import type {Kind} from '../model/kinds.ts';
import type {Outcome} from '../model/outcome.ts';

/** What the fetched record of an accepted row shows. */
export interface Seen {
  /** `stale`: the answer is older than what is known; it is ignored. */
  is: 'same' | 'stale' | 'moved';
  status: string;
  /** The contract does not know this status. It is stored as it is, and the record is fetched again. */
  unknown: boolean;
  facts: Pick<Outcome, 'state' | 'code' | 'message'>;
}

/**
 * Judges a new status against the previous one. The order of statuses is mostly an assumption, so a final status is
 * accepted from any other; only a step back is treated as an outdated answer. A canceled record pays nothing: its row
 * leaves the accepted rows, as it does when a release finds the record canceled.
 */
export function judgeSeen(options: {
  kind: Kind;
  before: string | null;
  status: string;
  record: Readonly<Record<string, unknown>>;
}): Seen {
  const {kind, before, status, record} = options;
  const lifecycle = LIFECYCLES[kind];
  const isKnown = (name: string) => Object.hasOwn(lifecycle.next, name);
  const unknown = !isKnown(status);
  const facts = {state: 'accepted', code: null, message: null} as const;
  if (status === before) return {is: 'same', status, unknown, facts};
  const isBack =
    before !== null &&
    isKnown(before) &&
    !unknown &&
    !isFinal(lifecycle, status) &&
    !canReach(lifecycle, before, status);
  if (isBack) return {is: 'stale', status, unknown, facts};
  if (status === 'canceled') {
    const message = 'its record was canceled after it had been accepted';
    return {is: 'moved', status, unknown, facts: {state: 'dead_key', code: null, message}};
  }
  if (status === 'failed') return {is: 'moved', status, unknown, facts: {...facts, ...reasonOf(record)}};
  if (status === lifecycle.initial) {
    const message = 'its record is not approved';
    return {is: 'moved', status, unknown, facts: {...facts, message}};
  }
  return {is: 'moved', status, unknown, facts};
}

/** Why a record failed, if it says so. */
function reasonOf(record: unknown): {code: string | null; message: string} {
  const {code, message} = failureOf(record) ?? {};
  const isCode = code !== undefined && /^[\w.-]{1,100}$/.test(code);
  return {code: isCode ? code : null, message: message ?? 'it failed after it had been accepted'};
}
