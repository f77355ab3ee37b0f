import {standing} from '../../client/reading/poll.ts';
import {LIFECYCLES, isBadEnd} from '../../contract/lifecycle.ts';
import type {Journal} from '../journal/journal.ts';
import type {Kind} from '../model/kinds.ts';
import {APPROVAL_LOST, type Outcome} from '../model/outcome.ts';
import {addCount} from '../model/tally.ts';

/** Statuses up to which accepted rows can be followed: the successful lifecycle after `created`. */
export const GOALS = ['approved', 'initiated', 'debited', 'settled'] as const;
export type Goal = (typeof GOALS)[number];

/** The progress of the accepted rows of a batch. `total = reached + ended + open`. */
export interface FollowCounts {
  total: number;
  /** Rows at the goal, or past it in the successful lifecycle. */
  reached: number;
  /** Failed or canceled. */
  ended: number;
  open: number;
  /** Rows by last seen status; those whose status was never seen are under `''`. */
  statuses: Record<string, number>;
}

/** Whether a status has reached the goal. Without a goal, only a final status closes a row. */
const standingOf = (kind: Kind, status: string | null, goal: Goal | undefined) =>
  standing(LIFECYCLES[kind], status ?? undefined, goal);

/**
 * Statuses at which a record is not fetched again: once the goal is reached. Without a goal every record is fetched, except
 * those that have ended badly, whose references may have been paid again.
 */
export const closedStatuses = (kind: Kind, goal: Goal | undefined): string[] =>
  goal === undefined
    ? badEnds(kind)
    : Object.keys(LIFECYCLES[kind].next).filter((status) => standingOf(kind, status, goal) !== 'open');

/** Final statuses that are not a success: `canceled`, `failed`. */
const badEnds = (kind: Kind): string[] =>
  Object.keys(LIFECYCLES[kind].next).filter((status) => isBadEnd(LIFECYCLES[kind], status));

/** Counts the rows that were accepted, including those canceled or shown as `created` afterwards. Reads every outcome. */
export function countFollowed(journal: Journal, kind: Kind, goal: Goal | undefined): FollowCounts {
  const counts: FollowCounts = {total: 0, reached: 0, ended: 0, open: 0, statuses: {}};
  for (const {status, count} of journal.acceptedByStatus(badEnds(kind))) {
    counts.total += count;
    counts.statuses[status ?? ''] = count;
    counts[standingOf(kind, status, goal)] += count;
  }
  return counts;
}

/** Moves a row from one status to another; `undefined` is outside the rows that are followed. */
export function moveCount(
  counts: FollowCounts,
  kind: Kind,
  goal: Goal | undefined,
  move: {from: string | null | undefined; to: string | null | undefined},
): void {
  const {from, to} = move;
  if (from !== undefined) {
    addCount(counts.statuses, from ?? '', -1);
    counts[standingOf(kind, from, goal)]--;
    counts.total--;
  }
  if (to === undefined) return;
  addCount(counts.statuses, to ?? '', 1);
  counts[standingOf(kind, to, goal)]++;
  counts.total++;
}

/** The status under which a row is counted; undefined if it is not followed. */
export const countedStatus = ({state, status, message}: Outcome): string | null | undefined =>
  state === 'accepted' || state === 'dead_key' || (state === 'unapproved' && message === APPROVAL_LOST)
    ? status
    : undefined;
