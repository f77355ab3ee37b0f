import type {EventTypeName} from '../../contract/events.ts';
import type {Mode} from '../../contract/mode.ts';
import type {ClockState} from '../time/clock.ts';
import type {TimingProfile} from '../time/timing.ts';

// What the control calls answer, which is also what the methods of a sandbox for tests return. Nothing here follows from
// zod, because users of the library do not have it.

export interface ClockStatus {
  mode: ClockState['mode'];
  now: string;
  timing: TimingProfile;
  /** The speed of an accelerated clock: sandbox seconds per second. */
  speed?: number;
}

/** The new time, and how many timers fired on the way. */
export interface Advanced {
  now: string;
  fired: number;
  /** Requests sent to webhook endpoints on the way, whatever their result. */
  attempts: number;
  /** Webhook deliveries that ended on the way: delivered, failed or dropped. */
  deliveries: number;
  /** Whether nothing is scheduled any more; present with `until: 'idle'`. */
  idle?: boolean;
  /** Webhook deliveries that are still waiting for slow receivers; they continue in the background. */
  deliveries_under_way?: number;
}

/** A checkpoint in a list. */
export interface Checkpoint {
  name: string;
  /** When it was saved, by the machine's clock. */
  saved_at: string;
  /** The sandbox time at which it was saved; a restore returns to it. */
  clock_at: string;
}

export interface ReadyParty {
  id: string;
  payment_method_id: string;
  name: string;
}

export interface Seeded {
  payees: ReadyParty[];
  payers: ReadyParty[];
}

/**
 * `pending` waits for its time, `sending` is claimed by a process. `dropped` is caused by a fault. `canceled`: its
 * endpoint was deleted, or no longer has its type.
 */
export const DELIVERY_STATES = ['pending', 'sending', 'delivered', 'failed', 'dropped', 'canceled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A delivery as the control routes show it. Times are of the sandbox's clock, except `sent_at` of an attempt. */
export interface ShownDelivery {
  id: string;
  event_id: string;
  event_type: EventTypeName;
  endpoint_id: string;
  url: string;
  mode: Mode;
  state: DeliveryState;
  /** How often it was sent, including by hand. */
  sent: number;
  last_status: number | null;
  last_error: string | null;
  next_attempt_at: string | null;
  created_at: string;
}

export interface ShownAttempt {
  n: number;
  by_hand: boolean;
  /** The sandbox's clock. */
  at: string;
  /** The machine's clock. */
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

export interface DeliveryRecord extends ShownDelivery {
  /** The body, byte for byte. */
  payload: string;
  attempts: ShownAttempt[];
}
