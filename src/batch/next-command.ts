import type {Stop} from './run-context.ts';
import type {Summary} from './summary.ts';

/** What the command to type next is chosen by. */
export interface Remaining extends Pick<
  Summary,
  'state' | 'not_sent' | 'in_doubt' | 'staged' | 'held' | 'unapproved' | 'failed'
> {
  /** Of the rows in doubt those that no command sends: another batch has their reference. */
  disputed: number;
}

/**
 * The command that goes on with a batch at rest, or null when nothing is left for one to do.
 * @param type makes the command of a verb and its flags
 * @param pastHorizon rows are left that only a person can settle
 */
export function nextCommand(
  {state, not_sent: unsent, in_doubt: doubts, disputed, staged, held, unapproved, failed}: Remaining,
  type: (verb: string, flags?: string) => string,
  {stop, pastHorizon}: {stop?: Stop | undefined; pastHorizon: boolean},
): string | null {
  if (state === 'running') return null; // it goes on by itself
  if (state === 'planned') return type('run');
  if (state === 'staged') return type('release');
  if (pastHorizon) return type('report');
  if (state === 'held' && unsent + staged + doubts - disputed === 0) return type('report');
  if (state === 'held')
    return unsent > 0 || staged === 0 ? type('resume') : type('release', ' --release-rest');
  if (stop?.reason === 'collision' || stop?.reason === 'key-forgotten') return type('report');
  if (stop !== undefined || state === 'interrupted' || state === 'stopped') return type('resume');
  if (unsent + doubts - disputed + staged - held > 0) return type('resume');
  if (unapproved > 0) return type('release');
  if (held > 0) return type('release', ' --accept-differences');
  if (failed > 0) return type('retry');
  return disputed > 0 ? type('report') : null;
}
