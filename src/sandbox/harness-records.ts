import type {EventTypeName} from '../contract/events.ts';
import type {OUTCOMES, SimulatedKind} from './outcomes/outcomes.ts';

// What the methods of a sandbox for tests take and give. The answers have the shapes of docs/reference/control.md. They
// are declared again here, because those of the sandbox itself follow from zod, which users of the library do not have.

export interface SeedInput {
  payees?: number | undefined;
  payers?: number | undefined;
  /** Determines ids and names; repeating a seed changes nothing. */
  seed?: string | undefined;
  /** Default `test`. */
  mode?: 'test' | 'live' | undefined;
}

export interface SeededParty {
  id: string;
  payment_method_id: string;
  name: string;
}

export interface SeededParties {
  payees: SeededParty[];
  payers: SeededParty[];
}

/** How far: milliseconds, to a time (ISO 8601), to the next scheduled step, or until nothing is scheduled. */
export type Advancing =
  | {ms: number; to?: never; until?: never}
  | {to: string; ms?: never; until?: never}
  | {until: 'next' | 'idle'; ms?: never; to?: never};

export interface AdvancedClock {
  /** The sandbox's time. */
  now: string;
  /** Scheduled steps that happened. */
  fired: number;
  /** Requests sent to webhook endpoints. */
  attempts: number;
  /** Deliveries that ended: delivered, failed or dropped. */
  deliveries: number;
  /** Whether nothing is scheduled any more; present with `until: 'idle'`. */
  idle?: boolean;
  /** Deliveries that are still waiting for slow receivers; they continue in the background. */
  deliveries_under_way?: number;
}

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

export interface SimulatedRecord {
  kind: string;
  id: string;
  outcome: string;
  /** The current status of the record. */
  status: string;
  code?: string;
  balance_in_minor_units?: number;
  currency_code?: string;
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

/** How the time of the sandbox passes. */
export type HarnessClockMode = {mode: 'real' | 'frozen'} | {mode: 'accelerated'; speed: number};

export interface HarnessClock {
  mode: 'real' | 'accelerated' | 'frozen';
  /** The sandbox's time. */
  now: string;
  timing: 'fast' | 'instant' | 'real';
  /** The speed of an accelerated clock: sandbox seconds per second. */
  speed?: number;
}

export interface SavedCheckpoint {
  name: string;
  /** The machine's time. */
  saved_at: string;
  /** The sandbox's time, to which a restore goes back. */
  clock_at: string;
}

export type HarnessDeliveryState = 'pending' | 'sending' | 'delivered' | 'failed' | 'dropped' | 'canceled';

/** Which deliveries; all if absent. */
export interface DeliveriesWanted {
  state?: HarnessDeliveryState | undefined;
  event?: EventTypeName | undefined;
  /** Id of a webhook endpoint. */
  endpoint?: string | undefined;
  /** Only deliveries older than the one with this id. */
  before?: string | undefined;
  /** Up to 1000; default 50. */
  limit?: number | undefined;
}

/** One event for one endpoint. Times are the sandbox's. */
export interface HarnessDelivery {
  id: string;
  event_id: string;
  event_type: EventTypeName;
  endpoint_id: string;
  url: string;
  mode: 'test' | 'live';
  state: HarnessDeliveryState;
  /** Requests sent, redeliveries included. */
  sent: number;
  last_status: number | null;
  last_error: string | null;
  next_attempt_at: string | null;
  created_at: string;
}

export interface HarnessDeliveryDetails extends HarnessDelivery {
  /** The body, byte for byte. */
  payload: string;
  attempts: HarnessAttempt[];
}

/** One request of a delivery. */
export interface HarnessAttempt {
  n: number;
  by_hand: boolean;
  /** The sandbox's time. */
  at: string;
  /** The machine's time. */
  sent_at: string;
  /** The timestamp header that was sent. */
  timestamp: string;
  elapsed_ms: number;
  status: number | null;
  error_code: string | null;
  error: string | null;
  /** The first characters of the answer. */
  response: string;
  fault: string | null;
}
