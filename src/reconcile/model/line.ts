/** A text of a line, with the path of its field, such as `description` or `Ntry/NtryDtls/TxDtls/Refs/EndToEndId`. */
export interface LineText {
  readonly path: string;
  readonly text: string;
}

/** A credit or a debit that a bank reports for one account. */
export interface BankLine {
  /**
   * The same in every run: source, account and the bank's id. A line without an id has the hash of its content and a
   * number that tells equal lines apart.
   */
  readonly key: string;
  /** The service's bank-reported transactions, or a statement file. */
  readonly source: 'service' | 'statement';
  /** The id of the treasury account. */
  readonly account: string;
  /** Undefined if the bank gave none. */
  readonly id: string | undefined;
  /** Minor units of the currency. Money that leaves the account is negative. */
  readonly amount: bigint;
  readonly currency: string;
  /** `YYYY-MM-DD`, the day on which the bank booked it. */
  readonly bookingDay: string;
  /** `YYYY-MM-DD`. */
  readonly valueDay: string | undefined;
  readonly state: 'posted' | 'pending';
  /** An ACH return code such as `R01`, or an ISO 20022 reason such as `AC04`, where the bank has a field for it. */
  readonly returnCode: string | undefined;
  /** Every other text that the bank gave. */
  readonly texts: readonly LineText[];
}

/** The balances of an account over a period, as a bank states them. Minor units. */
export interface StatedBalances {
  readonly account: string;
  readonly currency: string;
  readonly opening: bigint;
  readonly closing: bigint;
  /** `YYYY-MM-DD`, both included. */
  readonly from: string;
  readonly to: string;
}
