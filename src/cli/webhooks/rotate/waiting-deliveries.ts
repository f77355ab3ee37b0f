import {RemitError} from '../../../errors.ts';
import {counted} from '../../../phrases.ts';
import type {Context} from '../../core/context.ts';
import {DEFAULT_WAIT_MS} from '../../input/durations.ts';
import {deliveriesIn, sandboxOf} from '../deliveries.ts';
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
    const ids = await deliveriesIn(context, sandbox, id, ['pending', 'sending']);
    if (ids.length === 0 || clock.monotonic() >= endMs) return ids;
    if (!isTold)
      out.note(
        `${counted(ids.length, 'delivery', 'deliveries')} of the old endpoint ${ids.length === 1 ? 'is' : 'are'} not answered with success yet, and would be canceled with it. Waiting for up to ${timeoutMs / 1000} s.`,
      );
    isTold = true;
    await clock.sleep(LOOK_EVERY_MS, stop.signal);
  }
}

/** Which of the deliveries were canceled with the endpoint; all of them if that cannot be read. */
export async function canceledOf(
  context: Context,
  id: string,
  ids: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  const sandbox = sandboxOf(context);
  if (ids === undefined || ids.length === 0 || sandbox === undefined) return ids;
  try {
    const canceled = new Set(await deliveriesIn(context, sandbox, id, ['canceled']));
    return ids.filter((one) => canceled.has(one));
  } catch (error) {
    if (!(error instanceof RemitError) || context.stop.signal.aborted) throw error;
    return ids;
  }
}
