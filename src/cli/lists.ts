import type {Listing} from '../client/pages.ts';
import type {View} from '../output/view.ts';
import {commandLine} from './command-line.ts';
import type {Context} from './context.ts';

export interface ListFlagValues {
  limit?: number | undefined;
  all?: boolean | undefined;
  'page-size'?: number | undefined;
  cursor?: string | undefined;
}

const DEFAULT_LIMIT = 50;

/** `--limit`, `--all`, `--page-size` and `--cursor` as the client takes them. */
export const listOptions = (context: Context, flags: ListFlagValues) => ({
  limit: flags.all ? undefined : (flags.limit ?? DEFAULT_LIMIT),
  all: flags.all,
  pageSize: flags['page-size'],
  cursor: flags.cursor,
  signal: context.stop.signal,
});

/** Writes a list and, when it stopped at its limit, says so with the command that goes on. */
export async function showList(
  {out}: Context,
  listing: Listing<unknown>,
  view: View,
  command: {id: string; argv: readonly string[]},
): Promise<void> {
  const count = await out.list(listing, view);
  if (!listing.more || listing.nextCursor === undefined || out.closed) return;
  const next = commandLine(command.id, command.argv, {
    without: ['--cursor'],
    add: ['--cursor', listing.nextCursor],
  });
  const again = listing.overlap > 0 ? ` (its first ${listing.overlap} are among these)` : '';
  out.note(
    `More ${view.plural} exist; ${count} are shown. --all shows every one. The next${again}:\n  ${next}`,
  );
}
