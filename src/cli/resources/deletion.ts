import type {RecordResult} from '../../client/requests/resource.ts';
import type {Context} from '../core/context.ts';

/**
 * Whether a record is gone after a deletion. A 202 was only accepted, and a 207, whose warning `sendOnce` prints, was not
 * done in whole: then the result is null, and the command exits with 8.
 */
export function isGone(
  {out, effects, commands}: Pick<Context, 'out' | 'effects' | 'commands'>,
  {status}: Pick<RecordResult, 'status'>,
  {named, checkedBy}: {named: string; checkedBy: readonly string[]},
): true | null {
  if (status !== 202 && status !== 207) return true;
  if (status === 202) {
    out.warn(`${named} may still exist: the service answered 202, so it may not have deleted it yet`);
    out.hint(commands.read(...checkedBy));
  }
  effects.tookPartly();
  return null;
}
