import {must} from '../narrow.ts';
import {ClockAdvancer, type AdvancingParts} from './advancing.ts';
import type {Advance} from './world/advance.ts';
import {readAudit} from './entities/audit.ts';
import {Checkpoints} from './entities/checkpoints.ts';
import type {Entity} from './world/context.ts';
import {buildControl, type Control} from './control/control.ts';
import type {Exchange, RequestCounts} from './api/exchange.ts';
import type {Faults} from './outcomes/faults.ts';
import {issueKey, listKeys, type IssuedKey, type KeyRights} from './world/keys.ts';
import {magicTable, type MagicValue} from './outcomes/magic.ts';
import {SHOWN, readRecords, type PageData} from './page/page-data.ts';
import type {PageView} from './page/page-view.ts';
import {ServedPages} from './page/served-pages.ts';
import {toResponse} from './api/plain-response.ts';
import {SandboxDialect} from './api/dialect.ts';
import type {ServiceFile} from '../service/service-file.ts';
import type {SandboxRequest} from './api/request.ts';
import {routePathOf} from './api/route-table.ts';
import type {ApiRoutes} from './api/routing.ts';
import type {Outgoing} from './outcomes/fault-answer.ts';
import type {ClockMode} from './time/clock.ts';
import type {BankDialect} from './base/bank-dialect.ts';
import {setDialect, type AccountDialect} from './ledger/treasury-account.ts';
import {type StatementFile, StatementFiles, type StatementRequest} from './statement/statement-file.ts';
import {seedStore} from './entities/seed.ts';
import {followClock, moveClock} from './world/shared-clock.ts';
import type {Simulated, Simulation} from './outcomes/outcomes.ts';
import {simulate} from './transfers/simulate.ts';
import type {TimingProfile} from './time/timing.ts';
import {DeliveryDesk} from './webhooks/delivery-desk.ts';
import * as world from './entities/entities.ts';
import type {Sandbox, SandboxStatus, Truth} from './control/sandbox-interface.ts';
import type {OnBug} from './base/on-bug.ts';
import type {Seeded, Advanced, ClockStatus} from './base/shown-records.ts';

/** The parts of a sandbox. */
export interface SandboxParts extends AdvancingParts {
  faults: Faults;
  exchange: Exchange;
  routes: ApiRoutes;
  /** The service file of the service that this sandbox imitates; if absent, it keeps to the contract. */
  service?: ServiceFile | undefined;
  timing: TimingProfile;
  mainBalanceMinor: number;
  keys: readonly IssuedKey[];
  /** Milliseconds since the epoch, by the machine's clock. */
  machineNow: () => number;
  controlToken: string;
  allowedHosts: () => readonly string[];
  stop: (() => void) | undefined;
  onBug: OnBug;
}

type Mode = Entity['mode'];

/** The sandbox on its open store. */
export class LocalSandbox implements Sandbox {
  readonly testKey: string;
  readonly liveKey: string;
  readonly controlToken: string;
  readonly faults: Faults;
  readonly deliveries: DeliveryDesk;
  readonly checkpoints: Checkpoints;
  readonly #parts: SandboxParts;
  readonly #advancing: ClockAdvancer;
  #control: Control | undefined;
  readonly #pages: ServedPages;
  readonly #statements = new StatementFiles();
  readonly #dialect: SandboxDialect | undefined;

  constructor(parts: SandboxParts) {
    const keyOf = (mode: Mode) => {
      const found = parts.keys.find((key) => key.mode === mode && key.scope === 'full');
      return must(found, `full key for ${mode}`).key;
    };
    this.#parts = parts;
    this.testKey = keyOf('test');
    this.liveKey = keyOf('live');
    this.controlToken = parts.controlToken;
    this.faults = parts.faults;
    this.deliveries = new DeliveryDesk(parts.context.store, parts.deliveries);
    this.#advancing = new ClockAdvancer(parts, this.deliveries);
    this.checkpoints = new Checkpoints({
      context: parts.context,
      machineNow: parts.machineNow,
      onRestored: async () => {
        await this.#beginKeys();
        await parts.pump.look();
        await parts.deliveries.resume({restored: true});
      },
    });
    this.#dialect =
      parts.service === undefined
        ? undefined
        : new SandboxDialect(parts.service, parts.routes, (facts, work) => parts.exchange.run(facts, work));
    this.#pages = new ServedPages(
      {
        read: (view) => this.#pageData(view),
        advance: (by) => this.advance(by),
        setClock: (mode) => this.setClock(mode),
        simulate: (asked) => this.simulate(asked),
        redeliver: (id) => this.deliveries.redeliver(id),
      },
      {hosts: parts.allowedHosts, machineNow: parts.machineNow},
    );
  }

  async fetch(request: Request): Promise<Response> {
    const answer = await this.answer(request);
    return toResponse(request.method === 'HEAD' ? {...answer, body: null} : answer);
  }

  answer(request: SandboxRequest): Promise<Outgoing> {
    const path = routePathOf(request.url);
    if (path.startsWith('/sandbox/')) return this.#controlled(request);
    if (ServedPages.owns(request.method, path)) return this.#pages.answer(request);
    return this.#dialect === undefined ? this.#parts.routes(request) : this.#dialect.answer(request);
  }

  /** Its checks are made for the first call: most sandboxes are asked for payments only. */
  #controlled(request: SandboxRequest): Promise<Outgoing> {
    const {allowedHosts, stop, pump, onBug} = this.#parts;
    this.#control ??= buildControl(this, {
      ...{allowedHosts, stop, onBug},
      catchUp: () => pump.catchUp(),
      sendDue: () => this.#advancing.sendDue(),
    });
    return this.#control(request);
  }

  pageLink(): {path: string; expires_at: string} {
    const {path, expiresMs} = this.#pages.makeLink();
    return {path, expires_at: new Date(expiresMs).toISOString()};
  }

  async #pageData(view: PageView): Promise<PageData> {
    const {context, exchange, pump} = this.#parts;
    await pump.catchUp();
    const {shown, before} = view;
    const isDelivery = shown?.kind === 'delivery';
    return {
      ...(await context.store.read((queries) => readRecords(queries, view))),
      delivery: isDelivery ? await this.deliveries.find(shown.id) : undefined,
      clock: await this.clock(),
      requests: exchange.recent(SHOWN),
      counts: this.requests(),
      deliveries: await this.deliveries.list({limit: SHOWN, before: before.deliveries}),
      deliveryCounts: await this.deliveries.counts(),
      faults: this.faults.list().length,
    };
  }

  async audit(): Promise<Truth> {
    const {pump, exchange, context} = this.#parts;
    await pump.catchUp();
    return {posts: exchange.counts().posts, ...(await context.store.read(readAudit))};
  }

  requests(): RequestCounts {
    return this.#parts.exchange.counts();
  }

  async status(): Promise<SandboxStatus> {
    const {context} = this.#parts;
    await followClock(context);
    return {
      clock: this.#clock(),
      requests: this.requests(),
      faults: this.faults.list().length,
      deliveries: await this.deliveries.counts(),
      audit: await this.audit(),
    };
  }

  keys(): Promise<IssuedKey[]> {
    return this.#parts.context.store.read(listKeys);
  }

  async issueKey({mode, scope}: {mode: Mode; scope: KeyRights}): Promise<IssuedKey> {
    const {store, random, clock} = this.#parts.context;
    const entity = await this.#entity(mode);
    return store.write((queries) => issueKey(queries, {entity, scope, random, nowMs: clock.now()}));
  }

  async reset(options: {mainBalanceMinor?: number | undefined} = {}): Promise<void> {
    const {context, exchange, pump} = this.#parts;
    const balance = options.mainBalanceMinor ?? this.#parts.mainBalanceMinor;
    await context.store.write((queries) => world.clearWorld(queries, context, balance), {alone: true});
    await this.#beginKeys();
    this.faults.clear();
    exchange.resetCounts();
    await pump.look();
    await this.#parts.deliveries.look();
  }

  /** Many records were deleted, and their keys with them. */
  #beginKeys(): Promise<void> {
    const {store, keyIndex} = this.#parts.context;
    return store.read((queries) => keyIndex.begin(queries));
  }

  setBankDialect(dialect: BankDialect, accountId?: string): Promise<AccountDialect[]> {
    return this.#parts.context.store.write((queries) =>
      setDialect(queries, dialect, accountId?.toLowerCase()),
    );
  }

  async statement(asked: StatementRequest): Promise<StatementFile> {
    const {pump, context} = this.#parts;
    await pump.catchUp();
    return this.#statements.write(context, asked);
  }

  async seed(request: {payees: number; payers: number; seed?: string; mode?: Mode}): Promise<Seeded> {
    const {payees, payers, seed = 'remit', mode = 'test'} = request;
    return seedStore(this.#parts.context.store, await this.#entity(mode), {payees, payers, seed});
  }

  advance(by: Advance): Promise<Advanced> {
    return this.#advancing.advance(by);
  }

  async setClock(mode: ClockMode): Promise<ClockStatus> {
    const {context, pump, deliveries} = this.#parts;
    await moveClock(context, (clock) => clock.setMode(mode));
    await pump.look(); // its alarm was set for the previous speed
    await deliveries.look();
    return this.#clock();
  }

  async clock(): Promise<ClockStatus> {
    await followClock(this.#parts.context);
    return this.#clock();
  }

  #clock(): ClockStatus {
    const {state} = this.#parts.context.clock;
    return {
      mode: state.mode,
      now: this.#now(),
      timing: this.#parts.timing,
      ...(state.mode === 'accelerated' ? {speed: state.speed} : {}),
    };
  }

  async simulate(asked: Simulation): Promise<Simulated> {
    await this.#parts.pump.catchUp(); // what was due before has been done
    return simulate(this.#parts.context, asked);
  }

  magicValues(): MagicValue[] {
    return magicTable(this.#parts.context.rules);
  }

  async close(): Promise<void> {
    await this.#parts.pump.stop();
    await this.#parts.deliveries.stop();
    await this.#parts.context.store.close();
  }

  #now(): string {
    return new Date(this.#parts.context.clock.now()).toISOString();
  }

  async #entity(mode: Mode): Promise<Entity> {
    const entities = await this.#parts.context.store.read(world.listEntities);
    return must(
      entities.find((entity) => entity.mode === mode),
      `${mode} entity`,
    );
  }
}
