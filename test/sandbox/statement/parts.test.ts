import assert from 'node:assert/strict';
import {statementParts} from '../../../src/cli/sandbox/statement-parts.ts';
import {RemitError} from '../../../src/errors.ts';
import {openSandboxStore} from '../../../src/sandbox/migrations/open-store.ts';
import {STATEMENT_FILE_FORMATS} from '../../../src/sandbox/statement/formats.ts';
import {StatementFiles, type StatementRequest} from '../../../src/sandbox/statement/statement-file.ts';
import type {SandboxContext} from '../../../src/sandbox/world/context.ts';
import type {Queries, Store} from '../../../src/store/port/port.ts';
import {testStore, type TestStore} from '../test-store.ts';

const ACCOUNT = '019b76da-a800-7000-8235-80d251bba0e9';
const LARGEST_ANSWER = 32 * 1024 * 1024;
/** Characters of two units, and some that JSON escapes. */
const TEXT = `${'😀'.repeat(160)}\u0001"\\${'ä'.repeat(1400)}`;
const ALL = 3_000;
/** Formats with so little of a text that the lines are fewer than a part holds. */
const CUT_TEXTS: ReadonlySet<string> = new Set(['ofx', 'mt940']);
const PART_OF_CUT_TEXTS = 400_000;

const INSERT = `insert into bank_transactions (account_id, id, entity_id, direction, amount, currency_code, description,
  reference, subject, subject_id, posted_ms, value_date, reported_ms, status)
  values (?, ?, 'E', ?, ?, 'USD', ?, ?, 'transfer', 'S', 0, ?, 0, ?)`;

describe('a large statement of the sandbox', () => {
  let place: TestStore;
  let store: Store;
  let files: StatementFiles;
  /** Rows that each query has returned. */
  let sizes: number[];

  /** Reports lines, whose ids are in another order than their days. */
  const report = (first: number, count: number) =>
    store.write(async (queries) => {
      for (let n = first; n < first + count; n += 1)
        await queries.run(INSERT, [
          ...[ACCOUNT, `L${String((n * 7919) % 1_000_003).padStart(7, '0')}`],
          ...[n % 3 === 0 ? 'debit' : 'credit', 100 + n, `${n}${TEXT}`, `R${n}`],
          ...[`2026-03-${String(1 + (n % 20)).padStart(2, '0')}`, n % 50 === 7 ? 'pending' : 'posted'],
        ]);
    });

  const context = (): SandboxContext => {
    const counted = (queries: Queries) => ({
      ...queries,
      get: queries.get.bind(queries),
      all: async (...asked: Parameters<Queries['all']>) => {
        const rows = await queries.all(...asked);
        sizes.push(rows.length);
        return rows;
      },
    });
    const read = <T>(work: (queries: Queries) => Promise<T>) =>
      store.read((queries) => work(counted(queries)));
    return {
      store: {read},
      clock: {now: () => Date.parse('2026-03-25T12:00:00Z')},
    } as unknown as SandboxContext;
  };
  const ask = (fields: Partial<StatementRequest> = {}) =>
    files.write(context(), {account_id: ACCOUNT, format: 'camt053', from: '2026-03-01', ...fields});

  before(async () => {
    place = await testStore();
    store = await openSandboxStore(place.place);
    await store.write(async (queries) => {
      await queries.run(
        `insert into treasury_accounts (entity_id, id, ledger_id, label, currency_code, type, status, opening,
           reported_current, reported_available, created_ms)
         values ('E', ?, 'L', 'Operating', 'USD', 'SIM', 'active', 5, 0, 0, 0)`,
        [ACCOUNT],
      );
    });
    await report(0, ALL);
  });
  beforeEach(() => {
    files = new StatementFiles();
    sizes = [];
  });
  after(async () => {
    await store.close();
    await place.drop();
  });

  for (const format of STATEMENT_FILE_FORMATS)
    it(`is sent in parts, and each line is read once: ${format}`, async () => {
      if (CUT_TEXTS.has(format)) files = new StatementFiles(PART_OF_CUT_TEXTS);
      const whole = await ask({format});
      assert.equal(whole.next_offset, null);
      sizes = [];
      const parts: string[] = [];
      let facts: object = {};
      for await (const {text, ...rest} of statementParts(async (offset) => {
        const part = await ask({format, offset});
        assert.ok(Buffer.byteLength(JSON.stringify(part)) < LARGEST_ANSWER);
        return part;
      })) {
        parts.push(text);
        facts = rest;
      }
      assert.ok(parts.length > 1);
      assert.equal(parts.join(''), whole.text);
      assert.deepEqual({...facts, text: whole.text, next_offset: null}, whole);
      const days = 20 * 4 * 2;
      const read = sizes.reduce((sum, size) => sum + size, 0);
      assert.ok(Math.max(...sizes) <= 1000, 'more than a page is in memory');
      assert.ok(read <= ALL + days, `${read} rows were read`);
    });

  it('continues at any character, also in another process', async () => {
    const {text} = await ask({format: 'csv', to: '2026-03-02'});
    for (const offset of [1, 4321, text.length]) {
      files = new StatementFiles();
      const part = await ask({format: 'csv', to: '2026-03-02', offset});
      assert.deepEqual([part.text, part.next_offset], [text.slice(offset), null]);
    }
  });

  it('is refused if the bank reports a line between two parts', async () => {
    let next = ALL;
    const parts = statementParts(async (offset) => {
      await report((next += 1), 1);
      return ask({offset});
    });
    await assert.rejects(
      async () => {
        while ((await parts.next()).done !== true);
      },
      (error) => error instanceof RemitError && error.code === 'STATE' && /more lines/.test(error.message),
    );
  });
});
