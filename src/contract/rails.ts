/**
 * Interface document, "Payin" and "Payout", field `rail`. Separate from the schemas, so that reading the rails does
 * not load zod.
 */
export const PAYIN_RAILS = ['standard_ach', 'same_day_ach'] as const;
export const PAYOUT_RAILS = ['instant_bank', 'same_day_ach', 'standard_ach', 'wire', 'instant_card'] as const;
/** Assumption 25. */
export const ACCOUNT_TRANSFER_RAILS = [
  'book',
  'wire',
  'same_day_ach',
  'standard_ach',
  'instant_bank',
] as const;

/**
 * The maximum amount of one transfer by rail, in minor units of USD (assumption 64): Nacha's limit for same-day ACH,
 * and the RTP limit for instant payments. Rails not listed have no limit.
 */
export const RAIL_LIMITS_MINOR = {same_day_ach: 100_000_000, instant_bank: 1_000_000_000} as const;
