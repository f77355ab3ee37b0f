import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {shellWord} from '../../../../src/shell-word.ts';
import {payeeId} from '../../../batch/harness.ts';
import {type CliResult, runCli} from '../../../cli/run-cli.ts';
import {Desk} from './desk.ts';

describe('references that were used elsewhere', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = new Desk();
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    assert.equal((await desk.batch('run ./p.csv --batch-id one --json --yes')).exitCode, 0);
  });
  afterEach(() => desk.close());

  const refused = (ran: CliResult, words: RegExp, flag: string) => {
    assert.deepEqual([ran.exitCode, ran.error().code], [11, 'GUARD_DUPLICATES'], ran.stderr);
    assert.match(ran.error().message, words);
    assert.ok(ran.error().hint!.includes(shellWord(`paid-elsewhere=${flag}`)), ran.error().hint!);
    assert.equal(desk.service.paid.length, 1, 'nothing was sent');
  };
  const ACKNOWLEDGED = '--json --yes --accept duplicates=1';

  it('in another namespace are refused until it is named', async () => {
    const line = `run ./p.csv --batch-id two --namespace other ${ACKNOWLEDGED}`;
    refused(await desk.batch(line), /used under default by batch one/, 'default');
    refused(await desk.batch(`${line} --accept paid-elsewhere=acme`), /default/, 'default');
    // Other keys, so another payment: that is what the flag says.
    const ran = await desk.batch(
      `run ./p.csv --batch-id two ${ACKNOWLEDGED} --namespace other --accept paid-elsewhere=default`,
    );
    assert.deepEqual([ran.exitCode, (ran.json() as Summary).accepted], [0, 1], ran.stderr);
    assert.equal(desk.service.paid.length, 2);
  });

  it('in another namespace keep a retry from sending the row again until it is named', async () => {
    desk.file('r.csv', [['R-1', 7, '70.00']]);
    desk.service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS'});
    await desk.batch('run ./r.csv --batch-id r --yes');
    desk.service.refuse = () => undefined;
    const paid = await desk.batch('run ./r.csv --batch-id fix --json --yes --namespace other');
    assert.deepEqual([paid.exitCode, (paid.json() as Summary).accepted], [0, 1], paid.stderr);
    const left = await desk.batch('retry r --yes');
    assert.match(left.stderr, /R-1 is unchanged: .*used under other by batch fix/);
    const hint = 'retry r --yes --accept paid-elsewhere=other --accept duplicates=1';
    assert.ok(
      left.stderr.includes(`if these are other payments: remit payouts batch ${hint}\n`),
      left.stderr,
    );
    assert.equal(desk.service.paid.length, 2);
    const [paidBy] = [...desk.service.byId.values()].slice(-1);
    const resolve = `remit payouts batch resolve r R-1 --paid ${paidBy?.id}`;
    assert.ok(left.stderr.includes(`is the payment of row R-1: ${resolve}\n`), left.stderr);
    for (const words of ['status r --json', 'retry r --yes --json']) {
      const ran = await desk.batch(words); // a retry would only say the same again
      assert.equal((ran.json() as {next: string | null}).next, resolve, ran.stderr);
    }
    const named = await desk.batch(`${hint} --json`);
    assert.deepEqual([named.exitCode, (named.json() as Summary).accepted], [0, 1], named.stderr);
  });

  /** Refused in batch r, and paid as batch fix under another namespace: 70.00 there, or another amount. */
  const paidUnderOther = async (amount = '70.00') => {
    desk.file('r.csv', [
      ['R-1', 7, '70.00'],
      ['R-2', 8, '80.00'],
    ]);
    desk.service.refuse = ({metadata}) =>
      (metadata as Record<string, string>)['remit_reference'] === 'R-1'
        ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'}
        : undefined;
    await desk.batch('run ./r.csv --batch-id r --yes');
    desk.service.refuse = () => undefined;
    desk.file('fix.csv', [
      ['R-1', 7, amount],
      ['X-1', 9, '90.00'],
    ]);
    const paid = await desk.batch('run ./fix.csv --batch-id fix --json --yes --namespace other');
    assert.equal(paid.exitCode, 0, paid.stderr);
    const idOf = (reference: string) =>
      String(
        [...desk.service.byId.values()].find(
          ({body}) => (body['metadata'] as Record<string, string>)['remit_reference'] === reference,
        )?.id,
      );
    return {fix: idOf('R-1'), other: idOf('X-1'), own: idOf('R-2')};
  };

  for (const amount of ['70.00', '7.00'])
    it(`and paid there, ${amount} of 70.00, complete the batch once the operator says that it is the payment`, async () => {
      const {fix} = await paidUnderOther(amount);
      const {next} = (await desk.batch('status r --json')).json() as Summary;
      assert.equal(next, `remit payouts batch resolve r R-1 --paid ${fix}`);
      const resolved = await desk.batch(`resolve r R-1 --paid ${fix} --json`);
      assert.equal(resolved.exitCode, 0, resolved.stderr);
      const {state, id, replaces} = resolved.json() as Record<string, unknown>;
      assert.deepEqual({state, id}, {state: 'already_paid', id: fix});
      assert.equal(replaces, amount === '70.00' ? undefined : '7.00 USD instead of 70.00 USD');
      for (const words of ['status r --json', 'resume r --yes --json', 'status r --refresh --json']) {
        const ran = await desk.batch(words);
        const {state, next: after, already_paid: there} = ran.json() as Summary;
        assert.deepEqual({state, after, there}, {state: 'complete', after: null, there: 1}, words);
      }
      assert.equal((await desk.batch(`resolve r R-1 --paid ${fix}`)).exitCode, 0, 'again');
      const compared = await desk.batch('diff ./r.csv r');
      assert.equal(compared.exitCode, amount === '70.00' ? 0 : 8, compared.stdout);
      const {replaced} = (await desk.batch('status r --json')).json() as Summary;
      assert.equal(replaced, amount === '70.00' ? 0 : 1);
      assert.equal(desk.service.paid.length, 4);
    });

  it('are resolved from a file, too, and only with the record of exactly this reference', async () => {
    const {fix, other, own} = await paidUnderOther();
    for (const id of [other, own, payeeId(99)]) {
      const ran = await desk.batch(`resolve r R-1 --paid ${id} --unseen`);
      assert.notEqual(ran.exitCode, 0, id);
      assert.match(ran.stderr, /nothing was changed/);
      assert.equal(((await desk.batch('status r --json')).json() as Summary).rejected, 1);
    }
    // A row of this batch that was paid itself is not replaced.
    assert.notEqual((await desk.batch(`resolve r R-2 --paid ${other}`)).exitCode, 0);
    writeFileSync(join(desk.folder, 'v.csv'), `reference,verdict,id\nR-1,paid,${fix}\n`);
    const ran = await desk.batch('resolve r --from ./v.csv --json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(((await desk.batch('status r --json')).json() as Summary).state, 'complete');
  });

  it('are no protection: the same payments under other references in another namespace are asked about', async () => {
    desk.file('dec.csv', [['B-1', 1, '10.00']]);
    for (const line of ['plan', 'run']) {
      const flags = line === 'run' ? ' --yes' : '';
      const asked = await desk.batch(`${line} ./dec.csv --batch-id two --namespace dec${flags}`);
      assert.match(
        asked.stderr,
        /B-1 looks like A-1 of batch one \(namespace default, record [0-9a-f-]{36}, \d{4}-\d\d-\d\d\)/,
      );
      if (line === 'run') assert.equal(asked.exitCode, 11, asked.stderr);
      else assert.match(asked.stderr, /run two .*--accept duplicates=1/);
    }
    assert.equal(desk.service.paid.length, 1);
    const ran = await desk.batch(`run ./dec.csv --batch-id two --namespace dec ${ACKNOWLEDGED}`);
    assert.deepEqual([ran.exitCode, (ran.json() as Summary).accepted], [0, 1], ran.stderr);
  });

  it('by another profile are refused until it is named, and then are already paid', async () => {
    const env = await desk.profile('acme');
    const line = 'run ./p.csv --batch-id two --json --yes -p acme';
    refused(await desk.batch(line, {env}), /\(environment\) by batch one/, '(environment)');
    const ran = await runCli(
      [
        ...`payouts batch ${line.replace('./', `${desk.folder}/`)}`.split(' '),
        '--accept',
        'paid-elsewhere=(environment)',
      ],
      {env, cwd: desk.folder, clock: desk.clock, service: desk.service.transport()},
    );
    const {already_paid: paid, posts} = ran.json() as Summary;
    assert.deepEqual([ran.exitCode, paid, posts], [0, 1, 0], ran.stderr);
    // Whoever only looks is told the profile by which it goes on.
    desk.file('q.csv', [['Q-1', 5, '5.00']]);
    const staged = await desk.batch('run ./q.csv --batch-id q --json --yes --stage-only -p acme', {env});
    assert.equal(staged.exitCode, 0, staged.stderr);
    const {next} = (await desk.batch('status q --json', {env})).json() as Summary;
    assert.equal(next, 'remit payouts batch release q -p acme');
  });

  it('for a payout are free for a payin of the same party and amount, and the other way round', async () => {
    const lines = ['A-1', 'B-1'].map((reference) => `${reference},${payeeId(1)},10.00,USD`);
    writeFileSync(
      join(desk.folder, 'c.csv'),
      `reference,payer_id,amount,currency_code\n${lines.join('\n')}\n`,
    );
    const payins = await desk.batch(`run ./c.csv --batch-id two ${ACKNOWLEDGED}`, {topic: 'payins'});
    desk.file('q.csv', [['B-1', 1, '10.00']]);
    const payout = await desk.batch(`run ./q.csv --batch-id three ${ACKNOWLEDGED}`);
    for (const [ran, rows] of [
      [payins, 2],
      [payout, 1],
    ] as const) {
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.equal((ran.json() as Summary).accepted, rows);
    }
    assert.equal(desk.service.paid.length, 4);
  });

  it('of rows without names are those of one file: another one is refused in its namespace', async () => {
    const file = (name: string, amounts: readonly string[]) => {
      const lines = amounts.map((amount) => `${payeeId(7)},${amount},USD`);
      writeFileSync(join(desk.folder, name), `payee_id,amount,currency_code\n${lines.join('\n')}\n`);
    };
    file('n.csv', ['1.50', '2.50']);
    assert.equal((await desk.batch('run ./n.csv --batch-id n --json --yes --namespace nov')).exitCode, 0);
    file('m.csv', ['1.50', '2.50', '3.50']);
    const other = await desk.batch(
      'run ./m.csv --batch-id m --json --yes --namespace nov --accept duplicates=2',
    );
    assert.deepEqual([other.exitCode, other.error().code], [11, 'GUARD_CONFIRM'], other.stderr);
    assert.match(other.error().message, /another file was run under the namespace nov/);
    assert.match(other.error().hint!, /Remove those rows first/);
    // What the file pays again is asked about in every namespace.
    const moved = await desk.batch('run ./m.csv --batch-id m --json --yes --namespace other');
    assert.deepEqual([moved.exitCode, moved.error().code], [11, 'GUARD_DUPLICATES'], moved.stderr);
    const same = await desk.batch('run ./n.csv --batch-id again --json --yes --namespace nov');
    const {already_paid: paid, posts} = same.json() as Summary;
    assert.deepEqual([same.exitCode, paid, posts], [0, 2, 0]);
  });
});
