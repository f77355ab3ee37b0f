import * as z from 'zod';
import {EVENT_TYPE_NAMES} from '../events.ts';
import {LIMITS} from '../limits.ts';
import {Description, Timestamp, Uuid, pageSchemaOf} from './fields.ts';

/** Interface document, "Limits": HTTPS. Whether the address is public is decided by the service. */
const url = z.url({protocol: /^https$/, error: 'must be an https URL'}).max(LIMITS.urlLength);
/** Checks only the format, so that a client can subscribe to future types; the service knows which types exist. */
const eventTypes = z
  .array(
    z
      .string()
      .regex(/^[a-z_]+(\.[a-z_]+)+$/, 'an event type is words joined by dots')
      .max(100)
      .meta({examples: EVENT_TYPE_NAMES}),
  )
  .min(1)
  .max(100);

/** Assumptions 30 and 31. Active from the start by default. */
export const WebhookEndpointCreate = z.strictObject({
  url,
  event_types: eventTypes,
  description: Description.nullish(),
  is_active: z.boolean().optional(),
});
export const WebhookEndpointUpdate = WebhookEndpointCreate.partial();
/** Assumption 32: without a value it toggles. */
export const WebhookEndpointToggle = z.strictObject({is_active: z.boolean().optional()});

export const WebhookEndpoint = z.looseObject({
  id: Uuid,
  url: z.string(),
  event_types: z.array(z.string()),
  is_active: z.boolean(),
  description: z.string().nullish(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const WebhookEndpointPage = pageSchemaOf(WebhookEndpoint);
/** The only answer that contains the secret (assumption 31). */
export const WebhookEndpointCreated = z.looseObject({...WebhookEndpoint.shape, signing_secret: z.string()});

/** Assumption 33. */
export const EventTypeList = z.looseObject({
  data: z.array(z.looseObject({type: z.string(), description: z.string()})),
});

/** Interface document, "Event types": the contents of `data`. */
export const PayoutEventData = z.looseObject({payout_id: Uuid});
export const PayinEventData = z.looseObject({payin_id: Uuid});
export const SubaccountCreditEventData = z.looseObject({
  subaccount_id: Uuid,
  /** Legacy; the same value. */
  amount_cents: z.int(),
  amount_in_minor_units: z.int(),
});
/** Interface document, "Event body". */
export const WebhookEvent = z.looseObject({id: z.string(), type: z.string(), data: z.looseObject({})});
