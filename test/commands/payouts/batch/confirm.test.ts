import assert from 'node:assert/strict';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import type {CliResult} from '../../../cli/run-cli.ts';
import {Desk} from './desk.ts';

const STATED = '--confirm-total USD=30.00 --confirm-count 2';

describe('confirming a batch', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  const refused = (ran: CliResult, exitCode: number, code: string, words = /./) => {
    assert.equal(ran.exitCode, exitCode, ran.stderr);
    assert.deepEqual([ran.error().code, ran.stdout], [code, '']);
    assert.match(ran.error().message, words);
    assert.equal(desk.service.posts, 0, 'nothing was sent');
  };
  const summaryOf = (ran: CliResult) => ran.json() as Summary;

  it('is needed, and without a terminal never asked for', async () => {
    refused(await desk.batch('run ./p.csv --json'), 2, 'NEEDS_TERMINAL');
    assert.equal((await desk.batch(`run ./p.csv --json ${STATED}`)).exitCode, 0);
  });

  it('names the form of a total without its currency', async () => {
    const ran = await desk.batch('run ./p.csv --json --confirm-total 30.00 --confirm-count 2');
    assert.deepEqual([ran.exitCode, ran.error().hint], [2, 'write --confirm-total USD=30.00']);
  });

  it('exits 11 if a total, a count or a currency differs from the plan', async () => {
    for (const stated of [
      '--confirm-total USD=30.01 --confirm-count 2',
      '--confirm-total USD=30.00 --confirm-count 3',
      '--confirm-total EUR=30.00 --confirm-count 2',
      '--confirm-total USD=30.00 --confirm-total EUR=1.00',
    ])
      for (const yes of ['', ' --yes'])
        refused(
          await desk.batch(`run ./p.csv --json ${stated}${yes}`),
          11,
          'GUARD_CONFIRM',
          /does not match/,
        );
    assert.equal(
      (await desk.batch(`run ./p.csv --json --confirm-total USD=30 --confirm-count 2`)).exitCode,
      0,
    );
  });

  it('with a live key needs --live, and the figures or the total typed; --yes alone is not enough', async () => {
    const live = {live: true};
    refused(await desk.batch(`run ./p.csv --json --yes ${STATED}`, live), 11, 'GUARD_LIVE', /live key/);
    refused(
      await desk.batch('run ./p.csv --json --yes --live', live),
      11,
      'GUARD_LIVE',
      /no terminal to confirm on/,
    );
    refused(await desk.batch(`run ./p.csv --json --live ${STATED}`, live), 11, 'GUARD_LIVE');
    const typed = (answer: string) =>
      desk.batch('run ./p.csv --json --live', {...live, columns: 100, answers: [answer]});
    refused(await typed('29.00'), 11, 'GUARD_CONFIRM', /total typed is not 30.00 USD/);
    refused(await typed(''), 11, 'GUARD_CONFIRM');
    const ran = await desk.batch(`run ./p.csv --json --live --yes ${STATED}`, live);
    assert.deepEqual([ran.exitCode, summaryOf(ran).mode], [0, 'live']);
    assert.match(ran.stderr, /LIVE/);
  });

  it('covers the valid rows only, with --valid-only; without it nothing of a file with errors is sent', async () => {
    desk.file('e.csv', [
      ['A-1', 1, '10.00'],
      ['=A-2', 2, '20.00'],
    ]);
    refused(await desk.batch('run ./e.csv --json --yes'), 5, 'CSV_INVALID');
    refused(await desk.batch(`run ./e.csv --json --valid-only ${STATED}`), 11, 'GUARD_CONFIRM');
    const ran = await desk.batch(
      'run ./e.csv --json --valid-only --confirm-total USD=10.00 --confirm-count 1',
    );
    assert.deepEqual([ran.exitCode, summaryOf(ran).planned, summaryOf(ran).accepted], [0, 1, 1]);
  });

  it('asks for --accept key-trust before --direct moves live money', async () => {
    const line = `run ./p.csv --json --direct --live --yes ${STATED}`;
    refused(await desk.batch(line, {live: true}), 11, 'GUARD_LIVE', /--direct/);
    const ran = await desk.batch(`${line} --accept key-trust`, {live: true});
    assert.deepEqual([ran.exitCode, summaryOf(ran).posts], [0, 2]);
    assert.match((await desk.batch('run --help')).stdout, /nothing is\s+checked\s+before/);
  });

  it('is still needed after a release that had nothing to release', async () => {
    assert.equal((await desk.batch('plan ./p.csv --batch-id b')).exitCode, 0);
    for (const line of ['release b --yes', `release b ${STATED}`]) {
      const ran = await desk.batch(`${line} --json`);
      refused(ran, 11, 'GUARD_CONFIRM', /^batch b has no staged rows; nothing was sent$/);
      assert.equal(ran.error().hint, 'remit payouts batch run b');
      refused(await desk.batch('resume b --json'), 2, 'NEEDS_TERMINAL');
      refused(await desk.batch('retry b --yes --json'), 11, 'GUARD_CONFIRM', /was never run/);
    }
    assert.equal((await desk.batch('resume b --yes')).exitCode, 0);
    assert.equal(desk.service.paid.length, 2);
  });

  it('of a stage alone is not widened by a release that had nothing to release', async () => {
    desk.service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS'});
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    assert.equal((await desk.batch('release b --yes')).exitCode, 8);
    desk.service.refuse = () => undefined;
    assert.equal(summaryOf(await desk.batch('retry b --yes --json')).staged, 2);
    assert.equal(desk.service.paid.length, 0);
    assert.equal((await desk.batch('release b --yes')).exitCode, 0);
    assert.equal(desk.service.paid.length, 2);
  });

  it('is required again when the file was edited', async () => {
    await desk.batch(`run ./p.csv --batch-id b --json --stage-only ${STATED}`);
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
      ['A-3', 3, '5.00'],
    ]);
    const ran = await desk.batch('run ./p.csv --batch-id b --json');
    assert.deepEqual([ran.exitCode, ran.error().code], [2, 'NEEDS_TERMINAL']);
    const stale = await desk.batch(`run ./p.csv --batch-id b --json ${STATED}`);
    assert.deepEqual([stale.exitCode, stale.error().code], [11, 'GUARD_CONFIRM']);
    const whole = await desk.batch(
      'run ./p.csv --batch-id b --json --confirm-total USD=35.00 --confirm-count 3',
    );
    assert.deepEqual([whole.exitCode, summaryOf(whole).revision, summaryOf(whole).accepted], [0, 2, 3]);
  });

  describe('of look-alikes', () => {
    beforeEach(() =>
      desk.file('d.csv', [
        ['D-1', 1, '10.00'],
        ['D-2', 1, '10.00'],
        ['D-3', 1, '10.00'],
      ]),
    );

    it('is by their exact number; --yes is not enough', async () => {
      for (const flags of ['', ' --accept duplicates=1', ' --accept duplicates=3'])
        refused(await desk.batch(`run ./d.csv --json --yes${flags}`), 11, 'GUARD_DUPLICATES', /2 rows/);
      assert.equal((await desk.batch('run ./d.csv --json --yes --accept duplicates=2')).exitCode, 0);
    });

    for (const [flag, words] of [
      ['duplicates', 'no row repeats another payment'],
      ['similar', 'no reference resembles an earlier one'],
    ] as const)
      it(`is refused if there are none: ${flag}`, async () => {
        const ran = await desk.batch(`run ./p.csv --batch-id b --json --yes --accept ${flag}=2`);
        refused(
          ran,
          11,
          'GUARD_DUPLICATES',
          new RegExp(`: ${words}, so --accept ${flag}=2 does not hold; nothing was sent`),
        );
        const [, hint] = /: remit payouts batch (run .*)$/.exec(ran.error().hint!)!;
        assert.equal((await desk.batch(hint!)).exitCode, 0, hint);
      });

    it('names the rows, and says apart what repeats the file and what repeats other payments', async () => {
      await desk.batch('run ./p.csv --batch-id one --json --yes');
      desk.clock.advance(1000);
      const ran = await desk.batch('run ./d.csv --batch-id b --json --yes');
      assert.equal(ran.exitCode, 11);
      assert.match(
        ran.stderr,
        /^ {2}D-2, D-3 look like D-1: same party, amount and currency \(10\.00 USD\)$/m,
      );
      assert.match(ran.stderr, /^ {2}D-1 looks like A-1 of batch one/m);
      assert.match(
        ran.error().message,
        /: 2 rows with the party, amount and currency of an earlier row of this file, and 3 rows with those of another batch of/,
      );
      assert.match(ran.error().hint!, /--accept duplicates=5/);
    });

    it('counts those of other batches in the last 30 days too', async () => {
      await desk.batch('run ./p.csv --batch-id one --json --yes');
      desk.file('o.csv', [['O-1', 1, '10.00']]);
      const ran = await desk.batch('run ./o.csv --json --yes');
      assert.deepEqual([ran.exitCode, ran.error().code], [11, 'GUARD_DUPLICATES']);
      assert.match(ran.stderr, /O-1 looks like A-1 of batch one/);
      assert.match(
        ran.error().message,
        /: 1 row with the party, amount and currency of another batch of the last 30 days or/,
      );
      desk.clock.advance(31 * 24 * 3_600_000);
      assert.equal((await desk.batch('run ./o.csv --json --yes')).exitCode, 0);
    });

    it('applies to the release of what was staged, whether the number is stated again or not', async () => {
      await desk.batch('run ./p.csv --batch-id one --json --yes');
      desk.clock.advance(1000);
      // Two within the file, and all three like a payment of another batch.
      const staged = await desk.batch(
        'run ./d.csv --batch-id b --json --yes --stage-only --accept duplicates=5',
      );
      assert.equal(staged.exitCode, 0, staged.stderr);
      for (const flags of ['', ' --accept duplicates=5']) {
        const ran = await desk.batch(`release b --json --yes${flags}`);
        assert.equal(ran.exitCode, 0, ran.stderr);
        assert.equal(summaryOf(ran).accepted, 3);
      }
      assert.equal((await desk.batch('run b --json --yes')).exitCode, 0);
    });

    it('asks at a release about what another batch has paid since the rows were staged', async () => {
      await desk.batch('run ./p.csv --batch-id a --json --yes --stage-only');
      desk.clock.advance(1000);
      desk.file('v.csv', [
        ['V-1', 1, '10.00'],
        ['V-2', 2, '20.00'],
      ]);
      const other = await desk.batch('run ./v.csv --batch-id v --json --yes --accept duplicates=2');
      assert.equal(other.exitCode, 0, other.stderr);
      const payments = desk.service.paid.length;
      for (const line of ['release a', 'run a', 'resume a', 'release a --accept duplicates=1']) {
        const ran = await desk.batch(`${line} --json --yes`);
        assert.deepEqual([ran.exitCode, ran.error().code], [11, 'GUARD_DUPLICATES'], line);
        assert.match(ran.error().hint!, /--accept duplicates=2/);
        assert.match(ran.stderr, /A-1 looks like V-1 of batch v/);
      }
      assert.equal(desk.service.paid.length, payments);
      const ran = await desk.batch('release a --json --yes --accept duplicates=2');
      assert.deepEqual([ran.exitCode, summaryOf(ran).accepted], [0, 2], ran.stderr);
      assert.equal((await desk.batch('release a --json --yes')).exitCode, 0);
    });

    it('asks once about a row that was not approved, and that another batch has paid since', async () => {
      desk.service.approvalFails = () => true;
      await desk.batch('run ./p.csv --batch-id a --json --yes');
      desk.service.approvalFails = () => false;
      desk.clock.advance(1000);
      desk.file('v.csv', [['V-1', 1, '10.00']]);
      await desk.batch('run ./v.csv --batch-id v --json --yes --accept duplicates=1');
      for (const verb of ['release', 'retry']) {
        const refused = await desk.batch(`${verb} a --json --yes`);
        assert.deepEqual([refused.exitCode, refused.error().code], [11, 'GUARD_DUPLICATES'], verb);
        assert.match(refused.error().hint!, /--accept duplicates=1/);
      }
      const ran = await desk.batch('retry a --json --yes --accept duplicates=1');
      assert.deepEqual([ran.exitCode, summaryOf(ran).accepted], [0, 2], ran.stderr);
    });

    it('asks about a row in doubt whose payment was not requested, too', async () => {
      desk.service.fault = ({body}) => (body.includes('"A-1"') ? 'lost-after' : undefined);
      await desk.batch('run ./p.csv --batch-id a --json --yes --stage-only --max-wait 1s');
      desk.service.fault = () => undefined;
      desk.clock.advance(1000);
      desk.file('v.csv', [['V-1', 1, '10.00']]);
      await desk.batch('run ./v.csv --batch-id v --json --yes --accept duplicates=1');
      const refused = await desk.batch('resume a --json --yes');
      assert.deepEqual([refused.exitCode, refused.error().code], [11, 'GUARD_DUPLICATES'], refused.stderr);
    });

    /** Batch b breaks off after its first row, and another batch pays one that looks like all of its rows. */
    const meetAnother = async (...flags: readonly string[]) => {
      desk.service.fault = ({n}) =>
        n > 1 ? {status: 401, body: {error_code: 'AUTHENTICATION_ERROR', message: 'no'}} : undefined;
      const cut = await desk.batch(
        ['run ./d.csv --batch-id b --json --yes --accept duplicates=2', ...flags].join(' '),
      );
      assert.equal(summaryOf(cut).not_sent, 2);
      desk.service.fault = () => undefined;
      desk.clock.advance(1000);
      desk.file('o.csv', [['O-1', 1, '10.00']]);
      const other = await desk.batch('run ./o.csv --batch-id o --json --yes --accept duplicates=1');
      assert.equal(other.exitCode, 0, other.stderr);
    };

    it('does not cover what another batch has claimed since', async () => {
      await meetAnother('--stage-only');
      const again = await desk.batch('run b --json --yes --accept duplicates=7');
      assert.deepEqual([again.exitCode, again.error().code], [11, 'GUARD_DUPLICATES']);
      assert.match(again.error().hint!, /--accept duplicates=3/);
      const ran = await desk.batch('run b --json --yes --accept duplicates=3');
      assert.deepEqual([ran.exitCode, summaryOf(ran).staged], [0, 3]);
      const released = await desk.batch('release b --json --yes --accept duplicates=3');
      assert.deepEqual([released.exitCode, summaryOf(released).accepted], [0, 3]);
    });

    it('is also required by resume, for what another batch has claimed since', async () => {
      await meetAnother();
      const again = await desk.batch('resume b --json --yes');
      assert.deepEqual([again.exitCode, again.error().code], [11, 'GUARD_DUPLICATES']);
      assert.match(again.error().hint!, /--accept duplicates=3/);
      const ran = await desk.batch('resume b --json --yes --accept duplicates=3');
      assert.deepEqual([ran.exitCode, summaryOf(ran).accepted], [0, 3]);
      for (const line of [
        'resume b',
        'resume b --accept duplicates=3',
        'run ./d.csv --batch-id b --accept duplicates=3',
      ])
        assert.equal((await desk.batch(`${line} --json --yes`)).exitCode, 0, line);
    });

    it('is by number also of references that differ in case or spaces only', async () => {
      desk.file('s.csv', [
        ['INV 1', 1, '10.00'],
        ['inv1', 2, '20.00'],
      ]);
      refused(await desk.batch('run ./s.csv --json --yes'), 11, 'GUARD_DUPLICATES', /case or spaces/);
      const ran = await desk.batch('run ./s.csv --batch-id s --json --yes --stage-only --accept similar=1');
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.equal((await desk.batch('release s --json --yes')).exitCode, 0);
    });

    it('is by number too for references that differ from those of another batch only in case or spaces', async () => {
      await desk.batch('run ./p.csv --batch-id one --json --yes');
      desk.file('s.csv', [
        ['a-1', 3, '30.00'],
        ['A - 2', 4, '40.00'],
        ['A-3', 5, '50.00'],
      ]);
      const before = desk.service.posts;
      const ran = await desk.batch('run ./s.csv --batch-id s --json --yes');
      assert.equal(ran.exitCode, 11, ran.stderr);
      assert.equal(ran.error().code, 'GUARD_DUPLICATES');
      assert.match(
        ran.stderr,
        /a-1 looks like A-1 of another batch[^]*A - 2 looks like A-2 of another batch/,
      );
      assert.match(ran.error().hint!, /--accept similar=2/);
      assert.equal((await desk.batch('run s --json --yes --accept similar=1')).exitCode, 11);
      assert.equal(desk.service.posts, before, 'nothing was sent');
      const said = await desk.batch('run s --json --yes --accept similar=2');
      assert.deepEqual([said.exitCode, summaryOf(said).accepted], [0, 3], said.stderr);
    });
  });

  describe('by retry', () => {
    beforeEach(async () => {
      await desk.batch('run ./p.csv --batch-id b --yes');
      [...desk.service.byId.values()].find(({body}) => body['amount_in_minor_units'] === 2000)!.status =
        'failed';
      await desk.batch('status b --refresh');
    });
    const AGAIN = '--confirm-total USD=20.00 --confirm-count 1';

    it('covers the rows that are sent again, and nothing else', async () => {
      const before = desk.service.posts;
      const mute = await desk.batch('retry b --json');
      assert.deepEqual([mute.exitCode, mute.error().code], [2, 'NEEDS_TERMINAL']);
      assert.match(mute.stderr, /--confirm-total USD=20.00 --confirm-count 1/);
      const whole = await desk.batch(`retry b --json ${STATED}`);
      assert.deepEqual([whole.exitCode, whole.error().code], [11, 'GUARD_CONFIRM']);
      const refusal = await desk.batch('retry b', {columns: 100, answers: [false]});
      assert.equal(refusal.exitCode, 11);
      assert.match(refusal.questions[0]!, /Send 1 row again, 20.00 USD/);
      assert.equal(desk.service.posts, before, 'nothing was sent');
      assert.equal((await desk.batch(`retry b --json ${AGAIN}`)).exitCode, 0);
      assert.equal(desk.service.byId.size, 3);
    });

    it('accepts a yes, and is not needed when no row is sent again', async () => {
      assert.equal((await desk.batch('retry b --yes --json')).exitCode, 0);
      assert.equal((await desk.batch('retry b --json')).exitCode, 0);
      assert.equal(desk.service.byId.size, 3);
    });
  });
});
