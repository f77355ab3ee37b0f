import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {isErrorCode, RemitError} from '../errors.ts';
import {isObject, messageOf, ownJson} from '../narrow.ts';
import type {ServiceFile} from '../service/service-file.ts';
import type {RunningSandbox, ServerOptions} from './server.ts';
import type {PostWebhook} from './webhooks/post.ts';

/** How a sandbox for tests behaves. Without options it is empty, runs in real time, and picks a free port. */
export interface HarnessOptions {
  /** Default: any free port of 127.0.0.1. */
  port?: number | undefined;
  /** The same seed and the same calls give the same ids, keys and faults. */
  seed?: string | undefined;
  /** `fast` (default) settles within seconds, `instant` at once, `real` follows banking days. */
  timing?: 'fast' | 'instant' | 'real' | undefined;
  /** Freezes the clock at this time, in milliseconds since the epoch; then only `advance` moves it. */
  frozenAtMs?: number | undefined;
  /** The balance of each main account, in minor units. */
  mainBalanceMinor?: number | undefined;
  /** A database file, which is kept. Default: a temporary one, which `stop` deletes. */
  store?: string | undefined;
  /** Answers 409 if a used key has another body; `strictAutoApprove`: also if only auto_approve differs. */
  strictIdempotency?: boolean | undefined;
  strictAutoApprove?: boolean | undefined;
  /** Speaks like the service of this file. */
  service?: ServiceFile | undefined;
  /**
   * Receives webhook deliveries instead of a request to the endpoint's URL. Returns the status that the receiver
   * would answer with, or throws for a receiver that cannot be reached.
   */
  onWebhook?: ((webhook: ReceivedWebhook) => number | Promise<number>) | undefined;
}

/** A delivery as it would arrive at the endpoint. */
export interface ReceivedWebhook {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The raw bytes, for `verifyWebhook`. */
  body: Buffer;
}

export interface SeedInput {
  payees?: number | undefined;
  payers?: number | undefined;
  /** Determines ids and names; repeating a seed changes nothing. */
  seed?: string | undefined;
  /** Default `test`. */
  mode?: 'test' | 'live' | undefined;
}

export interface SeededParty {
  id: string;
  payment_method_id: string;
  name: string;
}

export interface SeededParties {
  payees: SeededParty[];
  payers: SeededParty[];
}

/** How far: milliseconds, to a time (ISO 8601), to the next scheduled step, or until nothing is scheduled. */
export type Advancing = {ms: number} | {to: string} | {until: 'next' | 'idle'};

export interface AdvancedClock {
  /** The sandbox's time. */
  now: string;
  /** Scheduled steps that happened. */
  fired: number;
  /** Requests sent to webhook endpoints. */
  attempts: number;
  /** Deliveries that ended: delivered, failed or dropped. */
  deliveries: number;
  /** Whether nothing is scheduled any more; present with `until: 'idle'`. */
  idle?: boolean;
}

/** An outcome that the bank applies to a record at once. */
export interface OutcomeInput {
  kind: 'payout' | 'payin' | 'account-transfer' | 'subaccount' | 'payment-method';
  id: string;
  /** Such as `settle`, `fail` or `return`; each kind has its own. */
  outcome: string;
  /** The bank's reason for `fail` and `return`. */
  code?: string | undefined;
  /** The amount of a `credit`. */
  amount_in_minor_units?: number | undefined;
}

export interface SimulatedRecord {
  kind: string;
  id: string;
  outcome: string;
  /** The current status of the record. */
  status: string;
  code?: string;
  balance_in_minor_units?: number;
}

/** A fault rule: which requests or deliveries, how often, and what happens to them. */
export interface FaultInput {
  match?: Readonly<Record<string, unknown>> | undefined;
  /** Stop after so many matches. */
  times?: number | undefined;
  /** 0 to 1; default 1. */
  probability?: number | undefined;
  effect: Readonly<{kind: string} & Record<string, unknown>>;
}

export interface FaultRecord {
  id: string;
  /** Requests or attempts that matched. */
  seen: number;
  /** How many of them were affected. */
  hits: number;
}

export interface AuditedSandbox {
  /** POSTs to the API since the start or the last reset. */
  posts: number;
  /** Whether `problems` is empty. */
  balanced: boolean;
  problems: string[];
  entities: {
    id: string;
    mode: 'test' | 'live';
    name: string;
    /** Counts and sums by status; the amount is in minor units, as decimal text. */
    payouts: Readonly<Record<string, {count: number; amount: string}>>;
    payins: Readonly<Record<string, {count: number; amount: string}>>;
    /** Minor units, as decimal text. */
    balances: Readonly<Record<string, string>>;
  }[];
}

/** A sandbox that runs in this process. Every refusal is a `RemitError`. */
export interface RunningHarness {
  /** The address for `new RemitClient({baseUrl, key})`. */
  readonly baseUrl: string;
  readonly testKey: string;
  readonly liveKey: string;
  /** Address and token of the control calls, for other processes. */
  readonly controlUrl: string;
  readonly controlToken: string;
  /** Deletes all records and fault rules; keys and the clock stay. */
  reset(options?: {mainBalanceMinor?: number | undefined}): Promise<void>;
  /** Creates payees and payers, each with a verified default bank account. */
  seed(parties: SeedInput): Promise<SeededParties>;
  /** Moves the clock forward; everything due by then is done when the promise resolves. */
  advance(by: Advancing): Promise<AdvancedClock>;
  /** Makes the bank apply an outcome to a record. */
  simulate(outcome: OutcomeInput): Promise<SimulatedRecord>;
  /** Adds a fault rule. */
  addFault(rule: FaultInput): Promise<FaultRecord>;
  /** The fault rules with their counters. */
  faults(): Promise<FaultRecord[]>;
  clearFaults(): Promise<void>;
  /** Records by status, balances, and what does not add up. */
  audit(): Promise<AuditedSandbox>;
  /** Stops the server and deletes a temporary store. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts a sandbox in this process, on loopback only.
 *
 * @throws {RemitError} USAGE for invalid options; PORT_IN_USE; LOCKED or STATE_DAMAGED for a `store` that cannot be used
 * @example
 * const sandbox = await startSandbox({frozenAtMs: Date.UTC(2026, 2, 2, 15)});
 * const client = new RemitClient({baseUrl: sandbox.baseUrl, key: sandbox.testKey});
 * // …
 * await sandbox.advance({until: 'idle'});
 * await sandbox.stop();
 */
export async function startSandbox(options: HarnessOptions = {}): Promise<RunningHarness> {
  checkOptions(options);
  const {store, onWebhook, ...rest} = options;
  const folder = store === undefined ? mkdtempSync(join(tmpdir(), 'remit-sandbox-')) : undefined;
  const remove = () => folder !== undefined && rmSync(folder, {recursive: true, force: true});
  process.once('exit', remove); // of a test that never stops it
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= server.close().finally(() => {
      process.off('exit', remove);
      remove();
    }));
  const server = await start({
    ...rest,
    store: store ?? join(folder ?? '', 'sandbox.db'),
    post: onWebhook && handing(onWebhook),
    onStop: () => void stop(),
  }).catch((error: unknown) => {
    process.off('exit', remove);
    remove();
    throw error;
  });
  return {...harnessOf(server, () => stopping !== undefined), stop};
}

async function start(options: ServerOptions): Promise<RunningSandbox> {
  const {startSandbox: serve} = await import('./server.ts'); // zod and SQLite: only when one is started
  return serve(options);
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/** What each option must be. Without types, a mistyped one would otherwise change what a test means. */
const VALID: Readonly<
  Record<keyof HarnessOptions, readonly [is: (value: unknown) => boolean, what: string]>
> = {
  port: [(value) => isWhole(value) && Number(value) <= 65_535, 'a port, from 0 to 65535'],
  seed: [isText, 'text'],
  timing: [(value) => ['fast', 'instant', 'real'].includes(String(value)), 'fast, instant or real'],
  frozenAtMs: [isWhole, 'a time in milliseconds since the epoch, such as Date.UTC(2026, 2, 2)'],
  mainBalanceMinor: [isWhole, 'a whole number of minor units'],
  store: [isText, 'the path of a file'],
  strictIdempotency: [(value) => typeof value === 'boolean', 'true or false'],
  strictAutoApprove: [(value) => typeof value === 'boolean', 'true or false'],
  service: [isObject, 'the content of a service file'],
  onWebhook: [(value) => typeof value === 'function', 'a function'],
};

function checkOptions(options: HarnessOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(VALID, name))
      throw new RemitError(
        'USAGE',
        `startSandbox has no option ${name}; its options: ${Object.keys(VALID).join(', ')}`,
      );
    const [is, what] = VALID[name as keyof HarnessOptions];
    if (value !== undefined && !is(value))
      throw new RemitError('USAGE', `the option ${name} of startSandbox must be ${what}`);
  }
}

function harnessOf(server: RunningSandbox, isStopped: () => boolean): Omit<RunningHarness, 'stop'> {
  const {baseUrl, testKey, liveKey, controlUrl, controlToken} = server;
  const call = async <Answer>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Answer> => {
    if (isStopped()) throw new RemitError('NOT_RUNNING', 'this sandbox has been stopped');
    return callControl<Answer>(server, {method, path, body});
  };
  return {
    ...{baseUrl, testKey, liveKey, controlUrl, controlToken},
    reset: async ({mainBalanceMinor} = {}) => {
      await call('POST', '/reset', {main_balance_in_minor_units: mainBalanceMinor});
    },
    seed: (parties) => call('POST', '/seed', parties),
    advance: (by) => call('POST', '/advance', by),
    simulate: (outcome) => call('POST', '/simulate', outcome),
    addFault: (rule) => call('POST', '/faults', rule),
    faults: async () => (await call<{data: FaultRecord[]}>('GET', '/faults')).data,
    clearFaults: () => call('DELETE', '/faults'),
    audit: () => call('GET', '/audit'),
  };
}

/** A documented control call, without a connection. Its answers have the shapes of docs/reference/control.md. */
async function callControl<Answer>(
  {sandbox, controlUrl, controlToken}: RunningSandbox,
  {method, path, body}: {method: string; path: string; body: object | undefined},
): Promise<Answer> {
  const answer = await sandbox.fetch(
    new Request(controlUrl + path, {
      method,
      headers: {'x-sandbox-token': controlToken, 'content-type': 'application/json'},
      ...(body === undefined ? {} : {body: JSON.stringify(body)}),
    }),
  );
  const text = await answer.text();
  if (answer.ok) return ownJson<Answer>(text === '' ? 'null' : text);
  const {error_code: code, message} = ownJson<{error_code: string; message: string}>(text);
  throw new RemitError(isErrorCode(code) ? code : 'REFUSED', message, {httpStatus: answer.status});
}

/** Hands deliveries to a function of the caller's. */
function handing(receive: NonNullable<HarnessOptions['onWebhook']>): PostWebhook {
  return async ({url, headers, body}) => {
    const startedMs = performance.now();
    const elapsedMs = () => Math.round(performance.now() - startedMs);
    try {
      const status = await receive({url, headers: lowerCased(headers), body: Buffer.from(body)});
      return {elapsedMs: elapsedMs(), status, response: ''};
    } catch (error) {
      const failure = {code: 'connection', message: messageOf(error)} as const;
      return {elapsedMs: elapsedMs(), status: null, response: '', error: failure};
    }
  };
}

/** As node:http gives them to a receiver. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
