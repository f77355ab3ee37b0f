import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {
  checkOptions,
  mustBe,
  mustBeBoolean,
  mustBeFunction,
  mustBeName,
  mustBeObject,
  mustBeOneOf,
  mustBeWhole,
  type Checks,
} from '../arguments.ts';
import {messageOf} from '../narrow.ts';
import type {ServiceFile} from '../service/service-file.ts';
import {harnessOf} from './harness-calls.ts';
import {keepRealTicks} from './real-ticks.ts';
import type {RunningHarness} from './running-harness.ts';
import type {RunningSandbox, ServerOptions} from './server.ts';
import type {PostWebhook} from './webhooks/post.ts';

/** How a sandbox for tests behaves. Without options it is empty, runs in real time, and picks a free port. */
export interface HarnessOptions {
  /** Default: any free port of 127.0.0.1. */
  port?: number | undefined;
  /** Equal seeds and calls give equal ids, keys and faults. */
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
  checkOptions(options, OPTIONS, 'the options of startSandbox');
  const {store, onWebhook, ...rest} = options;
  const folder = store === undefined ? mkdtempSync(join(tmpdir(), 'remit-sandbox-')) : undefined;
  const remove = () => folder !== undefined && rmSync(folder, {recursive: true, force: true});
  process.once('exit', remove); // of a test that never stops it
  const releaseTicks = keepRealTicks();
  const leave = () => {
    releaseTicks();
    process.off('exit', remove);
    remove();
  };
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= server.close().finally(leave));
  const server = await start({
    ...rest,
    store: store ?? join(folder ?? '', 'sandbox.db'),
    post: onWebhook && handing(onWebhook),
    onStop: () => void stop(),
    keepsAlive: false,
  }).catch((error: unknown) => {
    leave();
    throw error;
  });
  return {...harnessOf(server, () => stopping !== undefined), stop};
}

async function start(options: ServerOptions): Promise<RunningSandbox> {
  const {startSandbox: serve} = await import('./server.ts'); // zod and SQLite: only when one is started
  return serve(options);
}

/** Without types, a mistyped option would otherwise change what a test means. */
const OPTIONS: Checks<HarnessOptions> = {
  ...{port: mustBeWhole(0, 65_535), seed: mustBeName, timing: mustBeOneOf(['fast', 'instant', 'real'])},
  frozenAtMs: mustBe('a time in milliseconds since the epoch, such as Date.UTC(2026, 2, 2)', isWhole),
  mainBalanceMinor: mustBe('a whole number of minor units', isWhole),
  ...{store: mustBeName, strictIdempotency: mustBeBoolean, strictAutoApprove: mustBeBoolean},
  ...{service: mustBeObject, onWebhook: mustBeFunction},
};

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
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

/** The headers as node:http gives them to a receiver. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
