import {readAcknowledged} from '../journal/confirmations.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {Journal} from '../journal/journal.ts';
import type {Plan} from '../model/plan-facts.ts';
import type {RowState} from '../model/outcome.ts';
import {ALIKE_MS, type EarlierPayment, earlierPayment} from './earlier-payments.ts';
import type {Registry} from './registry.ts';

/** A row, and the earlier payment that it may repeat. */
export interface AlikeExample {
  reference: string;
  earlier: EarlierPayment;
}

export interface Alike {
  count: number;
  /** The first five. */
  examples: AlikeExample[];
}

/** What a command has to acknowledge before it pays. */
export interface LookAlikes {
  /** References that differ from one in the registry only in case or spaces. */
  similar: {count: number; examples: string[][]};
  /** Rows that look like an earlier payment of the last thirty days, in any namespace. */
  alike: Alike;
}

export const noneAlike = (): Alike => ({count: 0, examples: []});

const EXAMPLES = 5;

export function noteLookalikes(
  {similar, alike}: LookAlikes,
  row: JournalRow,
  {registry, since, now}: {registry: Registry; since: number; now: number},
): void {
  const references = registry.entries.similar(row.reference, since);
  if (references.length > 0 && similar.count++ < EXAMPLES)
    similar.examples.push([row.reference, ...references]);
  addAlike(alike, row, earlierPayment(registry, row, Math.max(since, now - ALIKE_MS)));
}

/** How many rows look like a payment of the last thirty days. */
export const countAlike = (registry: Registry, rows: readonly JournalRow[], now: number): number =>
  rows.filter((row) => earlierPayment(registry, row, now - ALIKE_MS) !== undefined).length;

export function addAlike(
  alike: Alike,
  {reference}: {reference: string},
  earlier: EarlierPayment | undefined,
): void {
  if (earlier !== undefined && alike.count++ < EXAMPLES) alike.examples.push({reference, earlier});
}

/** States of rows that were sent, and whose payment a later command may still approve. */
const UNPAID: ReadonlySet<RowState> = new Set(['staged', 'held', 'unapproved', 'in_doubt']);

/** Whether the survey counts the look-alikes of a row that was sent, because a release may still pay it. */
export const mayBeReleased = ({outcome}: JournalRow): boolean =>
  outcome !== undefined && UNPAID.has(outcome.state);

/**
 * Counts, page by page, the look-alikes of rows that this batch has sent and not paid. Another batch may have paid the
 * same since the plan was acknowledged, or if it was not acknowledged, since the row was sent.
 */
export function newerCounter({
  journal,
  plan,
  registry,
  now,
}: {
  journal: Journal;
  plan: Plan;
  registry: Registry;
  now: number;
}): (found: LookAlikes, page: readonly JournalRow[]) => void {
  const {entries, openCreates} = registry;
  const acknowledgedAt = readAcknowledged(journal, plan)?.at;
  if (openCreates.isEmpty && !entries.haveNewer(acknowledgedAt ?? 0)) return () => undefined; // of most releases
  return (found, page) => {
    const rows = page.flatMap((row) => {
      // A run that was killed leaves rows in doubt that have no outcome yet.
      const covered = row.outcome === undefined ? journal.coveredSince(row.n) : undefined;
      if (covered === undefined && !mayBeReleased(row)) return [];
      return [{row, since: acknowledgedAt ?? row.outcome?.stagedAt ?? covered ?? 0}];
    });
    const candidates = openCreates.isEmpty && rows.length > 0 ? entries.newer(rows) : undefined;
    for (const {row, since} of rows)
      if (candidates?.has(row.n) !== false) noteLookalikes(found, row, {registry, since, now});
  };
}
