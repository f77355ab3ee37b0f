import type {Mode} from '../../contract/mode.ts';
import type {DeliveryState} from '../base/shown-records.ts';

/**
 * One entry of the log: an attempt at a delivery and what follows from it, or a delivery that a fault dropped. It
 * contains no secret and no body.
 */
export interface DeliveryEntry {
  type: 'delivery';
  /** ISO 8601, by the machine's clock. */
  at: string;
  delivery_id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  url: string;
  mode: Mode;
  /** The status as answered; null if no answer arrived. */
  status: number | null;
  elapsed_ms: number;
  /** Counted from 1; attempts by hand do not count. For a dropped delivery: how many were made before. */
  attempt: number;
  /** The resulting state of the delivery; null if an attempt by hand changed nothing. */
  state: DeliveryState | null;
  /** ISO 8601, by the sandbox's clock. */
  next_attempt_at: string | null;
  error?: string;
  /** The injected effect. */
  fault?: string;
  by_hand?: boolean;
}
