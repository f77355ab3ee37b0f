import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {idempotencyKey} from '../../../src/batch/model/identity.ts';
import type {SqlRow} from '../../../src/store/port/port.ts';
import {openSqlite, type SqliteDriver} from '../../../src/store/sqlite/sqlite.ts';
import {TruthService} from '../truth-service.ts';
import type {DiskTrouble} from './disk-trouble.ts';
import {startVictim, type Victim, type VictimEnd, lastTold} from './victims.ts';
import type {RunPath} from '../../../src/batch/model/run-path.ts';
import {availableDrivers} from '../../store/drivers.ts';

export const ROWS = 40;
const party = (n: number): string => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const centsOf = (n: number): number => 10_000 + 37 * n;
const PLANNED_CENTS = Array.from({length: ROWS}, (_, i) => centsOf(i + 1)).reduce(
  (sum, cents) => sum + cents,
  0,
);
const centsIn = (amount: string): number => Number(amount.replace('.', ''));
const major = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

export interface RunOptions {
  path?: RunPath;
  driver?: SqliteDriver;
  trouble?: DiskTrouble;
  answerAfterMs?: number;
  wrapper?: readonly string[];
  /** Another state folder than the scene's own; its results lie there too. */
  folder?: string;
}

/** One file of forty payouts, one service that keeps the truth, and the folders of those who run the file. */
export class Scene {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'remit-crash-')));
  readonly folder = join(this.root, 'disk');
  readonly file = join(this.root, 'payouts.csv');
  readonly service = new TruthService();
  readonly #program: string;
  readonly #listening: Promise<{baseUrl: string; close: () => Promise<void>}>;

  constructor(program: string) {
    this.#program = program;
    this.#listening = this.service.listen();
    mkdirSync(this.folder);
    const lines = Array.from(
      {length: ROWS},
      (_, i) => `INV-${i + 1},${party(i + 1)},${major(centsOf(i + 1))},USD`,
    );
    writeFileSync(this.file, `reference,payee_id,amount,currency_code\n${lines.join('\n')}\n`);
  }

  async start(options: RunOptions = {}): Promise<Victim> {
    const {path = 'stage-and-release', trouble, answerAfterMs = 3, folder = this.folder} = options;
    const {baseUrl} = await this.#listening;
    mkdirSync(folder, {recursive: true});
    const driver = options.driver ?? availableDrivers()[0]!;
    const task = {file: this.file, folder, baseUrl, driver, path, trouble, answerAfterMs};
    return startVictim(this.#program, task, options.wrapper);
  }

  async run(options: RunOptions = {}): Promise<VictimEnd> {
    return (await this.start(options)).ended;
  }

  /** Runs the file once more, to the end; then once again, which sends nothing. Every row is paid and reported once. */
  async finish(options: RunOptions = {}): Promise<VictimEnd> {
    const end = await this.run(options);
    assert.equal(end.code, 0, `the resumed run ended with ${end.code}: ${wordsOf(end)}`);
    this.checkTruth();
    this.checkReport(options.folder, lastTold<Summary>(end, 'summary'));
    const before = this.service.posts;
    const again = await this.run(options);
    assert.equal(again.code, 0, `the run after completion ended with ${again.code}: ${wordsOf(again)}`);
    assert.equal(this.service.posts, before, 'no POST after completion');
    this.checkReport(options.folder, lastTold<Summary>(again, 'summary'));
    return end;
  }

  /** What the service knows: one approved record for each row, no row twice, the sum exact. */
  checkTruth(): void {
    const {paid, byId} = this.service;
    assert.ok(
      paid.every((record) => record.approvals === 1),
      'a record was approved twice',
    );
    const references = paid.map(
      (record) => (record.body['metadata'] as {remit_reference: string}).remit_reference,
    );
    assert.equal(new Set(references).size, references.length, 'a reference was paid by two records');
    assert.equal(paid.length, ROWS, 'a row was not paid');
    assert.equal(byId.size, ROWS, 'a row has two records');
    const cents = paid.reduce((sum, record) => sum + Number(record.body['amount_in_minor_units']), 0);
    assert.equal(cents, PLANNED_CENTS, 'the money that moved is not the planned sum');
  }

  /** What the person is told, in summary and results: the truth. A row that another batch has paid is told as such. */
  checkReport(folder = this.folder, summary: Summary | undefined): void {
    assert.ok(summary, 'a summary was told');
    assert.equal(summary.planned, ROWS);
    assert.equal(summary.accepted + summary.already_paid, ROWS, JSON.stringify(summary));
    const {planned, accepted, already_paid: before} = summary.totals['USD']!;
    assert.equal(planned, major(PLANNED_CENTS));
    assert.equal(centsIn(accepted) + centsIn(before), PLANNED_CENTS);
    const results = join(folder, 'b1.results.csv');
    assert.ok(existsSync(results), 'results were written');
    const lines = readFileSync(results, 'utf8').trim().split('\r\n').slice(1);
    assert.equal(lines.length, ROWS, 'each row is reported once');
    for (const line of lines) {
      const cells = line.slice(1, -1).split('","');
      const [reference, , , , , , state, amount, id] = cells;
      assert.ok(state === 'accepted' || state === 'already_paid', line);
      const record = this.service.byId.get(id ?? '');
      assert.equal(
        (record?.body['metadata'] as {remit_reference?: string})?.remit_reference,
        reference,
        line,
      );
      assert.equal(amount, `${major(Number(record!.body['amount_in_minor_units']))} USD`, line);
    }
  }

  /**
   * Whatever was handed to the network lies in a window of the journal and has a claim in the registry, on the disk.
   * Looks at a copy: opening a database changes it.
   */
  async checkIntents(ends: readonly VictimEnd[], folder = this.folder): Promise<void> {
    const keys = new Set(
      ends.flatMap(({told}) => told.filter(({what}) => what === 'post').map(({value}) => value)),
    );
    if (keys.size === 0) return;
    const copy = join(this.root, 'copy');
    cpSync(join(folder, 'state'), copy, {recursive: true});
    const windows = await readAll(
      join(copy, 'batches', 'payout', 'b1', 'journal.db'),
      'select first, last from windows',
    );
    const registry = join(copy, 'batches', 'registry.db');
    const entries = await readAll(registry, 'select reference from entries');
    const notes = await readAll(
      registry,
      `select n.way, case n.way when 'free' then c.value else c.value ->> 3 end as reference
       from notes n cross join json_each(n.lines) c where n.way <> 'paid' order by n.seq`,
    );
    rmSync(copy, {recursive: true});
    const claimed = new Set(entries.map(({reference}) => reference));
    for (const {way, reference} of notes)
      if (way === 'free') claimed.delete(reference);
      else claimed.add(reference);
    for (let n = 1; n <= ROWS; n++) {
      if (!keys.has(keyOf(n))) continue;
      assert.ok(
        windows.some(({first, last}) => Number(first) <= n && n <= Number(last)),
        `row ${n} was sent before its window was committed`,
      );
      assert.ok(claimed.has(`INV-${n}`), `row ${n} was sent before it was claimed`);
    }
  }

  async close(): Promise<void> {
    await (await this.#listening).close();
    rmSync(this.root, {recursive: true, force: true});
  }
}

const keyOf = (n: number): string =>
  idempotencyKey({kind: 'payout', mode: 'test', namespace: 'default', reference: `INV-${n}`, generation: 0});

async function readAll(file: string, sql: string): Promise<SqlRow[]> {
  const db = await openSqlite(file, {durability: 'normal'});
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

/** Gives a scene to `work` and clears it away. */
export async function withScene<T>(program: string, work: (scene: Scene) => Promise<T>): Promise<T> {
  const scene = new Scene(program);
  try {
    return await work(scene);
  } finally {
    await scene.close();
  }
}

export function wordsOf(end: VictimEnd): string {
  const error = lastTold<{message: string; stack: string}>(end, 'error');
  return error === undefined ? end.stderr : `${error.message}\n${error.stack}`;
}
