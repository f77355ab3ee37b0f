import {
  isNumberLike,
  type Market,
  type MarketField,
  MARKET_COUNTRIES,
  marketOf,
  withoutBlanks,
  wrongIn,
} from '../contract/markets.ts';
import {hasCardExpired} from '../contract/card-number.ts';
import {RemitError} from '../errors.ts';
import {isList, isObject, type JsonFields, stringOf} from '../narrow.ts';
import {codePointOf, REFERENCE_METADATA_KEY} from '../batch/model/identity.ts';
import {ACCOUNT_COLUMNS} from './columns.ts';

export type ImportKind = 'payee' | 'payer';

/** The columns of a payee or payer that the journal keeps. */
export type PartyColumn = 'name' | 'email' | 'type';

/** One payee or payer of a file, with the requests that create it. */
export interface PartyRow {
  reference: string;
  /** `line 3` of a CSV, `row 3` of a sheet. */
  place: string;
  /** The body of the request that creates it. */
  party: JsonFields & {name: string; email?: string | undefined; type?: string | undefined};
  /** The body of the request that adds its bank account or card; it alone has the number. */
  method: JsonFields;
  /** What is compared with the journal, and shown. */
  account: AccountFacts;
}

/** What may be known of a bank account or card on disk. */
export interface AccountFacts {
  type: 'bank_account' | 'card';
  country: string;
  last4: string;
  /** What names its bank and branch, or the expiry of a card. */
  bank: string;
  /** The text of its cell: empty for the name of the payee or payer, and of a card. */
  holder: string;
  currency: string;
  /** Empty where accounts have no type, and of a card. */
  account_type: string;
}

/** The cells of a row by column; an absent column is an empty text. */
export type Cells = (column: string) => string;

/** What is wrong with a cell; the message never contains the value. */
export interface CellProblem {
  column: string;
  message: string;
}

/** Line breaks, control characters, marks of direction and whatever else a reader cannot see. */
export const UNSEEN_CHARACTER = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * The requests of a row, checked as far as can be known without the service.
 * @param complain called for each cell that is wrong
 */
export function readParty(
  cell: Cells,
  metadata: Readonly<Record<string, string>>,
  {
    reference,
    place,
    nowMs,
    complain,
  }: {reference: string; place: string; nowMs: number; complain: (problem: CellProblem) => void},
): PartyRow {
  const country = (cell('country') || 'US').toUpperCase();
  const isCard = cell('card_number') !== '';
  const market = marketOf(country);
  const name = cell('name');
  if (market === undefined)
    complain({
      column: 'country',
      message: `has no fields that remit knows; the countries are ${MARKET_COUNTRIES.join(', ')}`,
    });
  for (const column of ['name', 'holder_name']) {
    if (isNumberLike(cell(column)))
      complain({column, message: 'is a number; account numbers have columns of their own'});
    const [unseen] = UNSEEN_CHARACTER.exec(cell(column)) ?? [];
    if (unseen !== undefined)
      complain({column, message: `contains the character ${codePointOf(unseen)}, which cannot be seen`});
  }
  const common = {
    country_code: country,
    currency_code: (cell('currency') || market?.currency || '').toUpperCase(),
    is_default: true,
  };
  const filled = ACCOUNT_COLUMNS.numbers.filter((column) => cell(column) !== '');
  if (isCard && filled.length > 0)
    complain({column: 'card_number', message: `is filled in beside ${filled.join(', ')}; use one of them`});
  const {body, ...facts} = isCard ? readCard(cell, nowMs, complain) : readBank(cell, market, complain);
  const type = isCard ? 'card' : 'bank_account';
  return {
    ...{reference, place},
    party: {
      name,
      ...(cell('type') === '' ? {} : {type: cell('type').toLowerCase()}),
      ...(cell('email') === '' ? {} : {email: cell('email')}),
      metadata: {...metadata, [REFERENCE_METADATA_KEY]: reference},
    },
    method: {type, ...common, [isCard ? 'card' : 'bank_account']: body},
    account: {type, country, currency: common.currency_code, ...facts},
  };
}

type Complain = (problem: CellProblem) => void;
type Account = {body: JsonFields} & Omit<AccountFacts, 'type' | 'country' | 'currency'>;
const NO_BANK = {holder: '', account_type: ''};

function readCard(cell: Cells, nowMs: number, complain: Complain): Account {
  const number = withoutBlanks(cell('card_number'));
  if (!/^\d{12,19}$/.test(number)) complain({column: 'card_number', message: 'must have 12 to 19 digits'});
  const [month, year] = [wholeNumber(cell('exp_month')), wholeNumber(cell('exp_year'))];
  if (month === undefined || month < 1 || month > 12)
    complain({column: 'exp_month', message: 'is not a month from 1 to 12'});
  const firstYear = new Date(nowMs).getUTCFullYear();
  const body = {number, exp_month: month, exp_year: year};
  if (year === undefined || year < firstYear || year > 2100)
    complain({column: 'exp_year', message: `is not a year from ${firstYear} to 2100`});
  else if (month !== undefined && hasCardExpired({exp_month: month, exp_year: year}, nowMs))
    complain({column: 'exp_month', message: 'is over: the card has expired'});
  return {...NO_BANK, body, last4: number.slice(-4), bank: `${month}/${year}`};
}

const wholeNumber = (text: string): number | undefined => (/^\d{1,4}$/.test(text) ? Number(text) : undefined);

function readBank(cell: Cells, market: Market | undefined, complain: Complain): Account {
  if (market === undefined) return {...NO_BANK, body: {}, last4: '', bank: ''};
  const read = (field: MarketField): string => {
    const value = withoutBlanks(cell(field.name));
    const wrong =
      value === '' ? `is empty; bank accounts in ${market.country} have one` : wrongIn(field, value);
    if (wrong !== undefined) complain({column: field.name, message: wrong});
    return value;
  };
  const fields = [...market.bank, market.account];
  const values = Object.fromEntries(fields.map((field) => [field.name, read(field)]));
  const own: ReadonlySet<string> = new Set(fields.map(({name}) => name));
  const others = [...ACCOUNT_COLUMNS.bank, ...ACCOUNT_COLUMNS.numbers, ...ACCOUNT_COLUMNS.card];
  for (const column of others)
    if (!own.has(column) && cell(column) !== '')
      complain({column, message: `is not for bank accounts in ${market.country}`});
  const type = cell('account_type').toLowerCase();
  if (type !== '' && !market.hasType)
    complain({column: 'account_type', message: `is not for bank accounts in ${market.country}`});
  const account_type = market.hasType ? type || 'checking' : '';
  const holder = cell('holder_name');
  return {
    ...{holder, account_type},
    body: {
      holder_name: holder || cell('name'),
      ...values,
      ...(market.hasType ? {account_type} : {}),
    },
    last4: (values[market.account.name] ?? '').slice(-4),
    bank: market.bank.map(({name}) => values[name]).join(' '),
  };
}

/** The end of the words for a value that is not one of a few: it may be an account number in a wrong column. */
const GIVEN = /, not "(?:[^"\\]|\\.)*"$/;

/** Why a request is refused by the contract, by field, without the values. */
export function contractProblems(error: unknown): string[] {
  if (!(error instanceof RemitError) || error.code !== 'LOCAL_VALIDATION') throw error;
  const fields = error.details?.['fields'];
  return isList(fields)
    ? fields.map((each) =>
        isObject(each)
          ? `${columnOf(stringOf(each['field']))} ${stringOf(each['issue']).replace(GIVEN, '')}`
          : error.message,
      )
    : [error.message];
}

/** The column of a field of the requests. */
const columnOf = (field: string): string =>
  field.replace(/^(bank_account|card)\./, '').replace(/^(country|currency)_code$/, '$1');
