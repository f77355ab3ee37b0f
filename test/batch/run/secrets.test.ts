import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {writeReport} from '../../../src/batch/report/file.ts';
import {readStatus} from '../../../src/batch/standing/status-file.ts';
import {activeIn, API_KEY, CARD, ECHO, filesUnder, HOSTILE, secretsIn} from '../../sanitize/canaries.ts';
import {Bench, payeeId} from '../harness.ts';
import {isOf, isRelease, TruthService} from '../truth-service.ts';

describe('secrets that a service echoes in a batch', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  /** Every row ends otherwise, and each answer says too much. */
  async function runHostile() {
    await bench.plan(bench.payouts(8));
    service.fault = (request) =>
      isOf(request, 2)
        ? {status: 422, body: {error_code: API_KEY, message: ECHO, account_number: '55 667 788'}}
        : undefined;
    service.approvalFails = (body) => body['payee_id'] === payeeId(3);
    service.distort = (record, request) => {
      const echoed = {
        ...record,
        name: ECHO,
        payout_metadata: {note: ECHO, account_number: ECHO},
        warning: ECHO,
      };
      if (isOf(request, 4)) return {...echoed, currency_code: ECHO, status: ECHO};
      if (isOf(request, 6)) return {...echoed, id: `pay_${API_KEY}`};
      return echoed;
    };
    return bench.run(service, {key: API_KEY, settings: {releaseRest: true}});
  }

  function scan(): void {
    const files = filesUnder(bench.folder);
    assert.ok(files.some(({path}) => path.endsWith('registry.db')) && files.length >= 6);
    for (const {path, text} of files) assert.deepEqual(secretsIn(text), [], path);
    for (const {path, text} of files.filter(({path}) => /\.(?:csv|html)$/.test(path)))
      assert.deepEqual(activeIn(text), [], path);
  }

  it('are in no journal, registry, result, report or status file', async () => {
    const summary = await runHostile();
    await bench.inJournal((batch) => writeReport({batch, summary, path: join(bench.folder, 'b1.html')}));
    assert.deepEqual([summary.rejected, summary.unapproved, summary.held, summary.in_doubt], [1, 1, 1, 1]);
    assert.deepEqual(secretsIn(JSON.stringify(summary)), []);
    scan();
  });

  it('leave the text of the service otherwise readable', async () => {
    await runHostile();
    const results = readFileSync(join(bench.folder, 'b1.results.csv'), 'utf8');
    assert.match(results, /"rejected".*"test_…p7dc".*secret whsec_…d3c2 account …4321 card …1881/);
    assert.match(results, /\]52;c;ZXZpbA==\[2J31m Hint: run evil Hint: run evil Hint: run evil end/);
  });

  it('make the record unreadable if they are its id, because an id is stored and sent back unchanged', async () => {
    await bench.plan(bench.payouts(1));
    service.distort = (record) => ({...record, id: `p-${API_KEY.toUpperCase()}`});
    const summary = await bench.run(service, {key: API_KEY});
    assert.deepEqual([summary.in_doubt, summary.accepted], [1, 0]);
    scan();
  });

  it('are not in the reason for a stop', async () => {
    await bench.plan(bench.payouts(1));
    service.fault = () => ({status: 401, body: {error_code: 'AUTHENTICATION_ERROR', message: ECHO}});
    const {stopped_because: stop} = await bench.run(service, {key: API_KEY});
    assert.equal(stop?.reason, 'credentials');
    assert.match(stop.message, /^the service answered 401 AUTHENTICATION_ERROR: key test_…p7dc/);
    assert.deepEqual([secretsIn(stop.message), activeIn(stop.message)], [[], []]);
    const {status} = await bench.inJournal(({place}) => place);
    assert.deepEqual(readStatus(status)?.summary.stopped_because, stop);
    scan();
  });

  it('a status with invisible characters never becomes one that is known', async () => {
    await bench.plan(bench.payouts(1));
    service.distort = (record, request) =>
      isRelease(request) ? {...record, status: 'settled\u200b'} : record;
    const summary = await bench.run(service, {key: API_KEY});
    assert.equal(summary.settled, 0);
    assert.doesNotMatch(readFileSync(join(bench.folder, 'b1.results.csv'), 'utf8'), /"settled/);
  });

  it('an account number in an answer is masked in its message too', async () => {
    await bench.plan(bench.payouts(1));
    const error = {error_code: 'INVALID', message: 'no account AB12345D', iban: 'AB12345D', card: CARD};
    service.fault = () => ({status: 422, body: error});
    await bench.run(service, {key: API_KEY, settings: {trustRefusals: true}});
    const results = readFileSync(join(bench.folder, 'b1.results.csv'), 'utf8');
    assert.match(results, /"no account …345D"/);
    assert.ok(!results.includes(HOSTILE));
  });

  it('spares references and names of batches, however many digits they have', async () => {
    const rows = (amount: string) =>
      `reference,payee_id,amount,currency_code\n20261122001,${payeeId(1)},${amount},USD\n`;
    await bench.plan(bench.file('a.csv', rows('1.50')), {batchId: '2026112201'});
    await bench.run(service, {key: API_KEY, batchId: '2026112201'});
    await bench.plan(bench.file('b.csv', rows('2.50')));
    await bench.run(service, {key: API_KEY});
    assert.match(
      readFileSync(join(bench.folder, 'b1.results.csv'), 'utf8'),
      /batch 2026112201 has paid a different/,
    );
    service.distort = (record) => ({...record, amount_in_minor_units: 1});
    await bench.plan(bench.file('c.csv', rows('3.50').replace('20261122001', '20261122002')), {batchId: 'c'});
    const {stopped_because: stop} = await bench.run(service, {key: API_KEY, batchId: 'c'});
    assert.match(stop!.message, /\(20261122002\)/);
  });
});
