import type {Listing} from '../../client/reading/listing.ts';
import {isPrintable} from '../../sanitize/harmful.ts';
import type {View} from '../../output/records/view.ts';
import type {FlagValues, listFlags} from '../input/flags.ts';
import type {Typed} from '../line/command-line.ts';
import type {Context} from '../core/context.ts';
import {warnOf} from './reads.ts';

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

/** Writes a list and, if it stopped at its limit, the command that continues. */
export async function showList(
  {out, commands}: Context,
  listing: Listing<unknown>,
  view: View,
  typed: Typed,
): Promise<void> {
  const count = await out.list(listing, view);
  const shown = count === 1 ? '1 is shown' : `${count} are shown`;
  if (!listing.more || out.closed) return;
  if (listing.nextCursor === undefined || !isPrintable(listing.nextCursor)) {
    // It stopped within the first page, or the cursor cannot be read or typed.
    out.note(`More ${view.plural} may exist; ${shown}. Use --all to fetch all of them.`);
    return;
  }
  const next = commands.again(typed, {without: ['--cursor'], add: ['--cursor', listing.nextCursor]});
  const again = listing.overlap > 0 ? ` (the first ${listing.overlap} of them are shown here already)` : '';
  out.note(`More ${view.plural} exist; ${shown}. Use --all to fetch all of them, or continue with${again}:`);
  out.hint(next);
}
