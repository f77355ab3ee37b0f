import {
  inText,
  type Market,
  type MarketField,
  marketOf,
  withoutBlanks,
  wrongIn,
} from '../../contract/markets.ts';
import {RemitError} from '../../errors.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import {readNumber, readValueOf} from '../write/sensitive-numbers.ts';

/** The bank account of a request, by the names of the service. */
export type BankAccount = Readonly<Record<string, string>>;

export interface BankFlags {
  'number-file'?: string | undefined;
  'account-number'?: string | undefined;
  'holder-name'?: string | undefined;
  'account-type'?: string | undefined;
  'routing-number'?: string | undefined;
  /** `sort_code=123456`, or `NAME=@FILE`. */
  field?: readonly string[] | undefined;
}

const ROUTING = 'routing_number';

/**
 * Reads the bank account of one country. In a country whose fields remit does not know, they are those of `--field`.
 * @throws RemitError USAGE for a missing flag, or for one of another country; LOCAL_VALIDATION for a value that cannot
 * exist; nothing was sent, and no message contains a number
 */
export async function readBankAccount(
  context: Context,
  country: string,
  {
    flags,
    prompted,
    promptedFields,
  }: {flags: BankFlags; prompted: string | undefined; promptedFields: readonly [string, string][]},
): Promise<BankAccount> {
  const holder_name = flags['holder-name'];
  if (holder_name === undefined) throw needed('--holder-name', country);
  const market = marketOf(country);
  const fields = new Map(fieldPairs(flags));
  if (market === undefined) {
    const values = promptedFields.length > 0 ? promptedFields : otherFields(context, country, fields);
    return {...Object.fromEntries(values), holder_name};
  }
  refuseOthers(market, flags, fields);
  const bank = market.bank.map((field): [string, string] => {
    const {name} = field;
    const [flag, value] =
      name === ROUTING
        ? ['--routing-number', flags['routing-number']]
        : [`--field ${name}`, fields.get(name)];
    if (value === undefined) throw needed(flag, country);
    const text = value.startsWith('@') ? readValueOf(context, {flag, typed: value}) : value;
    return [name, existing(field, withoutBlanks(text), flag)];
  });
  const {account} = market;
  const number = await readNumber(context, {
    ...{question: account.label, flag: '--account-number', normal: withoutBlanks},
    ...{given: flags['account-number'], file: flags['number-file'], prompted},
  });
  return {
    [account.name]: existing(account, number, `the ${inText(account.label)}`),
    ...Object.fromEntries(bank),
    ...(market.hasType ? {account_type: flags['account-type'] ?? 'checking'} : {}),
    holder_name,
  };
}

/** `…6789, routing number 021000021, holder Acme Ltd`. */
export function accountText(country: string, account: BankAccount): string {
  const market = marketOf(country);
  const holder = `holder ${plainValue(account['holder_name'])}`;
  if (market === undefined) return `in ${plainValue(country)}, ${holder}`;
  const bank = market.bank.map(({name, label}) => `${inText(label)} ${plainValue(account[name])}`);
  return [`…${(account[market.account.name] ?? '').slice(-4)}`, ...bank, holder].join(', ');
}

const needed = (flag: string, country: string): RemitError =>
  new RemitError('USAGE', `${flag} is needed for a bank account in ${country}`);

function existing(field: MarketField, value: string, what: string): string {
  const wrong = wrongIn(field, value);
  if (wrong === undefined) return value;
  throw new RemitError('LOCAL_VALIDATION', `${what} ${wrong}`);
}

/** A flag of another country would be left out in silence. */
function refuseOthers(market: Market, flags: BankFlags, fields: ReadonlyMap<string, string>): void {
  const own = market.bank.map(({name}) => (name === ROUTING ? '--routing-number' : `--field ${name}`));
  const given = [...fields.keys()].map((name) => `--field ${name}`);
  if (flags['routing-number'] !== undefined) given.push('--routing-number');
  if (flags['account-type'] !== undefined && !market.hasType) given.push('--account-type');
  const other = given.find((flag) => !own.includes(flag));
  if (other === undefined) return;
  const all = [...own, '--account-number', '--holder-name'].join(', ');
  throw new RemitError('USAGE', `${other} is not for bank accounts in ${market.country}, which have ${all}`, {
    hint: market.country === 'US' ? 'name another country with --country' : undefined,
  });
}

function fieldPairs({field = []}: BankFlags): [string, string][] {
  const names = new Set<string>();
  return field.map((pair) => {
    const [, name, value] = /^([a-z]\w*)=(.*)$/is.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new RemitError('USAGE', '--field is not of the form NAME=VALUE or NAME=@FILE');
    if (names.has(name)) throw new RemitError('USAGE', `--field names ${name} twice`);
    names.add(name);
    return [name, value];
  });
}

/** Which of them is the number of the account is not known, so each is treated as one. */
function otherFields(
  context: Context,
  country: string,
  fields: ReadonlyMap<string, string>,
): [string, string][] {
  if (fields.size === 0)
    throw new RemitError(
      'USAGE',
      `the fields of a bank account in ${country} are not known to remit: name each with --field NAME=@FILE, as your service calls it`,
    );
  return [...fields].map(([name, typed]) => [name, readValueOf(context, {flag: `--field ${name}`, typed})]);
}
