import {
  checkOptions,
  mayBeAny,
  mustBe,
  mustBeBoolean,
  mustBeFunction,
  mustBeNumber,
  mustBeObject,
  mustBeSignal,
  mustBeText,
  mustBeWhole,
  type Check,
  type Checks,
} from '../arguments.ts';
import type {OperationId} from '../contract/operations/operations.ts';
import {RemitError} from '../errors.ts';
import {isObject, type Json, type Printable} from '../narrow.ts';
import {operationOf} from '../service/routes.ts';
import type {ClientOptions, WaitForOptions} from './options.ts';
import type {ListOptions} from './reading/listing.ts';
import type {AnyOptions, CallInput, CallOptions, KeyedOptions} from './requests/resource.ts';
import {LONGEST_MS} from './requests/built.ts';

const retries = mustBeWhole(0, 20);

export const CLIENT_OPTIONS: Checks<ClientOptions> = {
  ...{baseUrl: mustBeText, key: mustBeText, live: mustBeBoolean, approveById: mustBeBoolean},
  ...{transport: mustHave('send', 'close'), clock: mustHave('now', 'monotonic', 'sleep')},
  ...{random: mustBeFunction, newKey: mustBeFunction},
  ...{retries, maxWaitMs: mustBeWhole(0, LONGEST_MS), userAgent: mustBeText, onDebug: mustBeFunction},
  timeouts: mayBeAny, // checked where requests are built, also for a command without a client
  service: mayBeAny, // it has a schema
  sanitizer: mustBeObject,
};

const CALL_OPTIONS: Checks<CallOptions> = {
  ...{signal: mustBeSignal, hint: mustBeText, recordId: mustBeText, retries},
  totalMs: mustBeNumber('a number of milliseconds above 0', (ms) => ms > 0),
};

const KEYED_OPTIONS: Checks<KeyedOptions> = {
  ...CALL_OPTIONS,
  idempotencyKey: mayBeAny, // checked where the request is built, as one that a function generates
  ...{isFreshKey: mustBeBoolean, mayApproveAtOnce: mustBeBoolean, earlier: mustBeObject},
  ...{onCreated: mustBeFunction, showCommand: mustBeFunction},
};

export const REQUEST_OPTIONS: Checks<AnyOptions & {body?: Printable}> = {
  ...KEYED_OPTIONS,
  ...{body: mayBeAny, isRaw: mustBeBoolean, returnsRecord: mustBeBoolean, wantsHeaders: mustBeBoolean},
  headers: mustBeHeaders,
};

export const LIST_OPTIONS: Checks<ListOptions & CallOptions> = {
  ...CALL_OPTIONS,
  ...{limit: mayBeAny, pageSize: mayBeAny}, // the list checks them
  ...{all: mustBeBoolean, checksFilters: mustBeBoolean, cursor: mustBeText, onWarning: mustBeFunction},
  mostPages: mustBeWhole(1, Number.MAX_SAFE_INTEGER),
};

export const WAIT_OPTIONS: Checks<WaitForOptions<object>> = {
  until: mayBeAny, // compared with the statuses
  timeoutMs: mustBeNumber('a number of milliseconds'),
  ...{initial: mayBeAny, signal: mustBeSignal, onChange: mustBeFunction, onRead: mustBeFunction},
};

/**
 * The parts of a call, named by its operation.
 * @throws {RemitError} USAGE
 */
export function checkCall(id: OperationId, given: CallInput): void {
  mustBeText(id, 'the operation');
  const options = operationOf(id).key === undefined ? CALL_OPTIONS : KEYED_OPTIONS;
  const parts: Checks<CallInput> = {
    params: checkParams,
    query: mustBeObject,
    body: mayBeAny,
    options: (value) => checkOptions(value, options, `the options of ${id}`),
  };
  checkOptions(given, parts, `the parts of ${id}`);
}

/**
 * The body of an operation, as it is sent: a service may read any text as a yes, `'false'` too.
 * @throws {RemitError} USAGE
 */
export function checkApproval(body: Json): void {
  const approval = isObject(body) ? body['auto_approve'] : undefined;
  if (approval !== undefined && approval !== null) mustBeBoolean(approval, 'auto_approve');
}

/** One that is left out is reported as empty when the path is filled. */
export function checkParams(params: unknown): void {
  mustBeObject(params, 'the parameters');
  for (const [name, value] of Object.entries(params)) if (value !== undefined) mustBeText(value, name);
}

function mustHave(...methods: readonly string[]): Check {
  const has = (value: unknown) =>
    isObject(value) && methods.every((method) => typeof value[method] === 'function');
  return mustBe(`an object with the methods ${methods.join(', ')}`, has);
}

/** The entries of a Fetch `Headers` object and of a Map are not properties, and those of a list have no names. */
function mustBeHeaders(headers: unknown, name: string): void {
  mustBeObject(headers, name);
  if (Symbol.iterator in headers)
    throw new RemitError('USAGE', `${name} must be an object such as {'x-tenant': 'acme'}`, {
      hint: 'from a Headers object, a Map or a list of pairs: Object.fromEntries(headers)',
    });
  for (const [header, value] of Object.entries(headers)) mustBeText(value, `the header ${header}`);
}
