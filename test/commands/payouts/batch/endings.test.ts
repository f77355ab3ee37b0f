import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {Stop} from '../../../../src/cli/runtime/stop.ts';
import {type Transport, TransportFailure} from '../../../../src/client/transport/transport.ts';
import type {CliResult} from '../../../cli/run-cli.ts';
import {Desk} from './desk.ts';

const rowsOf = (id: string) =>
  [1, 2, 3].map((n) => [`${id}-${n}`, id.charCodeAt(0) + n, `${n}0.00`] as const);

describe('how a batch ends, on stderr and in the exit code', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = new Desk();
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
  });
  afterEach(() => desk.close());

  it('by a second Ctrl-C: 130, with the rows in doubt named on stderr, in the summary and in the status', async () => {
    const stop = new Stop(() => assert.fail('nothing ends the process'));
    const inner = desk.service.transport();
    let waiting = 0;
    const service: Transport = {
      ...inner,
      send: async (request) => {
        const answer = await inner.send(request);
        if (desk.service.posts < 2) return answer;
        return new Promise((_, reject) => {
          request.signal?.addEventListener('abort', () =>
            reject(new TransportFailure('aborted', 'given up', {sent: true})),
          );
          if (++waiting === 2) for (let i = 0; i < 2; i++) stop.receive('SIGINT');
        });
      },
    };
    const ran = await desk.batch('run ./p.csv --batch-id b --json --yes', {service, stop});
    assert.equal(ran.exitCode, 130, ran.stderr);
    const summary = ran.json() as Summary;
    assert.deepEqual([ran.exitCode, summary.state, summary.in_doubt], [130, 'interrupted', 2]);
    assert.match(ran.stderr, /2 rows in doubt.*: A-2, A-3. To find out: remit payouts batch run b/);
    assert.match(summary.stopped_because!.message, /^stopped by a second signal, which aborted the requests/);
    const status = await desk.batch('status b');
    assert.match(status.stdout, /in doubt +2 /);
    assert.match(status.stdout, /A-2: in doubt/);
    const resumed = await desk.batch('run b --json');
    assert.deepEqual([resumed.exitCode, (resumed.json() as Summary).accepted], [0, 3]);
    assert.equal(desk.service.paid.length, 3);
  });

  it('by a kill: the status names the command that writes the rows that it does not show', async () => {
    desk.file(
      'p.csv',
      Array.from({length: 30}, (_, n) => [`K-${n}`, n + 1, '10.00'] as const),
    );
    const inner = desk.service.transport();
    const crashing: Transport = {
      ...inner,
      send: (request) =>
        desk.service.posts < 1 ? inner.send(request) : Promise.reject(new Error('the process is killed')),
    };
    await desk.batch('run ./p.csv --batch-id b --yes', {service: crashing});
    const status = await desk.batch('status b');
    const [, command] = /^ {2}… \d+ more; remit payouts batch (report b) writes all of them to a file$/m.exec(
      status.stdout,
    )!;
    const reported = await desk.batch(command!);
    assert.match(reported.stdout, /^ {2}… \d+ more in the results$/m);
    assert.match(reported.stdout, /^Results +\//m);
  });

  it('by Ctrl-C during a resume: the rows that a crash left in doubt are named as well', async () => {
    const inner = desk.service.transport();
    const crashing: Transport = {
      ...inner,
      send: (request) =>
        desk.service.posts < 1 ? inner.send(request) : Promise.reject(new Error('the process is killed')),
    };
    const crashed = await desk.batch('run ./p.csv --batch-id b --yes', {service: crashing});
    assert.equal(crashed.exitCode, 1, crashed.stderr);
    const stop = new Stop(() => assert.fail('nothing ends the process'));
    const stopping: Transport = {
      ...inner,
      send: (request) => {
        if (!stop.signal.aborted) stop.receive('SIGINT');
        return inner.send(request);
      },
    };
    const ran = await desk.batch('run b --json --yes', {service: stopping, stop});
    assert.equal(ran.exitCode, 130, ran.stderr);
    const {in_doubt: doubts, stopped_because: reason} = ran.json() as Summary;
    assert.equal(doubts, 2);
    assert.equal(reason!.message, 'stopped by a signal, after the requests in flight had ended');
    assert.match(ran.stderr, /2 rows in doubt \([^)]+\): A-2, A-3\. /);
  });

  it('with 13 when only the results cannot be written: the batch is complete, and the hint writes them', async () => {
    const folder = join(desk.folder, 'results');
    mkdirSync(folder);
    const inner = desk.service.transport();
    const service: Transport = {
      ...inner,
      send: async (request) => {
        rmSync(folder, {recursive: true, force: true}); // its disk is gone
        return inner.send(request);
      },
    };
    const ran = await desk.batch('run ./p.csv --batch-id b --json --yes --out ./results', {service});
    const {message, hint, details} = ran.error();
    assert.equal(ran.exitCode, 13, ran.stderr);
    assert.match(message, /^batch b is complete, 3 of 3 rows accepted; only its results are missing: /);
    assert.doesNotMatch(ran.stderr, /was stopped/);
    assert.equal((details!['summary'] as Summary).accepted, 3);
    assert.equal(hint, `remit payouts batch report b --out ${folder}`);
    mkdirSync(folder);
    const reported = await desk.batch(hint.replace('remit payouts batch ', ''));
    assert.equal(reported.exitCode, 0, reported.stderr);
    assert.ok(existsSync(join(folder, 'b.results.csv')));
  });

  it('with 13 and nothing sent, while another batch runs in the state folder', async () => {
    desk.file('q.csv', [['B-1', 4, '40.00']]);
    await desk.batch('plan ./q.csv --batch-id second');
    const inner = desk.service.transport();
    let second: CliResult | undefined;
    const service: Transport = {
      ...inner,
      send: async (request) => {
        second ??= await desk.batch('run second --json --yes');
        return inner.send(request);
      },
    };
    const first = await desk.batch('run ./p.csv --batch-id first --json --yes', {service});
    assert.equal(first.exitCode, 0, first.stderr);
    assert.equal((first.json() as Summary).accepted, 3);
    assert.equal(second!.exitCode, 13, second!.stderr);
    const {code, message, hint, details} = second!.error();
    assert.deepEqual([code, desk.service.byId.size], ['LOCKED', 3]);
    // In our words: a driver that finds the file locked says something else, and one that does not says nothing.
    assert.match(
      message,
      new RegExp(
        `^payouts batch first is running since \\S+ \\(process ${process.pid} on .*0 of 3 rows accepted`,
      ),
    );
    assert.match(message, /; one batch at a time runs in a state folder$/);
    assert.equal(hint, 'remit payouts batch status first, or the same command with --wait-lock 30m');
    assert.match(String(details?.['path']), /registry\.lock$/);
    assert.equal((await desk.batch('run second --json --yes')).exitCode, 0);
  });

  it('by Ctrl-C does not list rows that were not sent yet as needing attention', async () => {
    const stop = new Stop(() => assert.fail('nothing ends the process'));
    const inner = desk.service.transport();
    const service: Transport = {
      ...inner,
      send: (request) => {
        stop.receive('SIGINT');
        return inner.send(request);
      },
    };
    const ran = await desk.batch('run ./p.csv --batch-id b --yes', {service, stop});
    assert.equal(ran.exitCode, 130, ran.stderr);
    assert.match(
      ran.stderr,
      /^Stopping once the requests in flight are answered\. Ctrl-C again aborts them,/m,
    );
    assert.match(ran.stdout, /not sent +2 .*Next +remit payouts batch run b/s);
    assert.doesNotMatch(ran.stdout, /Needs attention/);
    assert.equal((await desk.batch('run b')).exitCode, 0);
  });

  it('does not say that no money has moved if rows were already released', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes');
    const all = await desk.batch('run ./p.csv --batch-id b --yes --stage-only');
    assert.match(all.stdout, /Batch b is complete: 3 of 3 rows accepted; this command sent nothing/);
    for (const verb of ['status', 'report']) {
      const {stdout} = await desk.batch(`${verb} b`);
      assert.match(stdout, /Batch b is complete: 3 of 3 rows accepted\.\n/, 'it never sends');
    }
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
      ['A-4', 4, '40.00'],
    ]);
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --stage-only');
    assert.match(ran.stdout, /is staged: 1 record created and not released, 3 rows already released/);
    assert.match(ran.stderr, /Done +3 rows, 60\.00 USD by this batch/);
    const page = await desk.batch('report b --html');
    assert.equal(page.exitCode, 0, page.stderr);
    const html = readFileSync(join(desk.folder, 'b.report.html'), 'utf8');
    assert.match(html, /Staged: 1 record created and not released; 3 payouts already released/);
  });

  it('does not say that no money has moved if a release may have been accepted', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes --stage-only');
    desk.service.fault = ({method, body}) =>
      method === 'GET' || body.includes('"auto_approve":true') ? 'lost-after' : undefined;
    await desk.batch('release b --yes');
    const {stdout, exitCode} = await desk.batch('run b --yes --stage-only');
    assert.equal(exitCode, 12);
    assert.doesNotMatch(stdout, /no money has moved/);
    assert.match(stdout, /3 rows in doubt/);
  });

  it('shows how to continue without a row that cannot be sent', async () => {
    desk.service.fault = ({n, body}) =>
      n > 1 && body.includes('"A-3"') ? {status: 403, body: {message: 'not permitted'}} : undefined;
    const ran = await desk.batch('run ./p.csv --batch-id b --yes');
    assert.equal(ran.exitCode, 7, ran.stderr);
    assert.match(ran.stdout, /held: 0 of 3 rows accepted; 2 not released, 1 not sent \(run tries again\)/);
    const [, hint] = /release the others without it:\n +remit payouts batch (release b --accept rest)\n/.exec(
      ran.stdout,
    )!;
    const rest = await desk.batch(`${hint} --yes --json`);
    assert.deepEqual([(rest.json() as Summary).accepted, (rest.json() as Summary).not_sent], [2, 1]);
  });

  it('stages the rest of a staged batch next, because a release would be held, and shows how to go on without it', async () => {
    for (const fault of ['lost-after', {status: 403, body: {message: 'not permitted'}}] as const) {
      const id = fault === 'lost-after' ? 'b' : 'c';
      desk.file('q.csv', rowsOf(id));
      desk.service.fault = ({body}) => (body.includes(`"${id}-3"`) ? fault : undefined);
      const ran = await desk.batch(`run ./q.csv --batch-id ${id} --yes --stage-only`);
      assert.match(ran.stdout, /is staged: 2 records created/);
      const rest = `remit payouts batch release ${id} --accept rest`;
      assert.ok(ran.stdout.includes(`Next     remit payouts batch run ${id}\n`), ran.stdout);
      assert.ok(ran.stdout.includes(`To release the others without it:\n         ${rest}`), ran.stdout);
      assert.equal(
        (await desk.batch(`release ${id} --yes --json`)).exitCode,
        fault === 'lost-after' ? 12 : 7,
      );
      assert.equal(desk.service.paid.filter(({body}) => JSON.stringify(body).includes(`"${id}-`)).length, 0);
    }
  });

  it('shows how to try a refused row again if the next command continues without it', async () => {
    desk.service.fault = ({n, body}) =>
      n > 1 && body.includes('"A-3"') ? {status: 404, body: '<html>no</html>'} : undefined;
    const ran = await desk.batch('run ./p.csv --batch-id b --yes');
    assert.match(ran.stdout, /^Next +remit payouts batch release b --accept rest\nTo try it again first:\n/m);
    desk.service.fault = () => undefined;
    const [, again] = /again first:\n +remit payouts batch (run b)$/m.exec(ran.stdout)!;
    assert.equal(((await desk.batch(`${again} --yes --json`)).json() as Summary).accepted, 3);
  });

  it('says of a row why the service did not release it, also in the results', async () => {
    desk.service.fault = ({body}) =>
      body.includes('"A-2"') && body.includes('"auto_approve":true')
        ? {status: 403, body: {error_code: 'AUTHORIZATION_ERROR', message: 'not permitted'}}
        : undefined;
    const ran = await desk.batch('run ./p.csv --batch-id b --yes');
    assert.equal(ran.exitCode, 7, ran.stderr);
    assert.match(ran.stdout, /2 of 3 rows accepted; 1 not released/);
    assert.match(ran.stdout, /^ {2}A-2: not released: 403 AUTHORIZATION_ERROR: not permitted$/m);
    assert.match(
      readFileSync(join(desk.folder, 'b.results.csv'), 'utf8'),
      /"not released: 403 AUTHORIZATION_ERROR/,
    );
    desk.service.fault = () => undefined;
    const again = await desk.batch('run b --yes');
    assert.equal(again.exitCode, 0, again.stderr);
    assert.doesNotMatch(again.stdout, /not released/);
    assert.doesNotMatch(readFileSync(join(desk.folder, 'b.results.csv'), 'utf8'), /not released/);
  });

  it('never offers to cancel the record of another payment that a probe was answered with', async () => {
    const [id, payee_id] = ['0192a000-0000-7000-8000-0000000000ee', '0192a000-0000-7000-8000-0000000000ff'];
    desk.service.distort = (record, {n}) => (n === 4 ? {...record, id, payee_id} : record);
    const ran = await desk.batch('run ./p.csv --batch-id b --yes');
    assert.equal(ran.exitCode, 6, ran.stderr);
    assert.match(ran.stdout, /probe .* row 1 \(A-1\), was answered with the record of another payment/);
    assert.doesNotMatch(ran.stdout + ran.stderr, /0000ee|Records left behind/);
    assert.equal(desk.service.paid.length, 0);
    const [, next] = /^Next +remit payouts batch (.*)$/m.exec(ran.stdout)!;
    assert.equal((await desk.batch(`${next!} --yes`)).exitCode, 0);
    assert.equal(desk.service.paid.length, 3);
  });

  it('with the exit code of status, if swapped answers of releases were cleared up by reads', async () => {
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    const recordOf = (reference: string) =>
      [...desk.service.byId.values()].find(({body}) => JSON.stringify(body).includes(`"${reference}"`))!;
    desk.service.distort = (record, {method, body}) => {
      if (method !== 'POST' || !body.includes('"auto_approve":true')) return record;
      const other = body.includes('"A-2"')
        ? recordOf('A-3')
        : body.includes('"A-3"')
          ? recordOf('A-2')
          : undefined;
      if (other === undefined) return record;
      const {metadata, ...fields} = other.body;
      return {...record, ...fields, client_metadata: metadata, id: other.id};
    };
    const inner = desk.service.transport();
    const waiting: (() => void)[] = [];
    const service: Transport = {
      ...inner,
      send: async (request) => {
        const answer = await inner.send(request);
        if (request.body?.includes('"auto_approve":true') !== true || request.body.includes('"A-1"'))
          return answer;
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 2) for (const go of waiting) go(); // both are answered at once
        });
        return answer;
      },
    };
    const ran = await desk.batch('release b --yes', {service});
    const status = await desk.batch('status b');
    assert.deepEqual([ran.exitCode, status.exitCode], [0, 0], ran.stdout);
    assert.match(
      ran.stdout,
      /complete: 3 of 3 rows accepted.*\n.*different record than requested\. The records were read since/,
    );
  });

  it('names the status of a refusal without a reason', async () => {
    desk.service.fault = ({n, body}) =>
      n > 1 && body.includes('"A-2"') && !body.includes('"auto_approve":true') ? {status: 422} : undefined;
    const ran = await desk.batch('run ./p.csv --batch-id b --yes');
    assert.match(ran.stdout, /^ {2}A-2: rejected: the service answered 422 without a reason$/m);
  });

  it('warns of a file that has changed since it was planned, and continues with the plan', async () => {
    await desk.batch('plan ./p.csv --batch-id b');
    desk.file('p.csv', [['A-1', 1, '99.00']]);
    const ran = await desk.batch('run b --yes --json');
    assert.match(ran.stderr, /p\.csv has changed since batch b was planned.*plan the file again/);
    assert.deepEqual([ran.exitCode, (ran.json() as Summary).planned], [0, 3]);
    const planned = await desk.batch('run ./p.csv --batch-id c --yes');
    assert.doesNotMatch(planned.stderr, /is not as it was/);
  });

  it('lists rows in doubt before all others, including those without an outcome after a killed run', async () => {
    desk.service.refuse = ({amount_in_minor_units: amount}) =>
      amount === 1000 ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'} : undefined;
    desk.service.fault = ({body}) => (body.includes('"A-3"') ? 'lost-before' : undefined);
    const ran = await desk.batch('run ./p.csv --batch-id b --yes');
    assert.equal(ran.exitCode, 12, ran.stderr);
    assert.match(ran.stdout, /Needs attention:\n {2}A-3: in doubt[^\n]*\n {2}A-1: rejected/);
  });

  it('offers a file of failed rows for rows that were refused', async () => {
    desk.service.refuse = ({amount_in_minor_units: amount}) =>
      amount === 2000 ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'} : undefined;
    const ran = await desk.batch('run ./p.csv --batch-id b --json --yes');
    const {failed_file: file, rejected} = ran.json() as Summary;
    assert.deepEqual([ran.exitCode, rejected, file], [8, 1, join(desk.folder, 'b.failed.csv')]);
    assert.match(readFileSync(file!, 'utf8'), /^"reference",.*\r\n"A-2",/);
  });

  it('sends a row without approval to retry, not to a file of failed rows', async () => {
    desk.service.approvalFails = ({amount_in_minor_units: amount}) => amount === 2000;
    const ran = await desk.batch('run ./p.csv --batch-id b --yes');
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stdout, /Next +remit payouts batch retry b\n/);
    assert.doesNotMatch(ran.stdout, /Failed/);
    desk.service.approvalFails = () => false;
    const again = await desk.batch('retry b --yes');
    assert.match(again.stderr, /A-2 +20\.00 USD +released again: record \S+ was not approved/);
    assert.equal(again.exitCode, 0, again.stderr);
    assert.equal(desk.service.paid.length, 3);
  });

  it('reports a batch with a row in doubt as not complete, and never that nothing was sent', async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-after' : undefined;
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --accept rest');
    assert.equal(ran.exitCode, 12, ran.stderr);
    for (const {stdout} of [ran, await desk.batch('status b')]) {
      assert.match(stdout, /b is not complete: 2 of 3 rows accepted; 1 in doubt/);
      assert.doesNotMatch(stdout, /nothing was sent|is complete/);
      assert.match(stdout, /Next +remit payouts batch run b/);
    }
  });

  it('reports the rows that --valid-only left out, in text, in JSON, and in the file of failed rows', async () => {
    desk.file('e.csv', [
      ['A-1', 1, '10.00'],
      ['=A-2', 2, '20.00'],
    ]);
    const ran = await desk.batch('run ./e.csv --batch-id e --yes --valid-only --json');
    const {left_out: leftOut, planned, failed_file: file} = ran.json() as Summary;
    assert.deepEqual([ran.exitCode, leftOut, planned], [0, 1, 1]);
    assert.match(ran.stderr, /1 row with errors left out of this batch/);
    assert.match(readFileSync(file!, 'utf8'), /"=A-2"/);
    const status = await desk.batch('status e');
    assert.match(status.stdout, /left out +1 /);
    assert.match((await desk.batch('report e --json')).stderr, /1 row with errors left out/);
    assert.equal(((await desk.batch('list --json')).json() as {left_out: number}[])[0]!.left_out, 1);
  });

  it('suggests retry once an accepted row has failed', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes');
    [...desk.service.byId.values()][0]!.status = 'failed';
    for (const line of ['status b --refresh', 'status b'])
      assert.match((await desk.batch(line)).stdout, /Next +remit payouts batch retry b/);
  });

  it('offers no such file if a wrong address stopped the batch: nothing was wrong with the rows', async () => {
    desk.service.fault = () => ({status: 404, body: '<html>'});
    const ran = await desk.batch('run ./p.csv --batch-id b --yes');
    assert.equal(ran.exitCode, 7, ran.stderr);
    assert.doesNotMatch(ran.stdout, /Failed/);
    assert.equal(existsSync(join(desk.folder, 'b.failed.csv')), false);
    assert.match(ran.stdout, /Next +remit profiles test && remit payouts batch run b/);
  });

  it('refuses a metadata column that JSON would lose', async () => {
    const ran = await desk.batch('plan - --json', {
      stdin:
        'reference,payee_id,amount,currency_code,metadata.__proto__\nA,018f0000-0000-7000-8000-000000000001,1.00,USD,x\n',
    });
    assert.equal(ran.exitCode, 5);
    assert.match(ran.stderr, /__proto__/);
  });
});
