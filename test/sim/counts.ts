/** What happened in a world. A hazard that never comes true proves nothing, so each is counted where it does. */
export const COUNTED = [
  'plans',
  'runs',
  'requests',
  'paid',
  'kills',
  'powerCuts',
  'diskErrors',
  'signals',
  'lostAnswers',
  'copies',
  'forgottenKeys',
  'edits',
  'losses',
  'restores',
  'twins',
  'contenders',
  'retries',
  'byHand',
  'resolved',
  'waits',
  'approvedById',
  'cancels',
  'canceled',
  'mixedReads',
  'sharedRecords',
  'nextTyped',
  'refreshes',
  'lostApprovals',
  'bodiesRefused',
  'namesakesRefused',
  'namesakesPaid',
] as const;

export type Counts = Record<(typeof COUNTED)[number], number>;

export const noCounts = (): Counts => Object.fromEntries(COUNTED.map((name) => [name, 0])) as Counts; // all of them

export function addCounts(to: Counts, more: Counts): void {
  for (const name of COUNTED) to[name] += more[name];
}
