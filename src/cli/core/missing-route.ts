import {hasRecord, isRecordOf} from '../../client/answers/readable.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {isObject, type Json, stringOf} from '../../narrow.ts';
import {capital} from '../../phrases.ts';
import {unwrapRecord} from '../../client/answers/envelope.ts';
import {Dialect} from '../../service/dialect.ts';
import {type Assumption, missingPrefix, missingRoute} from '../../service/file/assumption.ts';
import {findOperation, paramsOf, patternOf, operationOf} from '../../service/routes.ts';
import type {Context} from './context.ts';

/** Codes of a record that does not exist, or of a route. Others name another record. */
const ABOUT_RECORD: ReadonlySet<unknown> = new Set([undefined, 'NOT_FOUND', 'PAYER_NOT_FOUND']);
const LARGEST_PAGE = 100;
/** The error itself matters more than its reason. */
const PATIENCE_MS = 5000;

/**
 * This error with the route to set, if the record that the request names exists, or with the prefix, if its list is
 * missing too. Without this, a route that does not exist looks like a record that does not exist. Sends at most two GETs;
 * if they show nothing, the error is unchanged.
 * @param filters narrow the list down to records like that one
 */
export async function withMissingRoute(
  error: RemitError,
  context: Context,
  filters: Readonly<Record<string, string>> = {},
): Promise<RemitError> {
  const {details = {}, request} = error;
  if (request === undefined || !ABOUT_RECORD.has(details['error_code'])) return error;
  const dialect = new Dialect(context.profile.service);
  const asked = recordOf(request, dialect, context);
  if (asked === undefined) return error;
  const {operation, noun, id, list} = asked;
  const presence = await presenceOf(asked, context, filters);
  const route = dialect.route(operation);
  const assumption =
    presence === 'exists'
      ? missingRoute(operation, route, `${noun} ${id}`)
      : presence === 'no list'
        ? missingPrefix(operation, route, dialect.route(list))
        : undefined;
  return assumption === undefined ? error : because(error, assumption);
}

/** A party that a create names, and whether it names other records, which the 404 may be about. */
interface NamedParty {
  operation: OperationId;
  noun: 'payee' | 'payer';
  id: string;
  isOnlyRecord: boolean;
}

/**
 * The error of a create, after a GET of the party that it names: if the service does not have the party, the route
 * is not in question; if it does, the route is probably wrong.
 */
export async function withNamedParty(
  error: RemitError,
  context: Context,
  {operation, noun, id, isOnlyRecord}: NamedParty,
): Promise<RemitError> {
  const {assumption, error_code: code} = error.details ?? {};
  if (error.httpStatus !== 404 || code !== 'NOT_FOUND' || assumption === undefined) return error;
  const party = {id, get: `${noun}s.get`, list: `${noun}s.list`} as const;
  const presence = await presenceOf(party, context, {});
  if (presence === 'absent') {
    const message = withoutAssumption(error);
    const isNamed = message.includes(`no ${noun} ${id}`); // as the sandbox does
    return error.reworded(isNamed ? message : `${message}. There is no ${noun} ${id}`, undefined, {
      ...error.details,
      assumption: undefined,
    });
  }
  if (presence !== 'exists' || !isOnlyRecord) return error;
  const route = new Dialect(context.profile.service).route(operation);
  return because(error, missingRoute(operation, route, `${noun} ${id}`));
}

const because = (error: RemitError, assumption: Assumption): RemitError =>
  error.reworded(`${withoutAssumption(error)}. ${capital(assumption.text)}`, undefined, {
    ...error.details,
    assumption,
  });

function withoutAssumption({message, details}: RemitError): string {
  const assumption = details?.['assumption'];
  if (!isObject(assumption)) return message;
  const text = stringOf(assumption['text']);
  return message.replace(` (${text})`, '').replace(`: ${text}`, ''); // the whole reason, if the service gave none
}

interface SoughtRecord {
  readonly id: string;
  /** The reads that show whether the record exists, apart from the request that failed. */
  readonly get: OperationId | undefined;
  readonly list: OperationId;
  /** The owner in the path of the list. */
  readonly owner?: Readonly<Record<string, string>>;
}

interface AskedRecord extends SoughtRecord {
  readonly operation: OperationId;
  readonly noun: string;
}

/** The records by the parameter of the path that names them. */
const NOUNS: Readonly<Record<string, readonly [noun: string, resource: string]>> = {
  payee_id: ['payee', 'payees'],
  payer_id: ['payer', 'payers'],
  account_id: ['treasury account', 'treasury'],
  account_transfer_id: ['account transfer', 'accountTransfers'],
  move_id: ['move', 'moves'],
};
const BY_RESOURCE: Readonly<Record<string, string>> = {
  ...{payouts: 'payout', payins: 'payin', payees: 'payee', payers: 'payer', subaccounts: 'subaccount'},
  webhookEndpoints: 'webhook endpoint',
};

/** The record that a request names by the last parameter of its path. */
function recordOf(request: string, dialect: Dialect, {profile}: Context): AskedRecord | undefined {
  const [method = '', url = ''] = request.split(' ');
  const base = new URL(profile.baseUrl).pathname.replace(/\/$/, '');
  const {pathname, searchParams: query} = new URL(url);
  const path = pathname.slice(base.length);
  const operation = dialect.operationOnWire(method, path, undefined);
  if (operation === undefined) return undefined;
  const canonical = dialect.requestFromWire(operation, {method, path, query, body: undefined}).path;
  const [param, second, ...others] = paramsOf(operationOf(operation).path);
  const values = patternOf(operationOf(operation).path).exec(canonical)?.groups;
  const id = param && values?.[param];
  if (!param || !id || others.length > 0) return undefined;
  const [resource = ''] = operation.split('.');
  const own = second && values[second];
  if (own) return methodOf(operation, {id: own, owner: {[param]: decodeURIComponent(id)}});
  const [noun, owner] = NOUNS[param] ?? [BY_RESOURCE[resource] ?? 'record', resource];
  const named = (verb: string) => `${owner}.${verb}` as OperationId; // checked by findOperation
  const list = owner === 'treasury' ? named('accounts') : named('list');
  if (findOperation(list) === undefined) return undefined;
  const get =
    findOperation(named('get')) === undefined || named('get') === operation ? undefined : named('get');
  return {operation, noun, id: decodeURIComponent(id), get, list};
}

/** A payment method of a payee or payer. */
function methodOf(
  operation: OperationId,
  {id, owner}: {id: string; owner: Readonly<Record<string, string>>},
): AskedRecord {
  const list = operation.startsWith('payee') ? 'payeePaymentMethods.list' : 'payerPaymentMethods.list';
  return {operation, noun: 'payment method', id: decodeURIComponent(id), get: undefined, list, owner};
}

/** `no list`: the service has no such list, so nothing is known about the record. */
type Presence = 'exists' | 'absent' | 'no list' | 'unknown';

async function presenceOf(
  {id, get, list, owner = {}}: SoughtRecord,
  {client, stop}: Context,
  filters: Readonly<Record<string, string>>,
): Promise<Presence> {
  const options = {signal: stop.signal, retries: 0, totalMs: PATIENCE_MS};
  const read = async (operation: OperationId, input: Parameters<typeof client.call>[1]): Promise<ReadTry> => {
    try {
      return {data: (await client.call(operation, {...input, options})).data, refused: undefined};
    } catch (error) {
      return {data: undefined, refused: error instanceof RemitError ? error.httpStatus : 0}; // it would hide the first one
    }
  };
  let isRefused = false;
  if (get !== undefined) {
    const [param = 'id'] = paramsOf(operationOf(get).path);
    const {data, refused} = await read(get, {params: {[param]: id}});
    if (isRecordOf(unwrapRecord(data), id)) return 'exists';
    isRefused = refused === 404;
  }
  const {data, refused} = await read(list, {params: owner, query: {...filters, limit: LARGEST_PAGE}});
  if (hasRecord(data, id)) return 'exists';
  if (refused === 404) return 'no list';
  return isRefused && refused === undefined ? 'absent' : 'unknown';
}

/** What a GET returned, or the status that it was refused with. */
interface ReadTry {
  readonly data: Json;
  readonly refused: number | undefined;
}
