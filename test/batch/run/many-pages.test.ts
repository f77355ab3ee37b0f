import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {prepareRetry} from '../../../src/batch/repair/retry.ts';
import {seenBefore} from '../../../src/batch/registry/seen-before.ts';
import {Wire} from '../../../src/batch/answers/wire.ts';
import {workOf} from '../../../src/batch/registry/work.ts';
import {DEFAULT_TIMEOUTS} from '../../../src/client/transport/transport.ts';
import {RemitError} from '../../../src/errors.ts';
import {Bench, payeeId} from '../harness.ts';
import {type SeenRequest, TruthService} from '../truth-service.ts';

const ROWS = 2100;
const HEADER = 'reference,payee_id,amount,currency_code\n';
const amountOf = (n: number) => `${100 + Math.floor(n / 100)}.${String(n % 100).padStart(2, '0')}`;
const line = (n: number, amount = amountOf(n)) => `INV-${n},${payeeId(n)},${amount},USD\n`;
const numbers = (rows: number) => Array.from({length: rows}, (_, i) => i + 1);

/** Rows are read in pages of 500 or 1,000, so every list here is three pages long or longer. */
describe('a batch of many pages', () => {
  let bench: Bench;
  let service: TruthService;
  const planRows = (lines: string[], batchId = 'b1') =>
    bench.plan(bench.file(`${batchId}.csv`, HEADER + lines.join('')), {batchId});
  const opened = () =>
    openBatch({stateDir: bench.stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock: bench.clock});
  const outcomesOf = (...references: string[]) =>
    bench.inJournal(({journal}) => references.map((reference) => journal.rows.of(reference)?.outcome?.state));

  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
    service.keepRequests = false;
  });
  afterEach(() => bench.remove());

  it('reads every record of another batch that had failed, and pays only the rows whose record did fail', async () => {
    const lines = numbers(ROWS).map((n) => line(n));
    await planRows(lines, 'other');
    await bench.run(service, {batchId: 'other'});
    const records = [...service.byId.values()];
    for (const [at, record] of records.entries()) record.status = at % 2 === 0 ? 'failed' : 'settled';
    await bench.inClaims(
      ({registry}) => {
        for (const {id, body} of records)
          registry.ended((body['metadata'] as Record<string, string>)['remit_reference']!, id, 0);
        registry.flush();
      },
      {batchId: 'other'},
    );
    await planRows(lines);
    const {accepted, already_paid: before, state} = await bench.run(service);
    assert.deepEqual([accepted, before, state], [ROWS / 2, ROWS / 2, 'complete']);
    assert.equal(service.byId.size, ROWS + ROWS / 2);
    assert.ok(records.every(({status, approvals}) => status === 'failed' || approvals === 1));
  });

  describe('of which another batch has paid rows 1,000 and 1,001, and row 2,050 with another amount', () => {
    beforeEach(async () => {
      await planRows([line(1000), line(1001), line(2050, '7.00')], 'other');
      assert.equal((await bench.run(service, {batchId: 'other'})).accepted, 3);
      await planRows(numbers(ROWS).map((n) => line(n)));
    });

    it('shows in the plan how many of its references another batch has', async () => {
      const batch = await opened();
      try {
        const {stateDir, clock} = bench;
        const {before} = await seenBefore(batch, {stateDir, clock, countsAlike: false});
        assert.deepEqual(
          before.map(({batch: name, rows}) => [name, rows]),
          [['other', 3]],
        );
      } finally {
        await batch.close();
      }
    });

    it('finds them before the prompt, pays the others once, and reports every row in file order', async () => {
      const survey = await bench.inClaims(({survey: found}) => found);
      assert.deepEqual([survey.paidBy.get('other')?.rows, survey.conflicts], [2, 1]);
      const summary = await bench.run(service, {settings: {releaseRest: true}});
      assert.deepEqual([summary.accepted, summary.already_paid, summary.conflict], [ROWS - 3, 2, 1]);
      assert.equal(service.paid.length, ROWS);
      assert.ok(service.paid.every(({approvals}) => approvals === 1));
      assert.deepEqual(await outcomesOf('INV-999', 'INV-1000', 'INV-1001', 'INV-2050', 'INV-2100'), [
        ...['accepted', 'already_paid', 'already_paid'],
        ...['conflict', 'accepted'],
      ]);
      const reported = readFileSync(join(bench.folder, 'b1.results.csv'), 'utf8').split('\r\n').slice(1, -1);
      assert.deepEqual(
        reported.map((text) => text.slice(1, text.indexOf('"', 1))),
        numbers(ROWS).map((n) => `INV-${n}`),
      );
    });

    it('carries every row over to an edited file, and refuses a change of a paid row on the last page', async () => {
      await bench.run(service, {settings: {releaseRest: true}});
      const edited = (change: Record<number, string>, more: string[] = []) =>
        planRows([...numbers(ROWS).map((n) => change[n] ?? line(n)), ...more]);
      const refuses = (pattern: RegExp) => (error: unknown) =>
        error instanceof RemitError && error.code === 'CSV_INVALID' && pattern.test(error.message);
      await assert.rejects(edited({2099: line(2099, '1.00')}), refuses(/INV-2099 was changed/));
      await assert.rejects(edited({2080: ''}), refuses(/INV-2080 was removed/));
      const {revision} = await edited({2050: line(2050, '7.00')}, [line(2101)]);
      assert.deepEqual([revision?.added, revision?.corrected], [1, 1]);
      const before = service.byId.size;
      const summary = await bench.run(service);
      assert.deepEqual([summary.accepted, summary.already_paid], [ROWS - 2, 3]);
      assert.equal(service.byId.size - before, 1, 'only the new row is paid');
    });
  });

  it('retries failed rows on every page', async () => {
    service.keepRequests = true;
    const failing = [1, 1200, 2100];
    const isFailing = ({body, method}: SeenRequest) =>
      method === 'POST' &&
      body.includes('"auto_approve":true') &&
      failing.some((n) => body.includes(payeeId(n)));
    const isOfFailing = ({body}: {body: Record<string, unknown>}) =>
      failing.some((n) => body['payee_id'] === payeeId(n));
    service.fault = (request) => {
      if (!isFailing(request)) return undefined;
      for (const record of service.byId.values()) if (isOfFailing(record)) record.status = 'failed';
      return {status: 409, body: {error_code: 'IDEMPOTENCY_KEY_CONFLICT', message: 'the payout has failed'}};
    };
    await planRows(numbers(ROWS).map((n) => line(n)));
    assert.equal((await bench.run(service)).conflict, 3);
    service.fault = () => undefined;
    const batch = await opened();
    const {plan, journal} = batch;
    try {
      const wire = new Wire({
        ...{kind: 'payout', mode: 'test', namespace: plan.namespace, key: 'test_key'},
        ...{overrides: {}, timeouts: DEFAULT_TIMEOUTS},
      });
      const facts = await prepareRetry({
        ...{journal, plan, wire, transport: service.transport(), clock: bench.clock, named: []},
        ...{
          registry: {
            entries: {find: () => undefined, elsewhere: () => [], withRecords: () => []},
            ended: () => undefined,
            paid: () => undefined,
            withdrawPaid: () => undefined,
            flush: () => undefined,
          },
          stop: new AbortController().signal,
        },
      });
      assert.deepEqual(
        facts.raised,
        failing.map((n) => `INV-${n}`),
      );
    } finally {
      await batch.close();
    }
  });

  it('counts held rows on every page', async () => {
    service.distort = (record) => ({...record, rail: 'wire'});
    await bench.plan(
      bench.file(
        'b1.csv',
        `reference,payee_id,amount,currency_code,rail\n${numbers(ROWS)
          .map((n) => line(n).replace('\n', ',standard_ach\n'))
          .join('')}`,
      ),
    );
    assert.equal((await bench.run(service, {path: 'stage-only'})).staged, ROWS);
    const work = (comparesHeld: boolean) =>
      bench.inClaims(({survey}, {journal, plan}) =>
        workOf({
          ...{journal, plan, survey},
          reach: {path: 'release', acceptDifferences: false, comparesHeld, retryUnapproved: false},
        }),
      );
    const [usual, compared] = [await work(false), await work(true)];
    assert.deepEqual([usual.open.rows, usual.left.rows], [0, ROWS]);
    assert.deepEqual([compared.open.rows, compared.left.rows], [ROWS, 0]);
  });
});
