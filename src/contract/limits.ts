/** Interface document, "Limits"; the counting rules of metadata are row 52 of the assumptions. */
export const LIMITS = {
  metadataKeys: 50,
  /** Counted in code points. */
  metadataKeyLength: 40,
  /** Code points. */
  metadataValueLength: 500,
  /** Counted in UTF-8 bytes of the compact JSON. */
  metadataBytes: 16_384,
  /** The amount is a JSON integer, which JSON readers do not keep exact above 2^53 - 1. */
  amountMinorMax: Number.MAX_SAFE_INTEGER,
  webhookResponseMs: 10_000,
  /** Row 41. */
  pageSizeMin: 1,
  pageSizeMax: 100,
  pageSizeDefault: 20,
  /** Names of parties, subaccounts and account holders; rows 10 to 12. In characters, like the next two. */
  nameLength: 255,
  /** Row 22. */
  labelLength: 255,
  /** Rows 7, 23, 29, 31. */
  descriptionLength: 500,
  /** Row 31. */
  urlLength: 2048,
  /** Row 45: visible ASCII characters. */
  idempotencyKeyLength: 255,
} as const;

/** Interface document, "Payin", `scheduled_date`. */
export const SCHEDULE = {timeZone: 'America/New_York', hour: 9} as const;
