/** Why the amount of a write is unknown. */
export interface UnreadAmount {
  /** A clause: `its amount_in_minor_units is "x", not a whole number of minor units`. */
  why: string;
  /** There is no amount in any form, so one may be stated with --amount and --currency. */
  absent: boolean;
  /** The record of the service has an amount that remit cannot read; a service file can describe it. */
  inRecord?: boolean;
  /** The request is not in the contract: it may move no money at all. */
  mayMoveNothing?: boolean;
}

/** One line of the confirmation of a live write, such as `['payee', 'Acme Ltd (0192…)']`. */
export type Detail = readonly [label: string, text: string];

/** What is fetched from the service before a live write is confirmed. */
export interface WriteDetails {
  /** The recipient, and the payment method. */
  who: readonly Detail[];
  /** When, from which subaccount, and what happens next. */
  when: readonly Detail[];
}

/** The facts to show, and to check against a cap, before a write is sent. */
export interface WriteFacts {
  /** Verb and noun: `create a payout`, `approve the payout`. */
  operation: string;
  /** The party or record: label and id, such as `['payee', '5f0c…']`. */
  party?: readonly [label: string, id: string] | undefined;
  /** Absent if the write moves no stated amount. */
  amountMinor?: bigint | undefined;
  /** Absent if the service chooses it. */
  currency?: string | undefined;
  /** Set if the write moves money whose amount could not be read. */
  unread?: UnreadAmount | undefined;
  /** Its request says that it cancels a record. A cancellation moves no money, so caps do not apply to it. */
  cancels?: boolean | undefined;
  /** The amount comes from --amount and --currency, because the service shows none. */
  stated?: boolean | undefined;
  /**
   * Only for writes that name a rail or leave it to the service; `undefined` is checked against the allowed rails.
   */
  rail?: {value: string | undefined} | undefined;
  /** Where amount, currency and rail were read; absent means the command's flags. */
  source?: 'record' | 'body' | undefined;
  /** Called for a live write that is about to be confirmed; reads from the service. */
  details?: (() => Promise<WriteDetails>) | undefined;
}
