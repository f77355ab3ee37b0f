import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {mkdtempSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import type {Report} from '../../../../src/cli/doctor/report.ts';
import {answer} from '../../../client/transport/fake-transport.ts';
import {BASE_URL, LIVE_KEY, runCli} from '../../run-cli.ts';
import {DifferingService} from '../differing-service.ts';

describe('remit doctor --probe-writes', () => {
  let service: DifferingService;
  let home: string;
  beforeEach(async () => {
    service = await DifferingService.open();
    await service.fill();
    home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
  });
  afterEach(() => service.sandbox.close());

  async function probe(env: Record<string, string> = {}, words: string[] = []) {
    const key = service.sandbox.sandbox.testKey;
    const ran = await runCli(['doctor', '--probe-writes', '--json', ...words], {
      ...{service, clock: service.clock, uuid: randomUUID},
      env: {
        HOME: home,
        REMIT_API_KEY: key,
        REMIT_BASE_URL: BASE_URL,
        REMIT_STATE_DIR: join(home, 'state'),
        ...env,
      },
    });
    const report = ran.exitCode === 0 || ran.exitCode === 8 ? (ran.json() as Report) : undefined;
    return {ran, report: report!, of: (name: string) => report!.checks.find(({check}) => check === name)!};
  }
  const statusOf = async (id: string) =>
    (await service.sandbox.get(`/api/payouts/${id}`)).body.status as string;

  it('creates payouts and a payin, repeats them, cancels them, and says which records remain', async () => {
    const open = (await service.sandbox.get('/api/payouts?status=created')).body.data.length as number;
    const {ran, report, of} = await probe();
    assert.equal(ran.exitCode, 0, JSON.stringify(report.checks.filter(({verdict}) => verdict === 'differs')));
    const rows = {
      'routes.payouts.create': 1,
      keys: 45,
      'metadata.reference': 51,
      'routes.payouts.cancel': 4,
      'routes.payouts.approve': 2,
      'keys.format': 45,
      'routes.payins.create': 1,
      'keys (payins)': 45,
      'routes.payins.cancel': 4,
      'routes.payins.approve': 2,
      'routes.payees.create': 10,
      'routes.moves.create': 7,
    };
    for (const [check, row] of Object.entries(rows))
      assert.deepEqual([of(check).verdict, of(check).row], ['holds', row], check);
    assert.equal(of('keys.horizon').verdict, 'unknown');
    const {created, canceled, left} = report.probed!;
    const [id, long, payin] = created;
    assert.deepEqual([created.length, canceled], [3, created]);
    assert.match(of('routes.payouts.create').evidence, new RegExp(id!));
    for (const one of [id, long]) assert.equal(await statusOf(one!), 'canceled');
    assert.equal((await service.sandbox.get(`/api/payins/${payin}`)).body.status, 'canceled');
    const [payee, move] = left;
    assert.deepEqual(
      left.map(({noun, status}) => [noun, status]),
      [
        ['payee', null],
        ['move', 'CREATED'],
      ],
    );
    assert.equal((await service.sandbox.get(`/api/payees/${payee!.id}`)).body.name, 'remit doctor');
    const {data} = (await service.sandbox.get(`/api/subaccounts/move/${move!.id}`)).body as {
      data: Record<string, unknown>;
    };
    assert.deepEqual([data['amount_in_minor_units'], data['status']], [1, 'CREATED']);
    assert.equal((await service.sandbox.get('/api/payouts?status=created')).body.data.length, open);
    const writes = service.requests.filter(({method}) => method !== 'GET');
    assert.deepEqual(
      writes.map(({path}) => path.replace(id!, 'ID').replace(long!, 'LONG').replace(payin!, 'PAYIN')),
      [
        '/api/payouts', // refused: the first payee has no payment method
        '/api/payouts',
        '/api/payouts',
        '/api/payouts', // with a long key
        '/api/payouts/ID/cancel',
        '/api/payouts/LONG/cancel',
        '/api/payouts/ID/approve', // refused: it is canceled
        '/api/payins',
        '/api/payins',
        '/api/payins/PAYIN/cancel',
        '/api/payins/PAYIN/approve',
        '/api/payees',
        '/api/subaccounts/move',
      ],
    );
    assert.ok(writes.every(({body}) => !/"auto_approve":true/.test(body ?? '')));
  });

  it('is refused with a live key, even with --live, before anything is sent', async () => {
    for (const words of [[], ['--live', '--yes']]) {
      const {ran} = await probe({REMIT_API_KEY: LIVE_KEY}, words);
      assert.equal(ran.exitCode, 11);
      assert.equal(ran.error().code, 'GUARD_LIVE');
    }
    assert.deepEqual(service.requests, []);
  });

  it('reports in a later run how long the service has remembered the key, without creating a payout', async () => {
    await probe();
    const state = join(home, 'state', 'doctor-keys.json');
    assert.equal(statSync(state).mode & 0o777, 0o600);
    const kept = readFileSync(state, 'utf8');
    assert.doesNotMatch(kept, /test_sandbox/);
    await service.clock.sleep(3 * 3_600_000);
    const {of, report} = await probe();
    assert.equal(of('keys.horizon').verdict, 'unknown');
    assert.match(of('keys.horizon').evidence, /at least 180m/);
    assert.equal(of('keys.horizon').row, 46);
    assert.equal(report.probed!.created.length, 3);
    assert.deepEqual(report.probed!.left, [], 'the payee and the move of the first probe are used again');
    assert.match(of('routes.moves.create').evidence, /^not tried again: an earlier probe created move /);
    assert.equal(of('routes.moves.create').verdict, 'unknown', 'the route in use was not tried');
  });

  it('reports that the service has forgotten the key, with a horizon that is safe', async () => {
    await probe();
    await service.clock.sleep(2 * 3_600_000);
    await probe();
    const state = join(home, 'state', 'doctor-keys.json');
    const kept = JSON.parse(readFileSync(state, 'utf8')) as Record<string, unknown>[];
    kept[0]!['idempotency_key'] = randomUUID(); // as if the service had forgotten it
    writeFileSync(state, JSON.stringify(kept));
    await service.clock.sleep(40 * 3_600_000);
    const {ran, of, report} = await probe();
    assert.equal(ran.exitCode, 8);
    assert.equal(of('keys.horizon').evidence, 'the service remembers keys for at most 42h and at least 120m');
    assert.deepEqual(of('keys.horizon').write, {keys: {horizon: '120m'}});
    assert.deepEqual(report.probed!.canceled.toSorted(), report.probed!.created.toSorted());
    assert.equal(report.probed!.created.length, 4);
  });

  it('shows two days and more in days: at least is rounded down, at most rounded up', async () => {
    await probe();
    await service.clock.sleep(50 * 3_600_000);
    const later = await probe();
    assert.match(later.of('keys.horizon').evidence, /at least 2d$/);
    const state = join(home, 'state', 'doctor-keys.json');
    const kept = JSON.parse(readFileSync(state, 'utf8')) as Record<string, unknown>[];
    kept[0]!['idempotency_key'] = randomUUID(); // as if the service had forgotten it
    writeFileSync(state, JSON.stringify(kept));
    await service.clock.sleep(23 * 3_600_000);
    const {of} = await probe();
    assert.equal(of('keys.horizon').evidence, 'the service remembers keys for at most 4d and at least 2d');
    assert.deepEqual(of('keys.horizon').write, {keys: {horizon: '2d'}});
  });

  it('reports a repeated key that creates another payout, and cancels all', async () => {
    service.dialect = {keys: {header: 'x-idempotency'}};
    const {ran, of, report} = await probe();
    assert.equal(ran.exitCode, 8);
    assert.equal(of('keys').verdict, 'differs');
    assert.match(of('keys').evidence, /another payout, so a repeated request would pay twice$/);
    assert.ok(report.probed!.created.length > 2);
    assert.deepEqual(report.probed!.canceled.toSorted(), report.probed!.created.toSorted());
  });

  it('names a payout that it could not cancel', async () => {
    service.dialect = {routes: {'payouts.cancel': 'POST /api/payouts/{id}/undo'}};
    const {ran, of, report} = await probe();
    assert.equal(ran.exitCode, 8);
    const [id] = report.probed!.created;
    assert.equal(of('routes.payouts.cancel').verdict, 'differs');
    assert.match(
      of('routes.payouts.cancel').evidence,
      new RegExp(`payout ${id} still has status "created" and is not approved`),
    );
    assert.match(of('routes.payouts.cancel').fix!, new RegExp(`remit payouts cancel ${id}`));
    assert.equal(report.probed!.canceled.includes(id!), false);
    assert.ok(report.probed!.left.some((one) => one.id === id && one.status === 'created'));
  });

  const ELSEWHERE = {'payouts.get': 'GET /api/payout/{id}', 'payins.get': 'GET /api/payin/{id}'};

  it('takes the status of a canceled record from the answer to the cancel if the get differs', async () => {
    service.dialect = {routes: ELSEWHERE};
    const {report, of} = await probe();
    assert.equal(of('routes.payouts.get').verdict, 'differs');
    for (const check of ['routes.payouts.cancel', 'routes.payins.cancel'])
      assert.deepEqual(
        report.checks.filter((one) => one.check === check).map(({verdict}) => verdict),
        ['holds'],
      );
    assert.deepEqual(report.probed!.canceled, report.probed!.created);
    assert.deepEqual(
      report.probed!.left.map(({noun}) => noun),
      ['payee', 'move'],
    );
  });

  it('leaves cancel open if neither its answer nor the get states the status', async () => {
    service.dialect = {routes: ELSEWHERE};
    service.twist = (same, {path}) => (path.endsWith('/cancel') ? answer(200, {}) : same);
    const {report, of} = await probe();
    const {verdict, evidence, fix} = of('routes.payouts.cancel');
    assert.equal(verdict, 'unknown');
    assert.match(
      evidence,
      /returned 200, but the status of payout \S+ could not be read; it is not approved$/,
    );
    assert.equal(fix, 'remit payouts list --status created');
    assert.deepEqual(
      report.probed!.left.map(({noun}) => noun),
      ['payee', 'move'],
    );
  });

  it('finds a missing approve by the payout that it canceled, whatever its 404 contains', async () => {
    let answers = 0;
    service.codeOfNoRoute = 'NOT_FOUND';
    service.dialect = {routes: {'payouts.approve': 'POST /api/payouts/{id}/release'}};
    service.twist = (same, {path}) =>
      same.status === 404
        ? answer(404, {error_code: 'NOT_FOUND', message: 'Not Found', path, timestamp: ++answers})
        : same;
    const {ran, of} = await probe();
    const {verdict, evidence, fix} = of('routes.payouts.approve');
    assert.equal(verdict, 'differs');
    assert.match(evidence, /returned 404 \(Not Found\) for a payout that is canceled$/);
    assert.match(fix!, /"routes": \{"payouts\.approve": /);
    assert.equal(of('routes.payins.approve').verdict, 'holds');
    assert.equal(ran.exitCode, 8);
  });

  it('leaves approve open without a payout, if a path that does not exist is refused in the same words', async () => {
    service.codeOfNoRoute = 'NOT_FOUND';
    service.twist = (same, {method, path}) => {
      if (method === 'POST' && path === '/api/payouts')
        return answer(400, {error_code: 'VALIDATION_ERROR', message: 'no'});
      return same.status === 404
        ? answer(404, {error_code: 'NOT_FOUND', message: `no ${path}`, id: Math.random()})
        : same;
    };
    const {of} = await probe();
    assert.equal(of('routes.payouts.approve').verdict, 'unknown');
  });

  it('reports that a payout may have been created if the answer is lost', async () => {
    service.twist = (same, {method, path}) =>
      method === 'POST' && path === '/api/payouts' ? answer(500, {}) : same;
    const {of} = await probe();
    assert.equal(of('routes.payouts.create').verdict, 'unknown');
    const {evidence, fix} = of('payouts that may remain');
    assert.match(evidence, /returned 500.*; a payout may have been created, but it is not approved$/);
    assert.equal(fix, 'remit payouts list --status created');
  });

  it('reports that a record may exist if only the answer to a later create is unusable', async () => {
    let creates = 0;
    service.twist = (same, {method, path}) =>
      method === 'POST' && path === '/api/payouts' && ++creates === 3 ? answer(200, '') : same;
    const {of} = await probe();
    assert.equal(of('routes.payouts.create').verdict, 'holds');
    assert.match(
      of('payouts that may remain').evidence,
      /returned 200 with nothing instead of a record; a payout may/,
    );
  });

  it('finds that approvals are sent without a body, whether the body is refused with 400 or 415', async () => {
    const refusals = {
      payouts: answer(400, {error_code: 'VALIDATION_ERROR', message: 'must not have a body'}),
      payins: answer(415, {error_code: 'UNSUPPORTED_MEDIA_TYPE', message: 'unsupported media type'}),
    };
    service.twist = (same, {path, body}) =>
      !path.endsWith('/approve') || body === undefined
        ? same
        : refusals[path.includes('/payins/') ? 'payins' : 'payouts'];
    const {report, of} = await probe();
    assert.deepEqual(report.service, {bodies: {'payouts.approve': 'none', 'payins.approve': 'none'}});
    for (const noun of ['payout', 'payin'] as const) {
      const {verdict, evidence, sure} = of(`routes.${noun}s.approve`);
      assert.deepEqual([verdict, sure], ['differs', true]);
      assert.match(
        evidence,
        new RegExp(`; without a body, .* returned 400 .* for a ${noun} that is canceled$`),
      );
    }
  });

  it('reports that a payee or move may exist if its answer has no id', async () => {
    service.twist = (same, {method, path}) =>
      method === 'POST' && /payees|move$/.test(path) ? answer(201, {}) : same;
    const {of} = await probe();
    for (const [noun, resource] of [
      ['payee', 'payees'],
      ['move', 'moves'],
    ]) {
      const {evidence, fix} = of(`routes.${resource}.create`);
      assert.ok(evidence.endsWith(`; a ${noun} may have been created`), evidence);
      assert.equal(fix, `remit ${resource} list`);
    }
  });
});
