import type {Kind} from '../../src/batch/model/kinds.ts';
import {Dice} from './random.ts';
import type {ServiceRules, Weather} from './service.ts';

/** What can go wrong in a world; each may be left out, to find what a failure needs. */
export const HAZARDS = [
  'kills',
  'power',
  'disk',
  'network',
  'service',
  'weather',
  'slow-timers',
  'signals',
  'loss',
  'backup',
  'edits',
  'twin',
  'contender',
  'by-hand',
  'retry',
  'waiting',
  'stage-only',
  'odd-rows',
  'resolve',
  'long-waits',
  'approve-by-id',
  'cancel',
  'mixed-reads',
  'shared-records',
  'refresh',
  'lost-approvals',
  'bodies-compared',
  'namespaces',
] as const;
export type Hazard = (typeof HAZARDS)[number];

/** A world as drawn from its seed, before anything happens in it. */
export interface Schedule {
  seed: number;
  kind: Kind;
  rows: number;
  /** What the operator does before the end, when everything is set right. */
  steps: number;
  horizonMs: number;
  /** Least time for which keys are remembered: the horizon and more, or `short`. */
  memory: 'long' | 'short';
  isDirect: boolean;
  hazards: ReadonlySet<Hazard>;
  /** Share of requests in network trouble, and of those that meet a fault of the service. */
  trouble: number;
  faults: number;
  turns: number;
  weathers: ServiceRules['weathers'];
  maxInFlight: number;
  /** Short timers are this much slower than asked for. */
  slowness: number;
  /** Each request is held against the windows on the disk. */
  isAudited: boolean;
}

/** Added later, so that worlds without them stay the same. */
const WITH_OWN_DICE: ReadonlySet<Hazard> = new Set([
  ...(['cancel', 'mixed-reads', 'shared-records', 'refresh'] as const),
  ...(['lost-approvals', 'bodies-compared', 'namespaces'] as const),
]);
/** Only the journal shows that two payments have one record, so losing the journal hides it. */
const BEYOND_ONE_JOURNAL: readonly Hazard[] = ['loss', 'backup', 'twin', 'edits', 'namespaces'];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function drawSchedule(
  seed: number,
  without: readonly Hazard[] = [],
  rows?: number,
  steps?: number,
): Schedule {
  const dice = new Dice(seed, 'schedule');
  // How often a world has each: few have all, so that each is also seen alone.
  const shares: Record<Hazard, number> = {
    ...{kills: 0.7, power: 0.2, disk: 0.15, network: 0.7, service: 0.7, weather: 0.3, 'slow-timers': 0.8},
    ...{signals: 0.25, loss: 0.25, backup: 0.08, edits: 0.3, twin: 0.1, contender: 0.1, 'by-hand': 0.1},
    ...{retry: 0.15, waiting: 0.3, 'stage-only': 0.3, 'odd-rows': 0.5, resolve: 0.15},
    ...{'long-waits': 0.15, 'approve-by-id': 0.3, cancel: 0.15},
    ...{'mixed-reads': 0.1, 'shared-records': 0.1, refresh: 0.2},
    ...{'lost-approvals': 0.1, 'bodies-compared': 0.1, namespaces: 0.1},
  };
  const drawn = HAZARDS.filter((hazard) =>
    (WITH_OWN_DICE.has(hazard) ? new Dice(seed, hazard) : dice).chance(shares[hazard]),
  );
  const left = drawn.includes('shared-records') ? [...without, ...BEYOND_ONE_JOURNAL] : without;
  const hazards = new Set(drawn.filter((hazard) => !left.includes(hazard)));
  const horizonMs = dice.pick([10 * MINUTE_MS, HOUR_MS, 24 * HOUR_MS]);
  const intensity = dice.pick([0.03, 0.1, 0.1, 0.3]);
  const schedule: Schedule = {
    seed,
    kind: dice.chance(0.85) ? 'payout' : 'payin',
    rows: 1 + dice.below(dice.chance(0.1) ? 12 : 5),
    steps: dice.pick([1, 1, 2, 2, 3, 4]),
    horizonMs,
    memory: dice.chance(0.75) ? 'long' : 'short',
    isDirect: dice.chance(0.3),
    hazards,
    trouble: hazards.has('network') ? intensity : 0,
    faults: hazards.has('service') ? dice.pick([0.03, 0.1, 0.3]) : 0,
    turns: hazards.has('weather') ? dice.pick([0.02, 0.1]) : 0,
    weathers: drawWeathers(dice),
    maxInFlight: dice.pick([1, 2, 4, 16, 64]),
    slowness: dice.pick([5, 20, 60]),
    isAudited: dice.chance(hazards.has('power') ? 0.1 : 0.02),
  };
  return {...schedule, rows: rows ?? schedule.rows, steps: steps ?? schedule.steps};
}

/** Mostly fair, and two other kinds. */
function drawWeathers(dice: Dice): ServiceRules['weathers'] {
  const others = dice.shuffle<Weather>([
    ...(['throttling', 'throttling', 'failing', 'failing-late', 'failing-late', 'maintenance'] as const),
    ...(['unauthorised', 'forbidden', 'lost-route', 'redirecting', 'portal'] as const),
  ]);
  return {fair: 3, [others[0]!]: 1, [others[1]!]: 1};
}
