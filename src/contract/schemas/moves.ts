import * as z from 'zod';
import {MOVE_STATUSES} from '../lifecycle.ts';
import {
  AmountMinor,
  CurrencyCode,
  Description,
  Name,
  Timestamp,
  Uuid,
  differ,
  pageSchemaOf,
} from './fields.ts';

/** Assumption 7; the default currency is that of the source. */
export const MoveCreate = z
  .strictObject({
    source_subaccount_id: Uuid,
    destination_subaccount_id: Uuid,
    amount_in_minor_units: AmountMinor,
    currency_code: CurrencyCode.optional(),
    description: Description.nullish(),
  })
  .superRefine(differ('source_subaccount_id', 'destination_subaccount_id'));

/** Interface document, "Move". */
export const Move = z.looseObject({
  id: Uuid,
  source_subaccount_id: Uuid,
  destination_subaccount_id: Uuid,
  amount_in_minor_units: z.int(),
  currency_code: CurrencyCode,
  status: z.enum(MOVE_STATUSES),
  created_at: Timestamp,
  /** Null until it is settled. */
  settled_at: Timestamp.nullish(),
  description: z.string().nullish(),
});

/** The warning is only sent with 207. */
export const MoveEnvelope = z.looseObject({data: Move, warning: z.string().optional()});
export const MovePage = pageSchemaOf(Move);

/** Assumption 11. */
export const SubaccountCreate = z.strictObject({name: Name, currency_code: CurrencyCode.optional()});
export const Subaccount = z.looseObject({
  id: Uuid,
  name: z.string(),
  currency_code: CurrencyCode,
  balance_in_minor_units: z.int(),
  status: z.string(),
  created_at: Timestamp,
});
export const SubaccountPage = pageSchemaOf(Subaccount);
