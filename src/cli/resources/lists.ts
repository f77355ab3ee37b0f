import {type ErrorCode, RemitError} from '../../errors.ts';
import type {Listing} from '../../client/reading/listing.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import type {JsonFields} from '../../narrow.ts';
import {isPrintable} from '../../sanitize/harmful.ts';
import type {View} from '../../output/records/view.ts';
import type {FlagValues, listFlags} from '../input/flags.ts';
import type {Typed} from '../line/command-line.ts';
import type {Context} from '../core/context.ts';
import {warnOf} from './reads.ts';
import type {Printable} from '../../narrow.ts';

export type ListFlagValues = FlagValues<typeof listFlags>;

const DEFAULT_LIMIT = 50;

/** `--limit`, `--all`, `--page-size` and `--cursor` as options of the client. */
export const listOptions = (context: Context, flags: ListFlagValues) => ({
  limit: flags.all ? undefined : (flags.limit ?? DEFAULT_LIMIT),
  all: flags.all,
  pageSize: flags['page-size'],
  cursor: flags.cursor,
  checksFilters: true,
  onWarning: warnOf(context),
  signal: context.stop.signal,
});

/** Reads a list as its flags say, and writes it. */
export const showRecords = (
  context: Context,
  operation: OperationId,
  query: JsonFields,
  {view, flags, typed}: {view: View; flags: ListFlagValues; typed: Typed},
): Promise<void> =>
  showList(context, context.client.records(operation, query, listOptions(context, flags)), view, typed);

/** Writes a list and, if it stopped at its limit or in the middle, the command that continues. */
export async function showList(
  {out, commands, effects}: Context,
  listing: Listing<Printable>,
  view: View,
  typed: Typed,
): Promise<void> {
  const first = listing.nextCursor;
  const continued = (cursor: string) =>
    commands.again(typed, {without: ['--cursor'], add: ['--cursor', cursor]});
  let count: number;
  try {
    count = await out.list(listing, view);
  } catch (error) {
    const {nextCursor: cursor} = listing;
    const isPart = cursor !== undefined && cursor !== first && isPrintable(cursor);
    const {format, query} = out.settings;
    const isWritten = format !== 'json' && format !== 'yaml' && query === undefined;
    throw isPart && isWritten ? withRest(error, continued(cursor)) : error;
  }
  noteMoved(effects, listing);
  const did = out.settings.query === undefined ? 'shown' : 'read'; // a query may have left some out
  const shown = count === 1 ? `1 is ${did}` : `${count} are ${did}`;
  if (!listing.more || out.closed) return;
  if (listing.nextCursor === undefined || !isPrintable(listing.nextCursor)) {
    // It stopped within the first page, or the cursor cannot be read or typed.
    out.note(`More ${view.plural} may exist; ${shown}. Use --all to fetch all of them.`);
    return;
  }
  const again = listing.overlap > 0 ? ` (the first ${listing.overlap} of them are ${did} here already)` : '';
  out.note(`More ${view.plural} exist; ${shown}. Use --all to fetch all of them, or continue with${again}:`);
  out.hint(continued(listing.nextCursor));
}

/** Records may be missing: the command exits with 8, after the warning of the list. */
export function noteMoved(effects: Context['effects'], listing: Listing<Printable>): void {
  if (listing.hasMoved) effects.tookPartly();
}

/** What can end a list in the middle and be gone later. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'RATE_LIMITED', 'INTERRUPTED', 'TERMINATED']);

/** The records before are written already: the command that reads the rest. */
function withRest(error: unknown, next: string): unknown {
  if (!(error instanceof RemitError) || !PASSING.has(error.code)) return error;
  const {code, message, httpStatus, requestId, details, body, exitCode, retryable} = error;
  return new RemitError(code, `${message}. The list is incomplete`, {
    ...{httpStatus, requestId, body, exitCode, retryable, cause: error},
    ...{hint: next, details: {...details, next}},
  });
}
