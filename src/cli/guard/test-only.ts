import {RemitError} from '../../errors.ts';
import type {ActiveProfile} from '../../profiles/profile.ts';

/**
 * The interface document allows simulated credits and subaccounts of payments for test entities only.
 * @throws RemitError LOCAL_VALIDATION with a live key
 */
export function refuseForLive({profile}: {profile: Pick<ActiveProfile, 'mode'>}, what: string): void {
  if (profile.mode !== 'live') return;
  throw new RemitError(
    'LOCAL_VALIDATION',
    `${what} is for test entities only, and the active key is a live key; nothing was sent`,
    {hint: (commands) => commands.read('whoami')},
  );
}
