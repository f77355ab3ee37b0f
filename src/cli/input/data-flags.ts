import type {Interfaces} from '@oclif/core';
import {RemitError} from '../../errors.ts';
import {isList, isObject, type Json, type JsonFields} from '../../narrow.ts';
import {nearest} from '../../nearest.ts';
import type {StdinUser} from '../runtime/stdin.ts';
import {bodyFields} from './data-fields.ts';
import {readData} from './json-data.ts';

/** The flag that sets a field of a body to a value as it is in JSON. */
const FLAG_OF: Readonly<Record<string, string>> = {
  payee_id: 'payee',
  payer_id: 'payer',
  amount_in_minor_units: 'amount-minor',
  currency_code: 'currency',
  country_code: 'country',
  rail: 'rail',
  override_default_payment_method_id: 'payment-method',
  payment_method_id: 'payment-method',
  subaccount_id: 'subaccount',
  source_subaccount_id: 'source',
  destination_subaccount_id: 'destination',
  source_account_id: 'source',
  destination_account_id: 'destination',
  scheduled_date: 'scheduled-date',
  auto_approve: 'auto-approve',
  metadata: 'metadata',
  description: 'description',
  counterparty_name: 'counterparty-name',
  name: 'name',
  email: 'email',
  type: 'type',
  is_default: 'default',
  'bank_account.account_number': 'account-number',
  'bank_account.routing_number': 'routing-number',
  'bank_account.iban': 'account-number',
  'bank_account.clabe': 'account-number',
  'bank_account.sort_code': 'field',
  'bank_account.institution_number': 'field',
  'bank_account.transit_number': 'field',
  'bank_account.bsb': 'field',
  'bank_account.account_type': 'account-type',
  'bank_account.holder_name': 'holder-name',
  'card.number': 'card-number',
  'card.exp_month': 'exp-month',
  'card.exp_year': 'exp-year',
  url: 'url',
  event_types: 'event-types',
};

/** Typed flags that take the place of another one. */
const INSTEAD: Readonly<Record<string, readonly string[]>> = {'amount-minor': ['amount']};

/** Flags whose fields are whole numbers in JSON. */
const NUMBERS: ReadonlySet<string> = new Set(['amount-minor', 'exp-month', 'exp-year']);

/** Numbers of accounts and cards are read in one place only, by `readNumber`. */
const SECRETS: ReadonlySet<string> = new Set(['account-number', 'card-number']);

interface Reader {
  /** Id of the command, such as `payouts:create`. */
  command: string;
  /** The operations that it calls, such as `payouts.create`. */
  operations: readonly string[];
  flags: Interfaces.FlagInput;
}

/** Fields of the service that have no flag, because another field took their place. */
const DEPRECATED: Readonly<Record<string, string>> = {amount_in_cents: 'amount_in_minor_units'};

/**
 * The words of a command with `--data` replaced by the flags that its fields stand for. A flag that was typed takes
 * precedence, so that a file can hold the usual values. The result is checked like typed flags.
 * @throws RemitError LOCAL_VALIDATION if --data is not a JSON object of fields that this command has flags for
 */
export async function argvWithData(
  argv: readonly string[],
  reader: Reader & {input: StdinUser},
): Promise<string[]> {
  const {data, rest} = takeData(argv);
  if (data === undefined) return rest;
  const fields = await readData(data, reader.input);
  if (!isObject(fields)) throw invalid('it is not a JSON object', reader);
  const known = await bodyFields(reader.operations);
  const words = leavesOf(fields).flatMap(([field, value]) => wordsOf(field, value, {...reader, rest, known}));
  const end = endOfFlags(rest);
  return [...rest.slice(0, end), ...words, ...rest.slice(end)];
}

const endOfFlags = (argv: readonly string[]): number => {
  const at = argv.indexOf('--');
  return at === -1 ? argv.length : at;
};

function takeData(argv: readonly string[]): {data: string | undefined; rest: string[]} {
  const at = argv.slice(0, endOfFlags(argv)).findIndex((word) => isFlag('data', word));
  const word = argv[at];
  if (word === undefined) return {data: undefined, rest: [...argv]};
  const isJoined = word.includes('=');
  const data = isJoined ? word.slice(word.indexOf('=') + 1) : argv[at + 1];
  if (data === undefined) return {data: undefined, rest: [...argv]}; // the parser says that the value is missing
  return {data, rest: [...argv.slice(0, at), ...argv.slice(isJoined ? at + 1 : at + 2)]};
}

const isFlag = (name: string, word: string): boolean => word === `--${name}` || word.startsWith(`--${name}=`);

/** Fields by their full names. An object inside is opened, except metadata, whose keys are no fields. */
function leavesOf(fields: JsonFields, prefix = ''): (readonly [string, Json])[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    isObject(value) && name !== 'metadata'
      ? leavesOf(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value] as const],
  );
}

interface Body extends Reader {
  rest: readonly string[];
  /** The fields of the body, with and without a flag. */
  known: ReadonlySet<string>;
}

function wordsOf(field: string, value: Json, reader: Body): string[] {
  const name = reader.known.has(field) && Object.hasOwn(FLAG_OF, field) ? FLAG_OF[field] : undefined;
  const flag = name === undefined ? undefined : reader.flags[name];
  if (name === undefined || flag === undefined) throw unknownField(field, reader);
  if (SECRETS.has(name))
    throw new RemitError('LOCAL_VALIDATION', `--data: ${field} is not taken from JSON`, {
      hint: 'omit the field to be prompted for the number, or add --number-file FILE',
    });
  const typed = reader.rest.slice(0, endOfFlags(reader.rest));
  if (name === 'metadata') return metadataWords(value, typed, reader);
  if (name === 'field') {
    const start = `${field.slice(field.indexOf('.') + 1)}=`;
    const isTyped = typed.some((word) => word.startsWith(start) || word.startsWith(`--field=${start}`));
    return isTyped ? [] : [`--field=${start}${textOf(field, value, reader)}`];
  }
  if ([name, ...(INSTEAD[name] ?? [])].some((other) => typed.some((word) => isFlag(other, word)))) return [];
  if (flag.type === 'boolean') {
    if (typeof value !== 'boolean') throw invalid(`${field} is not true or false`, reader);
    return value ? [`--${name}`] : [];
  }
  return [`--${name}=${textOf(field, value, reader)}`];
}

function textOf(field: string, value: Json, reader: Reader): string {
  const name = FLAG_OF[field] ?? '';
  if (NUMBERS.has(name)) {
    if (name === 'amount-minor' && typeof value === 'number' && value > Number.MAX_SAFE_INTEGER)
      throw invalid(`${field} is too large (maximum ${Number.MAX_SAFE_INTEGER})`, reader);
    if (typeof value !== 'number' || !Number.isInteger(value))
      throw invalid(`${field} is not a whole number`, reader);
    return String(value);
  }
  if (name === 'event-types') {
    if (
      !isList(value) ||
      !value.every((type): type is string => typeof type === 'string' && !type.includes(','))
    )
      throw invalid(`${field} is not a list of event types`, reader);
    return value.join(',');
  }
  if (typeof value !== 'string') throw invalid(`${field} is not a text`, reader);
  return value;
}

/** The keys that were not typed as `--metadata KEY=VALUE`. */
function metadataWords(value: Json, typed: readonly string[], reader: Reader): string[] {
  if (!isObject(value)) throw invalid('metadata is not an object', reader);
  const isTyped = (key: string): boolean =>
    typed.some(
      (word, at) =>
        word.startsWith(`--metadata=${key}=`) ||
        (typed[at - 1] === '--metadata' && word.startsWith(`${key}=`)),
    );
  return Object.entries(value).flatMap(([key, text]) => {
    if (typeof text !== 'string') throw invalid(`metadata.${key} is not a text`, reader);
    if (key === '' || key.includes('='))
      throw invalid(`metadata has a key that is empty or contains =`, reader);
    return isTyped(key) ? [] : [`--metadata=${key}=${text}`];
  });
}

function unknownField(field: string, reader: Body): RemitError {
  const instead = Object.hasOwn(DEPRECATED, field) ? DEPRECATED[field] : undefined;
  if (instead !== undefined && reader.known.has(field))
    return invalid(`${field} is the deprecated name of ${instead}; use ${instead}`, reader);
  const known = Object.keys(FLAG_OF).filter((name) => isSettable(name, reader));
  const asFlag = field.replaceAll('_', '-');
  const near = known.find((name) => FLAG_OF[name] === asFlag) ?? nearest(field, known);
  const words = reader.command.replaceAll(':', ' ');
  const guess = near === undefined ? '' : `; did you mean ${near}?`;
  const list = `${guess === '' ? ';' : ''} ${guess === '' ? 'it' : 'It'} has ${known.join(', ')}`;
  return invalid(`${words} has no field ${JSON.stringify(field)}${guess}${list}`, reader);
}

function isSettable(field: string, {known, flags}: Body): boolean {
  const name = FLAG_OF[field];
  return name !== undefined && known.has(field) && name in flags && !SECRETS.has(name);
}

const invalid = (problem: string, {command, operations}: Reader): RemitError =>
  new RemitError('LOCAL_VALIDATION', `--data: ${problem}`, {
    hint: (commands) => {
      const [operation] = operations;
      return operation === undefined
        ? commands.read('schema', ...command.split(':'))
        : commands.read('schema', operation, '--query', 'body');
    },
  });
