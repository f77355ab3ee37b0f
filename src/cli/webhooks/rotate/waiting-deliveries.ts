import {counted} from '../../../phrases.ts';
import type {Context} from '../../core/context.ts';
import type {Running} from '../../sandbox/recorded/running.ts';
import {DEFAULT_WAIT_MS} from '../../input/durations.ts';
import {canceledWith, deliveriesIn, sandboxOf} from '../deliveries.ts';
import type {RotateRequest} from './request.ts';

const LOOK_EVERY_MS = 1000;

/**
 * Waits until no delivery waits for the old endpoint, because those that do are canceled with it (assumption 82), and
 * the new endpoint gets only events that came after it.
 * @returns the ids of those that still wait at the time limit; undefined if the service does not show deliveries
 */
export async function waitForDeliveries(
  context: Context,
  {id, timeoutMs = DEFAULT_WAIT_MS}: Pick<RotateRequest, 'id' | 'timeoutMs'>,
): Promise<readonly string[] | undefined> {
  const {out, clock, stop} = context;
  const sandbox = sandboxOf(context);
  if (sandbox === undefined) {
    out.note(
      'Whether deliveries still wait for the old endpoint is not known, because the service has no list of them. Any that do may be canceled with it.',
    );
    return undefined;
  }
  const endMs = clock.monotonic() + timeoutMs;
  let isTold = false;
  for (;;) {
    const ids = await waitingNow(context, sandbox, id);
    if (ids.length === 0 || clock.monotonic() >= endMs) return ids;
    if (!isTold)
      out.note(
        `${counted(ids.length, 'delivery', 'deliveries')} of the old endpoint ${ids.length === 1 ? 'is' : 'are'} not answered with success yet, and would be canceled with it. Waiting for up to ${timeoutMs / 1000} s.`,
      );
    isTold = true;
    await clock.sleep(LOOK_EVERY_MS, stop.signal);
  }
}

/** A delivery that is sent and waits again between two reads is in neither list, so that none is only believed twice. */
async function waitingNow(context: Context, sandbox: Running, id: string): Promise<readonly string[]> {
  const ids = await deliveriesIn(context, sandbox, id, ['pending', 'sending']);
  return ids.length > 0 ? ids : deliveriesIn(context, sandbox, id, ['sending', 'pending']);
}

/**
 * The deliveries that were canceled with the endpoint, also those that seemed to have ended before.
 * @param waiting what is returned if that cannot be read
 * @param before the deliveries that were canceled before the endpoint was deleted
 */
export async function canceledOf(
  context: Context,
  id: string,
  {waiting, before = []}: {waiting: readonly string[] | undefined; before: readonly string[] | undefined},
): Promise<readonly string[] | undefined> {
  if (waiting === undefined) return undefined;
  const canceled = await canceledWith(context, id);
  return canceled === undefined ? waiting : canceled.filter((one) => !before.includes(one));
}
