import {unwrapRecord} from '../../client/answers/envelope.ts';
import {RemitError} from '../../errors.ts';
import {isObject, type Json} from '../../narrow.ts';
import type {Context} from '../core/context.ts';

/** A well-formed id that no record has. */
const NO_SUCH_ID = '00000000-0000-4000-8000-000000000000';
/** A path that no service has. */
const NO_SUCH_PATH = `/api/remit-connection-test/${NO_SUCH_ID}`;

/**
 * Checks that the base URL leads to the service and that it accepts the key, without reading a record: the answers
 * for a payout and for a path that do not exist must differ. If a service answers both alike, it must list payouts.
 * @returns the status of the answer that proved it
 * @throws {RemitError} what the service answered; NOT_FOUND if the base URL leads elsewhere
 */
export async function probeService(context: Context): Promise<number> {
  const {client, stop} = context;
  const payoutPath = `/api/payouts/${NO_SUCH_ID}`;
  const options = {signal: stop.signal};
  const payout = await ask(() => client.call('payouts.get', {params: {id: NO_SUCH_ID}, options}));
  if (payout.status < 300) {
    if (payout.isRecord) return payout.status;
    throw elsewhere(context, `it answers GET ${payoutPath} with ${payout.status}, but without a payout`);
  }
  const nowhere = await ask(() => client.request('GET', NO_SUCH_PATH, {...options, retries: 0}), 'any');
  if (payout.said !== nowhere.said) return payout.status;
  const list = await ask(async () => {
    await client.payouts.list({}, {limit: 1, pageSize: 1, ...options}).toArray();
    return {status: 200, data: null};
  });
  if (list.status < 300) return payout.status;
  throw elsewhere(context, `it answers GET ${payoutPath} like a path that does not exist (${payout.status})`);
}

interface Said {
  status: number;
  isRecord: boolean;
  /** Status and body, without the parts that differ between paths and between answers. */
  said: string;
}

/** Parts of the two paths, and ids, times and counters that may be in a message. */
const VARIABLE = /\/?api\/|payouts|remit-connection-test|[0-9a-f-]{6,}|\d+|\//gi;

/**
 * A 404, or a 400 about the id, counts as an answer; any other error ends the check, unless `any` answer is accepted.
 */
async function ask(read: () => Promise<{status: number; data: Json}>, accept?: 'any'): Promise<Said> {
  try {
    const {status, data} = await read();
    const record = unwrapRecord(data);
    return {status, isRecord: isObject(record) && typeof record['status'] === 'string', said: String(status)};
  } catch (error) {
    if (!(error instanceof RemitError) || error.httpStatus === undefined) throw error;
    const {httpStatus: status} = error;
    if (status !== 404 && status !== 400 && accept === undefined) throw error;
    const said = JSON.stringify(error.body ?? null).replace(VARIABLE, '');
    return {status, isRecord: false, said: `${status} ${said}`};
  }
}

function elsewhere({profile}: Context, why: string): RemitError {
  return new RemitError(
    'NOT_FOUND',
    `${profile.baseUrl} answers, but not as the Money Movement Service: ${why}. Check the path of the base URL`,
    {
      hint: profile.name === null ? undefined : `remit profiles show ${profile.name}`,
      details: {base_url: profile.baseUrl},
    },
  );
}
