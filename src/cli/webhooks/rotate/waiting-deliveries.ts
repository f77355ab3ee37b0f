import {poll} from '../../../clock.ts';
import {counted} from '../../../phrases.ts';
import type {Context} from '../../core/context.ts';
import type {Running} from '../../sandbox/recorded/running.ts';
import {deliveriesIn, sandboxOf, type ListedDelivery} from '../deliveries.ts';
import type {RotationState} from './rotation.ts';

const LOOK_EVERY_MS = 1000;

/** The endpoint that is replaced, and the one that replaces it. */
type Endpoints = Pick<RotationState, 'old_id' | 'new_id'>;

/**
 * Waits until no delivery waits for the old endpoint, because those that do are canceled with it (assumption 82), and
 * the new endpoint gets only events that came after it. A delivery whose event the new endpoint has delivered is not
 * waited for.
 * @returns the ids of those that still wait at the time limit; undefined if the service does not show deliveries
 */
export async function waitForDeliveries(
  context: Context,
  endpoints: Endpoints,
  timeoutMs: number,
): Promise<readonly string[] | undefined> {
  const {out, clock, stop} = context;
  const sandbox = sandboxOf(context);
  if (sandbox === undefined) {
    out.note(
      'Whether deliveries still wait for the old endpoint is not known, because the service has no list of them. Any that do may be canceled with it.',
    );
    return undefined;
  }
  let ids: readonly string[] = [];
  let isTold = false;
  const step = async (leftMs: number) => {
    ids = await waitingNow(context, sandbox, endpoints);
    if (ids.length === 0) return true;
    if (!isTold && leftMs > 0)
      out.note(
        `${counted(ids.length, 'delivery', 'deliveries')} of the old endpoint ${ids.length === 1 ? 'is' : 'are'} not answered with success yet, and would be canceled with it. Waiting for up to ${timeoutMs / 1000} s.`,
      );
    isTold = true;
    return undefined;
  };
  const sleep = (ms: number) => clock.sleep(ms, stop.signal);
  await poll({step, clock, timeoutMs, pauseMs: () => LOOK_EVERY_MS, sleep});
  return ids;
}

/** A delivery that is sent and waits again between two reads is in neither list, so that none is only believed twice. */
async function waitingNow(context: Context, sandbox: Running, endpoints: Endpoints): Promise<string[]> {
  const {old_id: id} = endpoints;
  const first = await deliveriesIn(context, sandbox, id, ['pending', 'sending']);
  const waiting = first.length > 0 ? first : await deliveriesIn(context, sandbox, id, ['sending', 'pending']);
  return withoutDelivered(context, sandbox, endpoints, waiting);
}

/** The ids of those whose event has no delivery to the new endpoint that the service lists as delivered. */
async function withoutDelivered(
  context: Context,
  sandbox: Running,
  {new_id: id}: Endpoints,
  deliveries: readonly ListedDelivery[],
): Promise<string[]> {
  const ofNew =
    id === null || deliveries.length === 0 ? [] : await deliveriesIn(context, sandbox, id, ['delivered']);
  const delivered = new Set(ofNew.map((one) => one.event_id));
  return deliveries.filter((one) => !delivered.has(one.event_id)).map((one) => one.id);
}

/** What is known before the old endpoint is deleted. */
interface KnownBefore {
  /** The deliveries that wait for it. */
  waiting?: readonly string[] | undefined;
  /** Those that were canceled earlier. */
  canceled?: readonly string[] | undefined;
}

/**
 * The deliveries that were canceled with the old endpoint, also those that seemed to have ended before, unless the new
 * endpoint has delivered their event.
 * @returns if that cannot be read, those that waited; undefined if the service does not show deliveries
 */
export async function lostWith(
  context: Context,
  endpoints: Endpoints,
  {waiting, canceled: before = []}: KnownBefore = {},
): Promise<readonly string[] | undefined> {
  const sandbox = sandboxOf(context);
  if (sandbox === undefined) return waiting;
  let left: readonly ListedDelivery[] | undefined;
  try {
    const canceled = await deliveriesIn(context, sandbox, endpoints.old_id, ['canceled']);
    left = canceled.filter(({id}) => !before.includes(id));
    return await withoutDelivered(context, sandbox, endpoints, left);
  } catch {
    return left?.map(({id}) => id) ?? waiting; // the endpoint is gone; its removal does not fail because of this
  }
}
