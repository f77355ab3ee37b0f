/**
 * What the fields of a row cost on their way: reading a record, its fingerprint, the row into and out of the journal, the
 * request body, the comparison with the answer. Nanoseconds of CPU a row, the best of several rounds.
 * `node --import ./bin/typescript.mjs test/bench/row-fields.ts`
 */
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {readHeader} from '../../src/batch/input/columns.ts';
import {readRow, type RowRules} from '../../src/batch/input/rows.ts';
import {Draft} from '../../src/batch/journal/draft.ts';
import {Journal} from '../../src/batch/journal/journal.ts';
import {JOURNAL_MIGRATIONS} from '../../src/batch/journal/schema.ts';
import {fingerprintOf} from '../../src/batch/model/identity.ts';
import {KINDS} from '../../src/batch/model/kinds.ts';
import type {Buckets} from '../../src/batch/plan/buckets.ts';
import {PlanLoader} from '../../src/batch/plan/loader.ts';
import {compareEcho} from '../../src/batch/answers/echo.ts';
import {Wire} from '../../src/batch/answers/wire.ts';
import {migrate} from '../../src/store/port/migrate.ts';
import {openSqlite} from '../../src/store/sqlite/sqlite.ts';

const ROWS = 10_000;
const ROUNDS = 21;
const PAGE = 1000;
const id = (n: number) => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

const RULES: RowRules = {
  ...{kind: KINDS.payout, amountUnit: undefined, numberFormat: undefined, currency: undefined},
  today: '2026-03-02',
};
const header = ['reference', 'payee_id', 'amount', 'currency_code', 'rail', 'metadata.note'];
const {map} = readHeader(header, KINDS.payout, {
  ...{mapping: {}, ignored: [], needsReference: true, defaultCurrency: false},
});
const records = Array.from({length: ROWS}, (_, i) => ({
  row: i + 1,
  line: i + 2,
  cells: [`INV-${i}`, id(i), `${100 + (i % 900)}.25`, 'USD', 'standard_ach', 'November'],
}));
const planned = records.map((record) => readRow(record, map, RULES).row!);

const none = {add() {}, clear() {}} as unknown as Buckets; // what finds duplicates is not measured
const texts = {references: none, contents: none, alike: none};
const folder = mkdtempSync(join(tmpdir(), 'row-fields-'));
let files = 0;
async function newJournal() {
  const db = await openSqlite(join(folder, `${++files}.db`), {durability: 'normal'});
  migrate(db, JOURNAL_MIGRATIONS);
  return {db, loader: new PlanLoader(new Draft(db), map, RULES, texts)};
}
const loaders = await Promise.all(Array.from({length: ROUNDS}, newJournal));
const {db, loader} = await newJournal();
for (let at = 0; at < ROWS; at += PAGE) loader.load(records.slice(at, at + PAGE));
const journal = new Journal(db);
const readFresh = () => {
  let rows = 0;
  for (let after = 0; after < ROWS; after += PAGE) rows += journal.rows.unstaged(after, PAGE).length;
  return rows;
};
const fresh = journal.rows.unstaged(0, ROWS);
const wire = new Wire({
  ...{kind: 'payout', mode: 'test', namespace: 'default', key: 'test_key'},
  timeouts: {connectMs: 1, headersMs: 1, bodyMs: 1} as never,
});
const answers = fresh.map((row) => ({
  ...{id: id(row.n), status: 'created', payee_id: row.party, amount_in_minor_units: row.amount},
  ...{amount_in_cents: row.amount, currency_code: row.currency, country_code: 'US', rail: row.rail},
  ...{subaccount_id: null, client_metadata: {note: 'November', remit_reference: row.reference}},
}));

/** Nanoseconds of CPU a row: other processes may run beside. */
async function measure(name: string, work: (round: number) => unknown): Promise<void> {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage();
    work(round);
    const {user, system} = process.cpuUsage(start);
    times.push(((user + system) * 1000) / ROWS);
  }
  console.log(name.padEnd(34), `${Math.round(Math.min(...times))} ns`.padStart(10));
}
let sink = 0;
await measure('read a record', () => {
  for (const record of records) sink += readRow(record, map, RULES).row!.amount;
});
await measure('fingerprint', () => {
  for (const row of planned) sink += fingerprintOf(row).length;
});
await measure('load into the journal (with read)', (round) => {
  for (let at = 0; at < ROWS; at += PAGE) loaders[round]!.loader.load(records.slice(at, at + PAGE));
});
await measure('rows of the plan', () => void (sink += readFresh()));
await measure('request (with its key)', () => {
  for (const row of fresh) sink += wire.create(row, false).body!.length;
});
await measure('comparison with the answer', () => {
  for (let i = 0; i < ROWS; i++) sink += compareEcho(answers[i]!, fresh[i]!, 'payout').length;
});
for (const {n} of fresh)
  journal.record(
    {
      ...{n, state: 'staged', id: id(n), status: 'created', stagedAt: 1, http: 201, code: null},
      ...{message: null, requestId: `req_${n}`, attempts: 1, orphan: null},
    },
    1,
  );
journal.flush();
await measure('rows with an outcome', () => {
  for (let after = 0; after < ROWS; after += PAGE)
    sink += journal.rows.recorded(['staged'], after, PAGE).length;
});
for (const {db} of loaders) db.close();
journal.close();
rmSync(folder, {recursive: true});
if (sink === 0) throw new Error('nothing was measured');
