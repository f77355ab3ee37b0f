import {bareCommands} from './bare-commands.ts';
import {createHash} from 'node:crypto';
import {mkdtempSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {type BatchClaims, claimBatch} from '../../src/batch/registry/batch-claims.ts';
import {prepareRetry, type RetryFacts} from '../../src/batch/repair/retry.ts';
import {Wire} from '../../src/batch/answers/wire.ts';
import {BatchRun, type BatchRunOptions} from '../../src/batch/run/batch-run.ts';
import {batchFolder} from '../../src/batch/journal/folder.ts';
import {type OpenBatch, openBatch} from '../../src/batch/journal/open-batch.ts';
import {planBatch, type PlanRequest} from '../../src/batch/plan/plan.ts';
import {beginCancel} from '../../src/batch/standing/remaining.ts';
import type {RunSettings} from '../../src/batch/send/run-settings.ts';
import type {Speed} from '../../src/batch/speed/speed.ts';
import {AdaptiveSpeed} from '../../src/batch/speed/adaptive.ts';
import type {Summary} from '../../src/batch/standing/summary.ts';
import {Codec} from '../../src/client/requests/codec.ts';
import type {ServiceFile} from '../../src/service/service-file.ts';
import {DEFAULT_TIMEOUTS} from '../../src/client/transport/transport.ts';
import type {SqliteDatabase} from '../../src/store/port/port.ts';
import {openSqlite} from '../../src/store/sqlite/sqlite.ts';
import type {TruthService} from './truth-service.ts';
import {memoryFolder} from '../repo/memory-folder.ts';
import {VirtualClock} from './virtual-clock.ts';
import type {RunPath} from '../../src/batch/model/run-path.ts';

export const DEFAULT_SETTINGS: Omit<RunSettings, 'kind'> = {
  horizonMs: 24 * 3600_000,
  acceptDifferences: false,
  releaseRest: false,
  trustRefusals: false,
  retryUnapproved: false,
};

export const payeeId = (n: number): string => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

export interface RunArguments {
  profile?: string;
  batchId?: string;
  path?: RunPath;
  settings?: Partial<RunSettings>;
  mode?: 'test' | 'live';
  key?: string;
  baseUrl?: string;
  drain?: AbortSignal;
  abort?: AbortSignal;
  onProgress?: BatchRunOptions['onProgress'];
  /** Where the results go; the bench's folder when absent. */
  out?: string;
  /** Another state folder than the bench's own. */
  stateDir?: string;
  maxInFlight?: number;
  /** Instead of the usual one, which `maxInFlight` speaks of. */
  speed?: Speed;
  random?: () => number;
  transport?: ReturnType<TruthService['transport']>;
  /** What the profile says of a service that differs. */
  service?: ServiceFile;
  /** Called with the batch as it was opened, before anything of it runs. */
  opened?: (batch: OpenBatch) => void;
}

/** A state folder, an input folder and a clock of their own for one test. */
export class Bench {
  readonly folder = mkdtempSync(join(memoryFolder(), 'remit-batch-'));
  readonly stateDir = join(this.folder, 'state');
  readonly clock = new VirtualClock();

  file(name: string, content: string | Buffer): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  /** `rows` payouts of 100.01, 100.02 … to as many payees. */
  payouts(rows: number, name = 'payouts.csv'): string {
    const lines = Array.from(
      {length: rows},
      (_, i) =>
        `INV-${i + 1},${payeeId(i + 1)},${100 + Math.floor((i + 1) / 100)}.${String((i + 1) % 100).padStart(2, '0')},USD`,
    );
    return this.file(name, `reference,payee_id,amount,currency_code\n${lines.join('\n')}\n`);
  }

  async plan(file: string, options: Partial<PlanRequest> = {}) {
    return planBatch({
      kind: 'payout',
      file,
      stateDir: this.stateDir,
      batchId: 'b1',
      clock: this.clock,
      ...options,
    });
  }

  open({batchId = 'b1', stateDir = this.stateDir}: RunArguments = {}): Promise<OpenBatch> {
    return openBatch({stateDir, kind: 'payout', batchId, purpose: 'test run', clock: this.clock});
  }

  #claim(batch: OpenBatch, given: RunArguments): Promise<BatchClaims> {
    const {mode = 'test', baseUrl = 'https://api.test', profile = 'acme', stateDir = this.stateDir} = given;
    return claimBatch({...{batch, mode, baseUrl, profile, stateDir}, breakLock: false, clock: this.clock});
  }

  /** Opens and claims the batch, as a command does before it sends anything. */
  async inClaims<T>(
    use: (claims: BatchClaims, batch: OpenBatch) => T | Promise<T>,
    given: RunArguments = {},
  ): Promise<T> {
    const batch = await this.open(given);
    try {
      given.opened?.(batch);
      if (given.path === 'cancel') beginCancel(batch.journal, this.clock.now());
      const claims = await this.#claim(batch, given);
      try {
        return await use(claims, batch);
      } finally {
        await claims.registry.close();
      }
    } finally {
      await batch.close();
    }
  }

  /** What `retry` does before the run. */
  prepareRetry(
    service: TruthService,
    {named = [], allowedElsewhere}: {named?: readonly string[]; allowedElsewhere?: readonly string[]} = {},
  ): Promise<RetryFacts> {
    return this.inClaims((claims, {plan, journal}) => {
      claims.recordDecisions();
      const by = {mode: 'test', key: 'test_key', timeouts: DEFAULT_TIMEOUTS} as const;
      return prepareRetry({
        ...{journal, plan, named, registry: claims.registry, clock: this.clock},
        ...(allowedElsewhere === undefined ? {} : {allowedElsewhere}),
        wire: new Wire({kind: 'payout', namespace: plan.namespace, ...by}),
        transport: service.transport(),
        stop: new AbortController().signal,
      });
    });
  }

  /** Opens the batch `b1` for a look. */
  async inJournal<T>(look: (batch: OpenBatch) => T | Promise<T>, batchId = 'b1'): Promise<T> {
    const {stateDir, clock} = this;
    const batch = await openBatch({stateDir, kind: 'payout', batchId, purpose: 'look', clock});
    try {
      return await look(batch);
    } finally {
      await batch.close();
    }
  }

  /** The database of the batch, to read or change what no run would; only while no process has the batch. */
  async inDatabase<T>(look: (db: SqliteDatabase) => T): Promise<T> {
    const db = await openSqlite(batchFolder(this.stateDir, 'payout', 'b1').journal, {durability: 'full'});
    try {
      return look(db);
    } finally {
      db.close();
    }
  }

  async run(service: TruthService, given: RunArguments = {}): Promise<Summary> {
    const {key = 'test_key', mode = 'test', baseUrl = 'https://api.test'} = given;
    return this.inClaims((claims, {plan, journal, place, lock}) => {
      claims.recordDecisions();
      return new BatchRun({
        claims: claims.registry,
        plan,
        journal,
        place,
        transport: given.transport ?? service.transport(),
        codec: given.service === undefined ? undefined : new Codec(given.service),
        baseUrl,
        mode,
        key,
        keyFingerprint: createHash('sha256').update(key).digest('hex').slice(0, 16),
        timeouts: DEFAULT_TIMEOUTS,
        speed: given.speed ?? new AdaptiveSpeed({maxInFlight: given.maxInFlight ?? 16}),
        clock: this.clock,
        random: given.random ?? (() => 0.5),
        path: given.path ?? 'stage-and-release',
        settings: {kind: 'payout', ...DEFAULT_SETTINGS, ...given.settings},
        out: given.out ?? this.folder,
        commands: bareCommands(given.profile ?? 'acme', mode),
        assertHeld: () => lock.assertHeld(),
        drain: given.drain ?? new AbortController().signal,
        abort: given.abort ?? new AbortController().signal,
        onProgress: given.onProgress ?? (() => undefined),
      }).run();
    }, given);
  }

  /** Deletes the registry. What its journals have claimed is read from them again, unless they are `away`. */
  loseRegistry(): void {
    for (const name of ['registry.db', 'registry.db-wal'])
      rmSync(join(this.stateDir, 'batches', name), {force: true});
  }

  /** Takes the folder of a batch away while `work` runs, as if it were restored from a backup only afterwards. */
  async away<T>(work: () => Promise<T>, batchId = 'b1'): Promise<T> {
    const {folder} = batchFolder(this.stateDir, 'payout', batchId);
    const kept = join(this.folder, `away-${batchId}`);
    renameSync(folder, kept);
    try {
      return await work();
    } finally {
      renameSync(kept, folder);
    }
  }

  remove(): void {
    rmSync(this.folder, {recursive: true, force: true});
  }
}

/** A seeded generator, uniform in [0, 1): mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
