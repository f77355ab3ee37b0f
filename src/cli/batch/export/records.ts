import type {JournalRow} from '../../../batch/journal/rows/row.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';
import type {RemitClient} from '../../../client/client.ts';
import {RemitError} from '../../../errors.ts';
import type {Context} from '../../core/context.ts';
import type {FetchedRecord} from '../../../batch/follow/record-fetched.ts';

/** Records that are fetched at the same time. */
const IN_FLIGHT = 16;
const DEFAULT_RPS = 50;

/** Fetches the records of some rows, a few at a time and no faster than `maxRps`. */
export async function fetchRecords(
  rows: readonly JournalRow[],
  {context, client, plan, maxRps = DEFAULT_RPS}: FetchingRecords,
): Promise<ReadonlyMap<number, FetchedRecord>> {
  const {clock, stop} = context;
  const found = new Map<number, FetchedRecord>();
  const resource = plan.kind === 'payout' ? client.payouts : client.payins;
  const wanted = rows.flatMap(({n, outcome}) => (outcome?.id == null ? [] : [{n, id: outcome.id}]));
  const size = Math.max(1, Math.min(IN_FLIGHT, maxRps));
  for (let at = 0; at < wanted.length; at += size) {
    const group = wanted.slice(at, at + size);
    const begun = clock.monotonic();
    await Promise.all(
      group.map(async ({n, id}) => {
        const record = await resource.get({id}).then(({data}) => data, undefinedIfGone);
        found.set(n, {record, at: clock.now()});
      }),
    );
    const rest = (group.length / maxRps) * 1000 - (clock.monotonic() - begun);
    if (rest > 0 && at + size < wanted.length) await clock.sleep(rest, stop.signal);
  }
  return found;
}

/** Without an error code, a 404 may come from another server. */
function undefinedIfGone(error: unknown): undefined {
  if (error instanceof RemitError && error.httpStatus === 404 && error.details?.['error_code'] !== undefined)
    return undefined;
  throw error;
}

interface FetchingRecords {
  context: Context;
  client: RemitClient;
  plan: Plan;
  maxRps?: number | undefined;
}
