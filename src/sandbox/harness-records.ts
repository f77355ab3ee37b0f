import type {EventTypeName} from '../contract/events.ts';
import type {OUTCOMES, SimulatedKind} from './outcomes/outcomes.ts';
import type {DeliveryState} from './base/shown-records.ts';

// What only the methods of a sandbox for tests take and give. These are not types of zod, which users of the library do
// not have.

export interface SeedInput {
  payees?: number | undefined;
  payers?: number | undefined;
  /** Determines ids and names; repeating a seed changes nothing. */
  seed?: string | undefined;
  /** Default `test`. */
  mode?: 'test' | 'live' | undefined;
}

/** How far: milliseconds, to a time (ISO 8601), to the next scheduled step, or until nothing is scheduled. */
export type Advancing =
  | {ms: number; to?: never; until?: never}
  | {to: string; ms?: never; until?: never}
  | {until: 'next' | 'idle'; ms?: never; to?: never};

/** An outcome that the bank applies to a record at once. Each kind of record has its own outcomes. */
export type OutcomeInput = {[Kind in SimulatedKind]: OutcomeOf<Kind>}[SimulatedKind];

export interface OutcomeOf<Kind extends SimulatedKind> {
  kind: Kind;
  id: string;
  /** Such as `settle`, `fail` or `return`. */
  outcome: keyof (typeof OUTCOMES)[Kind];
  /** The bank's reason for `fail` and `return`. */
  code?: string | undefined;
  /** How long from now a settled record is returned, in milliseconds. */
  after_ms?: number | undefined;
  /** The amount of a `credit`. */
  amount_in_minor_units?: number | undefined;
}

export interface FaultRecord {
  id: string;
  /** Requests or attempts that matched. */
  seen: number;
  /** How many of them were affected. */
  hits: number;
}

export interface AuditedSandbox {
  /** POSTs to the API since the start or the last reset. */
  posts: number;
  /** Whether `problems` is empty. */
  balanced: boolean;
  problems: string[];
  entities: {
    id: string;
    mode: 'test' | 'live';
    name: string;
    /** Counts and sums by status; the amount is in minor units, as decimal text. */
    payouts: Readonly<Record<string, {count: number; amount: string}>>;
    payins: Readonly<Record<string, {count: number; amount: string}>>;
    /** Minor units, as decimal text. */
    balances: Readonly<Record<string, string>>;
  }[];
}

/** Which deliveries; all if absent. */
export interface DeliveriesWanted {
  state?: DeliveryState | undefined;
  event?: EventTypeName | undefined;
  /** Id of a webhook endpoint. */
  endpoint?: string | undefined;
  /** Only deliveries older than the one with this id. */
  before?: string | undefined;
  /** Up to 1000; default 50. */
  limit?: number | undefined;
}
