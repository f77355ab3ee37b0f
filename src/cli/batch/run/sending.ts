import {waitTooLongText} from '../../../batch/answers/stop-words.ts';
import type {RunStop} from '../../../batch/model/stop.ts';
import {MAX_WAIT_MS} from '../../../batch/send/patience.ts';
import {AdaptiveSpeed} from '../../../batch/speed/adaptive.ts';
import {MAX_IN_FLIGHT} from '../../../batch/speed/speed.ts';
import {readRetryAfter} from '../../../client/answers/answer.ts';
import type {Transport} from '../../../client/transport/transport.ts';
import type {TeamSession} from '../../../team/session.ts';
import type {ApprovalGate} from '../../approval/gate.ts';
import {socketCeiling} from '../../runtime/open-files.ts';
import type {ConfirmedRun, RunFlags, RunRequest} from './request.ts';

/** A Retry-After that is kept for other processes. */
const LONGEST_MS = 30 * 24 * 3600_000;

/** Whether several processes may send the rows of a batch of a team. A cancel and a retry work alone. */
export const mayShare = ({path, retry}: RunRequest): boolean => path !== 'cancel' && retry === undefined;

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
  if (!mayShare(request) || gate !== undefined)
    return {transport: noting(context, team, team.hold.guard(pool)), speed, codec};
  const shared = team.shareSending({transport: pool, speed, service: codec.service});
  return {transport: noting(context, team, shared), speed: shared.speed, codec: shared.codec};
}

/** Tells the others how long the service has asked to wait. */
function noting({profile, clock}: RunRequest['context'], team: TeamSession, inner: Transport): Transport {
  let notedUntil = -Infinity;
  return {
    send: async (request) => {
      const answer = await inner.send(request);
      const retryAfterMs = Math.min(readRetryAfter(answer.headers, clock.now()) ?? 0, LONGEST_MS);
      const until = clock.monotonic() + retryAfterMs;
      if (retryAfterMs > 0 && until > notedUntil + 1000) {
        notedUntil = until;
        void team.closeGate(profile.baseUrl, retryAfterMs).catch(() => undefined); // the next one is told by the service
      }
      return answer;
    },
    close: () => inner.close(),
  };
}

/**
 * Waits if the service has asked another process to wait.
 * @returns why nothing is sent, if that is too long
 */
export async function waitForGate({context, flags}: RunRequest): Promise<RunStop | undefined> {
  const {team, profile, out, clock, stop} = context;
  const ms = (await team?.closedFor(profile.baseUrl)) ?? 0;
  if (ms > (flags['max-wait'] ?? MAX_WAIT_MS)) return {reason: 'rate-limited', message: waitTooLongText(ms)};
  if (ms < 1000) return undefined;
  out.note(`The service has asked another process to wait: nothing is sent for ${Math.ceil(ms / 1000)} s.`);
  await clock.sleep(ms, stop.signal).catch(() => undefined);
  return undefined;
}
