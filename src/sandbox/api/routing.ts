import {Hono, type Context as HonoContext} from 'hono';
import {SERVICE_ERRORS, SHARED_ERRORS, type ServiceErrorCode} from '../../contract/error-codes.ts';
import {LIMITS} from '../../contract/limits.ts';
import type {Operation} from '../../contract/operations/operation.ts';
import {allOperations, type OperationId} from '../../contract/operations/operations.ts';
import {check, type SchemaName} from '../../contract/schemas/registry.ts';
import type {Context} from '../world/context.ts';
import {HANDLERS} from '../handlers/all.ts';
import {modeOfKey, type Caller, type KeyRing} from '../world/keys.ts';
import {readJsonBody} from './request-body.ts';
import {NO_HEADERS, type Outgoing} from '../outcomes/fault-answer.ts';
import type {RequestFacts, SentAs} from '../outcomes/faults.ts';
import {RemitError} from '../../errors.ts';
import {ServiceError, errorBody, invalid} from '../base/service-error.ts';

export interface RoutingOptions {
  context: Context;
  keys: KeyRing;
  /** Checks every answer against its schema, which costs time; an invalid one is a bug and becomes a 500. */
  checkAnswers: boolean;
  onBug: (error: unknown) => void;
  /** Wraps the handling of each request: faults, counting, the log. */
  around: (facts: RequestFacts, work: (before: Promise<void>) => Promise<Routed>) => Promise<Outgoing>;
}

/** The result of a request: the answer, and the caller. */
export interface Routed extends Outgoing {
  caller: Caller | null;
}

/** How answers are sent: a server passes a function that writes to its socket. */
export type Deliver = (answer: Outgoing) => Response;

type Env = {Bindings: {deliver: Deliver; sent?: SentAs}};
export type ApiRoutes = Hono<Env>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * The API as routes: each operation of the contract at its method and path.
 * Order of checks: key, route, permission, path, query, key format, body, then the handler.
 */
export function buildRoutes(options: RoutingOptions): ApiRoutes {
  const app = new Hono<Env>({strict: true});
  const operations = allOperations();
  for (const {id, operation} of operations)
    app.on(operation.method, operation.path.replace(/\{(\w+)\}/g, ':$1'), (c) =>
      answer(c, options, {id, operation}, (caller) => run(c, options, caller, id, operation)),
    );
  const known = operations.map(({operation}) => ({
    method: operation.method,
    pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  app.notFound((c) =>
    answer(c, options, null, () => {
      const methods = known.filter(({pattern}) => pattern.test(c.req.path)).map(({method}) => method);
      throw new ServiceError(
        'NOT_FOUND',
        methods.length === 0
          ? `no operation at ${c.req.path}`
          : `no operation ${c.req.method} at ${c.req.path}; it takes ${methods.join(', ')}`,
      );
    }),
  );
  app.onError((error) => {
    throw error; // requests that fail on purpose; everything else was turned into an answer
  });
  return app;
}

type AnyHandler = (call: object, context: Context) => Promise<{status: number; body: object | null}>;
type Answer = Pick<Outgoing, 'status' | 'body'>;

/** Authenticates, runs, and turns any result into an answer of the documented shape. */
async function answer(
  c: HonoContext<Env>,
  options: RoutingOptions,
  target: {id: OperationId; operation: Operation} | null,
  work: (caller: Caller) => Promise<Answer> | never,
): Promise<Response> {
  const facts = {
    method: c.req.method,
    path: c.req.path,
    operation: target?.id ?? null,
    mode: modeOfKey(c.req.header('x-api-key')),
    sent: c.env.sent,
  };
  const outgoing = await options.around(facts, async (before) => {
    let caller: Caller | null = null;
    try {
      await before;
      caller = await authenticate(c, options.keys);
      const {status, body} = await work(caller);
      return {caller, headers: NO_HEADERS, status, body};
    } catch (error) {
      return {caller, headers: NO_HEADERS, ...refusal(error, options, target)};
    }
  });
  return c.env.deliver(outgoing);
}

async function authenticate(c: HonoContext<Env>, keys: KeyRing): Promise<Caller> {
  const key = c.req.header('x-api-key');
  const caller = key === undefined ? undefined : await keys.find(key);
  if (caller) return caller;
  throw new ServiceError(
    'AUTHENTICATION_ERROR',
    key === undefined || key === ''
      ? 'the header x-api-key is missing'
      : 'the API key was not issued by this sandbox',
  );
}

async function run(
  c: HonoContext<Env>,
  options: RoutingOptions,
  caller: Caller,
  id: OperationId,
  operation: Operation,
): Promise<Answer> {
  if (caller.scope === 'read' && operation.method !== 'GET')
    throw new ServiceError('AUTHORIZATION_ERROR', 'this key is read-only');
  const params = operation.path.includes('{') ? readParams(c) : {};
  const query = readQuery(c, operation);
  const idempotencyKey = operation.key === undefined ? undefined : readKey(c);
  const body =
    operation.body === undefined
      ? undefined
      : checked(operation.body, await readJsonBody(c.req.raw, operation.emptyBody));
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

function readParams(c: HonoContext<Env>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(c.req.param())) {
    if (!UUID.test(value)) throw invalid(name, 'must be a UUID');
    params[name] = value.toLowerCase();
  }
  return params;
}

function readQuery(c: HonoContext<Env>, operation: Operation): unknown {
  if (operation.query === undefined && !c.req.url.includes('?')) return undefined;
  const given: Record<string, string> = {};
  for (const [name, [value = '', ...more]] of Object.entries(c.req.queries())) {
    if (more.length > 0) throw invalid(name, 'occurs more than once');
    given[name] = value;
  }
  return operation.query === undefined
    ? checked('Empty', given) && undefined
    : checked(operation.query, given);
}

function readKey(c: HonoContext<Env>): string | undefined {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return undefined;
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
function refusal(
  error: unknown,
  options: RoutingOptions,
  target: {id: OperationId; operation: Operation} | null,
): Answer {
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
