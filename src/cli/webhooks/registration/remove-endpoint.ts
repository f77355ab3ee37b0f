import {RemitError} from '../../../errors.ts';
import {messageOf} from '../../../narrow.ts';
import type {Context} from '../../core/context.ts';
import {readEndpoint} from '../endpoints.ts';
import type {HeldEndpoint} from './endpoint-note.ts';

export const deleteCommand = ({commands}: Pick<Context, 'commands'>, id: string): string =>
  commands.write('webhooks', 'endpoints', 'delete', id);

/**
 * Deletes an endpoint that a listener created. The caller forgets its note once the dropped deliveries are named: after
 * a crash in between, the next start finds the note, and names them.
 * @returns `left`, after a warning with the command that deletes it, if it exists or may exist; `missing` for a 404
 */
export async function removeEndpoint(
  context: Context,
  held: HeldEndpoint,
  id: string,
): Promise<'removed' | 'missing' | 'left'> {
  try {
    held.lock.assertHeld();
  } catch (error) {
    context.out.warn(
      `the endpoint ${id} was not removed, because another listener uses it: ${messageOf(error)}`,
    );
    return 'left';
  }
  context.grants.allow({operation: 'webhookEndpoints.delete', params: {id}}); // its creation or use was allowed
  try {
    await context.client.call('webhookEndpoints.delete', {params: {id}});
    if (await exists(context, id))
      throw new RemitError('UNAVAILABLE', 'the service confirmed the deletion, but still has the endpoint');
    context.effects.took({noun: 'webhook endpoint', done: 'was deleted', id, status: null, next: null});
  } catch (error) {
    if (error instanceof RemitError && error.httpStatus === 404) return 'missing';
    nameLeft(context, id, error);
    return 'left';
  }
  return 'removed';
}

/** False if it cannot be read: the service has confirmed its deletion. */
async function exists(context: Context, id: string): Promise<boolean> {
  try {
    const found = await readEndpoint(context, id);
    return found.id === id && found.is_active !== false;
  } catch {
    return false;
  }
}

/** What happens to an endpoint whose note stays on disk. */
export const nextStart = ({mode}: Context['profile']): string =>
  `the next start with --register uses it again or ${mode === 'test' ? 'removes' : 'names'} it`;

/** An endpoint that may still exist, and the command that deletes it. */
export function nameLeft(context: Context, id: string, error: unknown): void {
  const mayBeGone = error instanceof RemitError && error.code === 'IN_DOUBT';
  const what = mayBeGone
    ? `it is not known whether the endpoint ${id} was removed`
    : `the endpoint ${id} was not removed`;
  // A deletion can be repeated at any time.
  const why = messageOf(error);
  context.out.warn(`${what}: ${why}. If it exists, ${nextStart(context.profile)}; to delete it now:`);
  context.out.hint(deleteCommand(context, id));
}
