/** A bank's reason for a failed payment. */
export interface BankFailure {
  code: string;
  message: string;
}

interface Reason {
  message: string;
  /** The account or card itself is invalid, so that nothing else can be sent to it. */
  badAccount?: true;
}

/** Returns of the ACH network, by the code in its rules. */
export const ACH_RETURNS: Readonly<Record<string, Reason>> = {
  R01: {message: 'Insufficient funds'},
  R02: {message: 'Account closed', badAccount: true},
  R03: {message: 'No account, or unable to locate the account', badAccount: true},
  R04: {message: 'Invalid account number', badAccount: true},
  R06: {message: 'Returned at the request of the originating bank'},
  R07: {message: 'Authorization revoked by the customer'},
  R08: {message: 'Payment stopped'},
  R09: {message: 'Uncollected funds'},
  R10: {message: 'The customer states that the entry is not authorized'},
  R11: {message: 'The customer states that the entry does not match the authorization'},
  R13: {message: 'The receiving bank is not qualified to participate'},
  R14: {message: 'The representative payee is deceased or unable to continue'},
  R15: {message: 'The beneficiary or account holder is deceased'},
  R16: {message: 'Account frozen'},
  R17: {message: 'The receiving bank cannot process the entry'},
  R20: {message: 'The account does not accept ACH entries', badAccount: true},
  R23: {message: 'Credit refused by the receiver'},
  R28: {message: 'The check digit of the routing number is wrong'},
  R29: {message: 'A corporate customer states that the entry is not authorized'},
};

/** ISO 20022 reasons, as used for instant payments and wires; the four-digit ones are those of RTP. */
export const BANK_REJECTIONS: Readonly<Record<string, Reason>> = {
  AC03: {message: 'The account number of the creditor is invalid', badAccount: true},
  AC04: {message: 'The account is closed', badAccount: true},
  AC06: {message: 'The account is blocked'},
  AC14: {message: 'The type of the account is missing or wrong', badAccount: true},
  AG01: {message: 'The account does not accept payments of this kind'},
  AG03: {message: 'The account does not support this transaction'},
  AM09: {message: 'The amount is not the agreed one'},
  AM14: {message: 'The amount exceeds the agreed maximum'},
  BE04: {message: 'The address of the creditor is missing or wrong'},
  BE06: {message: 'The customer is not known'},
  MD07: {message: 'The customer is deceased'},
  RC04: {message: 'The bank of the creditor is invalid'},
  DS24: {message: 'Waiting time expired; the order was not completed'},
  '9910': {message: 'The bank of the creditor is not connected'},
  '9912': {message: 'The bank of the creditor is not reachable'},
  '9948': {message: 'The network is not available'},
};

/** Why a push to a card was declined. */
export const CARD_DECLINES: Readonly<Record<string, Reason>> = {
  do_not_honor: {message: 'The issuer declined without giving a reason'},
  expired_card: {message: 'The card has expired', badAccount: true},
  invalid_account_number: {message: 'The issuer has no such card', badAccount: true},
  closed_account: {message: 'The account behind the card is closed', badAccount: true},
  restricted_card: {message: 'The card is restricted'},
  activity_amount_limit_exceeded: {message: 'The amount is above what the card may receive'},
  activity_count_limit_exceeded: {message: 'The card received too many payments'},
  suspected_fraud: {message: 'The issuer suspects fraud'},
  issuer_unavailable: {message: 'The issuer cannot be reached'},
  duplicate_transaction: {message: 'The issuer has seen this payment before'},
};

/** The closest ISO 20022 reason for an ACH return, if an account meant for one is paid by another rail. */
const NEAREST: Readonly<Record<string, string>> = {
  R02: 'AC04',
  R03: 'AC03',
  R04: 'AC03',
  R13: 'RC04',
  R14: 'MD07',
  R15: 'MD07',
  R16: 'AC06',
  R20: 'AC14',
  R28: 'RC04',
};

const isAch = (rail: string) => rail.endsWith('_ach');

/** The codes that a rail's payments can fail with. */
export function codesOf(rail: string): Readonly<Record<string, Reason>> {
  if (rail === 'instant_card') return CARD_DECLINES;
  return isAch(rail) ? ACH_RETURNS : BANK_REJECTIONS;
}

/** The default code of a failure: no such account, or declined by the card's issuer. */
export function usualCode(rail: string): string {
  if (rail === 'instant_card') return 'do_not_honor';
  return isAch(rail) ? 'R03' : 'AC03';
}

/** The default code of a return. */
export const usualReturn = (rail: string): string => (isAch(rail) ? 'R01' : usualCode(rail));

/** The equivalent of `code` on this rail: ACH returns have close equivalents on the other bank rails. */
export function codeOn(rail: string, code: string): string {
  if (Object.hasOwn(codesOf(rail), code)) return code;
  return rail !== 'instant_card' && Object.hasOwn(ACH_RETURNS, code)
    ? (NEAREST[code] ?? 'AG01')
    : usualCode(rail);
}

export function bankFailureOf(rail: string, code: string): BankFailure {
  return {code, message: codesOf(rail)[code]?.message ?? 'The bank gave no reason'};
}

/** True if the failure means that nothing can be sent to this account or card again. */
export const isBadAccount = (rail: string, code: string): boolean => codesOf(rail)[code]?.badAccount ?? false;
