import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {RemitError} from '../../errors.ts';
import {capital} from '../../phrases.ts';
import type {Context} from '../core/context.ts';

/** An approval or cancel of one record. */
interface Act {
  verb: 'approve' | 'cancel';
  noun: 'payin' | 'payout';
  resource: 'payins' | 'payouts';
  id: string;
}

/** The refusal matters more than its reason. */
const PATIENCE_MS = 5000;

/**
 * The same refusal, which also says that the record already has the intended status: a service refuses a repetition
 * like any other wrong state. Reads the record once.
 */
export async function orAlreadyDone(
  {client, commands, stop}: Pick<Context, 'client' | 'commands' | 'stop'>,
  {verb, noun, resource, id}: Act,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof RemitError) || ![400, 409, 422].includes(error.httpStatus ?? 0)) return error;
  if (error.code === 'IN_DOUBT') return error;
  const options = {signal: stop.signal, retries: 0, totalMs: PATIENCE_MS};
  const read = await client.record(`${resource}.get`, {params: {id}, options}).catch(() => undefined);
  const status = read?.data.status;
  const {initial, next} = LIFECYCLES[noun];
  const isDone =
    verb === 'cancel'
      ? status === 'canceled'
      : status !== undefined &&
        Object.hasOwn(next, status) &&
        ![initial, 'canceled', 'failed'].includes(status);
  if (!isDone) return error;
  const state = verb === 'cancel' ? 'canceled' : `approved (status: ${status})`;
  return error.reworded(
    `${error.message}. ${capital(noun)} ${id} is already ${state}. Nothing was changed now`,
    commands.read(resource, 'get', id),
  );
}
