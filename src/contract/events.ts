import {keysOf} from '../narrow.ts';

/** One event type: when it is sent, and the schema of its `data`. */
export interface EventType {
  readonly description: string;
  /** A name of `schemas/registry.ts`. */
  readonly data: `${string}EventData`;
}

/**
 * Interface document, "Event types": the complete list; moves, account transfers and payment methods send none
 * (assumption 35).
 */
export const EVENT_TYPES = {
  'payout.debited': {description: "Funds were debited from the sender's account", data: 'PayoutEventData'},
  'payout.settled': {description: 'The payout was settled to the recipient', data: 'PayoutEventData'},
  'payout.failed': {description: 'The payout failed during processing', data: 'PayoutEventData'},
  'payin.settled': {description: 'The payin was settled and its funds received', data: 'PayinEventData'},
  'payin.failed': {description: 'The payin failed during processing', data: 'PayinEventData'},
  'subaccount.credit_received': {
    description: 'An inbound credit was received on a virtual subaccount',
    data: 'SubaccountCreditEventData',
  },
} as const satisfies Record<string, EventType>;

/** A documented event type; the service may send others later. */
export type EventTypeName = keyof typeof EVENT_TYPES;
export const EVENT_TYPE_NAMES = keysOf(EVENT_TYPES);

/** Interface document, "Signature": lower-case hex HMAC-SHA256 over `{timestamp}.{raw body}`. */
export const WEBHOOK_HEADERS = {signature: 'X-Webhook-Signature', timestamp: 'X-Webhook-Timestamp'} as const;
