import * as z from 'zod';
import {VERIFICATION_STATUSES} from '../lifecycle.ts';
import {marketOf} from '../markets.ts';
import {CurrencyCode, Metadata, Name, Timestamp, Uuid, pageSchemaOf} from './fields.ts';
import type {JsonFields} from '../../narrow.ts';

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
/** Its fields depend on the country; in a country without known ones all are accepted. */
const bankAccount = z
  .object({
    holder_name: Name,
    account_number: z.string().optional(),
    routing_number: z.string().optional(),
    account_type: z.enum(['checking', 'savings']).optional(),
    sort_code: z.string().optional(),
    institution_number: z.string().optional(),
    transit_number: z.string().optional(),
    bsb: z.string().optional(),
    clabe: z.string().optional(),
    iban: z.string().optional(),
  })
  .catchall(z.string().min(1).max(140).optional());
const card = z.strictObject({
  number: z.string().regex(/^\d{12,19}$/, 'must have 12 to 19 digits'),
  exp_month: z.int().min(1).max(12),
  exp_year: z.int().min(2000).max(2100),
});

/** Fields of bank accounts by country (assumptions 12 and 86). Check digits are left to the service. */
function checkMarket(
  {country_code, bank_account: account}: {country_code: string; bank_account: JsonFields},
  context: z.RefinementCtx,
): void {
  const market = marketOf(country_code);
  if (market === undefined) return;
  const issue = (field: string, message: string) =>
    context.addIssue({code: 'custom', path: ['bank_account', field], message});
  const fields = [...market.bank, market.account];
  for (const {name, form, must} of fields) {
    const value = account[name];
    if (typeof value !== 'string') issue(name, 'is missing');
    else if (!form.test(value)) issue(name, must);
  }
  if (market.hasType && account['account_type'] === undefined) issue('account_type', 'is missing');
  const known = new Set([
    'holder_name',
    ...(market.hasType ? ['account_type'] : []),
    ...fields.map(({name}) => name),
  ]);
  for (const [name, value] of Object.entries(account))
    if (value !== undefined && !known.has(name))
      issue(name, `is not a field of a bank account in ${country_code}`);
}

/** Assumption 12; a payer can only have bank accounts (interface document, "Payment method"). */
export const PayerPaymentMethodAdd = z
  .strictObject({type: z.literal('bank_account'), ...market, bank_account: bankAccount})
  .superRefine(checkMarket);
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
