import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {payeeId} from '../../../batch/harness.ts';
import {Desk} from './desk.ts';

describe('payouts batch resolve, where no command would continue', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  const recordsOf = (reference: string) =>
    [...desk.service.byId.values()].filter(({body}) => JSON.stringify(body).includes(`"${reference}"`));
  const summaryOf = async (line: string) => (await desk.batch(`${line} --json`)).json() as Summary;
  /** Types a command that was printed. */
  const type = (command: string | null, more = '') =>
    desk.batch(`${command!.replace('remit payouts batch ', '')}${more}`);

  it('records that a separate batch has paid a corrected row', async () => {
    desk.service.refuse = (body) =>
      body['payee_id'] === payeeId(2) ? {status: 404, error_code: 'NOT_FOUND'} : undefined;
    const first = await summaryOf('run ./p.csv --batch-id a --yes');
    assert.equal(first.rejected, 1);
    const file = first.failed_file!;
    writeFileSync(file, readFileSync(file, 'utf8').replace(payeeId(2), payeeId(3)));
    assert.equal((await desk.batch(`run ${file} --batch-id fix --yes`)).exitCode, 0);
    const {conflict, next} = await summaryOf('status a');
    const [record] = recordsOf('A-2');
    assert.deepEqual([conflict, next], [1, `remit payouts batch resolve a A-2 --paid ${record!.id}`]);
    const wrong = await desk.batch(`resolve a A-2 --paid ${recordsOf('A-1')[0]!.id}`);
    assert.equal(wrong.exitCode, 5, wrong.stderr);
    const ran = await type(next);
    assert.equal(ran.exitCode, 0, ran.stderr);
    const done = await summaryOf('status a');
    assert.deepEqual([done.state, done.accepted, done.already_paid, done.next], ['complete', 1, 1, null]);
    const again = await desk.batch('run a --yes --json');
    assert.deepEqual([again.exitCode, (again.json() as Summary).already_paid], [0, 1], again.stderr);
    assert.equal(desk.service.paid.length, 2);
  });

  describe('for a payment of another amount that replaces a row', () => {
    let id: string;
    beforeEach(async () => {
      desk.file('p.csv', [
        ['A-1', 1, '10.00'],
        ['A-2', 2, '99.25'],
      ]);
      desk.service.refuse = (body) =>
        body['amount_in_minor_units'] === 9925
          ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'}
          : undefined;
      const first = await summaryOf('run ./p.csv --batch-id a --yes');
      const file = first.failed_file!;
      writeFileSync(file, readFileSync(file, 'utf8').replace('99.25', '100.25'));
      assert.equal((await desk.batch(`run ${file} --batch-id fix --yes`)).exitCode, 0);
      id = recordsOf('A-2')[0]!.id;
      assert.equal((await summaryOf('status a')).conflict, 1);
    });

    for (const flag of ['', ' --unseen'])
      it(`names both amounts${flag === '' ? '' : ' of a record that was not read'}`, async () => {
        const {stdout} = await desk.batch(`resolve a A-2 --paid ${id}${flag}`);
        const again = await desk.batch(`resolve a A-2 --paid ${id}${flag}`);
        assert.equal(again.exitCode, 0, again.stderr);
        assert.match(
          stdout,
          /^Recorded: row A-2 of batch a is already paid.*: 100\.25 USD instead of 99\.25 USD\.$/m,
        );
      });

    it('is a difference of the file, is exported with the amount of its record, and is counted', async () => {
      assert.equal((await desk.batch(`resolve a A-2 --paid ${id}`)).exitCode, 0);
      const compared = await desk.batch('diff ./p.csv a');
      assert.equal(compared.exitCode, 8, compared.stdout);
      assert.match(compared.stdout, /A-2, line 3: 99\.25 USD in the file, 100\.25 USD paid/);
      for (const line of ['export a --json', 'export a --refresh --json']) {
        const lines = (await desk.batch(line)).json() as Record<string, unknown>[];
        const {amount, amount_in_minor_units: minor, payout_id: found} = lines[1]!;
        assert.deepEqual([amount, minor, found], ['100.25', 10025, id], line);
      }
      const summary = (await summaryOf('status a')) as Summary & {replaced: number};
      assert.deepEqual([summary.already_paid, summary.replaced], [1, 1]);
      for (const line of ['status a', 'report a', 'run a --yes']) {
        const {stdout} = await desk.batch(line);
        assert.match(
          stdout,
          /already paid +1 +99\.25 USD {2}\(1 replaced by a different payment: the row's amount\)/,
          line,
        );
      }
      assert.match(
        (await desk.batch('status a --row A-2')).stdout,
        /amount_in_minor_units: 10025 \(asked: 9925\)/,
      );
    });
  });

  /** The answer to A-2 is lost, its key is forgotten, and its request is sent again in direct mode. */
  const payTwice = async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-after' : undefined;
    await desk.batch('run ./p.csv --batch-id b --direct --yes --max-wait 1s');
    desk.service.fault = () => undefined;
    desk.service.forgetKeys();
    desk.clock.advance(30 * 60_000);
    return desk.batch('run b --yes');
  };

  it('records that a row was checked which may have been paid twice', async () => {
    const ran = await payTwice();
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stdout, /2 of 2 rows accepted.*; 1 row may be paid twice/);
    assert.doesNotMatch(ran.stdout, /differs? from/);
    const {maybe_paid_twice: twice, next} = await summaryOf('status b');
    assert.deepEqual([twice, next], [1, `remit payouts list --payee ${payeeId(2)} --all`]);
    assert.match(ran.stdout, /resolve b REFERENCE --paid ID/);
    const id = recordsOf('A-2').at(-1)!.id;
    const resolved = await desk.batch(`resolve b A-2 --paid ${id}`);
    assert.equal(resolved.exitCode, 0, resolved.stderr);
    const done = await summaryOf('status b');
    assert.deepEqual([done.state, done.maybe_paid_twice, done.next], ['complete', 0, null]);
    assert.equal((await desk.batch('resolve b A-2 --not-paid')).exitCode, 2);
  });

  describe('a row that may have been paid twice', () => {
    const PAYS_NOTHING = [
      ['created', /is not approved any more/],
      ['failed', /has failed/],
      ['canceled', /was canceled/],
    ] as const;
    const paidTwice = async () => {
      await payTwice();
      const [earlier, later] = recordsOf('A-2');
      return {earlier: earlier!, later: later!};
    };
    /** What no command but a retry by name may send. */
    const typeAll = async () => {
      for (const line of ['retry b', 'resume b', 'run b', 'release b', 'release b --accept rest'])
        await desk.batch(`${line} --yes`);
    };
    const list = `remit payouts list --payee ${payeeId(2)} --all`;

    for (const [status, words] of PAYS_NOTHING) {
      it(`stays that when its later record is ${status}, and no command sends it`, async () => {
        const {earlier, later} = await paidTwice();
        later.status = status;
        const left = await desk.batch('retry b --yes');
        const read = await desk.batch('status b --refresh');
        assert.equal(read.exitCode, 8, read.stdout);
        assert.doesNotMatch(read.stdout, /more in the results/);
        const {accepted, maybe_paid_twice: twice, next} = await summaryOf('status b');
        assert.deepEqual([accepted, twice, next], [2, 1, list], left.stderr);
        assert.match((await desk.batch('status b --row A-2')).stdout, words);
        const paid = desk.service.paid.length;
        await typeAll();
        assert.equal(desk.service.paid.length, paid);
        assert.deepEqual((await summaryOf('retry b --yes')).next, list);
        assert.equal((await desk.batch(`resolve b A-2 --paid ${earlier.id}`)).exitCode, 0);
        const done = await summaryOf('status b');
        assert.deepEqual([done.state, done.orphans, done.next], ['complete', [], null]);
      });

      it(`is paid by a retry that names it when its record is ${status}`, async () => {
        const {later} = await paidTwice();
        later.status = status;
        await desk.batch('status b --refresh');
        const unnamed = await desk.batch('retry b --yes');
        if (status === 'failed')
          assert.match(unnamed.stderr, /A-2 is unchanged: another record may .* if there is none, --row A-2/);
        const ran = await desk.batch('retry b --row A-2 --yes --json');
        const {state, maybe_paid_twice: twice} = ran.json() as Summary & {maybe_paid_twice: number};
        assert.deepEqual([ran.exitCode, state, twice], [0, 'complete', 0], ran.stderr);
        assert.equal(recordsOf('A-2').length, status === 'created' ? 2 : 3);
        assert.equal(recordsOf('A-2').at(-1)!.status, 'approved');
      });
    }

    it('stays that after a status that went back, and after a record that was not found for a while', async () => {
      const {later} = await paidTwice();
      const paid = desk.service.paid.length;
      for (const status of ['initiated', 'approved', 'gone', 'failed', 'debited', 'failed']) {
        if (status === 'gone') desk.service.byId.delete(later.id);
        else desk.service.byId.set(later.id, later);
        later.status = status;
        await desk.batch('status b --refresh');
        await desk.batch('export b --refresh');
        const {stdout} = await desk.batch('status b --row A-2');
        const is = {gone: /its record \S+ was not found\./, failed: /its record \S+ has failed\./}[status];
        if (is === undefined) assert.doesNotMatch(stdout, /; its record/);
        else assert.match(stdout, is);
        await typeAll();
        const {maybe_paid_twice: twice, next} = await summaryOf('status b');
        assert.deepEqual([twice, next], [1, list], status);
      }
      assert.equal(desk.service.paid.length, paid);
    });
  });

  for (const verb of ['cancel', 'release'])
    for (const amount of ['20.00', '51255783580.71'])
      it(`ends a ${verb} whose row of ${amount} has the record of another payment each time`, async () => {
        desk.file('p.csv', [
          ['A-1', 1, '10.00'],
          ['A-2', 2, amount],
        ]);
        const env = await desk.profile('acme', '--approve-by-id');
        const typed = (line: string) => desk.batch(line, {env});
        await typed('run ./p.csv --batch-id b --yes --stage-only');
        desk.clock.advance(48 * 60 * 60_000); // past the horizon, where a release reads each record first
        const [record] = recordsOf('A-2');
        desk.service.distort = (shown, {method}) =>
          method === 'GET' && shown['id'] === record!.id ? {...shown, amount_in_minor_units: 77} : shown;
        const nextOf = async () => ((await typed('status b --json')).json() as Summary).next;
        assert.equal((await typed(`${verb} b --yes`)).exitCode, 12);
        assert.equal(await nextOf(), `remit payouts batch ${verb === 'cancel' ? 'cancel' : 'run'} b -p acme`);
        await typed(`${verb === 'cancel' ? 'cancel' : 'run'} b --yes`);
        assert.equal(await nextOf(), 'remit payouts batch resolve b --from FILE -p acme');
        assert.equal(record!.status, 'created');
      });

  it('sends a row again whose record is gone, once it is declared not paid', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes --stage-only');
    const [record] = recordsOf('A-2');
    desk.service.fault = ({method, body, path}) =>
      (method === 'POST' && body.includes('"auto_approve":true') && body.includes('"A-2"')) ||
      (method === 'GET' && path.includes(record!.id))
        ? 'lost-before'
        : undefined;
    await desk.batch('release b --yes --max-wait 1s');
    desk.service.fault = () => undefined;
    desk.service.byId.delete(record!.id);
    desk.service.records.delete(record!.key);
    const stopped = await desk.batch('run b --yes --json');
    assert.equal(stopped.exitCode, 12);
    assert.match((stopped.json() as Summary).next!, /resolve b --from FILE/);
    const file = join(desk.folder, 'v.csv');
    writeFileSync(file, 'reference,verdict,id\nA-2,not-paid,\n');
    const resolved = await desk.batch(`resolve b --from ${file} --json`);
    assert.equal(resolved.exitCode, 0, resolved.stderr);
    const {next} = await summaryOf('status b');
    assert.match(next!, /run b/);
    const done = await desk.batch('run b --yes --json');
    assert.deepEqual([done.exitCode, (done.json() as Summary).accepted], [0, 2], done.stderr);
  });

  it('lets a cancel end that found a record gone', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes --stage-only');
    const [record] = recordsOf('A-2');
    desk.service.byId.delete(record!.id);
    const stopped = await desk.batch('cancel b --yes --json');
    assert.equal(stopped.exitCode, 12, stopped.stderr);
    assert.match((stopped.json() as Summary).next!, /resolve b --from FILE/);
    assert.equal((await desk.batch('resolve b A-2 --not-paid')).exitCode, 0);
    const {next} = await summaryOf('status b');
    const done = await type(next, ' --yes --json');
    assert.deepEqual([done.exitCode, (done.json() as Summary).state], [0, 'canceled'], done.stderr);
  });
});
