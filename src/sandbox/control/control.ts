import {timingSafeEqual} from 'node:crypto';
import * as z from 'zod';
import {issueWords, valueAtPath} from '../../contract/schemas/issue-words.ts';
import {RemitError} from '../../errors.ts';
import {CONTROL_BODIES, CONTROL_QUERIES, type ControlBody, type ControlQuery} from './bodies.ts';
import type {CONTROL_CALLS} from './calls.ts';
import {TOKEN_HEADER, controlCalls, type ControlCallId} from './calls.ts';
import {checkHost, checkOrigin} from '../api/loopback-guard.ts';
import type {SandboxRequest} from '../api/request.ts';
import {isJson, readJsonBody} from '../api/request-body.ts';
import {routePathOf, queryOf, RouteTable} from '../api/route-table.ts';
import {ServiceError, errorBody, invalid} from '../base/service-error.ts';
import type {Outgoing} from '../outcomes/fault-answer.ts';
import {proofOf} from './proof.ts';
import type {Sandbox} from './sandbox-interface.ts';
import type {OnBug} from '../base/on-bug.ts';

/** How the control routes are reached, and what only a server can do. */
export interface ControlOptions {
  /** `host:port` values under which the control routes may be called. */
  allowedHosts: () => readonly string[];
  stop: (() => void) | undefined;
  /** Performs what is due, so that a call finds the same state however soon it is made. */
  catchUp: () => Promise<void>;
  /** Sends the webhooks that are due, so that a fault strikes the same ones however soon it is set or removed. */
  sendDue: () => Promise<void>;
  onBug: OnBug;
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
  hello: ({query}) => ({proof: proofOf(sandbox.controlToken, query.nonce)}),
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
  simulate: ({body: {amount_in_minor_units: amountMinor, after_ms: afterMs, ...asked}}) =>
    sandbox.simulate({...asked, amountMinor, afterMs}),
  setBankDialect: async ({body: {dialect, account_id}}) => ({
    data: await sandbox.setBankDialect(dialect, account_id),
  }),
  statement: ({query}) => sandbox.statement(query),
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

/** Answers a request to a path under /sandbox/. */
export type Control = (request: SandboxRequest) => Promise<Outgoing>;

/**
 * The calls under /sandbox/. A web page can never reach them, because token, Host, Origin and content type are
 * checked.
 */
export function buildControl(sandbox: Sandbox, options: ControlOptions): Control {
  const handlers = handlersOf(sandbox, options);
  const table = new RouteTable(
    controlCalls().map(([id, declared]) => ({
      ...{method: declared.method, path: declared.path},
      // Which handler takes which body is checked where they are written; here the call is a value.
      target: {declared, handler: handlers[id] as (asked: object) => unknown},
    })),
  );
  return async (request) => {
    try {
      const path = routePathOf(request.url);
      const found = table.find(request.method, path);
      const isOpen = found?.target.declared.open === true;
      guard(request, isOpen ? undefined : sandbox.controlToken, options.allowedHosts());
      if (!isOpen) await options.catchUp();
      if (found === undefined)
        throw new ServiceError('NOT_FOUND', `no control call ${request.method} ${path}`);
      const {declared, handler} = found.target;
      const {body, query} = declared;
      const answer = await handler({
        body: body && checked(CONTROL_BODIES[body], await readJsonBody(request)),
        query: query && checked(CONTROL_QUERIES[query], readQuery(request)),
        params: found.params,
      });
      const [status, shape] = declared.ok;
      return shape === null ? {status: 204, body: null, headers: {}} : json(status, answer);
    } catch (error) {
      return refusal(error, options.onBug);
    }
  };
}

/**
 * @param token undefined for a call that needs none
 * @throws {ServiceError} 400 for a POST that is not JSON; 401 without the token; 403 if the request may come from a
 *   browser.
 */
function guard(request: SandboxRequest, token: string | undefined, hosts: readonly string[]): void {
  checkOrigin(request, checkHost(request, hosts, 'control calls'), 'control calls');
  if (token !== undefined && !sameToken(request.headers.get(TOKEN_HEADER) ?? '', token))
    throw new ServiceError(
      'AUTHENTICATION_ERROR',
      `control calls need the control token in the header ${TOKEN_HEADER}`,
    );
  // No form of a web page sends this type; calls without a body need it as well.
  if (request.method === 'POST' && !isJson(request))
    throw invalid('', 'content-type must be application/json');
}

/** Compares secrets in a time that does not depend on where they differ. */
export function sameToken(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Takes the first value of a repeated parameter. */
const readQuery = ({url}: SandboxRequest): object =>
  Object.fromEntries([...new URLSearchParams(queryOf(url))].reverse());

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
function refusal(error: unknown, onBug: OnBug): Outgoing {
  if (error instanceof ServiceError)
    return json(error.status, errorBody(error.code, error.message, error.details));
  onBug(error);
  if (!(error instanceof RemitError))
    return json(
      500,
      errorBody('INTERNAL_ERROR', 'an internal error of the sandbox (a bug in remit); its log has details'),
    );
  const {message, hint} = error;
  return json(503, errorBody('SERVICE_UNAVAILABLE', hint === undefined ? message : `${message} (${hint})`));
}

const json = (status: number, body: unknown): Outgoing => ({
  ...{status, body: JSON.stringify(body)},
  headers: {'content-type': 'application/json'},
});
