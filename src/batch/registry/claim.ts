/** A claim of one row. */
export interface Claim {
  reference: string;
  fingerprint: string;
  generation: number;
  party: string;
  amount: number;
  currency: string;
  /** For a row that may have been sent before: when the service may first have seen its key. */
  outcome?: {stagedAt: number | null} | undefined;
}
