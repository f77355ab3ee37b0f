import type {Journal} from '../../../batch/journal/journal.ts';
import type {Kind} from '../../../batch/model/kinds.ts';
import {RemitError} from '../../../errors.ts';
import type {Context} from '../../core/context.ts';

export const RESET_SANDBOX =
  'The sandbox was reset after this batch: it no longer has these payments, but the state folder does. To pay them again, use new folders for --state-dir and --out.';

/**
 * Whether the service is a sandbox that does not have what this machine recorded as paid; for any other service this
 * is false. Fetches one record; never throws for an answer of the service.
 */
export async function hasForgotten(context: Context, kind: Kind, journal: Journal): Promise<boolean> {
  if (!context.profile.key.startsWith('test_sandbox_')) return false;
  const id = journal.rows.inStates(['accepted', 'already_paid'], 0, 1)[0]?.outcome?.id;
  if (id === undefined || id === null) return false;
  try {
    await (kind === 'payout' ? context.client.payouts.get({id}) : context.client.payins.get({id}));
    return false;
  } catch (error) {
    return error instanceof RemitError && error.code === 'NOT_FOUND';
  }
}
