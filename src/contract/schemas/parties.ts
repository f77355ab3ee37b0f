import * as z from 'zod';
import {ROUTING_NUMBER} from '../account-number.ts';
import {VERIFICATION_STATUSES} from '../lifecycle.ts';
import {CurrencyCode, Metadata, Name, Timestamp, Uuid, pageSchemaOf} from './fields.ts';

const partyType = z.enum(['individual', 'business']);

/** Assumption 10. */
export const PartyCreate = z.strictObject({
  name: Name,
  email: z.email().optional(),
  type: partyType.optional(),
  metadata: Metadata.optional(),
});
export const PartyUpdate = PartyCreate.partial();
export const Party = z.looseObject({
  id: Uuid,
  name: z.string(),
  email: z.string().nullable(),
  type: partyType,
  metadata: z.record(z.string(), z.string()),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const PartyPage = pageSchemaOf(Party);

const market = {
  country_code: z.string().regex(/^[A-Z]{2}$/, 'a country code is two capital letters (ISO 3166-1 alpha-2)'),
  currency_code: CurrencyCode,
  is_default: z.boolean().optional(),
};
const bankAccount = z.strictObject({
  account_number: z.string().regex(/^\d{4,17}$/, 'must have 4 to 17 digits'),
  routing_number: z.string().regex(ROUTING_NUMBER, 'must have 9 digits'),
  account_type: z.enum(['checking', 'savings']),
  holder_name: Name,
});
const card = z.strictObject({
  number: z.string().regex(/^\d{12,19}$/, 'must have 12 to 19 digits'),
  exp_month: z.int().min(1).max(12),
  exp_year: z.int().min(2000).max(2100),
});

/** Assumption 12; a payer can only have bank accounts (interface document, "Payment method"). */
export const PayerPaymentMethodAdd = z.strictObject({
  type: z.literal('bank_account'),
  ...market,
  bank_account: bankAccount,
});
export const PayeePaymentMethodAdd = z.discriminatedUnion('type', [
  PayerPaymentMethodAdd,
  z.strictObject({type: z.literal('card'), ...market, card}),
]);
/** Assumption 14. */
export const PaymentMethodUpdate = z.strictObject({is_default: z.literal(true)});

/** Assumption 15: never the account or card number. */
export const PaymentMethod = z.looseObject({
  id: Uuid,
  payee_id: Uuid.optional(),
  payer_id: Uuid.optional(),
  type: z.enum(['bank_account', 'card']),
  country_code: z.string(),
  currency_code: CurrencyCode,
  verification_status: z.enum(VERIFICATION_STATUSES),
  is_default: z.boolean(),
  last4: z.string(),
  bank_name: z.string().optional(),
  brand: z.string().optional(),
  supported_rails: z.array(z.string()),
  created_at: Timestamp,
  updated_at: Timestamp,
  warning: z.string().optional(),
});
export const PaymentMethodPage = pageSchemaOf(PaymentMethod);
