import {shellWord} from '../../shell-word.ts';
import {accepting, type BareName} from '../model/accept.ts';
import type {Mode} from '../model/kinds.ts';
import type {Remaining} from './remaining.ts';

/** Builds the command of a verb, with its flags. */
type Typing = (verb: string, flags?: string) => string;

const stated = (name: BareName): string => ` ${accepting(name).join(' ')}`;

/** Verbs that need no `--live` with a live key, because they send nothing. */
const LOCAL: ReadonlySet<string> = new Set(['report', 'resolve', 'status']);

/** ` --live` if a verb needs it. */
export const liveFlag = (verb: string, mode: Mode | null): string =>
  mode === 'live' && !LOCAL.has(verb) ? ' --live' : '';

/** The parts that all commands for a batch share. */
export interface Typed {
  /** The beginning: `remit payouts batch`. */
  command: string;
  batchId: string;
  mode: Mode | null;
  /** Flags at the end that are needed to find the batch. */
  flags: string;
  /** Name of the active profile; null if the key came from the environment. */
  profile: string | null;
}

/**
 * The command that continues a batch, or null if none is needed because it is running, complete or canceled. It is
 * never a command that would be refused or find nothing to do.
 */
export function nextCommand(left: Remaining, typed: Typed): string | null {
  const {command, batchId, profile} = typed;
  const as = profile === null ? '' : ` -p ${shellWord(profile)}`;
  const topic = command.replace(/ batch$/, '');
  const type: Typing = (verb, flags = '') => {
    return `${command} ${verb} ${batchId}${flags}${liveFlag(verb, typed.mode)}${typed.flags}`;
  };
  if (left.isCanceling) {
    if (left.state === 'canceled') return null;
    return left.lateDoubts + left.disputed + left.stuck > 0 && left.cancelable === 0
      ? type('resolve', ' --from FILE')
      : type('cancel');
  }
  if (left.state === 'running' || left.state === 'complete' || left.state === 'canceled') return null;
  if (left.state === 'planned') return type('run');
  const onward = onwardCommand(left, type);
  if (onward !== undefined && left.isUnproven) return `remit profiles test${as} && ${onward}`;
  if (onward !== undefined) return onward;
  if (left.lateStaged > 0)
    return profile === null || left.mayApproveById
      ? type(left.mayApproveById ? 'release' : 'cancel')
      : `remit profiles set ${shellWord(profile)} --approve-by-id && ${type('release')}`;
  if (left.lateDoubts + left.disputed + left.stuck > 0) return type('resolve', ' --from FILE');
  if (left.rejected + left.unapproved + left.failed > 0) return type('retry');
  if (left.held > 0)
    return left.mayAcceptDifferences ? type('release', stated('differences')) : type('cancel');
  if (left.deadReference !== null) return type('retry', ` --row ${shellWord(left.deadReference)}`);
  // A retry would use a new key, which could pay a second time: its record must be searched for first.
  const party = topic === 'remit payins' ? '--payer' : '--payee';
  if (left.refusedParty !== null) return `${topic} list ${party} ${left.refusedParty} --all${as}`;
  if (left.waitsFor !== null) return `${command} status ${left.waitsFor}${typed.flags}`; // it has the next command of that batch
  if (left.otherRecord !== null) return `${topic} get ${shellWord(left.otherRecord)}${as}`;
  // The operator compares the row with the payment of the other batch.
  if (left.conflictReference !== null)
    return `${command} find ${shellWord(left.conflictReference)}${typed.flags}`;
  return type('report', ' --html');
}

/** Whether some rows can continue without a decision by the operator. */
function onwardCommand(left: Remaining, type: Typing): string | undefined {
  const doubts = left.in_doubt - left.disputed - left.lateDoubts - left.stuck;
  const ready = left.staged - left.held - left.lateStaged;
  if (left.isProbeRefused) return left.staged > 0 ? type('cancel') : undefined;
  if (left.stop === 'key-forgotten') return left.staged > 0 ? type('cancel') : undefined;
  // Reading it again would stop the run in the same way.
  if (left.stop === 'lost-record' && left.releasing > 0) return type('resolve', ' --from FILE');
  // A release sends no row that has no record yet, and such a row holds it.
  const unstaged = left.not_sent - left.refused + doubts - left.releasing;
  if (left.state === 'staged' && unstaged <= 0 && ready + left.releasing > 0) {
    const holding = left.refused + left.conflicts + left.in_doubt - doubts;
    return type('release', holding > 0 ? stated('rest') : '');
  }
  if (left.state === 'held' && ready > 0 && left.not_sent - left.refused <= 0)
    return type('release', stated('rest'));
  const open = left.not_sent + doubts + ready;
  if (left.notDirect > 0 && left.notDirect === open) return type('run'); // resume would continue in direct mode
  if (open > 0) return type('resume');
  return undefined;
}
