import {shellWord} from '../shell-word.ts';
import type {Remaining} from './remaining.ts';

/** Makes the command of a verb, with its flags, for this batch and the profile that was used. */
export type Typing = (verb: string, flags?: string) => string;

/**
 * The command that moves a batch on, or null where none is needed: it is running, complete or canceled. Never one that
 * would be refused or would find nothing to do.
 * @param profile name of the profile in force; null where the key came from the environment
 */
export function nextCommand(left: Remaining, type: Typing, profile: string | null): string | null {
  if (left.isCanceling) {
    if (left.state === 'canceled') return null;
    return left.lateDoubts + left.disputed > 0 && left.cancelable === 0
      ? type('resolve', ' --from FILE')
      : type('cancel');
  }
  switch (left.state) {
    case 'running':
    case 'complete':
    case 'canceled':
      return null;
    case 'planned':
      return type('run');
  }
  const onward = onwardCommand(left, type);
  if (onward !== undefined) return onward;
  if (left.lateStaged > 0)
    return profile === null || left.mayApproveById
      ? type(left.mayApproveById ? 'release' : 'cancel')
      : `remit profiles set ${shellWord(profile)} --approve-by-id && ${type('release')}`;
  if (left.lateDoubts + left.disputed > 0) return type('resolve', ' --from FILE');
  if (left.rejected + left.unapproved + left.failed > 0) return type('retry');
  if (left.held > 0) return type('release', ' --accept-differences');
  if (left.deadReference !== null) return type('retry', ` --row ${shellWord(left.deadReference)}`);
  return type('report', ' --html'); // conflicts with other payments: a person reads what each of them is
}

/** Where some rows go their way without anybody's decision. */
function onwardCommand(left: Remaining, type: Typing): string | undefined {
  const doubts = left.in_doubt - left.disputed - left.lateDoubts;
  const ready = left.staged - left.held - left.lateStaged;
  if (left.stop === 'key-forgotten') return left.staged > 0 ? type('cancel') : undefined;
  if (left.state === 'staged' && ready > 0) return type('release');
  if (left.state === 'held' && ready > 0 && left.not_sent - left.refused <= 0)
    return type('release', ' --release-rest');
  if (left.not_sent + doubts + ready > 0) return type('resume');
  return undefined;
}
