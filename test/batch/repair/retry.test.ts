import assert from 'node:assert/strict';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {resolveRow, resolveRows} from '../../../src/batch/repair/resolve.ts';
import type {Resolution} from '../../../src/batch/repair/resolved-outcome.ts';
import {prepareRetry, type RetryRow} from '../../../src/batch/repair/retry.ts';
import type {Entry} from '../../../src/batch/registry/entry.ts';
import {Wire} from '../../../src/batch/answers/wire.ts';
import {DEFAULT_TIMEOUTS} from '../../../src/client/transport/transport.ts';
import type {RemitError} from '../../../src/errors.ts';
import {bareCommands} from '../bare-commands.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

describe('after the run', () => {
  let bench: Bench;
  let service: TruthService;
  /** What the registry has. */
  let claims: Map<string, Entry>;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
    claims = new Map();
  });
  afterEach(() => bench.remove());

  const opened = () =>
    openBatch({stateDir: bench.stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock: bench.clock});

  /** What the last retry would send again. */
  let due: readonly RetryRow[] = [];

  async function retry(...named: string[]) {
    const batch = await opened();
    const {plan, journal} = batch;
    const wire = new Wire({
      kind: 'payout',
      mode: 'test',
      namespace: plan.namespace,
      key: 'test_key',
      timeouts: DEFAULT_TIMEOUTS,
    });
    try {
      return await prepareRetry({
        ...{journal, plan, wire, transport: service.transport(), clock: bench.clock, named},
        ...{
          registry: {
            entries: {
              find: (reference: string) => claims.get(reference),
              elsewhere: () => [],
              withRecords: () => [],
            },
            ended: () => undefined,
            paid: () => undefined,
            withdrawPaid: () => undefined,
            flush: () => undefined,
          },
          stop: new AbortController().signal,
          confirm: async (rows: readonly RetryRow[]) => void (due = rows),
        },
      });
    } finally {
      await batch.close();
    }
  }

  async function resolve(reference: string, resolution: Resolution) {
    const batch = await opened();
    try {
      return await resolveRow({batch, stateDir: bench.stateDir, reference, resolution, clock: bench.clock});
    } finally {
      await batch.close();
    }
  }

  const recordOf = (reference: string) =>
    [...service.byId.values()].filter(
      ({body}) => (body['metadata'] as Record<string, string>)['remit_reference'] === reference,
    );

  it('retry does not touch a row whose reference another batch has claimed since the registry was lost', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service);
    for (const reference of ['INV-1', 'INV-2']) recordOf(reference)[0]!.status = 'failed';
    const entry = {reference: 'INV-1', profile: 'acme', batch: 'b2', journal: 'another', generation: 0};
    claims.set('INV-1', {
      ...entry,
      fingerprint: 'f',
      id: 'r2',
      paid: true,
      at: 1,
      since: 1,
      standing: null,
      content: null,
    });
    const facts = await retry('INV-1', 'INV-2');
    assert.deepEqual(facts.raised, ['INV-2']);
    assert.match(facts.left[0]!.why, /batch b2 has paid it/);
  });

  it('retry sends nothing again when a record is no longer found, and puts its row in doubt', async () => {
    await bench.plan(bench.payouts(3));
    await bench.run(service);
    for (const reference of ['INV-1', 'INV-2']) recordOf(reference)[0]!.status = 'failed';
    const {id} = recordOf('INV-2')[0]!;
    const record = service.byId.get(id)!;
    service.byId.delete(id);
    const facts = await retry('INV-1', 'INV-2');
    assert.deepEqual([facts.again, facts.raised, facts.stop?.reason], [[], [], 'lost-record']);
    assert.match(facts.stop!.message, new RegExp(`record ${id} of row 2 \\(INV-2\\) is no longer found`));
    const row = (reference: string) => bench.inJournal(({journal}) => journal.rows.of(reference)!);
    const [one, two] = [await row('INV-1'), await row('INV-2')];
    assert.deepEqual([one.generation, two.generation, two.outcome?.state], [0, 0, 'in_doubt']);
    const stopped = await bench.run(service);
    assert.deepEqual(
      [stopped.state, stopped.stopped_because?.reason, stopped.next],
      ['stopped', 'lost-record', 'remit payouts batch resolve b1 --from FILE'],
    );
    service.byId.set(id, record);
    const found = await bench.run(service);
    assert.deepEqual([found.in_doubt, found.failed], [0, 2]);
  });

  it('retry is refused while a record is not answered, with the command to type once it is', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service);
    const before = service.posts;
    service.fault = ({method}) => (method === 'GET' ? 'lost-before' : undefined);
    await assert.rejects(retry('INV-1', 'INV-2'), (error: RemitError) => {
      assert.equal(error.code, 'UNAVAILABLE');
      assert.match(error.message, /^the record of row INV-1 could not be read: /);
      assert.match(
        error.hintWith(bareCommands()) ?? '',
        /nothing was sent again.*: remit payouts batch retry b1 --row INV-1 --row INV-2$/,
      );
      return true;
    });
    assert.equal(service.posts, before);
  });

  it('retry does not touch a row if another server answers 404 for its record', async () => {
    await bench.plan(bench.payouts(1));
    await bench.run(service);
    service.fault = ({method}) =>
      method === 'GET' ? {status: 404, body: '<html>not here</html>'} : undefined;
    const facts = await retry('INV-1');
    assert.deepEqual([facts.again, facts.stop], [[], undefined]);
    assert.match(facts.left[0]!.why, /could not be read \(404\)/);
    assert.equal(await bench.inJournal(({journal}) => journal.rows.of('INV-1')!.outcome?.state), 'accepted');
  });

  it('retry does not have a row approved by the next run whose record was not found for a while', async () => {
    service.approvalFails = () => true;
    await bench.plan(bench.payouts(1));
    assert.equal((await bench.run(service)).unapproved, 1);
    const [record] = recordOf('INV-1');
    service.byId.delete(record!.id);
    assert.equal((await retry()).stop?.reason, 'lost-record');
    service.approvalFails = () => false;
    service.byId.set(record!.id, record!);
    assert.deepEqual([(await bench.run(service)).unapproved, record!.status], [1, 'created']);
  });

  it('retry gives a row that was not approved a new key only once its record is canceled, and by name', async () => {
    await bench.plan(bench.payouts(1));
    service.approvalFails = () => true;
    await bench.run(service);
    recordOf('INV-1')[0]!.status = 'canceled';
    assert.deepEqual((await retry()).raised, []);
    assert.deepEqual((await retry('INV-1')).raised, ['INV-1']);
    service.approvalFails = () => false;
    assert.equal((await bench.run(service)).accepted, 1);
    assert.deepEqual(
      service.paid.map(({approvals}) => approvals),
      [1],
    );
  });

  it('retry gives a failed row a new key, after fetching its record', async () => {
    await bench.plan(bench.payouts(3));
    await bench.run(service);
    recordOf('INV-2')[0]!.status = 'failed';
    const facts = await retry('INV-2');
    assert.deepEqual(facts.raised, ['INV-2']);
    const summary = await bench.run(service);
    assert.deepEqual([summary.accepted, summary.not_sent], [3, 0]);
    const [first, second] = recordOf('INV-2');
    assert.notEqual(first!.key, second!.key);
    assert.equal(second!.status, 'approved');
  });

  it('retry says why, with the reason that the service gave for the failure', async () => {
    await bench.plan(bench.payouts(3));
    await bench.run(service);
    for (const [reference, code] of [
      ['INV-1', 'R03'],
      ['INV-2', null],
      ['INV-3', 'DIFFERS'],
    ] as const) {
      const batch = await opened();
      const {outcome} = batch.journal.rows.of(reference)!;
      batch.journal.record({...outcome!, status: 'failed', code}, bench.clock.now());
      batch.journal.flush();
      await batch.close();
      recordOf(reference)[0]!.status = 'failed';
    }
    await retry();
    assert.deepEqual(
      due.map(({way, why}) => [way, why.replace(/record \S+/, 'record ID')]),
      [
        ['new-key', 'record ID has failed (R03)'],
        ['new-key', 'record ID has failed'],
        ['new-key', 'record ID has failed'],
      ],
    );
  });

  it('retry leaves a row that was never sent, whose first request is for resume', async () => {
    await bench.plan(bench.payouts(1));
    const {again, left} = await retry('INV-1');
    assert.deepEqual([again, left], [[], [{reference: 'INV-1', why: 'it was not sent: resume sends it'}]]);
    assert.equal(service.requests.length, 0);
  });

  it('retry reads a record three times while the service asks to wait, and then leaves its row', async () => {
    await bench.plan(bench.payouts(1));
    await bench.run(service);
    recordOf('INV-1')[0]!.status = 'failed';
    const before = service.requests.length;
    service.fault = () => ({status: 429, body: {}, headers: {'retry-after': '2'}});
    const began = bench.clock.now();
    const {left} = await retry('INV-1');
    assert.match(left[0]!.why, /^its record could not be read \(429\)$/);
    assert.equal(service.requests.length - before, 3);
    assert.equal(bench.clock.now() - began, 6000);
  });

  it('retry does not touch a row whose record did not fail, whatever the journal contains', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service);
    for (const named of [['INV-1'], []]) {
      const batch = await opened();
      const row = batch.journal.rows.of('INV-1')!;
      batch.journal.record({...row.outcome!, status: 'failed'}, bench.clock.now());
      batch.journal.flush();
      await batch.close();
      const facts = await retry(...named);
      assert.deepEqual(facts.raised, []);
      assert.match(facts.left[0]!.why, /approved/);
    }
    assert.equal((await bench.run(service)).posts, 0);
  });

  it('retry takes a canceled row only by name', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'stage-only'});
    recordOf('INV-2')[0]!.status = 'canceled';
    const held = await bench.run(service, {path: 'release', settings: {releaseRest: true}});
    assert.equal(held.conflict, 1);
    assert.deepEqual((await retry()).raised, []);
    assert.deepEqual((await retry('INV-2')).raised, ['INV-2']);
    assert.equal((await bench.run(service)).accepted, 2);
  });

  it('retry sends a rejected row again with the same key, which no record has', async () => {
    service.refuse = ({payee_id: payee}) =>
      payee === payeeId(2) ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'} : undefined;
    service.keepRequests = true;
    await bench.plan(bench.payouts(2));
    assert.equal((await bench.run(service)).next, 'remit payouts batch retry b1');
    service.refuse = () => undefined;
    const facts = await retry();
    assert.deepEqual([facts.again, facts.raised], [['INV-2'], []]);
    assert.equal((await bench.run(service)).state, 'complete');
    const keys = service.requests.filter(({body}) => body.includes('"INV-2"')).map(({key}) => key);
    assert.equal(new Set(keys).size, 1);
  });

  it('retry releases a row again that was not approved, with the same key, after reading its record', async () => {
    service.approvalFails = () => true;
    service.keepRequests = true;
    await bench.plan(bench.payouts(2));
    assert.equal((await bench.run(service)).unapproved, 2);
    service.approvalFails = () => false;
    recordOf('INV-1')[0]!.status = 'approved'; // by its id, in between
    service.requests.length = 0;
    const facts = await retry();
    assert.deepEqual([facts.again, facts.left.map(({reference}) => reference)], [['INV-2'], ['INV-1']]);
    assert.match(facts.left[0]!.why, /^record \S+ is approved$/);
    assert.ok(service.requests.every(({method}) => method === 'GET') && service.requests.length === 2);
    assert.equal((await bench.run(service)).state, 'complete');
    assert.deepEqual([recordOf('INV-1').length, recordOf('INV-2').length], [1, 1]);
  });

  describe('retry holds a row that was not approved, and whose record differs now', () => {
    const differing = async (release: () => Promise<unknown>, path: 'stage-and-release' | 'direct') => {
      service.approvalFails = () => true;
      await bench.plan(bench.payouts(2));
      assert.equal((await bench.run(service, {path})).unapproved, 2);
      service.approvalFails = () => false;
      service.distort = (record, {method}) =>
        method === 'GET' && record['id'] === recordOf('INV-1')[0]!.id
          ? {...record, currency_code: 'EUR'}
          : record;
      await release();
      const held = await bench.run(service, {path});
      assert.deepEqual([held.accepted, held.staged, held.held], [1, 1, 1]);
      assert.equal(held.next, 'remit payouts batch status b1 --row INV-1');
      assert.deepEqual(await bench.inJournal(({journal}) => journal.rows.differencesOf(1)), [
        {field: 'currency_code', asked: 'USD', answered: 'EUR'},
      ]);
      assert.deepEqual([recordOf('INV-1')[0]!.approvals, recordOf('INV-2')[0]!.approvals], [0, 1]);
      const accepted = await bench.run(service, {path, settings: {acceptDifferences: true}});
      assert.deepEqual([accepted.accepted, accepted.differs], [2, 0]);
      assert.equal(recordOf('INV-1')[0]!.approvals, 1);
    };

    const afterRetry = async () => {
      const facts = await retry();
      assert.deepEqual(facts.again, ['INV-2']);
      const why = 'its record differs from the row: a release that accepts differences pays it';
      assert.deepEqual(facts.left, [{reference: 'INV-1', why}]);
    };

    it('as retry shows', () => differing(afterRetry, 'stage-and-release'));

    it('as retry shows, in direct mode', () => differing(afterRetry, 'direct'));

    it('as a release of all that was not approved shows', async () => {
      const release = {path: 'release', settings: {retryUnapproved: true}} as const;
      await differing(() => bench.run(service, release), 'stage-and-release');
    });
  });

  it('retry includes a key with an unknown record only by name, after its record was searched for', async () => {
    await bench.plan(bench.payouts(1));
    service.fault = ({method}) =>
      method === 'POST'
        ? {status: 409, body: {error_code: 'IDEMPOTENCY_KEY_CONFLICT', message: 'a new key is required'}}
        : undefined;
    const run = await bench.run(service);
    assert.deepEqual(
      [run.conflict, run.state, run.next],
      [1, 'incomplete', `remit payouts list --payee ${payeeId(1)} --all -p acme`],
    );
    const [left] = (await retry()).left;
    assert.match(
      left!.why,
      /no record of it is known: look for a payment with this reference first.*--row INV-1$/,
    );
    service.fault = () => undefined;
    assert.deepEqual((await retry('INV-1')).raised, ['INV-1']);
    assert.equal((await bench.run(service)).state, 'complete');
  });

  it('retry never raises the generation of a row in doubt', async () => {
    service.fault = ({method, body}) =>
      method === 'POST' && body.includes('INV-2"') ? 'lost-after' : undefined;
    await bench.plan(bench.payouts(2));
    assert.equal((await bench.run(service)).in_doubt, 1);
    const facts = await retry('INV-2');
    assert.deepEqual(facts.raised, []);
    assert.match(facts.left[0]!.why, /in doubt/);
  });

  it('resolve --paid resolves a row in doubt with the id that was found', async () => {
    service.fault = ({method, body}) =>
      method === 'POST' && body.includes('INV-2"') ? 'lost-after' : undefined;
    await bench.plan(bench.payouts(2));
    await bench.run(service);
    const {id} = recordOf('INV-2')[0]!;
    assert.deepEqual(await resolve('INV-2', {paid: id}), {reference: 'INV-2', state: 'accepted', id});
    const summary = await bench.run(service);
    assert.deepEqual([summary.accepted, summary.in_doubt], [2, 0]);
  });

  it('resolve --not-paid sends the row again with the same key, so that a wrong statement pays once', async () => {
    service.fault = ({method, body}) =>
      method === 'POST' && body.includes('INV-2"') ? 'lost-after' : undefined;
    await bench.plan(bench.payouts(2));
    await bench.run(service);
    service.fault = () => undefined;
    await resolve('INV-2', 'not-paid');
    const summary = await bench.run(service);
    assert.equal(summary.accepted, 2);
    assert.equal(recordOf('INV-2').length, 1, 'the record that was there already');
  });

  it('resolve --not-paid revokes a payment that only the operator declared, and pays once', async () => {
    for (const fault of ['lost-after', 'lost-before'] as const) {
      service.fault = ({method, body}) => (method === 'POST' && body.includes('INV-2"') ? fault : undefined);
      await bench.plan(bench.payouts(2));
      await bench.run(service);
      service.fault = () => undefined;
      const id = '018f0000-0000-7000-8000-00000000dead';
      assert.equal((await resolve('INV-2', {paid: id})).state, 'accepted');
      assert.deepEqual(await resolve('INV-2', 'not-paid'), {reference: 'INV-2', state: 'not_sent', id: null});
      assert.equal((await bench.run(service)).accepted, 2);
      assert.deepEqual(
        recordOf('INV-2').map(({approvals}) => approvals),
        [1],
      );
      bench.remove();
      bench = new Bench();
      service = new TruthService();
    }
  });

  it('resolve --not-paid does not revoke what the service reported', async () => {
    service.fault = ({method, body}) =>
      method === 'POST' && body.includes('INV-2"') ? 'lost-after' : undefined;
    await bench.plan(bench.payouts(2));
    await bench.run(service);
    await resolve('INV-2', {paid: recordOf('INV-2')[0]!.id, status: 'approved'});
    await assert.rejects(resolve('INV-2', 'not-paid'), /INV-2 is not in doubt; its state is accepted/);
  });

  it('resolve --paid records the payment of a row whose key was refused in direct mode, so that it is not paid again', async () => {
    let lost = 1;
    service.fault = ({method}) =>
      method !== 'POST'
        ? undefined
        : lost-- > 0
          ? 'lost-after'
          : {status: 409, body: {error_code: 'IDEMPOTENCY_KEY_CONFLICT', message: 'the key was used'}};
    await bench.plan(bench.payouts(1));
    const run = await bench.run(service, {path: 'direct'});
    assert.deepEqual([run.conflict, service.paid.length], [1, 1]);
    assert.equal(run.next, `remit payouts list --payee ${payeeId(1)} --all -p acme`);
    const [row] = await bench.inJournal(({journal}) => journal.needingAttention(9, 0));
    assert.match(row!.message!, /Look for a record with this reference: resolve with --paid/);
    await assert.rejects(resolve('INV-1', 'not-paid'), /is not in doubt/);
    const {id} = recordOf('INV-1')[0]!;
    assert.equal((await resolve('INV-1', {paid: id, status: 'approved'})).state, 'accepted');
    const after = await bench.run(service);
    assert.deepEqual([after.state, after.posts, service.paid.length], ['complete', 0, 1]);
  });

  it('resolve records one record for one row, and nothing of a list with another one', async () => {
    await bench.plan(bench.payouts(2));
    service.fault = () => 'lost-after';
    await bench.run(service, {path: 'direct'});
    const [record] = recordOf('INV-1');
    const batch = await opened();
    try {
      const rows = ['INV-1', 'INV-2'].map((reference) => ({reference, resolution: {paid: record!.id}}));
      await assert.rejects(resolveRows({batch, stateDir: bench.stateDir, rows, clock: bench.clock}), {
        code: 'LOCAL_VALIDATION',
        message: /is recorded for row INV-1, and cannot be recorded for row INV-2 as well/,
      });
      assert.equal(batch.journal.tally().in_doubt.count, 2);
    } finally {
      await batch.close();
    }
  });

  it('resolve refuses a row that is not in doubt', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service);
    await assert.rejects(resolve('INV-1', 'not-paid'), /INV-1 is not in doubt; its state is accepted/);
    await assert.rejects(resolve('INV-9', 'not-paid'), /has no row INV-9/);
  });

  it('resolve --not-paid keeps the generation and therefore the key: the service pays once', async () => {
    await bench.plan(bench.payouts(1));
    await bench.run(service);
    recordOf('INV-1')[0]!.status = 'failed';
    await retry('INV-1');
    service.fault = () => 'lost-after';
    assert.equal((await bench.run(service, {path: 'direct'})).in_doubt, 1);
    service.fault = () => undefined;
    await resolve('INV-1', 'not-paid');
    const batch = await opened();
    const {generation, outcome} = batch.journal.rows.of('INV-1')!;
    await batch.close();
    assert.deepEqual([generation, outcome!.state], [1, 'not_sent']);
    const summary = await bench.run(service, {path: 'direct'});
    assert.equal(summary.accepted, 1);
    const keys = recordOf('INV-1').map(({key}) => key);
    assert.deepEqual(
      [keys.length, new Set(keys).size],
      [2, 2],
      'the failed one and the one that was paid; no third',
    );
  });
});
