import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {FORGOTTEN_CODE, REGISTRY_CODE} from '../../../src/batch/model/outcome.ts';
import {exitCodeOf} from '../../../src/batch/standing/summary.ts';
import {resolveRow} from '../../../src/batch/repair/resolve.ts';
import {Bench} from '../harness.ts';
import {isOf, isRelease, TruthService} from '../truth-service.ts';

/** A service that answers with the id of one record for several rows, and repeats the content of each request. */
describe('one record for several rows', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  const rows = () => bench.inJournal(({journal}) => journal.rows.after(0, 100));
  const states = async () => (await rows()).map(({outcome}) => outcome?.state ?? 'new');

  it('is staged for the first one only, and nothing is released', async () => {
    const id = randomUUID();
    service.distort = (record) => ({...record, id});
    await bench.plan(bench.payouts(3));
    const summary = await bench.run(service, {maxInFlight: 1});
    assert.deepEqual([summary.accepted, summary.staged, summary.conflict, summary.not_sent], [0, 1, 1, 1]);
    assert.deepEqual(
      [summary.state, summary.stopped_because?.reason, exitCodeOf(summary)],
      ['stopped', 'collision', 6],
    );
    assert.equal(
      summary.stopped_because?.message,
      `row 2 (INV-2): record ${id} came back, which is already the record of row 1 (INV-1); a record pays one row`,
    );
    assert.deepEqual(service.requests.filter(isRelease), []);
  });

  it('leaves a row that retry pays with a new key, by its name, as the next command says', async () => {
    let first: string | undefined;
    service.distort = (record, {body}) => {
      if (body.includes('"INV-1"')) first = String(record['id']);
      return body.includes('"INV-2"') && first !== undefined ? {...record, id: first} : record;
    };
    await bench.plan(bench.payouts(3));
    assert.equal((await bench.run(service, {maxInFlight: 1})).stopped_because?.reason, 'collision');
    const held = await bench.run(service, {settings: {releaseRest: true}});
    assert.deepEqual([held.accepted, held.conflict], [2, 1]);
    assert.equal(held.next, 'remit payouts batch retry b1 --row INV-2');
    assert.deepEqual((await bench.prepareRetry(service)).again, [], 'only by its name');
    // The same request once more shows that answers were not mixed up.
    assert.deepEqual((await bench.prepareRetry(service, {named: ['INV-2']})).raised, []);
    const again = await bench.run(service, {settings: {releaseRest: true}});
    assert.deepEqual([again.conflict, again.next], [1, held.next]);
    service.distort = (record) => record;
    assert.deepEqual((await bench.prepareRetry(service, {named: ['INV-2']})).raised, ['INV-2']);
    const last = await bench.run(service);
    assert.deepEqual([last.state, last.accepted, last.next], ['complete', 3, null]);
    const paid = service.paid.map(({body}) => body['amount_in_minor_units']);
    assert.deepEqual(paid.sort(), [10_001, 10_002, 10_003], 'each row once');
  });

  it('is searched for in direct mode, where the row may have been paid by a record that was not shown', async () => {
    const id = randomUUID();
    service.distort = (record) => ({...record, id});
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'direct', maxInFlight: 1});
    const first = await bench.run(service, {path: 'direct', maxInFlight: 1});
    // The answers may have been mixed up: the same key shows it, and pays nothing again.
    assert.equal(first.next, 'remit payouts batch retry b1 --row INV-2');
    assert.deepEqual((await bench.prepareRetry(service, {named: ['INV-2']})).raised, []);
    const {next} = await bench.run(service, {path: 'direct', maxInFlight: 1});
    assert.match(next!, /^remit payouts list --payee 018f0000-0000-7000-8000-000000000002 --all/);
    const rowOf = {reference: 'INV-2', resolution: {paid: randomUUID(), status: 'settled'}};
    const batch = await bench.open();
    await resolveRow({...rowOf, batch, stateDir: bench.stateDir, clock: bench.clock});
    await batch.close();
    assert.deepEqual(await states(), ['accepted', 'accepted']);
  });

  it('after lost answers in direct mode: retry sends the same request first, for the row may be paid', async () => {
    let tries = 0;
    service.fault = (request) => (isOf(request, 2) && tries++ === 0 ? 'lost-after' : undefined);
    service.distort = (record, request) =>
      isOf(request, 2) ? {...record, id: [...service.byId.values()][0]!.id} : record;
    await bench.plan(bench.payouts(2));
    const taken = await bench.run(service, {path: 'direct', maxInFlight: 1});
    assert.deepEqual([taken.accepted, taken.conflict, tries], [1, 1, 2]);
    assert.equal(taken.next, 'remit payouts batch retry b1 --row INV-2');
    service.distort = (record) => record;
    assert.deepEqual((await bench.prepareRetry(service, {named: ['INV-2']})).raised, []);
    const last = await bench.run(service, {path: 'direct'});
    assert.deepEqual([last.state, last.accepted], ['complete', 2]);
    assert.ok(service.byId.size === 2 && service.paid.every(({approvals}) => approvals === 1));
  });

  it('is accepted for the first one only, in direct mode with many rows in flight', async () => {
    const id = randomUUID();
    service.distort = (record) => ({...record, id});
    await bench.plan(bench.payouts(40));
    const summary = await bench.run(service, {path: 'direct'});
    assert.deepEqual([summary.accepted, summary.state, exitCodeOf(summary)], [1, 'stopped', 6]);
    assert.ok(summary.conflict > 0);
    const again = await bench.run(service, {path: 'direct'});
    assert.equal(again.accepted, 1);
  });

  it('is noticed far apart, and in a later run', async () => {
    const ids = Array.from({length: 3000}, () => randomUUID());
    let made = 0;
    const first = ids[0]!;
    service.newId = () => ids[made++]!;
    await bench.plan(bench.payouts(3000));
    service.fault = ({body}) => (body.includes('"INV-3000"') ? {status: 401} : undefined);
    assert.equal((await bench.run(service)).stopped_because?.reason, 'credentials');
    service.fault = () => undefined;
    service.distort = (record, {body}) =>
      body.includes('"INV-3000"') ? {...record, id: first.toUpperCase()} : record;
    const summary = await bench.run(service);
    assert.deepEqual(
      [summary.conflict, summary.accepted, summary.stopped_because?.reason],
      [1, 0, 'collision'],
    );
    assert.equal((await rows()).length, 100);
  });

  it('is noticed while a create is still processed', async () => {
    const id = randomUUID();
    service.distort = (record) => ({...record, id});
    await bench.plan(bench.payouts(2));
    service.fault = ({method, body}) => {
      if (method === 'GET' || body.includes('"INV-1"')) return undefined;
      const {metadata, ...fields} = JSON.parse(body) as Record<string, unknown>;
      return {status: 202, body: {...fields, id, status: 'processing', client_metadata: metadata}};
    };
    const summary = await bench.run(service, {path: 'direct', maxInFlight: 1});
    assert.deepEqual([summary.accepted, summary.conflict, exitCodeOf(summary)], [1, 1, 6]);
    assert.deepEqual(await states(), ['accepted', 'collision']);
  });

  it('is noticed while the creates of both are still processed', async () => {
    const id = randomUUID();
    await bench.plan(bench.payouts(2));
    service.fault = ({method, body}) => {
      if (method === 'GET') return {status: 200, body: {id, status: 'processing'}};
      const {metadata, ...fields} = JSON.parse(body) as Record<string, unknown>;
      return {status: 202, body: {...fields, id, status: 'processing', client_metadata: metadata}};
    };
    const summary = await bench.run(service, {path: 'direct'});
    assert.deepEqual(
      [summary.accepted, summary.conflict, summary.in_doubt, exitCodeOf(summary)],
      [0, 1, 1, 12],
    );
    assert.deepEqual(await states(), ['in_doubt', 'collision']);
    service.fault = ({method}) =>
      method === 'GET' ? {status: 200, body: {id, status: 'approved'}} : undefined;
    assert.equal((await bench.run(service, {path: 'direct'})).accepted, 1);
    assert.deepEqual(await states(), ['accepted', 'collision']);
  });

  it('is noticed in the answer to a release, which names the record of another row', async () => {
    await bench.plan(bench.payouts(3));
    await bench.run(service, {path: 'stage-only'});
    const [, second] = service.byId.keys();
    service.distort = (record, request) => (isRelease(request) ? {...record, id: second!} : record);
    const summary = await bench.run(service, {path: 'release', maxInFlight: 1});
    assert.deepEqual([summary.accepted, summary.conflict, exitCodeOf(summary)], [1, 0, 6]);
    const [first] = service.byId.keys();
    assert.equal((await rows())[0]!.outcome!.id, first, 'its own record was read');
  });

  it('that is refused by the probe is left to cancel, also after a resume that sends nothing', async () => {
    const id = randomUUID();
    let staged = 0;
    service.distort = (record) => ({...record, id, ...(++staged > 3 ? {amount_in_minor_units: 1} : {})});
    await bench.plan(bench.payouts(3));
    const nexts: (string | null)[] = [];
    for (const path of ['stage-and-release', 'stage-and-release', 'stage-and-release'] as const)
      nexts.push((await bench.run(service, {path, maxInFlight: 1})).next);
    assert.match(nexts.at(-1)!, /release b1 --accept rest$/);
    const settings = {releaseRest: true};
    const released = await bench.run(service, {path: 'release', settings});
    assert.match(released.next!, /batch cancel b1$/);
    const resumed = await bench.run(service);
    assert.deepEqual([resumed.posts, resumed.state], [0, 'held']);
    assert.match(resumed.next!, /batch cancel b1$/);
    service.distort = (record) => ({...record, id});
    const again = await bench.run(service, {path: 'release', settings});
    assert.equal(again.accepted, 1, 'the probe is made again');
    assert.doesNotMatch(again.next ?? '', /cancel/);
  });

  it('counts a row in doubt once, also if the service has forgotten its key', async () => {
    await bench.plan(bench.payouts(2));
    await bench.run(service, {path: 'stage-only'});
    const counts = await bench.inJournal(({journal}) => {
      const [first, second] = [1, 2].map((n) => journal.rows.of(`INV-${n}`)!.outcome!);
      const {id} = first!;
      journal.record({...second!, id, state: 'collision'}, bench.clock.now());
      return [null, FORGOTTEN_CODE, REGISTRY_CODE].map((code) => {
        journal.record({...first!, state: 'in_doubt', code}, bench.clock.now());
        journal.flush();
        const {shared, lateCreates, releasing} = journal.left.counts({
          now: bench.clock.now(),
          horizonMs: 1e9,
        });
        return [shared, lateCreates, releasing];
      });
    });
    assert.deepEqual(counts, [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 0],
    ]);
  });

  it('does not stop a run whose records all differ, also with thousands of rows', async () => {
    await bench.plan(bench.payouts(2500));
    const summary = await bench.run(service);
    assert.deepEqual([summary.accepted, summary.state], [2500, 'complete']);
  });
});
