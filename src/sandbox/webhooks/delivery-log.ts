import type {DeliveryState} from './deliveries.ts';

/**
 * One line of the log: an attempt at a delivery and what follows from it, or a delivery that a fault dropped. It holds no
 * secret and no body.
 */
export interface DeliveryEntry {
  type: 'delivery';
  /** ISO 8601, of the machine's clock. */
  at: string;
  delivery_id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  url: string;
  mode: 'test' | 'live';
  /** As answered; null where no answer came. */
  status: number | null;
  elapsed_ms: number;
  /** Counted from 1; one by hand does not count. Of a dropped delivery: how many were made before. */
  attempt: number;
  /** Where the delivery stands now; null when an attempt by hand changed nothing. */
  state: DeliveryState | null;
  /** ISO 8601, of the sandbox's clock. */
  next_attempt_at: string | null;
  error?: string;
  /** The injected effect. */
  fault?: string;
  by_hand?: boolean;
}
