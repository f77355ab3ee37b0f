import assert from 'node:assert/strict';
import {cpSync, mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {Desk} from './desk.ts';

type Line = Record<string, string | number | null>;

describe('payouts batch, after the service has taken back an approval', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = Desk.withTwoRows();
    await desk.batch('run ./p.csv --batch-id b --yes');
  });
  afterEach(() => desk.close());

  const recordOf = (reference: string) =>
    [...desk.service.byId.values()].find(({body}) => JSON.stringify(body).includes(`"${reference}"`))!;
  const lose = () => Object.assign(recordOf('A-2'), {status: 'created'});

  it('status --refresh counts the row as unapproved, names it, and exits 8, as does status', async () => {
    lose();
    const ran = await desk.batch('status b --refresh');
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stdout, /^Batch b is not complete: 1 of 2 rows accepted; 1 not approved/m);
    assert.match(ran.stdout, /A-2: unapproved: its record had been approved, and is now shown as created/);
    const again = await desk.batch('status b --json');
    const {accepted, unapproved, state, next} = again.json() as Summary;
    assert.deepEqual([again.exitCode, accepted, unapproved, state], [8, 1, 1, 'incomplete']);
    assert.match(String(next), /batch retry b/);
    assert.equal((await desk.batch('report b')).exitCode, 8);
  });

  it('retry, the next command, approves the row again, once', async () => {
    lose();
    await desk.batch('status b --refresh');
    const ran = await desk.batch('retry b --yes');
    assert.equal(ran.exitCode, 0, ran.stdout + ran.stderr);
    assert.equal(recordOf('A-2').status, 'approved');
    assert.equal(desk.service.byId.size, 2);
  });

  it('retry approves a row again that an earlier batch of this name had claimed in a restored registry', async () => {
    const batches = join(desk.folder, '.local/state/remit/batches');
    const restore = () => {
      rmSync(join(batches, 'registry.db-wal'), {force: true});
      cpSync(join(desk.folder, 'registry.copy'), join(batches, 'registry.db'));
    };
    lose();
    await desk.batch('status b --refresh');
    cpSync(join(batches, 'registry.db'), join(desk.folder, 'registry.copy'));
    rmSync(join(batches, 'payout/b'), {recursive: true});
    mkdirSync(join(desk.folder, 'second'));
    const second = await desk.batch('run ./p.csv --batch-id b --yes --out ./second');
    assert.equal(second.exitCode, 0, second.stdout + second.stderr);
    lose();
    await desk.batch('status b --refresh');
    restore();
    const ran = await desk.batch('retry b --yes --out ./second');
    assert.equal(ran.exitCode, 0, ran.stdout + ran.stderr);
    assert.deepEqual([recordOf('A-2').status, desk.service.byId.size], ['approved', 2]);
  });

  it('export --refresh does not write created beside accepted, and exits 8', async () => {
    lose();
    const ran = await desk.batch('export b --refresh -o json');
    assert.equal(ran.exitCode, 8, ran.stderr);
    const [first, second] = ran.json() as Line[];
    assert.deepEqual([first!['state'], first!['status']], ['accepted', 'approved']);
    assert.deepEqual([second!['state'], second!['status']], ['unapproved', 'created']);
    assert.match(ran.stderr, /1 record had been approved and is now shown as created/);
  });

  it('what export --refresh has read counts in status, diff and report', async () => {
    lose();
    assert.equal((await desk.batch('export b --refresh')).exitCode, 8);
    const status = await desk.batch('status b --json');
    const {accepted, unapproved, state} = status.json() as Summary;
    assert.deepEqual([status.exitCode, accepted, unapproved, state], [8, 1, 1, 'incomplete']);
    for (const line of ['diff ./p.csv b', 'report b', 'export b'])
      assert.equal((await desk.batch(line)).exitCode, 8, line);
  });

  it('a record that export --refresh finds gone leaves its row in doubt', async () => {
    desk.service.byId.delete(recordOf('A-1').id);
    await desk.batch('export b --refresh');
    const status = await desk.batch('status b --json');
    const {in_doubt: doubts, state} = status.json() as Summary;
    assert.deepEqual([status.exitCode, doubts, state], [12, 1, 'stopped'], status.stderr);
  });

  for (const [command, words] of [
    ['status b --refresh', /^Batch b is not complete: 1 of 2 rows accepted; 1 not approved/m],
    ['export b --refresh', /1 record had been approved and is now shown as created/],
  ] as const)
    it(`${command} also reads rows that were settled`, async () => {
      for (const record of desk.service.byId.values()) Object.assign(record, {status: 'settled'});
      await desk.batch('status b --refresh');
      lose();
      const ran = await desk.batch(command);
      assert.equal(ran.exitCode, 8, ran.stdout);
      assert.match(ran.stdout + ran.stderr, words);
      assert.equal((await desk.batch('status b')).exitCode, 8);
    });

  it('resume --until calls settled rows that it did not fetch settled as last seen', async () => {
    for (const record of desk.service.byId.values()) Object.assign(record, {status: 'settled'});
    await desk.batch('status b --refresh');
    const ran = await desk.batch('run b --until settled --yes');
    assert.match(ran.stdout, /Followed 2 rows until settled: 2 settled as last seen; none was fetched\./);
  });

  it('export --refresh reports a record that is gone, and exits 12, as status does', async () => {
    desk.service.byId.delete(recordOf('A-1').id);
    const ran = await desk.batch('export b --refresh -o json');
    assert.equal(ran.exitCode, 12, ran.stderr);
    const [first, second] = ran.json() as Line[];
    assert.deepEqual(
      [first!['state'], first!['status'], first!['reason_code']],
      ['in_doubt', null, 'NOT_FOUND'],
    );
    assert.equal(second!['state'], 'accepted');
  });

  it('keeps the code of the service for a record that is gone, and names no other one', async () => {
    const {id} = recordOf('A-1');
    desk.service.byId.delete(id);
    desk.service.fault = ({method, path}) =>
      method === 'GET' && path.endsWith(id)
        ? {status: 404, body: {error_code: 'PAYOUT_NOT_FOUND', message: 'no such payout'}}
        : undefined;
    const codeOf = async () => {
      const ran = await desk.batch('status b --row A-1 --json');
      const {code, message} = ran.json() as {code: string; message: string};
      return [code, message];
    };
    const ran = await desk.batch('export b --refresh -o json');
    assert.equal((ran.json() as Line[])[0]!['reason_code'], 'PAYOUT_NOT_FOUND');
    assert.match(ran.stderr, /1 record not found at the service: state is in_doubt/);
    const lost = ['PAYOUT_NOT_FOUND', 'the service no longer knows this record'];
    assert.deepEqual(await codeOf(), lost);
    for (const command of ['status b --refresh', 'run b --yes', 'export b --refresh']) {
      assert.equal((await desk.batch(command)).exitCode, 12, command);
      assert.deepEqual(await codeOf(), lost, command);
    }
  });

  for (const command of ['status b --refresh', 'export b --refresh'])
    it(`${command} names the route that is wrong if the list has the record, and leaves the rows accepted`, async () => {
      desk.service.fault = ({path}) =>
        path.includes('?') ? undefined : {status: 404, body: {error_code: 'NOT_FOUND', message: 'no'}};
      const ran = await desk.batch(command);
      assert.notEqual(ran.exitCode, 0);
      assert.notEqual(ran.exitCode, 12);
      assert.match(ran.stderr, /set routes\.payouts\.get in the service file/);
      desk.service.fault = () => undefined;
      const status = await desk.batch('status b --json');
      const {accepted, state} = status.json() as Summary;
      assert.deepEqual([status.exitCode, accepted, state], [0, 2, 'complete']);
      assert.equal((await desk.batch(command)).exitCode, 0);
    });

  it('status --refresh finds a record again that was not found', async () => {
    const record = recordOf('A-1');
    desk.service.byId.delete(record.id);
    assert.equal((await desk.batch('status b --refresh')).exitCode, 12);
    desk.service.byId.set(record.id, record);
    const ran = await desk.batch('status b --refresh --json');
    const {accepted, state, next} = ran.json() as Summary;
    assert.deepEqual([ran.exitCode, accepted, state, next], [0, 2, 'complete', null], ran.stderr);
    assert.equal((await desk.batch('status b')).exitCode, 0);
  });

  it('diff lists the row as not paid, and exits 8', async () => {
    lose();
    await desk.batch('status b --refresh');
    const ran = await desk.batch('diff ./p.csv b -o json');
    assert.equal(ran.exitCode, 8);
    const {equal, not_paid: unpaid} = ran.json() as {equal: boolean; not_paid: {rows: number}};
    assert.deepEqual([equal, unpaid.rows], [false, 1]);
  });

  it('a status that went back differs, also in export and status', async () => {
    Object.assign(recordOf('A-1'), {status: 'initiated'});
    await desk.batch('status b --refresh');
    Object.assign(recordOf('A-1'), {status: 'approved'});
    assert.equal((await desk.batch('export b --refresh -o json')).exitCode, 8);
    const ran = await desk.batch('status b --refresh --json');
    assert.deepEqual([ran.exitCode, (ran.json() as Summary).differs], [8, 1]);
    const line = (await desk.batch('export b -o json')).json() as Line[];
    assert.equal(line[0]!['reason'], 'the status of its record went back from initiated to approved');
  });

  it('a row that differs is shown with the command that records it as checked, and exits 8', async () => {
    Object.assign(recordOf('A-1'), {status: 'initiated'});
    await desk.batch('status b --refresh');
    Object.assign(recordOf('A-1'), {status: 'approved'});
    await desk.batch('status b --refresh');
    const {next} = (await desk.batch('status b --json')).json() as Summary;
    assert.equal(next, 'remit payouts batch status b --row A-1');
    const shown = await desk.batch('status b --row A-1');
    assert.equal(shown.exitCode, 8);
    const resolve =
      /^Hint: once compared, if it was paid once: remit payouts batch (resolve b A-1 --paid \S+)$/m;
    assert.match(shown.stderr, resolve);
    assert.match(shown.stderr, /^Hint: to read the records again: remit payouts batch status b --refresh$/m);
    const resolved = await desk.batch(resolve.exec(shown.stderr)![1]!);
    assert.equal(resolved.exitCode, 0, resolved.stderr);
    assert.equal((await desk.batch('status b --row A-1')).exitCode, 0);
    assert.equal((await desk.batch('status b')).exitCode, 0);
  });
});

describe('payouts batch status', () => {
  it('exits 0 for a plan, 7 for a batch that was stopped, and 12 while rows are in doubt', async () => {
    const desk = Desk.withTwoRows();
    try {
      await desk.batch('plan ./p.csv --batch-id b');
      assert.equal((await desk.batch('status b')).exitCode, 0);
      desk.service.fault = () => ({status: 307, headers: {location: 'https://elsewhere.test/'}});
      await desk.batch('run b --yes');
      assert.equal((await desk.batch('status b')).exitCode, 7);
      desk.service.fault = ({method}) => (method === 'POST' ? {status: 303} : undefined);
      await desk.batch('run b --yes');
      assert.equal((await desk.batch('status b')).exitCode, 12);
    } finally {
      desk.close();
    }
  });
});
