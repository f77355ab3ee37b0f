import {timingSafeEqual} from 'node:crypto';
import {Hono, type Context as HonoContext} from 'hono';
import * as z from 'zod';
import {issueWords, valueAtPath} from '../contract/schemas/issue-words.ts';
import {RemitError} from '../errors.ts';
import {FaultRule} from './fault-schema.ts';
import {checkHost, checkOrigin} from './loopback-guard.ts';
import {isJson, readJsonBody} from './request-body.ts';
import {CLOCK_MAX_MS, SPEED_MAX} from './sandbox-clock.ts';
import type {Sandbox} from './sandbox.ts';
import {ServiceError, errorBody, invalid} from './service-error.ts';
import {addDeliveryRoutes} from './webhooks/delivery-routes.ts';

export const TOKEN_HEADER = 'x-sandbox-token';

/** How the control routes are reached, and what only a server can do. */
export interface ControlOptions {
  /** `host:port` values under which the control routes may be called. */
  allowedHosts: () => readonly string[];
  stop: (() => void) | undefined;
  /** Does what has fallen due, so that a call finds the same state however soon it comes. */
  catchUp: () => Promise<void>;
  onBug: (error: unknown) => void;
}

const Seed = z.strictObject({
  payees: z.int().min(0).max(100_000).default(0),
  payers: z.int().min(0).max(100_000).default(0),
  seed: z.string().min(1).max(255).default('remit'),
  mode: z.enum(['test', 'live']).default('test'),
});
const Reset = z.strictObject({main_balance_in_minor_units: z.int().min(0).optional()});
const NewKey = z.strictObject({
  mode: z.enum(['test', 'live']),
  scope: z.enum(['full', 'read']).default('full'),
});
const Advance = z.union([
  z.strictObject({
    ms: z
      .int()
      .min(0)
      .max(366 * 86_400_000),
  }),
  z.strictObject({
    to: z.iso
      .datetime({offset: true})
      .refine(
        (to) => Date.parse(to) <= CLOCK_MAX_MS,
        'lies behind the year 2199, where the sandbox has no time',
      ),
  }),
]);
const Ahead = z.strictObject({until: z.enum(['next', 'idle'])});
const ClockChange = z.discriminatedUnion('mode', [
  z.strictObject({mode: z.literal('real')}),
  z.strictObject({mode: z.literal('accelerated'), speed: z.int().min(2).max(SPEED_MAX)}),
  z.strictObject({mode: z.literal('frozen')}),
]);
const Asked = z.strictObject({
  kind: z.string(),
  id: z.uuid(),
  outcome: z.string(),
  code: z.string().min(1).max(40).optional(),
  amount_in_minor_units: z.int().positive().optional(),
});
const NewCheckpoint = z.strictObject({name: z.string()});
const Nothing = z.strictObject({});

/** The routes under /sandbox/: never reachable for a web page, since token, Host, Origin and content type are checked. */
export function buildControl(sandbox: Sandbox, options: ControlOptions): Hono {
  const app = new Hono();
  app.use('*', async (c, next) => {
    guard(c as HonoContext, sandbox.controlToken, options.allowedHosts()); // the wildcard's own type says nothing more
    await options.catchUp();
    await next();
  });
  app.get('/sandbox/status', async (c) => c.json(await sandbox.status()));
  app.get('/sandbox/audit', async (c) => c.json(await sandbox.audit()));
  app.get('/sandbox/keys', async (c) => c.json({data: await sandbox.keys()}));
  app.post('/sandbox/keys', async (c) => c.json(await sandbox.issueKey(await body(c, NewKey)), 201));
  app.post('/sandbox/reset', async (c) => {
    await sandbox.reset({mainBalanceMinor: (await body(c, Reset)).main_balance_in_minor_units});
    return c.json(await sandbox.status());
  });
  app.post('/sandbox/seed', async (c) => c.json(await sandbox.seed(await body(c, Seed)), 201));
  app.post('/sandbox/advance', async (c) => {
    const by = await body(c, z.union([...Advance.options, Ahead]));
    return c.json(await sandbox.advance('to' in by ? {toMs: Date.parse(by.to)} : by));
  });
  app.get('/sandbox/clock', async (c) => c.json(await sandbox.clock()));
  app.post('/sandbox/clock', async (c) => c.json(await sandbox.setClock(await body(c, ClockChange))));
  app.post('/sandbox/simulate', async (c) => {
    const {amount_in_minor_units: amountMinor, ...asked} = await body(c, Asked);
    return c.json(await sandbox.simulate({...asked, amountMinor}));
  });
  app.get('/sandbox/magic-values', (c) => c.json({data: sandbox.magicValues()}));
  app.get('/sandbox/faults', (c) => c.json({data: sandbox.faults.list()}));
  app.post('/sandbox/faults', async (c) => c.json(sandbox.faults.add(await body(c, FaultRule)), 201));
  app.delete('/sandbox/faults', (c) => {
    sandbox.faults.clear();
    return c.body(null, 204);
  });
  app.delete('/sandbox/faults/:id', (c) => {
    if (!sandbox.faults.remove(c.req.param('id'))) throw new ServiceError('NOT_FOUND', 'no such fault rule');
    return c.body(null, 204);
  });
  app.get('/sandbox/checkpoints', async (c) => c.json({data: await sandbox.checkpoints.list()}));
  app.post('/sandbox/checkpoints', async (c) =>
    c.json(await sandbox.checkpoints.save((await body(c, NewCheckpoint)).name), 201),
  );
  app.post('/sandbox/checkpoints/:name/restore', async (c) => {
    await body(c, Nothing);
    return c.json(await sandbox.checkpoints.restore(c.req.param('name')));
  });
  addDeliveryRoutes(app, sandbox.deliveries);
  app.post('/sandbox/page-links', async (c) => {
    await body(c, Nothing);
    return c.json(sandbox.pageLink(), 201);
  });
  app.post('/sandbox/stop', async (c) => {
    await body(c, Nothing);
    if (!options.stop) throw new ServiceError('NOT_FOUND', 'this sandbox is not a server');
    options.stop();
    return c.json({stopping: true}, 202);
  });
  app.notFound((c) =>
    refuse(c, new ServiceError('NOT_FOUND', `no control call ${c.req.method} ${c.req.path}`), options.onBug),
  );
  app.onError((error, c) => refuse(c, error, options.onBug));
  return app;
}

/** @throws {ServiceError} 400 for a POST that is not JSON; 401 without the token; 403 when a browser may be behind the request. */
function guard(c: HonoContext, token: string, hosts: readonly string[]): void {
  checkOrigin(c.req.raw, checkHost(c.req.raw, hosts, 'control calls'), 'control calls');
  if (!sameToken(c.req.header(TOKEN_HEADER) ?? '', token))
    throw new ServiceError(
      'AUTHENTICATION_ERROR',
      `control calls need the control token in the header ${TOKEN_HEADER}`,
    );
  // No form of a web page sends this type; calls without a body are held to it as well.
  if (c.req.method === 'POST' && !isJson(c.req.raw))
    throw invalid('', 'content-type must be application/json');
}

function sameToken(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function body<T extends z.ZodType>(c: HonoContext, schema: T): Promise<z.output<T>> {
  const json = await readJsonBody(c.req.raw);
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalid(
    issue?.path.join('.') ?? '',
    issue === undefined ? 'is invalid' : issueWords(issue, valueAtPath(json, issue.path)),
  );
}

/** Control calls are answered to the sandbox's owner: trouble with the store is told as it is. */
function refuse(c: HonoContext, error: Error, onBug: (error: unknown) => void): Response {
  if (!(error instanceof ServiceError)) {
    onBug(error);
    if (!(error instanceof RemitError))
      return c.json(errorBody('INTERNAL_ERROR', 'a bug of the sandbox; its log says more'), 500);
    const {message, hint} = error;
    return c.json(
      errorBody('SERVICE_UNAVAILABLE', hint === undefined ? message : `${message} (${hint})`),
      503,
    );
  }
  return c.json(errorBody(error.code, error.message, error.details), error.status as 400); // one of SERVICE_ERRORS
}
