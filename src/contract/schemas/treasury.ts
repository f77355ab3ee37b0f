import * as z from 'zod';
import {ACCOUNT_TRANSFER_STATUSES} from '../lifecycle.ts';
import {LIMITS} from '../limits.ts';
import {ACCOUNT_TRANSFER_RAILS} from '../rails.ts';
import {
  AmountMinor,
  CalendarDay,
  CurrencyCode,
  Description,
  Name,
  PageQuery,
  Timestamp,
  Uuid,
  differ,
  nameOf,
  pageSchemaOf,
} from './fields.ts';

/** Interface document: identifier, label and currency; the rest is assumption 19. */
export const TreasuryAccount = z.looseObject({
  id: Uuid,
  label: z.string(),
  currency_code: CurrencyCode,
  /** `SIM` for a simulated account, the only kind that accepts simulated credits. */
  type: z.string(),
  status: z.string(),
});
export const TreasuryAccountPage = pageSchemaOf(TreasuryAccount);

/** Assumption 22. */
export const AccountLabelUpdate = z.strictObject({label: nameOf(LIMITS.labelLength)});

/** Assumption 20: as last reported by the bank, at `as_of`. */
export const TreasuryBalance = z.looseObject({
  account_id: Uuid,
  currency_code: CurrencyCode,
  current_balance_in_minor_units: z.int(),
  available_balance_in_minor_units: z.int(),
  as_of: Timestamp,
});

/** Assumption 21: the amount is positive, and `direction` is its direction. */
export const BankTransaction = z.looseObject({
  id: Uuid,
  account_id: Uuid,
  amount_in_minor_units: z.int().positive(),
  direction: z.enum(['credit', 'debit']),
  currency_code: CurrencyCode,
  description: z.string().nullable(),
  bank_reference: z.string().nullable(),
  status: z.enum(['posted', 'pending']),
  /** Null while pending. */
  posted_at: Timestamp.nullable(),
  value_date: CalendarDay,
});
export const BankTransactionPage = pageSchemaOf(BankTransaction);

/** Assumption 29; the default currency is that of the account. */
export const InboundCreditSimulate = z.strictObject({
  amount_in_minor_units: AmountMinor,
  currency_code: CurrencyCode.optional(),
  description: Description.optional(),
  counterparty_name: Name.optional(),
});

/**
 * Assumption 23. Which rails exist is decided by the service (assumption 25), so that a client can send a new one.
 */
export const AccountTransferCreate = z
  .strictObject({
    source_account_id: Uuid,
    destination_account_id: Uuid,
    amount_in_minor_units: AmountMinor,
    currency_code: CurrencyCode,
    rail: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,50}$/, 'letters, digits, _ and -, 50 at most')
      .meta({examples: [...ACCOUNT_TRANSFER_RAILS]}),
    auto_approve: z.boolean().optional(),
    description: Description.nullish(),
  })
  .superRefine(differ('source_account_id', 'destination_account_id'));

/** Assumption 24. */
export const AccountTransfer = z.looseObject({
  id: Uuid,
  source_account_id: Uuid,
  destination_account_id: Uuid,
  amount_in_minor_units: z.int(),
  currency_code: CurrencyCode,
  rail: z.string(),
  status: z.enum(ACCOUNT_TRANSFER_STATUSES),
  auto_approve: z.boolean().optional(),
  description: z.string().nullish(),
  /** Only if it failed. */
  failure_reason: z.string().nullish(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const AccountTransferPage = pageSchemaOf(AccountTransfer);

/** Assumption 27: `account_id` is the source or the destination. */
export const AccountTransferListQuery = z.strictObject({
  ...PageQuery.shape,
  status: z.enum(ACCOUNT_TRANSFER_STATUSES).optional(),
  account_id: Uuid.optional(),
});
