import {ACCOUNT_TRANSFER_STATUSES, TRANSFER_STATUSES} from '../../contract/lifecycle.ts';
import {allOperations} from '../../contract/operations/operations.ts';
import {EXPLAINED} from '../help/explain.ts';
import {FILE, FOLDER, oneOf, UNKNOWN} from './source-words.ts';
import {ACCOUNT_TRANSFER_RAILS, PAYIN_RAILS, PAYOUT_RAILS} from '../../contract/rails.ts';

interface Valued {
  options?: readonly string[] | undefined;
  helpValue?: string | string[] | undefined;
}

/** The source of a flag that takes a value; `id` is the command, empty for global flags. */
export function flagSource(id: string, name: string, {options, helpValue}: Valued): string {
  if (options !== undefined) return oneOf(options);
  const known = byPlace(FLAGS[name], id);
  if (known !== undefined) return known;
  if (helpValue === 'FILE' || (helpValue === 'PATH' && name !== 'path')) return FILE;
  return helpValue === 'FOLDER' ? FOLDER : UNKNOWN;
}

/** The source of an argument. */
export function argSource(id: string, name: string, {options}: Valued): string {
  if (options !== undefined) return oneOf(options);
  if (/:batch:(?!run|plan)/.test(id) && name === 'batch')
    return id.startsWith('payins') ? '@payin-batches' : '@payout-batches';
  if (id.startsWith('profiles:') && id !== 'profiles:add') return '@profiles';
  if (name === 'file') return FILE;
  return byPlace(ARGS[name], id) ?? UNKNOWN;
}

/** A source for every command, or by the start of the command's id. */
type ByPlace = string | Readonly<Record<string, string>>;

function byPlace(source: ByPlace | undefined, id: string): string | undefined {
  if (source === undefined || typeof source === 'string') return source;
  const place = Object.keys(source).find((start) => id.startsWith(start));
  return place === undefined ? undefined : source[place];
}

const EVENTS = '@event-types';
const ALL_RAILS = oneOf([...new Set<string>([...PAYOUT_RAILS, ...PAYIN_RAILS])]);

const FLAGS: Readonly<Record<string, ByPlace>> = {
  profile: '@profiles',
  payee: '@payees',
  payer: '@payers',
  'payment-method': '@payment-methods',
  subaccount: '@subaccounts',
  source: {moves: '@subaccounts', transfers: '@accounts'},
  destination: {moves: '@subaccounts', transfers: '@accounts'},
  account: '@accounts',
  endpoint: '@endpoints',
  id: {'webhooks:events': '@events'},
  rail: {
    payins: oneOf(PAYIN_RAILS),
    payouts: oneOf(PAYOUT_RAILS),
    transfers: oneOf(ACCOUNT_TRANSFER_RAILS),
  },
  'allow-rail': ALL_RAILS,
  until: {transfers: oneOf(ACCOUNT_TRANSFER_STATUSES), pay: oneOf(TRANSFER_STATUSES)},
  event: EVENTS,
  events: EVENTS,
  'event-types': EVENTS,
  expect: EVENTS,
  type: {'webhooks:': EVENTS},
  operation: oneOf(allOperations().map(({id}) => id)),
  method: oneOf(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']),
};

const ARGS: Readonly<Record<string, ByPlace>> = {
  id: {
    'payouts:': '@payouts',
    'payins:': '@payins',
    'moves:': '@moves',
    'transfers:': '@transfers',
    'payees:': '@payees',
    'payers:': '@payers',
    'subaccounts:': '@subaccounts',
    'payment-methods:': '@payment-methods',
    'webhooks:endpoints:': '@endpoints',
    'sandbox:deliveries:': '@deliveries',
    'sandbox:faults:': '@faults',
  },
  ids: {'webhooks:events:': '@events'},
  delivery: '@events',
  payload: {'webhooks:verify': '@events'},
  account: '@accounts',
  name: {
    'sandbox:checkpoint:restore': '@checkpoints',
    schema: oneOf(allOperations().map(({id}) => id)),
  },
  word: oneOf(EXPLAINED),
  method: {api: oneOf(['GET', 'POST', 'PATCH', 'PUT', 'DELETE'])},
  shell: oneOf(['bash', 'zsh', 'fish', 'powershell']),
};
