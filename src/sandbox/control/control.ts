import {timingSafeEqual} from 'node:crypto';
import {Hono, type Context as HonoContext} from 'hono';
import * as z from 'zod';
import {issueWords, valueAtPath} from '../../contract/schemas/issue-words.ts';
import {RemitError} from '../../errors.ts';
import {CONTROL_BODIES, CONTROL_QUERIES, type ControlBody, type ControlQuery} from './bodies.ts';
import type {CONTROL_CALLS} from './calls.ts';
import {TOKEN_HEADER, controlCalls, type ControlCallId} from './calls.ts';
import {checkHost, checkOrigin} from '../api/loopback-guard.ts';
import {isJson, readJsonBody} from '../api/request-body.ts';
import {ServiceError, errorBody, invalid} from '../base/service-error.ts';
import type {Sandbox} from './sandbox-interface.ts';

/** How the control routes are reached, and what only a server can do. */
export interface ControlOptions {
  /** `host:port` values under which the control routes may be called. */
  allowedHosts: () => readonly string[];
  stop: (() => void) | undefined;
  /** Performs what is due, so that a call finds the same state however soon it is made. */
  catchUp: () => Promise<void>;
  /** Sends the webhooks that are due, so that a fault strikes the same ones however soon it is set or removed. */
  sendDue: () => Promise<void>;
  onBug: (error: unknown) => void;
}

type BodyOf<Id extends ControlCallId> = (typeof CONTROL_CALLS)[Id] extends {body: infer B extends ControlBody}
  ? z.output<(typeof CONTROL_BODIES)[B]>
  : undefined;
type QueryOf<Id extends ControlCallId> = (typeof CONTROL_CALLS)[Id] extends {
  query: infer Q extends ControlQuery;
}
  ? z.output<(typeof CONTROL_QUERIES)[Q]>
  : undefined;
/** A call after its checks. Path parameters are as received. */
interface Asked<Id extends ControlCallId> {
  body: BodyOf<Id>;
  query: QueryOf<Id>;
  params: Record<string, string>;
}
/** The answer's body; undefined for a call without one. */
type Handlers = {[Id in ControlCallId]: (asked: Asked<Id>) => unknown};

const handlersOf = (
  sandbox: Sandbox,
  {stop, sendDue}: Pick<ControlOptions, 'stop' | 'sendDue'>,
): Handlers => ({
  status: () => sandbox.status(),
  audit: () => sandbox.audit(),
  reset: async ({body}) => {
    await sandbox.reset({mainBalanceMinor: body.main_balance_in_minor_units});
    return sandbox.status();
  },
  seed: ({body}) => sandbox.seed(body),
  keys: async () => ({data: await sandbox.keys()}),
  issueKey: ({body}) => sandbox.issueKey(body),
  advance: ({body: by}) => sandbox.advance('to' in by ? {toMs: Date.parse(by.to)} : by),
  clock: () => sandbox.clock(),
  setClock: ({body}) => sandbox.setClock(body),
  simulate: ({body: {amount_in_minor_units: amountMinor, ...asked}}) =>
    sandbox.simulate({...asked, amountMinor}),
  magicValues: () => ({data: sandbox.magicValues()}),
  faults: () => ({data: sandbox.faults.list()}),
  addFault: async ({body}) => {
    await sendDue();
    return sandbox.faults.add(body);
  },
  clearFaults: async () => {
    await sendDue();
    sandbox.faults.clear();
  },
  removeFault: async ({params}) => {
    await sendDue();
    if (!sandbox.faults.remove(params['fault_id'] ?? ''))
      throw new ServiceError('NOT_FOUND', 'no such fault rule');
  },
  checkpoints: async () => ({data: await sandbox.checkpoints.list()}),
  saveCheckpoint: ({body}) => sandbox.checkpoints.save(body.name),
  restoreCheckpoint: ({params}) => sandbox.checkpoints.restore(params['name'] ?? ''),
  deliveries: async ({query}) => ({data: await sandbox.deliveries.list(query)}),
  delivery: ({params}) => sandbox.deliveries.show(deliveryId(params)),
  redeliver: ({params}) => sandbox.deliveries.redeliver(deliveryId(params)),
  pageLink: () => sandbox.pageLink(),
  stop: () => {
    if (!stop) throw new ServiceError('NOT_FOUND', 'this sandbox is not a server');
    stop();
    return {stopping: true};
  },
});

/** Text that is not an id is not looked up: a database may not even accept it. */
function deliveryId({delivery_id: id = ''}: Record<string, string>): string {
  if (z.guid().safeParse(id).success) return id;
  throw new ServiceError('NOT_FOUND', `no delivery ${id}`);
}

/**
 * The routes under /sandbox/. A web page can never reach them, because token, Host, Origin and content type are
 * checked.
 */
export function buildControl(sandbox: Sandbox, options: ControlOptions): Hono {
  const app = new Hono();
  app.use('*', async (c, next) => {
    guard(c as HonoContext, sandbox.controlToken, options.allowedHosts()); // the wildcard's own type adds nothing
    await options.catchUp();
    await next();
  });
  const handlers = handlersOf(sandbox, options);
  for (const [id, declared] of controlCalls()) {
    // Which handler takes which body is checked where they are written; here the call is a value.
    const handler = handlers[id] as (asked: object) => unknown;
    app.on(declared.method, declared.path.replace(/\{(\w+)\}/g, ':$1'), async (c) => {
      const {body, query} = declared;
      const asked = {
        body: body && (await readBody(c, CONTROL_BODIES[body])),
        query: query && readQuery(c, CONTROL_QUERIES[query]),
        params: c.req.param(),
      };
      const answer = await handler(asked);
      const [status, shape] = declared.ok;
      return shape === null ? c.body(null, 204) : c.json(answer as object, status as 200); // one that has a body
    });
  }
  app.notFound((c) =>
    refuse(c, new ServiceError('NOT_FOUND', `no control call ${c.req.method} ${c.req.path}`), options.onBug),
  );
  app.onError((error, c) => refuse(c, error, options.onBug));
  return app;
}

/**
 * @throws {ServiceError} 400 for a POST that is not JSON; 401 without the token; 403 if the request may come from a
 *   browser.
 */
function guard(c: HonoContext, token: string, hosts: readonly string[]): void {
  checkOrigin(c.req.raw, checkHost(c.req.raw, hosts, 'control calls'), 'control calls');
  if (!sameToken(c.req.header(TOKEN_HEADER) ?? '', token))
    throw new ServiceError(
      'AUTHENTICATION_ERROR',
      `control calls need the control token in the header ${TOKEN_HEADER}`,
    );
  // No form of a web page sends this type; calls without a body need it as well.
  if (c.req.method === 'POST' && !isJson(c.req.raw))
    throw invalid('', 'content-type must be application/json');
}

function sameToken(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function readBody(c: HonoContext, schema: z.ZodType): Promise<unknown> {
  return checked(schema, await readJsonBody(c.req.raw));
}

const readQuery = (c: HonoContext, schema: z.ZodType): unknown => checked(schema, c.req.query());

function checked(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(
    issue?.path.join('.') ?? '',
    issue === undefined ? 'is invalid' : issueWords(issue, valueAtPath(value, issue.path)),
  );
}

/** Control calls are answered to the sandbox's owner, so a failure of the store is reported in full. */
function refuse(c: HonoContext, error: Error, onBug: (error: unknown) => void): Response {
  if (!(error instanceof ServiceError)) {
    onBug(error);
    if (!(error instanceof RemitError))
      return c.json(
        errorBody('INTERNAL_ERROR', 'an internal error of the sandbox (a bug in remit); its log has details'),
        500,
      );
    const {message, hint} = error;
    return c.json(
      errorBody('SERVICE_UNAVAILABLE', hint === undefined ? message : `${message} (${hint})`),
      503,
    );
  }
  return c.json(errorBody(error.code, error.message, error.details), error.status as 400); // one of SERVICE_ERRORS
}
