import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {shellTokens} from '../../../repo/command-lines.ts';
import {noteAddress} from '../../../../src/cli/sandbox/recorded/addresses.ts';
import {makeFolder, sandboxPlace, writeRecord} from '../../../../src/cli/sandbox/recorded/place.ts';
import {BASE_URL, type CliOptions, runCli, TEST_KEY, type CliResult} from '../../../cli/run-cli.ts';
import {page} from '../../fixtures.ts';
import {Desk} from './desk.ts';

/** Hints name the profile and the state folder in force, and work when they are typed. */
describe('the hints of a batch', () => {
  let desk: Desk;
  let env: Record<string, string>;
  const at = '-p acme --state-dir ./s';
  beforeEach(async () => {
    ({desk, env} = await Desk.withProfiles());
  });
  afterEach(() => desk.close());

  const type = (line: string): Promise<CliResult> => desk.batch(line, {env});
  const hintOf = async (line: string): Promise<string> => {
    const ran = await type(`${line} --json`);
    assert.notEqual(ran.exitCode, 0, line);
    return String(ran.error().hint);
  };
  /** Types the command at the end of a hint. */
  const follow = (hint: string, service: CliOptions['service'] = desk.service.transport()) => {
    const argv = shellTokens(hint.slice(hint.indexOf('remit ')))
      .slice(1)
      .map(({text}) => text);
    return runCli(argv, {env, service, clock: desk.clock, cwd: desk.folder});
  };

  it('repeat the namespace and the folder of the results: failed rows are paid where they were refused', async () => {
    desk.service.refuse = ({metadata}) =>
      (metadata as Record<string, string>)['remit_reference'] === 'A-2'
        ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'}
        : undefined;
    mkdirSync(join(desk.folder, 'results'));
    const {stdout} = await type(`run ./p.csv --batch-id b --yes --namespace dec --out ./results ${at}`);
    desk.service.refuse = () => undefined;
    const [, failed = ''] = /^ {9}(remit .* run .*)$/m.exec(stdout) ?? [];
    assert.match(failed, /failed\.csv --namespace dec --out \S+results --state-dir \S+s -p acme$/);
    assert.match(stdout, /^Next {5}remit payouts batch retry b --out \S+results --state-dir \S+s -p acme$/m);
    const status = (await type('status b --json --state-dir ./s')).json() as {next: string};
    assert.match(status.next, / retry b --out \S+results --state-dir \S+s -p acme$/);
    assert.equal((await follow(`${failed} --yes`)).exitCode, 0);
    assert.equal(desk.service.paid.length, 2);
    const after = (await type('status b --json --state-dir ./s')).json() as {
      next: null;
      already_paid: number;
    };
    assert.deepEqual([after.next, after.already_paid], [null, 1]);
  });

  it('of a canceled batch read its file as it was read before', async () => {
    const lines = readFileSync(join(desk.folder, 'p.csv'), 'utf8').replace('reference', 'Invoice');
    writeFileSync(join(desk.folder, 'q.csv'), lines.replaceAll('.00', '00'));
    await type(
      `run ./q.csv --batch-id b --stage-only --yes --map reference=Invoice --amount-unit minor --namespace dec ${at}`,
    );
    await type(`cancel b --yes ${at}`);
    const paid = await follow(`${await hintOf(`run b ${at}`)} --yes`);
    assert.equal(paid.exitCode, 0, paid.stderr);
    assert.equal(desk.service.paid.length, 2);
  });

  it('of a canceled batch name the run of its file as another one', async () => {
    await type(`run ./p.csv --batch-id b --stage-only --yes ${at}`);
    await type(`cancel b --yes ${at}`);
    const hint = await hintOf(`run b ${at}`);
    assert.match(hint, /run the file as another batch: remit payouts batch run \S+p\.csv --batch-id b-2 /);
    assert.match(hint, /--state-dir \S+s -p acme$/);
    const paid = await follow(`${hint} --yes`);
    assert.equal(paid.exitCode, 0, paid.stderr);
    assert.equal(desk.service.paid.length, 2);
  });

  it('of a file whose paid rows were changed name the resume', async () => {
    await type(`run ./p.csv --batch-id b --yes ${at}`);
    desk.file('p.csv', [['A-1', 1, '11.00']]);
    const hint = await hintOf(`plan ./p.csv --batch-id b ${at}`);
    assert.match(hint, /as it was planned: remit payouts batch run b --state-dir \S+s -p acme$/);
    assert.equal((await follow(hint)).exitCode, 0);
  });

  it('of ids that are not UUIDs name the setting that accepts them, if it is not set', async () => {
    const csv = (id: string) => `reference,payee_id,amount,currency_code\nA-1,${id},10.00,USD\n`;
    writeFileSync(join(desk.folder, 'i.csv'), csv('pe_77'));
    assert.match(
      await hintOf(`plan ./i.csv ${at}`),
      /set ids\.format to any in the service file; .*: remit doctor -p acme$/,
    );
    writeFileSync(join(desk.folder, 'i.csv'), csv('019b76da-a800-7000-8'));
    assert.doesNotMatch(await hintOf(`plan ./i.csv ${at}`), /ids\.format/); // a UUID that was cut off
    writeFileSync(join(desk.folder, 'i.csv'), csv('pe_77'));
    writeFileSync(join(desk.folder, 'service.json'), JSON.stringify({ids: {format: 'any'}}));
    await runCli(['profiles', 'set', 'acme', '--service', join(desk.folder, 'service.json')], {env});
    assert.equal((await type(`plan ./i.csv ${at}`)).exitCode, 0);
    writeFileSync(join(desk.folder, 'i.csv'), csv('pe 77'));
    assert.doesNotMatch(await hintOf(`plan ./i.csv ${at}`), /ids\.format/);
  });

  it('of a batch that does not exist name the list', async () => {
    for (let n = 1; n <= 6; n++) await type(`plan ./p.csv --batch-id b${n} ${at}`);
    const hint = await hintOf(`status x ${at}`);
    assert.match(hint, /and 1 more \(remit payouts batch list --state-dir \S+s -p acme\)/);
    assert.match(await hintOf('status x -p acme'), /plan one: remit payouts batch plan FILE -p acme$/);
  });

  it('of a file instead of an id name the batch of the file', async () => {
    const file = join(desk.folder, 'p.csv');
    assert.match(await hintOf(`status ./p.csv ${at}`), /^list the batches: remit payouts batch list /);
    await type(`plan ./p.csv --batch-id p ${at}`);
    const refused = await type(`status ./p.csv --json ${at}`);
    assert.equal(refused.exitCode, 4);
    assert.equal(refused.error().message, `${file} is a file; its batch is p`);
    const hint = await hintOf(`release ./p.csv ${at}`);
    assert.match(hint, /as in remit payouts batch status p /);
    assert.equal((await follow(hint)).exitCode, 0);
    await type(`plan ./p.csv ${at}`);
    assert.match(
      (await type(`status ./p.csv --json ${at}`)).error().message,
      /; its batches are p, p-[0-9a-f]{8}$/,
    );
  });

  it('of a resolve at another address repeat it with the profile of the last run', async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-after' : undefined;
    await type(`run ./p.csv --batch-id b --yes --accept rest ${at}`);
    desk.service.fault = () => undefined;
    const wrong = ['profiles', 'add', 'wrong', '--base-url', 'http://127.0.0.1:4999', '--key-stdin'];
    await runCli(wrong, {env, stdin: TEST_KEY, cwd: desk.folder, clock: desk.clock});
    const [record] = [...desk.service.byId.values()].filter(
      ({body}) => (body['metadata'] as Record<string, string>)['remit_reference'] === 'A-2',
    );
    record!.status = 'settled';
    const hint = await hintOf(`resolve b A-2 --paid ${record!.id} --state-dir ./s -p wrong`);
    assert.match(
      hint,
      /it has records at .*last run with: remit payouts batch resolve b A-2 --paid \S+ --state-dir \S+s --json -p acme$/,
    );
    const resolved = await follow(hint);
    assert.equal(resolved.exitCode, 0, resolved.stderr);
  });

  it('of a batch of a sandbox that has another address now start it at the former one', async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-after' : undefined;
    await type(`run ./p.csv --batch-id b --yes --accept rest ${at}`);
    const moved = ['profiles', 'set', 'acme', '--base-url', 'http://127.0.0.1:4999', '--key-stdin'];
    const set = await runCli(moved, {env, stdin: TEST_KEY, cwd: desk.folder, clock: desk.clock});
    assert.equal(set.exitCode, 0, set.stderr);
    assert.match(await hintOf(`run b ${at}`), /use the key and base URL that the batch was started with/);
    const stateDir = join(desk.folder, '.local', 'state', 'remit');
    const place = sandboxPlace(stateDir);
    makeFolder(place.folder);
    noteAddress(place, {base_url: BASE_URL, detached: true});
    const start = 'remit sandbox start --detach --port 4010';
    const advice = 'start the sandbox where the batch was started: ';
    assert.equal(await hintOf(`run b ${at}`), `${advice}${start}`);
    const running = {base_url: 'http://127.0.0.1:4999', control_url: '', started_at: ''};
    writeRecord(place, {...running, pid: process.pid, store: place.store}, 'token');
    assert.equal(await hintOf(`run b ${at}`), `${advice}remit sandbox stop && ${start}`);
  });

  it('of a record that is not at the service search for the record of the row', async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-after' : undefined;
    await type(`run ./p.csv --batch-id b --yes --accept rest ${at}`);
    desk.service.fault = () => undefined;
    const hint = await hintOf(`resolve b A-2 --paid 018f0000-0000-7000-8000-00000000dead ${at}`);
    assert.match(
      hint,
      /contains this reference: remit payouts list --payee \S+ --all --query '\[\?client_metadata==null \|\| .*remit_reference==.*A-2.*metadata\}' -p acme$/,
    );
    for (const [shown, found] of [
      [{remit_reference: 'A-2'}, 1],
      [{remit_reference: 'A-1'}, 0],
      [{}, 0],
      [null, 1], // the list does not show the metadata, so this may be the record
      [undefined, 1],
    ] as const) {
      const [, payee] = /--payee (\S+)/.exec(hint)!;
      const record = {id: '018f0000-0000-7000-8000-0000000000a2', payee_id: payee, client_metadata: shown};
      const listed = await follow(`${hint} --json`, [page([record])]);
      assert.equal((listed.json() as unknown[]).length, found, JSON.stringify(shown));
    }
    assert.doesNotMatch(hint, /--unseen/); // it would record an unpaid row as paid
  });

  it('of an invalid id show the metadata of the records, which has the reference', async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-after' : undefined;
    await type(`run ./p.csv --batch-id b --yes --accept rest ${at}`);
    const hint = await hintOf(`resolve b A-2 --paid nope ${at}`);
    assert.match(hint, /^find the id in remit payouts list --fields id,status,client_metadata -p acme$/);
  });

  it('of a record that cannot be read now repeat the resolve with --unseen', async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-before' : undefined;
    await type(`run ./p.csv --batch-id b --yes --accept rest ${at}`);
    desk.service.fault = ({method}) => (method === 'GET' ? 'lost-before' : undefined);
    const hint = await hintOf(`resolve b A-2 --paid 018f0000-0000-7000-8000-00000000dead ${at}`);
    assert.match(
      hint,
      /^try again later; .*that its record exists: remit payouts batch resolve b A-2 .*-p acme .*--unseen$/,
    );
    assert.equal((await follow(hint)).exitCode, 0);
  });

  it('of a record that was left behind cancel it by its id, also after the cancel of its batch', async () => {
    await type(`run ./p.csv --batch-id b --stage-only --yes ${at}`);
    desk.service.forgetKeys();
    await type(`release b --yes ${at}`);
    const second = [...desk.service.byId.values()].at(-1)!;
    const canceled = await type(`cancel b --yes ${at}`);
    assert.match(canceled.stdout, /2 records canceled/);
    assert.equal(second.status, 'created');
    const line = canceled.stdout.split('\n').find((each) => each.includes(second.id))!;
    assert.equal(line, `  A-1: remit payouts cancel ${second.id} -p acme`);
    assert.match(canceled.stdout, /left behind, not approved\. Do not approve them; cancel those/);
    const ran = await follow(`${line} --yes`);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(second.status, 'canceled');
    assert.match(
      (await type(`status b ${at}`)).stdout,
      new RegExp(`remit payouts cancel ${second.id} -p acme`),
    );
  });

  it('of a cap that refuses --accept differences name the approval by id and the resume, which work', async () => {
    await desk.profile('capped', '--max-amount', 'USD=100.00');
    desk.service.distort = (shown) => ({...shown, currency_code: 'EUR'});
    await type('run ./p.csv --batch-id b --yes -p capped');
    desk.service.distort = (shown) => shown;
    const hint = await hintOf('release b --accept differences --yes -p capped');
    const [approve, resume] = [
      /remit payouts approve ID -p capped/,
      /remit payouts batch run b -p capped/,
    ].map((pattern) => pattern.exec(hint)![0]);
    for (const {id} of desk.service.byId.values())
      assert.equal((await follow(`${approve!.replace('ID', id)} --yes`)).exitCode, 0);
    const resumed = await follow(`${resume!} --yes`);
    assert.match(resumed.stdout, /Batch b is complete: 2 of 2 rows accepted/);
  });
});
