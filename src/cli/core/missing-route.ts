import {hasRecord, isRecordOf} from '../../client/answers/readable.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import type {RemitError} from '../../errors.ts';
import {isObject} from '../../narrow.ts';
import {unwrapRecord} from '../../client/answers/envelope.ts';
import {Dialect} from '../../service/dialect.ts';
import {missingRoute} from '../../service/file/assumption.ts';
import {findOperation, paramsOf, patternOf, operationOf} from '../../service/routes.ts';
import type {Context} from './context.ts';

/** Codes of a record that does not exist, or of a route. Others name another record. */
const ABOUT_RECORD: ReadonlySet<unknown> = new Set([undefined, 'NOT_FOUND', 'PAYER_NOT_FOUND']);
const LARGEST_PAGE = 100;
/** The error itself matters more than its reason. */
const PATIENCE_MS = 5000;

/**
 * The same error with the route to set, if the record that the request names exists. Without this, a route that does not
 * exist looks like a record that does not exist. Sends at most two GETs; if they show nothing, the error is unchanged.
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
  if (asked === undefined || !(await exists(asked, context, filters))) return error;
  const {operation, noun, id} = asked;
  const assumption = missingRoute(operation, dialect.route(operation), `${noun} ${id}`);
  const plain = isObject(details['assumption'])
    ? error.message.replace(` (${String(details['assumption']['text'])})`, '')
    : error.message;
  return error.reworded(`${plain} (${assumption.text})`, undefined, {...details, assumption});
}

interface AskedRecord {
  readonly operation: OperationId;
  readonly noun: string;
  readonly id: string;
  /** The reads that show whether the record exists, apart from `operation`. */
  readonly get: OperationId | undefined;
  readonly list: OperationId;
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

/** The record that a request names by its only parameter. */
function recordOf(request: string, dialect: Dialect, {profile}: Context): AskedRecord | undefined {
  const [method = '', url = ''] = request.split(' ');
  const base = new URL(profile.baseUrl).pathname.replace(/\/$/, '');
  const {pathname, searchParams: query} = new URL(url);
  const path = pathname.slice(base.length);
  const operation = dialect.operationOnWire(method, path, undefined);
  if (operation === undefined) return undefined;
  const canonical = dialect.requestFromWire(operation, {method, path, query, body: undefined}).path;
  const [param, ...others] = paramsOf(operationOf(operation).path);
  const id = param && patternOf(operationOf(operation).path).exec(canonical)?.groups?.[param];
  if (!param || !id || others.length > 0) return undefined;
  const [resource = ''] = operation.split('.');
  const [noun, owner] = NOUNS[param] ?? [BY_RESOURCE[resource] ?? 'record', resource];
  const named = (verb: string) => `${owner}.${verb}` as OperationId; // checked by findOperation
  const list = owner === 'treasury' ? named('accounts') : named('list');
  if (findOperation(list) === undefined) return undefined;
  const get =
    findOperation(named('get')) === undefined || named('get') === operation ? undefined : named('get');
  return {operation, noun, id: decodeURIComponent(id), get, list};
}

async function exists(
  {id, get, list}: AskedRecord,
  {client, stop}: Context,
  filters: Readonly<Record<string, string>>,
): Promise<boolean> {
  const options = {signal: stop.signal, retries: 0, totalMs: PATIENCE_MS};
  const read = async (operation: OperationId, input: Parameters<typeof client.call>[1]): Promise<unknown> => {
    try {
      return (await client.call(operation, {...input, options})).data;
    } catch {
      return undefined; // another failure would hide the first one
    }
  };
  if (get !== undefined) {
    const [param = 'id'] = paramsOf(operationOf(get).path);
    if (isRecordOf(unwrapRecord(await read(get, {params: {[param]: id}})), id)) return true;
  }
  return hasRecord(await read(list, {query: {...filters, limit: LARGEST_PAGE}}), id);
}
