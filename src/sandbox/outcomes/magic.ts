import {PAYOUT_RAILS} from '../../contract/rails.ts';
import {ACH_RETURNS, codeOn, usualCode} from './bank-codes.ts';
import {
  ACCOUNT_TRANSFER_SCENARIOS,
  MOVE_SCENARIOS,
  SCENARIOS,
  SCENARIO_KEY,
  type Scenario,
} from './scenarios.ts';

/**
 * The planned end of a transfer, as stored with it: a scenario, `settles` (stated explicitly), `refused` (the bank
 * refuses, with the rail's usual code), `refused CODE` (ACH: the entry is returned with it), or `returned CODE` (the
 * same, because of the amount, which says nothing about the account). Null: the usual end.
 */
export type Fate = Scenario | 'settles' | 'refused' | `refused ${string}` | `returned ${string}`;

/** The effect of a magic account, card or name on the method itself or on payments to it. */
export type Behaviour = 'stays_pending' | 'fails' | Exclude<Fate, Scenario>;

const BANK_RAILS = PAYOUT_RAILS.filter((rail) => rail !== 'instant_card');

export interface Bank {
  name: string;
  rails: readonly string[];
}

/**
 * Routing numbers that the sandbox knows; any other valid one is a test bank with every rail. No bank has the prefix
 * 79.
 */
const BANKS: Readonly<Record<string, Bank>> = {
  '110000000': {name: 'Sandbox Test Bank', rails: BANK_RAILS},
  '790000022': {name: 'Sandbox ACH Bank', rails: ['same_day_ach', 'standard_ach']},
  '790000035': {
    name: 'Sandbox Bank Without Instant Payments',
    rails: ['same_day_ach', 'standard_ach', 'wire'],
  },
  '790000051': {name: 'Sandbox Closed Bank', rails: []},
};

export const bankOf = (routing: string): Bank =>
  BANKS[routing] ?? {name: `Test Bank ${routing.slice(-4)}`, rails: BANK_RAILS};

const NAMES: Readonly<Record<string, Behaviour>> = {pending: 'stays_pending', failed: 'fails'};

/** Cards that are declined, with the reason; each has a valid check digit. */
const DECLINED: Readonly<Record<string, string>> = {
  '4000020000000000': 'do_not_honor',
  '4000020000000018': 'expired_card',
  '4000020000000026': 'invalid_account_number',
  '4000020000000034': 'closed_account',
  '4000020000000042': 'restricted_card',
  '4000020000000059': 'activity_amount_limit_exceeded',
  '4000020000000067': 'activity_count_limit_exceeded',
  '4000020000000075': 'suspected_fraud',
  '4000020000000083': 'issuer_unavailable',
  '4000020000000091': 'duplicate_transaction',
};
const SETTLING_CARD = '4000056655665556';
const SETTLING_ACCOUNT = '123456789';

const returnCode = (digits: string): string | undefined =>
  Object.hasOwn(ACH_RETURNS, `R${digits}`) ? `R${digits}` : undefined;

/** `100NN` is returned with RNN; `123456789` settles; eleven ones and similar numbers are refused. */
export function accountBehaviour(account: string, holder: string): Behaviour | null {
  const name = holder.trim().toLowerCase();
  const named = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (named !== undefined) return named;
  const code = returnCode(/^100(\d\d)$/.exec(account)?.[1] ?? '');
  if (code !== undefined) return `refused ${code}`;
  if (account === SETTLING_ACCOUNT) return 'settles';
  return /^1{8,}$/.test(account) ? 'refused' : null;
}

export function cardBehaviour(number: string): Behaviour | null {
  if (number === SETTLING_CARD) return 'settles';
  return Object.hasOwn(DECLINED, number) ? `refused ${DECLINED[number]}` : null;
}

/** 55.01 and similar amounts in an ACH transfer: returned with R01. */
function amountFate(amountMinor: number, rail: string): Fate | null {
  const code = rail.endsWith('_ach')
    ? returnCode(/^55(\d\d)$/.exec(String(amountMinor))?.[1] ?? '')
    : undefined;
  return code === undefined ? null : `returned ${code}`;
}

/** Precedence: the scenario, then the account or card, then the amount. */
export function fateOf(transfer: {
  scenario: Scenario | null;
  behaviour: string | null;
  amountMinor: number;
  rail: string;
  magicAmounts: boolean;
}): Fate | null {
  const {scenario, behaviour, amountMinor, rail, magicAmounts} = transfer;
  if (scenario !== null) return scenario;
  if (behaviour !== null) return behaviour as Fate; // from a verified method, so neither of the two that prevent that
  return magicAmounts ? amountFate(amountMinor, rail) : null;
}

/** How a transfer ends without intervention. */
export type Ending =
  | {kind: 'settles' | 'stuck'}
  /** The bank says no before, or after, the money left. `blames`: a code that says so makes the account unusable. */
  | {kind: 'rejected' | 'comes_back'; code: string; blames: boolean};

/** @param final whether the rail's payments cannot be returned */
export function endingOfTransfer(fate: Fate | null, rail: string, final: boolean): Ending {
  if (fate === 'stuck_initiated') return {kind: 'stuck'};
  // A scenario concerns only this transfer: the account stays valid for the next.
  if (fate === 'fails_after_initiated') return {kind: 'rejected', code: usualCode(rail), blames: false};
  if (fate === 'fails_after_debited')
    return {kind: final ? 'rejected' : 'comes_back', code: codeOn(rail, 'R01'), blames: false};
  if (fate === 'refused') return {kind: 'rejected', code: usualCode(rail), blames: true};
  const [, what, asked] = /^(refused|returned) (.+)$/.exec(fate ?? '') ?? [];
  if (asked === undefined) return {kind: 'settles'};
  // An ordinary amount may happen to be a magic one: it affects only this transfer and never the account.
  const blames = what === 'refused';
  return {kind: rail.endsWith('_ach') ? 'comes_back' : 'rejected', code: codeOn(rail, asked), blames};
}

/** One line of the table of magic values. */
export interface MagicValue {
  where:
    | 'routing number'
    | 'account number'
    | 'holder name'
    | 'card number'
    | 'amount'
    | 'scenario'
    | 'move'
    | 'account transfer';
  value: string;
  effect: string;
}

/** Everything above for display; `sandbox magic` prints it. */
export function magicTable(rules: {magicAmounts: boolean}): MagicValue[] {
  const rows = (where: MagicValue['where'], pairs: Iterable<readonly [string, string]>): MagicValue[] =>
    [...pairs].map(([value, effect]) => ({where, value, effect}));
  const returns = Object.entries(ACH_RETURNS);
  return [
    ...rows(
      'scenario',
      Object.entries(SCENARIOS).map(([name, effect]) => [`${SCENARIO_KEY}=${name}`, effect]),
    ),
    ...rows('move', Object.entries(MOVE_SCENARIOS)),
    ...rows('account transfer', Object.entries(ACCOUNT_TRANSFER_SCENARIOS)),
    ...rows('holder name', [
      ['Pending', 'verification stays pending'],
      ['Failed', 'verification fails'],
    ]),
    ...rows(
      'routing number',
      Object.entries(BANKS).map(([number, {name, rails}]) => [
        number,
        `${name}: ${rails.length === BANK_RAILS.length ? 'every rail' : rails.join(', ') || 'no rail'}`,
      ]),
    ),
    ...rows('account number', [
      [SETTLING_ACCOUNT, 'payments settle, whatever the amount'],
      ['11111111', 'payments are refused (eight ones or more)'],
      ...returns.map(
        ([code, {message}]) => [`100${code.slice(1)}`, `returned by ACH, ${code}: ${message}`] as const,
      ),
    ]),
    ...rows('card number', [
      [SETTLING_CARD, 'payments settle'],
      ...Object.entries(DECLINED).map(([number, reason]) => [number, `declined, ${reason}`] as const),
    ]),
    ...(rules.magicAmounts
      ? rows(
          'amount',
          returns.map(
            ([code, {message}]) => [`55.${code.slice(1)}`, `returned by ACH, ${code}: ${message}`] as const,
          ),
        )
      : []),
  ];
}
