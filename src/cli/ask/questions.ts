import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {hasCardExpired} from '../../contract/card-number.ts';
import {
  ACCOUNT_FIELDS,
  BANK_FIELDS,
  inText,
  isNumberLike,
  type Market,
  type MarketField,
  marketOf,
  withoutBlanks,
  wrongIn,
} from '../../contract/markets.ts';
import {EVENT_TYPE_NAMES} from '../../contract/events.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {ACCOUNT_TRANSFER_RAILS, PAYIN_RAILS, PAYOUT_RAILS} from '../../contract/rails.ts';
import type {Named} from './name-search.ts';
import {isList, type Printable} from '../../narrow.ts';

/** Where the choices of a question come from. */
export type Source =
  /** Records of the service; `create` is the command that makes the first one. */
  | {
      kind: 'records';
      operation: OperationId;
      noun: string;
      status?: string;
      create?: readonly string[];
      /** The flag whose record is not offered again: money moves between two. */
      except?: string;
    }
  /** A payee or a payer: the flag --payee or --payer. */
  | {kind: 'owner'}
  /** Payment methods of the payee or payer that was typed or chosen. */
  | {kind: 'methods'}
  | {kind: 'words'; words: readonly string[]}
  | {kind: 'several'; words: readonly string[]}
  | {kind: 'text'}
  /** An account or card number: typed invisibly, and never a word of the command. */
  | {kind: 'number'; field?: MarketField}
  /** The fields of a bank account, in a country where they are not known. */
  | {kind: 'fields'}
  /** `125.00 USD`: the flags --amount and --currency. */
  | {kind: 'amount'};

/** What an answer is checked against. */
interface SoFar {
  nowMs: number;
  /** The value of another flag, as it was typed or answered. */
  valueOf: (flag: string) => FlagValue;
}

/** A value that a command needs, or that people usually want to choose. */
export interface Question {
  /** Name of the flag or, with `isArgument`, of the argument. */
  name: string;
  isArgument?: true;
  label: string;
  source: Source;
  /** The first choice for an optional value; asked only together with a required one. */
  otherwise?: string;
  /** Asked only if this holds for the flags that were typed. */
  when?: (flags: TypedFlags) => boolean;
  /** The word of the command that an answer becomes; by default the flag or argument with it. */
  wordOf?: (value: string) => string;
  /** What is wrong with a typed text; it is asked for again. */
  wrong?: (typed: string, so: SoFar) => string | undefined;
}

/** A value of a flag or an argument: text, or what was read from it, such as an amount. */
export type FlagValue = Printable | bigint;
export type TypedFlags = Readonly<Record<string, FlagValue>>;

const records = (
  operation: OperationId,
  noun: string,
  rest: {status?: string; create?: readonly string[]; except?: string} = {},
): Source => ({kind: 'records', operation, noun, ...rest});

const payee: Question = {
  ...{name: 'payee', label: 'Payee'},
  source: records('payees.list', 'payee', {create: ['payees', 'create']}),
};
const payer: Question = {
  ...{name: 'payer', label: 'Payer'},
  source: records('payers.list', 'payer', {create: ['payers', 'create']}),
};
export const OWNERS = {payee, payer} as const;
const owner: Question = {name: 'payee', label: 'Owner', source: {kind: 'owner'}};
const amount: Question = {name: 'amount', label: 'Amount', source: {kind: 'amount'}};
const text = (name: string, label: string, wrong?: Question['wrong']): Question => ({
  ...{name, label, source: {kind: 'text'}},
  ...(wrong === undefined ? {} : {wrong}),
});
const number = (name: string, label: string): Question => ({name, label, source: {kind: 'number'}});
const rail = (words: readonly string[], otherwise?: string): Question => ({
  ...{name: 'rail', label: 'Rail', source: {kind: 'words', words}},
  ...(otherwise === undefined ? {} : {otherwise}),
});
const method: Question = {name: 'payment-method', label: 'Payment method', source: {kind: 'methods'}};
const SERVICE_CHOOSES = 'the service chooses';

const argument = (label: string, source: Source, name = 'id'): Question => ({
  ...{name, label, source},
  isArgument: true,
});
const account = (name: string, label: string, but: {except?: string} = {}): Question => ({
  ...{name, label, source: records('treasury.accounts', 'treasury account', but)},
});
const subaccount = (name: string, label: string, but: {except?: string} = {}): Question => ({
  ...{name, label},
  source: records('subaccounts.list', 'subaccount', {create: ['subaccounts', 'create'], ...but}),
});
const endpoint = argument(
  'Endpoint',
  records('webhookEndpoints.list', 'webhook endpoint', {create: ['webhooks', 'endpoints', 'create']}),
);
const ownMethod = [owner, argument('Payment method', {kind: 'methods'})];
const isBank = ({type}: TypedFlags): boolean => type !== 'card';
const countryMarket = ({country}: TypedFlags): Market | undefined =>
  marketOf(typeof country === 'string' ? country.toUpperCase() : 'US');
const marketIn = (flags: TypedFlags): Market | undefined =>
  isBank(flags) ? countryMarket(flags) : undefined;
const wrongCurrency = (typed: string): string | undefined =>
  /^[a-z]{3}$/i.test(typed) ? undefined : 'Type three letters, such as CHF';
const wrongField = (field: MarketField) => (typed: string) => {
  const wrong = wrongIn(field, withoutBlanks(typed));
  return wrong === undefined ? undefined : `The ${inText(field.label)} ${wrong}`;
};
/** What names the bank, and then the account, in the country that was typed. */
const bankQuestions: Question[] = BANK_FIELDS.map((field) => {
  const {name, label} = field;
  const isRouting = name === 'routing_number';
  return {
    ...text(isRouting ? 'routing-number' : `field ${name}`, label, wrongField(field)),
    ...(isRouting ? {} : {wordOf: (value: string) => `--field=${name}=${withoutBlanks(value)}`}),
    when: (flags) => marketIn(flags)?.bank.includes(field) === true && !namesField(flags, name),
  };
});
const namesField = ({field}: TypedFlags, name: string): boolean =>
  isList(field) && field.some((pair) => typeof pair === 'string' && pair.startsWith(`${name}=`));
const wholeNumber = (least: number, most: number) => (typed: string) =>
  /^\d{1,4}$/.test(typed) && Number(typed) >= least && Number(typed) <= most
    ? undefined
    : `Type a number from ${least} to ${most}`;
const wrongMonth: Question['wrong'] = (typed, so) =>
  wholeNumber(1, 12)(typed) ?? expired(typed, so.valueOf('exp-year'), so);
const wrongYear: Question['wrong'] = (typed, so) =>
  wholeNumber(new Date(so.nowMs).getUTCFullYear(), 2100)(typed) ??
  expired(so.valueOf('exp-month'), typed, so);
const expired = (month: FlagValue, year: FlagValue, {nowMs}: SoFar): string | undefined =>
  hasCardExpired({exp_month: Number(month), exp_year: Number(year)}, nowMs)
    ? `A card that is valid to ${Number(month)}/${Number(year)} has expired`
    : undefined;
/** Account and card numbers have their own prompts, which do not show them. */
const wrongName = (typed: string): string | undefined =>
  isNumberLike(typed) ? 'Type a name; numbers are asked for separately' : undefined;
const isCard = (flags: TypedFlags): boolean => !isBank(flags);
const treasuryAccount: Question = {...account('account', 'Treasury account'), isArgument: true};
const party = (noun: string): Question[] => [text('name', `Name of the ${noun}`, wrongName)];

const QUESTIONS: Readonly<Record<string, readonly Question[]>> = {
  'payouts:create': [
    payee,
    amount,
    rail(PAYOUT_RAILS, SERVICE_CHOOSES),
    {...method, otherwise: 'the default'},
  ],
  'payins:create': [payer, amount, rail(PAYIN_RAILS, SERVICE_CHOOSES), {...method, otherwise: 'the default'}],
  'moves:create': [subaccount('source', 'From'), subaccount('destination', 'To', {except: 'source'}), amount],
  'transfers:create': [
    account('source', 'From'),
    account('destination', 'To', {except: 'source'}),
    amount,
    rail(ACCOUNT_TRANSFER_RAILS),
  ],
  'treasury:simulate-credit': [treasuryAccount, amount],
  'treasury:label': [treasuryAccount, argument('New label', {kind: 'text'}, 'label')],
  'treasury:accounts:get': [treasuryAccount],
  'treasury:balance': [treasuryAccount],
  'treasury:transactions': [treasuryAccount],
  'payees:create': party('payee'),
  'payers:create': party('payer'),
  'subaccounts:create': party('subaccount'),
  'payment-methods:list': [owner],
  'payment-methods:add': [
    owner,
    {
      ...text('currency', 'Currency', wrongCurrency),
      when: (flags) => countryMarket(flags) === undefined,
    },
    ...bankQuestions,
    ...ACCOUNT_FIELDS.map((field): Question => ({
      ...{name: 'account-number', label: field.label, source: {kind: 'number', field}},
      when: (flags) => marketIn(flags)?.account === field,
    })),
    {
      ...{name: 'field', label: 'Fields', source: {kind: 'fields'}},
      when: (flags) => isBank(flags) && marketIn(flags) === undefined,
    },
    {...text('holder-name', 'Name of the account holder', wrongName), when: isBank},
    {...number('card-number', 'Card number'), when: isCard},
    {...text('exp-month', 'Month in which the card expires (1 to 12)', wrongMonth), when: isCard},
    {...text('exp-year', 'Year in which the card expires', wrongYear), when: isCard},
  ],
  'payment-methods:delete': ownMethod,
  'payment-methods:set-default': ownMethod,
  'webhooks:endpoints:create': [
    text('url', 'URL that receives the events'),
    {name: 'event-types', label: 'Event types', source: {kind: 'several', words: EVENT_TYPE_NAMES}},
  ],
  ...byId('payouts', 'Payout', 'payouts.list', 'payout'),
  ...byId('payins', 'Payin', 'payins.list', 'payin'),
  ...byId('transfers', 'Transfer', 'accountTransfers.list', 'transfer'),
  'moves:get': [argument('Move', records('moves.list', 'move'))],
  'moves:approve': [argument('Move', records('moves.list', 'move', {status: LIFECYCLES.move.initial}))],
  'payees:get': [{...payee, name: 'id', isArgument: true}],
  'payers:get': [{...payer, name: 'id', isArgument: true}],
  'payees:update': [{...payee, name: 'id', isArgument: true}],
  'payers:update': [{...payer, name: 'id', isArgument: true}],
  'subaccounts:get': [{...subaccount('id', 'Subaccount'), isArgument: true}],
  'webhooks:endpoints:get': [endpoint],
  'webhooks:endpoints:update': [endpoint],
  'webhooks:endpoints:delete': [endpoint],
  'webhooks:endpoints:enable': [endpoint],
  'webhooks:endpoints:disable': [endpoint],
  'webhooks:endpoints:rotate': [endpoint],
};

/** Commands on one payment: only one that is still `created` can be approved. */
function byId(
  topic: string,
  label: string,
  operation: OperationId,
  noun: string,
): Record<string, Question[]> {
  const open = [argument(label, records(operation, noun, {status: LIFECYCLES.payout.initial}))];
  const any = [argument(label, records(operation, noun))];
  const verbs = topic === 'transfers' ? {get: any, approve: open} : {get: any, approve: open, cancel: open};
  return Object.fromEntries(
    Object.entries(verbs).map(([verb, questions]) => [`${topic}:${verb}`, questions]),
  );
}

/** What a command asks for at a terminal; undefined if nothing. */
export const questionsOf = (id: string): readonly Question[] | undefined => QUESTIONS[id];

/** A flag or an argument of a write that takes an id or, at a terminal, a name. */
interface NamedValue {
  name: string;
  isArgument?: true;
  label: string;
  noun: Named;
}

const named = (noun: Named, name: string, label: string): NamedValue => ({name, label, noun});
const namedPayee = named('payee', 'payee', 'Payee');
const namedPayer = named('payer', 'payer', 'Payer');
const namedSubaccount = named('subaccount', 'subaccount', 'Subaccount');
const namedAccount: NamedValue = {
  ...named('treasury account', 'account', 'Treasury account'),
  isArgument: true,
};

/** Commands that only read look names up themselves. */
const NAMED_VALUES: Readonly<Record<string, readonly NamedValue[]>> = {
  'payouts:create': [namedPayee, namedSubaccount],
  'payins:create': [namedPayer, namedSubaccount],
  'moves:create': [named('subaccount', 'source', 'From'), named('subaccount', 'destination', 'To')],
  'transfers:create': [
    named('treasury account', 'source', 'From'),
    named('treasury account', 'destination', 'To'),
  ],
  'payees:update': [{...namedPayee, name: 'id', isArgument: true}],
  'payers:update': [{...namedPayer, name: 'id', isArgument: true}],
  'payment-methods:add': [namedPayee, namedPayer],
  'payment-methods:delete': [namedPayee, namedPayer],
  'payment-methods:set-default': [namedPayee, namedPayer],
  'treasury:label': [namedAccount],
  'treasury:simulate-credit': [namedAccount],
};

/** The flags and arguments of a write in which a person can type a name. */
export const namedValuesOf = (id: string): readonly NamedValue[] => NAMED_VALUES[id] ?? [];

/** The parts of a command that the parser reads. */
interface Declared {
  flags?: Readonly<Record<string, object>>;
  baseFlags?: Readonly<Record<string, object>>;
  args?: Readonly<Record<string, object>>;
}

/** The command with nothing required, so that the typed part can be read. */
export function lenient<T extends Declared>(command: T): T {
  const optional = (all: Readonly<Record<string, object>> = {}) =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, {...one, required: false}]));
  const {flags, baseFlags, args} = command;
  return {...command, flags: optional(flags), baseFlags: optional(baseFlags), args: optional(args)};
}
