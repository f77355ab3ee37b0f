import type {Mode} from '../contract/mode.ts';
import {randomBytes} from 'node:crypto';
import {systemClock, type Clock} from '../clock.ts';
import type {ServiceFile} from '../service/service-file.ts';
import type {Store} from '../store/port/port.ts';
import type {SandboxContext, RuleSwitches} from './world/context.ts';
import {Exchange, type RequestEntry} from './api/exchange.ts';
import {Faults} from './outcomes/faults.ts';
import {IdMaker} from './base/ids.ts';
import {KeyRing, listKeys} from './world/keys.ts';
import {seededRandom, systemRandom} from './base/random.ts';
import {buildRoutes} from './api/routing.ts';
import {SandboxClock, type ClockMode, type ClockState} from './time/clock.ts';
import {openSandboxStore} from './migrations/open-store.ts';
import {LocalSandbox} from './local-sandbox.ts';
import {fireTimer} from './transfers/fire-timer.ts';
import {foundClock, moveClock} from './world/shared-clock.ts';
import {TimerPump} from './world/timer-pump.ts';
import {TIMINGS, type TimingProfile} from './time/timing.ts';
import type {DeliveryEntry} from './webhooks/delivery-log.ts';
import {DeliveryPump} from './webhooks/delivery-pump.ts';
import {httpsPoster, type PostWebhook} from './webhooks/post.ts';
import {receiverTrust} from './webhooks/trust.ts';
import * as world from './entities/entities.ts';
import type {Sandbox} from './control/sandbox-interface.ts';
import type {BankDialect} from './base/bank-dialect.ts';
import {setDialect} from './ledger/treasury-account.ts';
import {countOpening} from './base/settings.ts';
import {keyIndexFor} from './entities/remembered-keys.ts';
import type {OnBug} from './base/on-bug.ts';

export interface SandboxOptions {
  /**
   * Database file, created if it does not exist and opened under our own lock; or an open store, for no other
   * sandbox.
   */
  store: string | Store;
  /** The machine's time; the sandbox's own may be ahead of it or frozen. */
  clock?: Clock;
  /** Freezes a new sandbox's clock at this time (milliseconds since the epoch). An existing one keeps its clock. */
  frozenAtMs?: number | undefined;
  /** The clock mode from now on, also for an existing sandbox; default: unchanged (a new one: real time). */
  clockMode?: ClockMode | undefined;
  /** Equal seeds and calls give equal ids and keys; absent, they are random. */
  seed?: string | undefined;
  timing?: TimingProfile | undefined;
  strictIdempotency?: boolean | undefined;
  strictAutoApprove?: boolean | undefined;
  idempotencyTtlMs?: number | null | undefined;
  /** Whether amounts such as 55.01 cause an ACH return (default true). */
  magicAmounts?: boolean | undefined;
  /** Entities whose account transfers are answered with 202 and continue later (default: none). */
  asyncInitiation?: readonly Mode[] | undefined;
  /** How the bank reports the lines of all treasury accounts from now on (default: as before; a new one: `id`). */
  bankDialect?: BankDialect | undefined;
  /** A move with the scenario `move_207` settles nevertheless; by default it stays CREATED. */
  settleMove207?: boolean | undefined;
  /** The balance of each main account of a new or reset sandbox. */
  mainBalanceMinor?: number | undefined;
  /** Timers fire by themselves (a server) or before each request (tests). */
  background?: boolean | undefined;
  /** Check every answer against its schema; tests do. */
  checkAnswers?: boolean | undefined;
  controlToken?: string | undefined;
  allowedHosts?: (() => readonly string[]) | undefined;
  onRequest?: ((entry: RequestEntry) => void) | undefined;
  /** Each delivery attempt, once it is recorded. */
  onDelivery?: ((entry: DeliveryEntry) => void) | undefined;
  /** How long a control call waits for slow receivers; default 15 s. */
  receiverPatienceMs?: number | undefined;
  /** Sends deliveries; HTTPS by default, never anything else. */
  post?: PostWebhook | undefined;
  /** Also deliver to private addresses; loopback is always allowed, special addresses never. */
  privateReceivers?: boolean | undefined;
  /** Certificate (PEM) of the local authority, whose receivers are trusted on loopback. */
  authorityFile?: string | undefined;
  /** An internal error that was answered with 500; or a RemitError: the store failed, 503. */
  onBug?: OnBug | undefined;
  onStop?: (() => void) | undefined;
  /** Speaks as the service of this file does. */
  service?: ServiceFile | undefined;
}

/**
 * Opens a sandbox on its store, and sets it up the first time: two entities, their keys, funded main accounts.
 * @throws {RemitError} LOCKED if another process has the store, STATE_DAMAGED if it cannot be read.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const store = typeof options.store === 'string' ? await openSandboxStore(options.store) : options.store;
  try {
    return await assemble(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function assemble(store: Store, options: SandboxOptions): Promise<Sandbox> {
  const machine = options.clock ?? systemClock;
  const onBug = options.onBug ?? ((error) => process.emitWarning(String(error)));
  const mainBalanceMinor = options.mainBalanceMinor ?? world.MAIN_BALANCE_MINOR;
  const timing = options.timing ?? 'fast';
  // Each opening draws new bytes: bytes that were used for keys must not be used again.
  const opening = await store.write(countOpening);
  const randomFor = (what: string) =>
    options.seed === undefined ? systemRandom() : seededRandom(`${options.seed}/${what}/${opening}`);
  const random = randomFor('records');
  const context: SandboxContext = {
    store,
    clock: new SandboxClock(machine, await foundClock(store, firstClock(options.frozenAtMs))),
    ids: new IdMaker(random),
    keyIndex: keyIndexFor(store.dialect),
    random,
    timing: TIMINGS[timing],
    rules: rulesOf(options),
    timerAdded: (dueMs) => pump.notice(dueMs),
    deliveryAdded: (dueMs) => deliveries.notice(dueMs),
  };
  const pump = new TimerPump({context, fire: fireTimer, background: options.background ?? false, onBug});
  const {clockMode} = options;
  if (clockMode) await moveClock(context, (clock) => clock.setMode(clockMode));
  const keys = await store.write(async (queries) => {
    await world.continueIds(queries, context.ids);
    await world.foundWorld(queries, context, random, mainBalanceMinor);
    if (options.bankDialect !== undefined) await setDialect(queries, options.bankDialect);
    return listKeys(queries);
  });
  await store.read((queries) => context.keyIndex.begin(queries));
  await pump.look();
  const faults = new Faults(randomFor('faults'));
  const deliveries = new DeliveryPump({
    context,
    machine,
    faults,
    post: options.post ?? defaultPoster(options),
    background: options.background ?? false,
    service: options.service,
    onDelivery: options.onDelivery,
    onBug,
  });
  await deliveries.start();
  const exchange = new Exchange({
    machine,
    now: () => context.clock.now(),
    faults,
    pump: {
      catchUp: async () => {
        if (!pump.isCaughtUp) await pump.catchUp();
        if (!deliveries.isCaughtUp) await deliveries.catchUp();
      },
    },
    onRequest: options.onRequest,
    onBug,
  });
  const routes = buildRoutes({
    context,
    keys: new KeyRing(store),
    checkAnswers: options.checkAnswers ?? false,
    onBug,
    around: (facts, work) => exchange.run(facts, work),
  });
  return new LocalSandbox({
    context,
    pump,
    deliveries,
    faults,
    exchange,
    routes,
    service: options.service,
    timing,
    mainBalanceMinor,
    keys,
    receiverPatienceMs: options.receiverPatienceMs,
    machineNow: () => machine.now(),
    controlToken: options.controlToken ?? randomBytes(24).toString('base64url'),
    allowedHosts: options.allowedHosts ?? (() => ['localhost', '127.0.0.1', '[::1]']),
    stop: options.onStop,
    onBug,
  });
}

const defaultPoster = ({privateReceivers = false, authorityFile}: SandboxOptions): PostWebhook =>
  httpsPoster({policy: {loopback: true, private: privateReceivers}, trust: receiverTrust(authorityFile)});

const rulesOf = (options: SandboxOptions): RuleSwitches => ({
  strictIdempotency: options.strictIdempotency ?? false,
  strictAutoApprove: options.strictAutoApprove ?? false,
  idempotencyTtlMs: options.idempotencyTtlMs ?? null,
  magicAmounts: options.magicAmounts ?? true,
  asyncInitiation: options.asyncInitiation ?? [],
  ...(options.bankDialect === undefined ? {} : {bankDialect: options.bankDialect}),
  settleMove207: options.settleMove207 ?? false,
});

const firstClock = (frozenAtMs: number | undefined): ClockState =>
  frozenAtMs === undefined ? {mode: 'real', aheadMs: 0} : {mode: 'frozen', atMs: frozenAtMs};
