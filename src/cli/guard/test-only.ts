import {RemitError} from '../../errors.ts';
import {isObject} from '../../narrow.ts';
import type {ActiveProfile} from '../../profiles/profile.ts';
import type {ReadRequest} from '../../service/read-request.ts';

type OfProfile = {profile: Pick<ActiveProfile, 'mode'>};

/**
 * The interface document allows simulated credits and subaccounts of payments for test entities only.
 * @throws RemitError LOCAL_VALIDATION with a live key
 */
export function refuseForLive({profile}: OfProfile, what: string): void {
  if (profile.mode !== 'live') return;
  throw new RemitError(
    'LOCAL_VALIDATION',
    `${what} is for test entities only, and the active key is a live key; nothing was sent`,
    {hint: (commands) => commands.read('whoami')},
  );
}

/**
 * The same for a request that was typed for `remit api`.
 * @throws RemitError LOCAL_VALIDATION with a live key
 */
export function refuseTypedForLive(
  context: OfProfile,
  {operation, body}: Pick<ReadRequest, 'operation' | 'body'>,
): void {
  if (operation === 'treasury.simulateInboundCredit') refuseForLive(context, 'a simulated credit');
  const isCreate = operation === 'payouts.create' || operation === 'payins.create';
  if (isCreate && isObject(body) && (body['subaccount_id'] ?? null) !== null)
    refuseForLive(context, 'subaccount_id');
}
