import assert from 'node:assert/strict';
import {isRelease} from '../../../batch/truth-service.ts';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {runCli, TEST_KEY} from '../../../cli/run-cli.ts';
import {Desk} from './desk.ts';

describe('payouts batch, after the service has forgotten the keys', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  it('without a profile, a release names the commands that approve the records by their ids', async () => {
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    desk.service.forgetKeys();
    const ran = await desk.batch('release b --yes');
    assert.equal(ran.exitCode, 6, ran.stderr);
    assert.match(ran.stdout, /^Next +remit payouts batch cancel b$/m);
    const printed =
      /to approve the records by their ids, add a profile with the same key: (remit profiles add NAME .*--approve-by-id); then: (.*)$/m;
    const [, added, then] = printed.exec(ran.stderr)!;
    assert.match(added!, /--base-url \S+ --approve-by-id$/);
    assert.equal(then, 'remit payouts batch run b --profile NAME');
    const env = await desk.profile('acme', '--approve-by-id');
    const approved = await desk.batch('run b --profile acme --yes --json', {env});
    assert.equal(approved.exitCode, 0, approved.stderr);
    assert.deepEqual([(approved.json() as Summary).accepted, desk.service.paid.length], [2, 2]);
  });

  for (const name of [undefined, 'acme'])
    it(`the first resume ${name === undefined ? 'without' : 'with'} a profile names resolve for a row whose release was not answered`, async () => {
      const env = name === undefined ? {} : {env: await desk.profile(name)};
      const place = name === undefined ? '' : ` -p ${name}`;
      desk.service.fault = (request) => (isRelease(request) ? 'lost-before' : undefined);
      assert.equal((await desk.batch(`run ./p.csv --batch-id b --yes${place}`, env)).exitCode, 12);
      desk.service.fault = () => undefined;
      desk.service.forgetKeys();
      for (const time of ['first', 'second']) {
        const ran = await desk.batch(`run b --yes${place}`, env);
        assert.equal(ran.exitCode, 12, ran.stderr);
        assert.match(
          ran.stdout,
          new RegExp(`^Next +remit payouts batch resolve b --from FILE${place}$`, 'm'),
          time,
        );
        assert.doesNotMatch(ran.stderr, /approve the records by their ids/);
        const rows = (await desk.batch('export b -o json')).json() as {reason_code: string}[];
        assert.deepEqual(new Set(rows.map(({reason_code: code}) => code)), new Set(['KEY_FORGOTTEN']), time);
      }
      assert.equal(desk.service.paid.length, 0);
    });

  /** Types `payouts cancel ID` as it is printed under the records left behind. */
  const cancelLeftBehind = async (printed: string) => {
    const [, id] = /payouts cancel (\S+)/.exec(printed)!;
    const env = desk.env(TEST_KEY);
    const typed = await runCli(['payouts', 'cancel', id!, '--yes'], {
      ...{env, service: desk.service.transport(), clock: desk.clock, cwd: desk.folder},
    });
    assert.equal(typed.exitCode, 0, typed.stderr);
    return id!;
  };

  for (const oldest of ['the second', 'the first'] as const)
    it(`the printed cancel does not let a release through, with ${oldest} row staged first`, async () => {
      if (oldest === 'the second') {
        desk.service.refuse = ({amount_in_minor_units: amount}) =>
          amount === 1000 ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'} : undefined;
        await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
        desk.service.refuse = () => undefined;
        desk.clock.advance(60_000);
        desk.file('p.csv', [
          ['A-1', 1, '10.01'],
          ['A-2', 2, '20.00'],
        ]);
        const corrected = await desk.batch('run ./p.csv --batch-id b --stage-only --yes --json');
        assert.equal((corrected.json() as Summary).staged, 2, corrected.stderr);
      } else await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
      desk.service.forgetKeys();
      const first = await desk.batch('release b --yes');
      assert.equal(first.exitCode, 6, first.stderr);
      const left = await cancelLeftBehind(first.stdout);

      for (const command of ['release b --yes', 'run b --yes']) {
        const again = await desk.batch(command);
        assert.equal(again.exitCode, 6, again.stdout);
        assert.match(
          again.stdout,
          new RegExp(`two records with it: \\S+, and ${left}, which was left behind`),
        );
        assert.doesNotMatch(again.stdout, /compares the bodies/);
      }
      assert.deepEqual([desk.service.paid.length, desk.service.byId.size], [0, 3]);
    });

  it('a key that is refused stops the release unless the record of its row has ended', async () => {
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    desk.service.fault = ({method}) =>
      method === 'POST'
        ? {status: 409, body: {error_code: 'IDEMPOTENCY_KEY_CONFLICT', message: 'a new key is required'}}
        : undefined;
    const ran = await desk.batch('release b --yes');
    assert.equal(ran.exitCode, 6, ran.stdout);
    assert.match(ran.stdout, /its record \S+ is still created\. Either the key.*moved no money/);
    assert.equal(desk.service.paid.length, 0);
  });

  it('a row that a retry gave a new key is no proof for the older ones', async () => {
    const recordsOf = (reference: string) =>
      [...desk.service.byId.values()].filter(({body}) => JSON.stringify(body).includes(`"${reference}"`));
    await desk.batch('run ./p.csv --batch-id b --yes --stage-only');
    const [first, second] = [recordsOf('A-1')[0]!, recordsOf('A-2')[0]!];
    desk.service.fault = (request) =>
      isRelease(request) && request.body.includes('"A-1"')
        ? {status: 403, body: {error_code: 'FORBIDDEN', message: 'no'}}
        : undefined;
    desk.service.records.delete(second.key); // its release makes a second record
    await desk.batch('release b --yes --accept rest');
    desk.service.fault = () => undefined;
    const other = recordsOf('A-2').find(({approvals}) => approvals > 0)!;
    other.status = 'failed';
    await desk.batch('status b --refresh');
    desk.service.keyLifeMs = 3_600_000;
    await desk.clock.sleep(2 * 3_600_000);
    await desk.batch('retry b --row A-2 --yes');
    await desk.batch('run b --yes');
    const paid = recordsOf('A-1').filter(({approvals}) => approvals > 0);
    assert.deepEqual(
      paid.filter((record) => record !== first),
      [],
      'paid by a second record',
    );
  });
});
