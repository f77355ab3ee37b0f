/** The balance of an account, minor units, as the service reports it now. */
export interface ReportedBalance {
  readonly account: string;
  readonly currency: string;
  readonly minor: bigint;
  /** `YYYY-MM-DD`, when the bank reported it. */
  readonly day?: string | undefined;
}

/** What totals, lists and exports are about. */
export interface AskedPeriod {
  /** Ids of treasury accounts. */
  readonly accounts: readonly string[];
  /** `YYYY-MM-DD`, both included. */
  readonly from: string;
  readonly to: string;
  /** As far as they are known. */
  readonly reported?: readonly ReportedBalance[] | undefined;
}
