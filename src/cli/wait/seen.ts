import type {AwaitedKind, ReadLimits} from './awaited.ts';
import {expectedSettlement} from '../../contract/settlement.ts';
import {plainValue} from '../../output/records/view.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** What the last read of a record showed. */
export interface LastRead {
  status: string;
  /** The day on which it is expected to settle, if the service says so. */
  settles: string | undefined;
}

export const seenIn = (record: ServiceRecord): LastRead => ({
  status: record.status ?? 'unknown',
  settles: expectedSettlement(record),
});

/** `initiated, expected 2026-11-25`: beside an id, it fits into 80 columns. */
export function seenText(seen: LastRead | undefined): string {
  if (seen === undefined) return 'not read yet';
  const isOpen = seen.settles !== undefined && !['settled', 'failed', 'canceled'].includes(seen.status);
  return `${plainValue(seen.status)}${isOpen ? `, expected ${plainValue(seen.settles)}` : ''}`;
}

/** Without an approval it will never be settled; it can be canceled as it is. */
export const isUnapproved = (
  {lifecycle: {initial}}: Pick<AwaitedKind, 'lifecycle'>,
  status: string | undefined,
  until: string | undefined,
): boolean => until !== initial && until !== 'canceled' && status === initial;

const SHORTEST_READ_MS = 1_000;

/** One read of a wait: it is not repeated at once, and ends with the wait, but gets at least a second. */
export const readWithin = (leftMs: number): ReadLimits => ({
  retries: 0,
  totalMs: Math.max(leftMs, SHORTEST_READ_MS),
});
