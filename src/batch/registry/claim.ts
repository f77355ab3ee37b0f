/** What a claim says of its row. */
export interface Claim {
  reference: string;
  fingerprint: string;
  generation: number;
  party: string;
  amount: number;
  currency: string;
  /** Of a row that may have been sent before: since when its key may be known. */
  outcome?: {stagedAt: number | null} | undefined;
}
