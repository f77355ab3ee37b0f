/** Interface document, "Payin" and "Payout", field `rail`. Apart from the schemas, so that reading them loads no zod. */
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
 * The most that one transfer by a rail may carry, minor units of USD (assumption 64): Nacha's limit for same-day ACH, that
 * of RTP for instant payments. Rails not named carry any amount.
 */
export const RAIL_LIMITS_MINOR = {same_day_ach: 100_000_000, instant_bank: 1_000_000_000} as const;
