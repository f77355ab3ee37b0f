import {SERVICE_ERRORS, SHARED_ERRORS, type ServiceErrorCode} from '../../contract/error-codes.ts';
import {LIMITS} from '../../contract/limits.ts';
import type {Operation} from '../../contract/operations/operation.ts';
import {allOperations, type OperationId} from '../../contract/operations/operations.ts';
import {check, type SchemaName} from '../../contract/schemas/registry.ts';
import type {SandboxContext} from '../world/context.ts';
import {HANDLERS} from '../handlers/all.ts';
import {modeOfKey, type KeyHolder, type KeyRing} from '../world/keys.ts';
import type {SandboxRequest} from './request.ts';
import {readJsonBody} from './request-body.ts';
import {routePathOf, queryOf, RouteTable} from './route-table.ts';
import {NO_HEADERS, type Outgoing} from '../outcomes/fault-answer.ts';
import type {RequestFacts, SentAs} from '../outcomes/faults.ts';
import {RemitError} from '../../errors.ts';
import {ServiceError, errorBody, invalid} from '../base/service-error.ts';
import type {OnBug} from '../base/on-bug.ts';

export interface RoutingOptions {
  context: SandboxContext;
  keys: KeyRing;
  /** Checks every answer against its schema, which costs time; an invalid one is a bug and becomes a 500. */
  checkAnswers: boolean;
  onBug: OnBug;
  /** Wraps the handling of each request: faults, counting, the log. */
  around: (facts: RequestFacts, work: (before: Promise<void>) => Promise<Routed>) => Promise<Outgoing>;
}

/** The result of a request: the answer, and the caller. */
export interface Routed extends Outgoing {
  caller: KeyHolder | null;
}

/** Answers a request of the contract; `sent`: method and path as the client sent them, for the log. */
export type ApiRoutes = (request: SandboxRequest, sent?: SentAs) => Promise<Outgoing>;

interface Target {
  id: OperationId;
  operation: Operation;
}

/** A request whose operation is known. */
interface Asked extends Target {
  request: SandboxRequest;
  params: Record<string, string>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * The API as routes: each operation of the contract at its method and path.
 * Order of checks: key, route, permission, path, query, key format, body, then the handler.
 */
export function buildRoutes(options: RoutingOptions): ApiRoutes {
  const routes = allOperations().map(({id, operation}) => ({
    ...{method: operation.method, path: operation.path},
    target: {id, operation},
  }));
  const table = new RouteTable<Target>(routes);
  return (request, sent) => {
    const path = routePathOf(request.url);
    const found = table.find(request.method, path);
    const facts = {
      method: request.method,
      path,
      operation: found?.target.id ?? null,
      mode: modeOfKey(request.headers.get('x-api-key') ?? undefined),
      sent,
    };
    return answer(request, options, facts, found?.target ?? null, (caller) => {
      if (found !== undefined) return run(options, caller, {...found.target, request, params: found.params});
      const methods = table.methodsAt(path);
      throw new ServiceError(
        'NOT_FOUND',
        methods.length === 0
          ? `no operation at ${path}`
          : `no operation ${request.method} at ${path}; it takes ${methods.join(', ')}`,
      );
    });
  };
}

type AnyHandler = (call: object, context: SandboxContext) => Promise<{status: number; body: object | null}>;
type Answer = Pick<Outgoing, 'status' | 'body'>;

/** Authenticates, runs, and turns any result into an answer of the documented shape. */
function answer(
  request: SandboxRequest,
  options: RoutingOptions,
  facts: RequestFacts,
  target: Target | null,
  work: (caller: KeyHolder) => Promise<Answer> | never,
): Promise<Outgoing> {
  return options.around(facts, async (before) => {
    let caller: KeyHolder | null = null;
    try {
      await before;
      caller = await authenticate(request, options.keys);
      const {status, body} = await work(caller);
      return {caller, headers: NO_HEADERS, status, body};
    } catch (error) {
      return {caller, headers: NO_HEADERS, ...refusal(error, options, target)};
    }
  });
}

async function authenticate({headers}: SandboxRequest, keys: KeyRing): Promise<KeyHolder> {
  const key = headers.get('x-api-key') ?? '';
  const caller = key === '' ? undefined : await keys.find(key);
  if (caller) return caller;
  throw new ServiceError(
    'AUTHENTICATION_ERROR',
    key === '' ? 'the header x-api-key is missing' : 'the API key was not issued by this sandbox',
  );
}

async function run(options: RoutingOptions, caller: KeyHolder, asked: Asked): Promise<Answer> {
  const {id, operation, request} = asked;
  if (caller.scope === 'read' && operation.method !== 'GET')
    throw new ServiceError('AUTHORIZATION_ERROR', 'this key is read-only');
  const params = readIds(asked.params);
  const query = readQuery(request, operation);
  const idempotencyKey = operation.key === undefined ? undefined : readKey(request);
  const body =
    operation.body === undefined
      ? undefined
      : checked(operation.body, await readJsonBody(request, operation.emptyBody));
  // The map's type ties each handler to its operation; here, where the operation is a value, that is lost.
  const handler = HANDLERS[id] as unknown as AnyHandler;
  const call = {entity: caller.entity, params, query, body, idempotencyKey};
  const reply = await handler(call, options.context);
  const schema = operation.ok[reply.status];
  if (schema === undefined)
    throw new Error(`${id} answered ${reply.status}, which the contract does not declare`);
  if (options.checkAnswers && schema !== null) checkAnswer(id, schema, reply.body);
  return {status: reply.status, body: schema === null ? null : JSON.stringify(reply.body)};
}

function readIds(given: Record<string, string>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!UUID.test(value)) throw invalid(name, 'must be a UUID');
    params[name] = value.toLowerCase();
  }
  return params;
}

function readQuery({url}: SandboxRequest, operation: Operation): unknown {
  if (operation.query === undefined && !url.includes('?')) return undefined;
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(queryOf(url))) {
    if (given.has(name)) throw invalid(name, 'occurs more than once');
    given.set(name, value);
  }
  const query = Object.fromEntries(given);
  return operation.query === undefined
    ? checked('Empty', query) && undefined
    : checked(operation.query, query);
}

function readKey({headers}: SandboxRequest): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (!VISIBLE_ASCII.test(key) || key.length > LIMITS.idempotencyKeyLength)
    throw invalid('Idempotency-Key', `must be 1 to ${LIMITS.idempotencyKeyLength} visible ASCII characters`);
  return key;
}

function checked(schema: SchemaName, value: unknown): unknown {
  const result = check(schema, value);
  if (result.ok) return result.value;
  const [first] = result.issues;
  const rest = result.issues.length > 1 ? ` (and ${result.issues.length - 1} more)` : '';
  const where = first?.field ? `${first.field}: ` : '';
  throw new ServiceError('VALIDATION_ERROR', `${where}${first?.issue ?? 'is invalid'}${rest}`, result.issues);
}

function checkAnswer(id: OperationId, schema: SchemaName, body: unknown): void {
  const result = check(schema, body);
  if (!result.ok)
    throw new Error(
      `${id} answered what its schema ${schema} does not allow: ${JSON.stringify(result.issues)}`,
    );
}

/** A refusal that the operation documents; a failure of the store as 503; our own bug as 500. */
function refusal(error: unknown, options: RoutingOptions, target: Target | null): Answer {
  if (error instanceof ServiceError && isDeclared(error.code, target?.operation))
    return {status: error.status, body: JSON.stringify(errorBody(error.code, error.message, error.details))};
  options.onBug(
    error instanceof ServiceError
      ? new Error(
          `${target?.id ?? 'no operation'} answered ${error.code}, which the contract does not declare`,
          {cause: error},
        )
      : error,
  );
  if (error instanceof RemitError)
    return {
      status: 503,
      body: JSON.stringify(
        errorBody('SERVICE_UNAVAILABLE', 'the sandbox cannot use its store; its log has details'),
      ),
    };
  return {
    status: 500,
    body: JSON.stringify(
      errorBody('INTERNAL_ERROR', 'an internal error of the sandbox (a bug in remit); its log has details'),
    ),
  };
}

function isDeclared(code: ServiceErrorCode, operation: Operation | undefined): boolean {
  const shared: readonly ServiceErrorCode[] = SHARED_ERRORS;
  if (shared.includes(code)) return true;
  return operation === undefined ? SERVICE_ERRORS[code].status === 404 : operation.fails.includes(code);
}
