import {AdaptiveSpeed} from '../../../batch/speed/adaptive.ts';
import {MAX_IN_FLIGHT} from '../../../batch/speed/speed.ts';
import type {Transport} from '../../../client/transport/transport.ts';
import type {ApprovalGate} from '../../approval/gate.ts';
import {socketCeiling} from '../../runtime/open-files.ts';
import type {ConfirmedRun, RunFlags, RunRequest} from './request.ts';

/** Whether several processes may send the rows of a batch of a team. A cancel and a retry work alone. */
export const sharesRows = ({path, retry, isById}: RunRequest): boolean =>
  isById && path !== 'cancel' && retry === undefined;

export const speedOf = (flags: RunFlags): AdaptiveSpeed =>
  new AdaptiveSpeed({
    maxInFlight: Math.min(flags['max-in-flight'] ?? MAX_IN_FLIGHT, socketCeiling()),
    maxRps: flags['max-rps'],
  });

/** What the run sends with: in a team, only while it has the lease, and with other processes unless a policy applies. */
export function sendingOf(
  request: RunRequest,
  pool: Transport,
  gate: ApprovalGate | undefined,
): Pick<ConfirmedRun, 'transport' | 'speed' | 'codec'> {
  const {context, flags} = request;
  const {team, codec} = context;
  const speed = speedOf(flags);
  if (team?.hold === undefined) return {transport: pool, speed, codec};
  if (!sharesRows(request) || gate !== undefined) return {transport: team.hold.guard(pool), speed, codec};
  const shared = team.shareSending({transport: pool, speed, service: codec.service});
  return {transport: shared, speed: shared.speed, codec: shared.codec};
}
