import * as z from 'zod';
import {TRANSFER_STATUSES} from '../lifecycle.ts';
import {PAYIN_RAILS, PAYOUT_RAILS} from '../rails.ts';
import {
  AmountMinor,
  CalendarDay,
  CurrencyCode,
  Metadata,
  PageQuery,
  Timestamp,
  Uuid,
  pageSchemaOf,
} from './fields.ts';

const status = z.enum(TRANSFER_STATUSES);

/**
 * Interface document, "Payin" and "Payout": the deprecated alias may be used alone; if both are given they must agree
 * (assumption 50).
 */
const amounts = {
  amount_in_minor_units: AmountMinor.optional(),
  amount_in_cents: AmountMinor.nullish().meta({deprecated: true}),
};
/** That rule, for readers of JSON Schema. */
const oneAmount = {anyOf: [{required: ['amount_in_minor_units']}, {required: ['amount_in_cents']}]};

function checkAmounts(
  body: {amount_in_minor_units?: number | undefined; amount_in_cents?: number | null | undefined},
  context: z.RefinementCtx,
): void {
  const {amount_in_minor_units: minor, amount_in_cents: cents} = body;
  const complain = (message: string) =>
    context.addIssue({code: 'custom', message, path: ['amount_in_minor_units']});
  if (minor === undefined && (cents === undefined || cents === null)) complain('is required');
  else if (minor !== undefined && typeof cents === 'number' && cents !== minor)
    complain('differs from amount_in_cents');
}

export const PayinCreate = z
  .strictObject({
    payer_id: Uuid,
    ...amounts,
    currency_code: CurrencyCode.optional(),
    rail: z.enum(PAYIN_RAILS).nullish(),
    payment_method_id: Uuid.nullish(),
    subaccount_id: Uuid.nullish(),
    auto_approve: z.boolean().optional(),
    metadata: Metadata.nullish(),
    scheduled_date: CalendarDay.nullish(),
  })
  .superRefine(checkAmounts)
  .meta(oneAmount);

/** `metadata` and `payout_metadata` are two names for one field; different values are refused (assumption 51). */
export const PayoutCreate = z
  .strictObject({
    payee_id: Uuid,
    ...amounts,
    currency_code: CurrencyCode.nullish(),
    rail: z.enum(PAYOUT_RAILS).optional(),
    subaccount_id: Uuid.nullish(),
    override_default_payment_method_id: Uuid.nullish(),
    metadata: Metadata.optional(),
    payout_metadata: Metadata.optional(),
    auto_approve: z.boolean().optional(),
    scheduled_date: CalendarDay.nullish(),
  })
  .superRefine(checkAmounts)
  .superRefine((body, context) => {
    if (body.metadata && body.payout_metadata && !sameEntries(body.metadata, body.payout_metadata))
      context.addIssue({code: 'custom', message: 'differs from metadata', path: ['payout_metadata']});
  })
  .meta(oneAmount);

function sameEntries(a: Record<string, string>, b: Record<string, string>): boolean {
  return Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => a[key] === b[key]);
}

const answered = {
  id: Uuid,
  subaccount_id: Uuid.nullable(),
  status,
  amount_in_minor_units: z.int(),
  amount_in_cents: z.int().meta({deprecated: true}),
  currency_code: CurrencyCode,
  country_code: z.string(),
  rail: z.string(),
  client_metadata: z.record(z.string(), z.string()),
  created_at: Timestamp,
  updated_at: Timestamp,
  /** Only on 207. */
  warning: z.string().optional(),
};

export const Payin = z.looseObject({
  ...answered,
  payer_id: Uuid,
  payin_metadata: z.looseObject({}),
  status_recorded_at: Timestamp,
});

export const Payout = z.looseObject({
  ...answered,
  payee_id: Uuid,
  /** Payment method and payee, masked; not the metadata that the client sent. */
  payout_metadata: z.looseObject({}),
  /** Only after processing began. */
  transfer_details: z.looseObject({}).nullish(),
});

const listed = {
  ...PageQuery.shape,
  status: status.optional(),
  created_from: z.iso.datetime({offset: true}).optional(),
  created_to: z.iso.datetime({offset: true}).optional(),
};
/** Assumption 5. */
export const PayinListQuery = z.strictObject({...listed, payer_id: Uuid.optional()});
export const PayoutListQuery = z.strictObject({...listed, payee_id: Uuid.optional()});
export const PayinPage = pageSchemaOf(Payin);
export const PayoutPage = pageSchemaOf(Payout);
