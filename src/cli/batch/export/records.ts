import type {JournalRow} from '../../../batch/journal/rows/row.ts';
import {KINDS} from '../../../batch/model/kinds.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';
import type {RemitClient} from '../../../client/client.ts';
import {RemitError} from '../../../errors.ts';
import type {Context} from '../../core/context.ts';
import {withMissingRoute} from '../../core/missing-route.ts';
import type {Fetching} from './action.ts';
import type {FetchedRecord} from '../../../batch/follow/record-fetched.ts';
import {stringOf} from '../../../narrow.ts';

/** Records that are fetched at the same time. */
const IN_FLIGHT = 16;
const DEFAULT_RPS = 50;

interface FetchingRecords {
  context: Context;
  client: RemitClient;
  plan: Plan;
  maxRps?: number | undefined;
}

/**
 * Fetches the records of some rows, a few at a time and no faster than `maxRps`. The first 404 before any record was
 * read ends it if the list has that record: then the route is wrong, and no record is missing.
 */
export function recordFetcher({context, client, plan, maxRps = DEFAULT_RPS}: FetchingRecords): Fetching {
  const {clock, stop} = context;
  const {topic, party} = KINDS[plan.kind];
  const size = Math.max(1, Math.min(IN_FLIGHT, maxRps));
  let isRouteKnown = false;
  const fetchOne = async ({party: partyId}: JournalRow, id: string): Promise<Omit<FetchedRecord, 'at'>> => {
    try {
      const {data} = await client.call(`${topic}.get`, {params: {id}});
      isRouteKnown = true;
      return {record: data};
    } catch (error) {
      if (!isGone(error)) throw error;
      const gone = {record: undefined, errorCode: stringOf(error.details?.['error_code'])};
      if (isRouteKnown) return gone;
      isRouteKnown = true; // either it is, or the export ends
      const explained = await withMissingRoute(error, context, {[party]: partyId});
      if (explained !== error) throw explained;
      return gone;
    }
  };
  return async (rows) => {
    const found = new Map<number, FetchedRecord>();
    const wanted = rows.flatMap((row) => (row.outcome?.id == null ? [] : [{row, id: row.outcome.id}]));
    for (let at = 0; at < wanted.length; at += size) {
      const group = wanted.slice(at, at + size);
      const begun = clock.monotonic();
      await Promise.all(
        group.map(async ({row, id}) => {
          const fetched = await fetchOne(row, id);
          found.set(row.n, {...fetched, at: clock.now()});
        }),
      );
      const rest = (group.length / maxRps) * 1000 - (clock.monotonic() - begun);
      if (rest > 0 && at + size < wanted.length) await clock.sleep(rest, stop.signal);
    }
    return found;
  };
}

/** Without an error code, a 404 may come from another server. */
const isGone = (error: unknown): error is RemitError =>
  error instanceof RemitError && error.httpStatus === 404 && error.details?.['error_code'] !== undefined;
