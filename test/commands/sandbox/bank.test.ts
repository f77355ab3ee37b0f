import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {readLines} from '../../reconcile/statement/statements.ts';
import {LiveSandbox} from './live-sandbox.ts';

const START = '2026-05-05T12:00:00Z';

describe('sandbox commands of the bank, the clock and outcomes', () => {
  let sandbox: LiveSandbox;
  let payee: string;
  before(async () => {
    sandbox = new LiveSandbox();
    await sandbox.start(['--freeze-at', START, '--timing', 'real', '-o', 'ndjson']);
    const seeded = await sandbox.run(['sandbox', 'seed', '--payees', '1', '-o', 'id']);
    payee = seeded.stdout.trim();
  });
  after(async () => {
    await sandbox.run(['sandbox', 'stop']);
    assert.equal((await sandbox.ended()).exitCode, 0);
  });

  const json = async (words: string[]) => {
    const ran = await sandbox.run([...words, '-o', 'json']);
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran.json() as Record<string, unknown>;
  };
  const refused = async (words: string[]) => {
    const ran = await sandbox.run([...words, '-o', 'json']);
    assert.equal(ran.stdout, '');
    return {exitCode: ran.exitCode, ...ran.error()};
  };
  let paid = 0;
  const pay = async (...words: string[]) => {
    const key = ['--idempotency-key', `pay-${(paid += 1)}`]; // those that are made here come again in each run
    const create = ['payouts', 'create', '--payee', payee, '--amount-minor', '500', '--auto-approve'];
    return (await json([...create, ...key, ...words]))['id'] as string;
  };

  it('clock shows how time runs, and changes it', async () => {
    const frozen = {mode: 'frozen', now: '2026-05-05T12:00:00.000Z', timing: 'real'};
    assert.deepEqual(await json(['sandbox', 'clock']), frozen);
    const fast = await json(['sandbox', 'clock', 'accelerated:60']);
    assert.deepEqual([fast['mode'], fast['speed']], ['accelerated', 60]);
    assert.equal((await json(['sandbox', 'clock', 'frozen']))['mode'], 'frozen');
    assert.match((await sandbox.run(['sandbox', 'clock'])).stdout, /^Now\t.*\nMode\tfrozen\n/);
    for (const wrong of ['fast', 'accelerated', 'accelerated:1', 'accelerated:100001', 'accelerated:1.5']) {
      const {exitCode, hint} = await refused(['sandbox', 'clock', wrong]);
      assert.deepEqual([exitCode, hint], [2, 'remit sandbox clock accelerated:60'], wrong);
    }
  });

  it('advance goes to the next thing, and until nothing is left', async () => {
    const id = await pay('--rail', 'wire');
    const {now, fired} = await json(['sandbox', 'advance', '--to-next']);
    assert.equal(fired, 1);
    assert.equal((await json(['payouts', 'get', id]))['status'], 'debited');
    const end = await json(['sandbox', 'advance', '--until-idle']);
    assert.deepEqual([end['fired'], end['idle']], [1, true]);
    assert.ok((end['now'] as string) > (now as string));
    assert.equal((await json(['payouts', 'get', id]))['status'], 'settled');
    const days = await json(['sandbox', 'advance', '2d']);
    assert.equal(Date.parse(days['now'] as string) - Date.parse(end['now'] as string), 2 * 86_400_000);
    const shown = await sandbox.run(['sandbox', 'advance', '--until-idle']);
    assert.match(
      shown.stdout,
      /^It is now .*Z\. 0 scheduled steps happened; 0 webhook attempts were made and 0 deliveries ended\.\n$/,
    );
    const back = await refused(['sandbox', 'advance', '--to', '2020-01-01T00:00:00Z']);
    assert.equal(back.exitCode, 2);
    assert.match(back.message, /is in the past: the sandbox clock is at 20\d\d-/);
    for (const words of [
      ['--to-next', '--until-idle'],
      ['1h', '--to-next'],
      ['--to', START, '--to-next'],
    ])
      assert.equal((await refused(['sandbox', 'advance', ...words])).exitCode, 2, words.join(' '));
  });

  it('simulate makes the bank do something, and says what it cannot', async () => {
    const id = await pay();
    const settled = await sandbox.run(['sandbox', 'simulate', 'payout', id, 'settle']);
    assert.match(settled.stderr, /^Sandbox \S+ \(store \S+\)\n$/);
    assert.equal(settled.stdout, `The payout ${id} is now settled.\n`);
    const other = await pay();
    const failed = await json(['sandbox', 'simulate', 'payout', other, 'fail', '--code', 'R16']);
    assert.deepEqual(failed, {kind: 'payout', id: other, outcome: 'fail', status: 'failed', code: 'R16'});
    const details = await json(['payouts', 'get', other, '--query', 'transfer_details.failure']);
    assert.deepEqual(details, {code: 'R16', message: 'Account frozen'});
    const again = await refused(['sandbox', 'simulate', 'payout', other, 'settle']);
    assert.deepEqual([again.exitCode, again.code], [5, 'VALIDATION_ERROR']);
    const unknown = ['sandbox', 'simulate', 'payin', '018f0000-0000-7000-8000-000000000000', 'settle'];
    const missing = await refused(unknown);
    assert.deepEqual([missing.exitCode, missing.code, missing.hint], [4, 'NOT_FOUND', 'remit payins list']);
    const another = ['profiles', 'add', 'acme', '--base-url', 'https://acme.example/api', '--key-stdin'];
    await sandbox.run(another, {stdin: 'test_0123456789abcdef\n'});
    await json(['profiles', 'use', 'acme']);
    const {hint} = await refused(unknown);
    assert.equal(hint, 'remit payins list -p sandbox');
    await json(['profiles', 'use', 'sandbox']);
    const cwd = mkdtempSync(join(tmpdir(), 'remit-project-'));
    writeFileSync(join(cwd, '.remit.json'), '{"profile":"acme"}');
    const inProject = await sandbox.run([...unknown, '-o', 'json'], {cwd});
    assert.equal(inProject.error().hint, 'remit payins list -p sandbox');
    rmSync(cwd, {recursive: true});
    const wrong = await refused(['sandbox', 'simulate', 'payment-method', id, 'settle']);
    assert.deepEqual([wrong.exitCode, wrong.hint], [2, `remit sandbox simulate payment-method ${id} verify`]);
    const till = (await json(['subaccounts', 'create', '--name', 'Till']))['id'] as string;
    const mistyped = await refused(['sandbox', 'simulate', 'payout', id, 'setle']);
    assert.equal(mistyped.hint, `remit sandbox simulate payout ${id} settle`);
    const credit = ['sandbox', 'simulate', 'subaccount', till, 'credit'];
    assert.equal((await json([...credit, '--amount-minor', '700']))['balance_in_minor_units'], 700);
    const more = await sandbox.run([...credit, '--amount-minor', '50000']);
    assert.match(more.stdout, /is now active and holds 507\.00 USD\./);
    const howMuch = await refused(credit);
    assert.deepEqual([howMuch.exitCode, howMuch.hint], [2, `remit ${credit.join(' ')} --amount-minor 5000`]);
    const back = await sandbox.run(['sandbox', 'simulate', 'payout', id, 'return', '--code', 'R10']);
    assert.match(
      back.stdout,
      /^The payout \S+ stays settled; the bank returned the money \(R10\)\. The record shows no failure/,
    );
    assert.equal((await refused(['sandbox', 'simulate', 'invoice', id, 'settle'])).exitCode, 2);
  });

  it('simulate plans a return that comes days later', async () => {
    const id = await pay();
    await json(['sandbox', 'simulate', 'payout', id, 'settle']);
    const planned = await sandbox.run(['sandbox', 'simulate', 'payout', id, 'return', '--after', '12d']);
    assert.match(
      planned.stdout,
      /^The payout \S+ stays settled; the bank returns the money at 20\S+Z \(R01\), by the clock of the sandbox\.\n$/,
    );
    const wrong = await refused(['sandbox', 'simulate', 'payout', id, 'settle', '--after', '1d']);
    assert.deepEqual([wrong.exitCode, wrong.code], [5, 'VALIDATION_ERROR']);
    await json(['sandbox', 'advance', '12d']);
  });

  it('statement writes a file or prints it, in every format', async () => {
    const accounts = await json(['treasury', 'accounts', 'list']);
    const account = (accounts as unknown as {id: string; label: string}[]).find(
      ({label}) => label === 'Operating',
    );
    const words = ['sandbox', 'statement', '--account', account?.id ?? '', '--format'];
    const folder = mkdtempSync(join(tmpdir(), 'remit-statement-'));
    for (const format of ['camt053', 'bai2', 'ofx', 'mt940', 'csv']) {
      const printed = await sandbox.run([...words, format]);
      assert.equal(printed.exitCode, 0, printed.stderr);
      const file = join(folder, format);
      const written = await json([...words, format, '--out', file]);
      const text = readFileSync(file, 'utf8');
      assert.equal(printed.stdout.trim(), text.trim());
      assert.deepEqual([written['file'], written['bytes']], [file, Buffer.byteLength(text)]);
      const {lines} = await readLines(file);
      assert.equal(lines.length, written['lines']);
      assert.ok(lines.length > 2);
    }
    const shown = await sandbox.run([...words, 'csv', '--out', join(folder, 'again.csv')]);
    assert.match(shown.stdout, /^\d+ lines from 2026-05-05 to 2026-\S+: .*again\.csv\n$/);
    const none = await json([...words, 'csv', '--from', '2026-05-01', '--to', '2026-05-02']);
    assert.equal(none['lines'], 0);
    const day = await refused([...words, 'csv', '--from', '2026-02-30']);
    assert.deepEqual([day.exitCode, day.hint], [2, 'write it like --from 2026-03-31']);
    const turned = await refused([...words, 'csv', '--from', '2026-05-05', '--to', '2026-05-04']);
    assert.deepEqual([turned.exitCode, turned.code], [5, 'VALIDATION_ERROR']);
    words[3] = '018f0000-0000-7000-8000-000000000000';
    const missing = await refused([...words, 'csv']);
    assert.deepEqual([missing.exitCode, missing.hint], [4, 'remit treasury accounts list']);
    rmSync(folder, {recursive: true});
  });

  it('magic lists what the sandbox goes by', async () => {
    const table = await sandbox.run(['sandbox', 'magic']);
    assert.match(table.stdout, /^account number\t10001\t.*R01/m);
    const rows = (await sandbox.run(['sandbox', 'magic', '-o', 'json'])).json() as {where: string}[];
    for (const where of ['scenario', 'amount', 'card number', 'routing number', 'holder name'])
      assert.ok(
        rows.some((row) => row.where === where),
        where,
      );
  });
});

describe('sandbox start', () => {
  it('prints its ready document with -o json when it is ready, and only then', async () => {
    const sandbox = new LiveSandbox();
    let output = '';
    await sandbox.start(['-o', 'json'], {onOutput: (text) => (output += text)});
    for (let waits = 0; !output.includes('}') && waits < 200; waits++)
      await new Promise((done) => setTimeout(done, 5));
    const ready = /\{[^}]*\}/.exec(output)?.[0] ?? ''; // among notes on stderr
    assert.equal((JSON.parse(ready) as {type: string}).type, 'ready');
    await sandbox.run(['sandbox', 'stop']);
    const {stdout} = await sandbox.ended();
    assert.equal(JSON.stringify(JSON.parse(stdout)), JSON.stringify(JSON.parse(ready)));
  });

  it('takes a pace, and amounts that mean nothing', async () => {
    const sandbox = new LiveSandbox();
    const flags = ['--freeze-at', START, '--clock', 'accelerated:3600', '--no-magic-amounts', '-o', 'ndjson'];
    await sandbox.start(flags);
    const clock = (await sandbox.run(['sandbox', 'clock', '-o', 'json'])).json() as Record<string, unknown>;
    assert.deepEqual([clock['mode'], clock['speed'], clock['timing']], ['accelerated', 3600, 'fast']);
    assert.ok(
      (clock['now'] as string) >= '2026-05-05T12:00:00.000Z' && (clock['now'] as string) < '2026-05-06',
    );
    const rows = (await sandbox.run(['sandbox', 'magic', '-o', 'json'])).json() as {where: string}[];
    assert.ok(!rows.some(({where}) => where === 'amount'));
    await sandbox.run(['sandbox', 'stop']);
    await sandbox.ended();
    const wrong = await sandbox.run(['sandbox', 'start', '--clock', 'slow']);
    assert.equal(wrong.exitCode, 2);
  });
});
