/** Why the amount of a write is not known. */
export interface Unread {
  /** A clause: `its amount_in_minor_units is "x", not a whole number of minor units`. */
  why: string;
  /** There is no amount in any form, so one may be stated with --amount and --currency. */
  absent: boolean;
  /** The request is not one of the contract: it may move no money at all. */
  mayMoveNothing?: boolean;
}

/** One line of the confirmation of a live write, such as `['payee', 'Acme Ltd (0192…)']`. */
export type Detail = readonly [label: string, text: string];

/** What the service is asked for before a live write is confirmed. */
export interface Details {
  /** Who is paid, and by which method. */
  who: readonly Detail[];
  /** When, from which subaccount, and what happens next. */
  when: readonly Detail[];
}

/** What a person must see, and a cap must be checked against, before a write leaves. */
export interface WriteFacts {
  /** Verb and noun: `create payout`. */
  operation: string;
  /** Who or what it is about: label and id, such as `['payee', '5f0c…']`. */
  party?: readonly [label: string, id: string] | undefined;
  /** Absent where the write moves no stated amount. */
  amountMinor?: bigint | undefined;
  /** Absent where the service chooses it. */
  currency?: string | undefined;
  /** Set where the write moves money of which the amount could not be read. */
  unread?: Unread | undefined;
  /** The amount comes from --amount and --currency, since the service names none. */
  stated?: boolean | undefined;
  /** Only for writes that name a rail or leave it to the service; `undefined` is checked against the allowed rails. */
  rail?: {value: string | undefined} | undefined;
  /** Where amount, currency and rail were read; from the command's flags when absent. */
  source?: 'record' | 'body' | undefined;
  /** Called for a live write that is about to be confirmed; reads from the service. */
  details?: (() => Promise<Details>) | undefined;
}
