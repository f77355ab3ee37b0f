import assert from 'node:assert/strict';
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {shellWord} from '../../../../src/shell-word.ts';
import {must} from '../../../../src/narrow.ts';
import {payeeId} from '../../../batch/harness.ts';
import {type CliResult, runCli} from '../../../cli/run-cli.ts';
import {Desk} from './desk.ts';

/** Reference, payee and amount. */
type Payment = [string, number, string];

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

  it('and paid in another namespace are asked about again by a batch whose journal had been deleted', async () => {
    desk.file('q.csv', [['Q-1', 7, '70.00']]);
    await desk.batch('run ./q.csv --batch-id q --stage-only --yes');
    const accepts = '--accept duplicates=1 --accept paid-elsewhere=default';
    const paid = await desk.batch(`run ./q.csv --batch-id fix --namespace other --yes ${accepts}`);
    assert.equal(paid.exitCode, 0, paid.stderr);
    rmSync(join(desk.folder, '.local/state/remit/batches/payout/q'), {recursive: true});
    mkdirSync(join(desk.folder, 'again'));
    const planned = await desk.batch('plan ./q.csv --batch-id q --json');
    assert.match(planned.stdout, /"next": ?"[^"]*--accept duplicates=1/);
    const ran = await desk.batch('run q --json --yes --out ./again');
    assert.deepEqual([ran.exitCode, ran.error().code], [11, 'GUARD_DUPLICATES'], ran.stderr);
    assert.match(ran.error().message, /^batch q: 1 row with the party, amount and currency of another batch/);
    assert.equal(desk.service.paid.length, 2);
    const line = /payouts batch (run .*)$/.exec(ran.error().hint!)![1]!;
    assert.equal((await desk.batch(line)).exitCode, 0);
    assert.equal(desk.service.paid.length, 3);
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

  const R_1: Payment = ['R-1', 7, '70.00'];
  const R_2: Payment = ['R-2', 8, '80.00'];

  /** R-1 and R-2 are rejected in batch r, R-3 is paid; then these rows are paid as batch fix under another namespace. */
  const paidUnderOther = async (...rows: Payment[]) => {
    desk.file('r.csv', [R_1, R_2, ['R-3', 9, '90.00']]);
    desk.service.refuse = ({amount_in_minor_units: amount}) =>
      amount === 9000 ? undefined : {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'};
    await desk.batch('run ./r.csv --batch-id r --yes');
    desk.service.refuse = () => undefined;
    desk.file('fix.csv', rows);
    const paid = await desk.batch('run ./fix.csv --batch-id fix --json --yes --namespace other');
    assert.equal(paid.exitCode, 0, paid.stderr);
    const records = [...desk.service.byId.values()];
    return (reference: string) =>
      must(
        records.find(({body}) => JSON.stringify(body['metadata']).includes(`"${reference}"`)),
        'record',
      );
  };
  const statusOf = async (words = 'status r --json') => (await desk.batch(words)).json() as Summary;
  const resolve = (reference: string, id: string) =>
    `remit payouts batch resolve r ${reference} --paid ${id}`;
  const typed = (next: string | null) =>
    desk.batch(`${must(next, 'next').slice('remit payouts batch '.length)} --json`);

  it('and paid there complete the batch, row by row, as `next` says', async () => {
    const recordOf = await paidUnderOther(R_1, R_2);
    const {next} = await statusOf();
    assert.equal(next, resolve('R-1', recordOf('R-1').id));
    const first = await typed(next);
    assert.equal(first.exitCode, 0, first.stderr);
    const {state, id, next: second} = first.json() as {state: string; id: string; next: string};
    assert.deepEqual([state, id], ['already_paid', recordOf('R-1').id]);
    assert.match((await desk.batch('status r --row R-1')).stdout, /; as stated by the operator/);
    assert.equal(second, resolve('R-2', recordOf('R-2').id));
    assert.equal(((await typed(second)).json() as Summary).next, null);
    for (const words of ['status r --json', 'run r --yes --json', 'status r --refresh --json']) {
      const {state: end, next: after, already_paid: there} = await statusOf(words);
      assert.deepEqual({end, after, there}, {end: 'complete', after: null, there: 2}, words);
    }
    assert.equal((await desk.batch('diff ./r.csv r')).exitCode, 0);
    assert.equal((await statusOf()).replaced, 0);
    assert.equal(((await typed(next)).json() as {unchanged: boolean}).unchanged, true);
    assert.equal(desk.service.paid.length, 4);
  });

  it('and paid there with other content are replaced, as `next` says', async () => {
    const recordOf = await paidUnderOther(['R-1', 7, '7.00'], R_2);
    const {next} = await statusOf();
    assert.equal(next, resolve('R-1', recordOf('R-1').id));
    const resolved = await typed(next);
    assert.equal((resolved.json() as {replaces: string}).replaces, '7.00 USD instead of 70.00 USD');
    const {stdout} = await desk.batch('status r --row R-1');
    assert.match(stdout, /; it replaces this row, as stated by the operator/);
    assert.equal((await desk.batch('diff ./r.csv r')).exitCode, 8);
    assert.equal((await statusOf()).replaced, 1);
  });

  it('and paid there are not offered again in failed.csv, and its command leads on', async () => {
    desk.file('r.csv', [R_1]);
    desk.service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS'});
    const refused = await desk.batch('run ./r.csv --batch-id r --yes --namespace other');
    const offered = /remit payouts batch (run \S+r\.failed\.csv --namespace other)$/m.exec(refused.stdout);
    desk.service.refuse = () => undefined;
    assert.equal((await desk.batch('run ./r.failed.csv --yes')).exitCode, 0);
    const {stdout} = await desk.batch('status r');
    assert.doesNotMatch(stdout, /failed\.csv/);
    assert.match(stdout, /^Next +remit payouts batch resolve r R-1 --paid \S+$/m);
    const again = await desk.batch(`${must(offered, 'command')[1]} --yes`);
    assert.equal(again.exitCode, 11);
    const hint =
      /to run it there: remit payouts batch (.*); in the namespace other .*: remit payouts batch (.*)$/m;
    const [, there, here] = must(hint.exec(again.stderr), 'hint');
    const paidThere = await desk.batch(`${there} --json`);
    assert.deepEqual([paidThere.exitCode, (paidThere.json() as Summary).accepted], [0, 1], paidThere.stderr);
    const asked = await desk.batch(must(here, 'command'));
    assert.match(asked.stderr, /used under default by batch r\.failed-\w+; nothing was sent/);
    assert.equal(desk.service.paid.length, 2);
  });

  it('and paid there may be revoked: the row is rejected as before', async () => {
    const recordOf = await paidUnderOther(R_1);
    const next = resolve('R-1', recordOf('R-1').id);
    assert.equal((await typed(next)).exitCode, 0);
    const revoked = await desk.batch('resolve r R-1 --not-paid --json');
    assert.deepEqual([revoked.exitCode, (revoked.json() as {state: string}).state], [0, 'rejected']);
    const {rejected, already_paid: there} = await statusOf();
    assert.deepEqual({rejected, there}, {rejected: 2, there: 0});
    assert.equal(
      (await desk.batch('resolve r R-1 --not-paid')).exitCode,
      2,
      'there is nothing left to revoke',
    );
    assert.equal((await typed(next)).exitCode, 0);
    assert.equal((await statusOf()).already_paid, 1);
  });

  it('and paid by a record that has failed are not recorded as paid', async () => {
    const recordOf = await paidUnderOther(R_1);
    const record = recordOf('R-1');
    record.status = 'failed';
    const ran = await typed(resolve('R-1', record.id));
    assert.deepEqual([ran.exitCode, ran.error().code], [6, 'CONFLICT'], ran.stderr);
    assert.match(ran.error().message, /is failed, which is not paid; nothing was changed/);
    assert.equal((await statusOf()).rejected, 2);
    assert.equal((await desk.batch('status r')).exitCode, 8);
  });

  it('and paid by a record that fails later, are paid by a retry', async () => {
    const recordOf = await paidUnderOther(R_1, R_2);
    for (const reference of ['R-1', 'R-2']) await typed(resolve(reference, recordOf(reference).id));
    assert.equal((await statusOf()).state, 'complete');
    recordOf('R-2').status = 'failed';
    await desk.batch('status fix --refresh');
    const {state, next, already_paid: there} = await statusOf();
    assert.deepEqual({state, there}, {state: 'incomplete', there: 1});
    assert.match(must(next, 'next'), /^remit payouts batch retry r/);
    const retried = await desk.batch(
      `${must(next, 'next').slice('remit payouts batch '.length)} --yes --json`,
    );
    const {accepted, state: end} = retried.json() as Summary;
    assert.deepEqual([retried.exitCode, accepted, end], [0, 2, 'complete'], retried.stderr);
  });

  it('are resolved from a file, too, and only with the record of exactly this reference', async () => {
    const recordOf = await paidUnderOther(R_1, R_2, ['X-1', 9, '91.00']);
    for (const id of [recordOf('X-1').id, recordOf('R-2').id, recordOf('R-3').id, payeeId(99)]) {
      const ran = await desk.batch(`resolve r R-1 --paid ${id} --unseen`);
      assert.notEqual(ran.exitCode, 0, id);
      assert.match(ran.stderr, /nothing was changed/);
      assert.equal((await statusOf()).rejected, 2);
    }
    const lines = ['R-1', 'R-2'].map((reference) => `${reference},paid,${recordOf(reference).id}`);
    writeFileSync(join(desk.folder, 'v.csv'), `reference,verdict,id\n${lines.join('\n')}\n`);
    const ran = await desk.batch('resolve r --from ./v.csv --json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal((await statusOf()).state, 'complete');
  });

  it('do not resolve a row in doubt: it may have been paid here', async () => {
    desk.file('d.csv', [['D-1', 3, '30.00']]);
    desk.service.fault = () => 'lost-after';
    await desk.batch('run ./d.csv --batch-id d --yes --max-wait 1s');
    desk.service.fault = () => undefined;
    assert.equal((await statusOf('status d --json')).in_doubt, 1);
    await desk.batch(
      'run ./d.csv --batch-id e --yes --namespace other --accept paid-elsewhere=default --accept duplicates=1',
    );
    const [record] = [...desk.service.byId.values()].slice(-1);
    const ran = await desk.batch(`resolve d D-1 --paid ${must(record, 'record').id} --unseen`);
    assert.match(
      ran.stderr,
      /is recorded for row D-1 of batch e, and cannot be recorded for row D-1 as well/,
    );
    assert.equal((await statusOf('status d --json')).in_doubt, 1);
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
