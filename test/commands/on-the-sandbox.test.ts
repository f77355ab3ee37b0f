import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, before, describe, it} from 'mocha';
import {BASE_URL, runCli, type CliOptions, type CliResult} from '../cli/run-cli.ts';
import {RecordingClock} from '../client/recording-clock.ts';
import {MONDAY} from '../sandbox/harness.ts';
import {SandboxService} from './sandbox-service.ts';

/** A newcomer's way through the commands, on the sandbox's request function: every step uses what the last one gave. */
describe('from nothing to a settled payout', () => {
  let service: SandboxService;
  before(async () => {
    service = await SandboxService.open();
  });
  after(() => service.sandbox.close());

  const remit = (line: string, options: Partial<CliOptions> = {}): Promise<CliResult> =>
    runCli(line.split(' '), {
      service,
      clock: service.clock,
      uuid: randomUUID,
      env: {REMIT_API_KEY: service.testKey, REMIT_BASE_URL: BASE_URL},
      ...options,
    });
  const done = async (line: string, options?: Partial<CliOptions>) => {
    const ran = await remit(line, options);
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran;
  };
  const ids: Record<'payee' | 'method' | 'payout', string> = {payee: '', method: '', payout: ''};

  it('creates a payee and prints its id', async () => {
    ids.payee = (await done('payees create --name Acme --type business -o id')).stdout.trim();
    assert.match(ids.payee, /^[0-9a-f-]{36}$/);
    assert.match((await done(`payees get ${ids.payee}`)).stdout, /^Name\tAcme$/m);
    assert.equal(((await done('payees list --json')).json() as unknown[]).length, 1);
  });

  it('adds a bank account, which is not the default until it is verified', async () => {
    const line = `payment-methods add --payee ${ids.payee} --account-number 000123456789 --routing-number 021000021 --holder-name Acme --default`;
    const added = await remit(`${line} --json`);
    assert.equal(added.exitCode, 8);
    assert.match(added.stderr, /^Warning: .*not verified/m);
    assert.doesNotMatch(added.stdout + added.stderr, /000123456789/);
    ids.method = (added.json() as {id: string}).id;
    assert.match(
      added.stderr,
      new RegExp(
        `When it is verified, make it the default with:\nHint: remit payment-methods set-default ${ids.method} --payee ${ids.payee}`,
      ),
    );
    const early = await remit(`payment-methods set-default ${ids.method} --payee ${ids.payee}`);
    assert.equal(early.exitCode, 5);
    service.sandbox.passVerification();
    const listed = await done(`payment-methods list --payee ${ids.payee}`);
    assert.match(listed.stdout, new RegExp(`^${ids.method}\tbank_account\tverified\tno\t6789`, 'm'));
    const set = await done(`payment-methods set-default ${ids.method} --payee ${ids.payee}`);
    assert.match(set.stdout, /^Default\tyes$/m);
  });

  it('creates a payout, approves it and waits until it is settled', async () => {
    const made = await done(
      `payouts create --payee ${ids.payee} --amount 125.00 --currency USD --metadata order=17`,
    );
    assert.match(made.stdout, /^Status\tcreated$/m);
    assert.match(made.stdout, /^Client metadata\torder=17$/m);
    assert.match(made.stderr, /Creating a payout of 125\.00 USD \(12500 minor units\)/);
    ids.payout = /^ID\t(\S+)$/m.exec(made.stdout)![1]!;
    const approved = await done(`payouts approve ${ids.payout} --wait --json`);
    assert.equal((approved.json() as {status: string}).status, 'settled');
    assert.ok(service.clock.sleeps.length > 0);
    assert.match((await done(`payouts wait ${ids.payout}`)).stdout, /^Status\tsettled$/m);
  });

  it('answers a repeated key with the same payout', async () => {
    const line = `payouts create --payee ${ids.payee} --amount-minor 100 --idempotency-key k-1 -o id`;
    const first = await done(line);
    const second = await done(line);
    assert.equal(second.stdout, first.stdout);
    const id = second.stdout.trim();
    assert.ok(
      second.stderr.includes(
        `Nothing new was created: payout ${id} already exists under this idempotency key.`,
      ),
    );
    assert.doesNotMatch(first.stderr, /already exists/);
  });

  it('cancels a payout, and says so when it is waited for', async () => {
    const made = await done(`payouts create --payee ${ids.payee} --amount-minor 100 --json`);
    const {id} = made.json() as {id: string};
    assert.match((await done(`payouts cancel ${id}`)).stdout, /^Status\tcanceled$/m);
    const waited = await remit(`payouts wait ${id} --json`);
    assert.equal(waited.exitCode, 9);
    assert.equal(waited.stdout, '');
    assert.equal(waited.error().code, 'ENDED_BADLY');
    assert.equal(waited.error().details?.['status'], 'canceled');
    const again = await remit(`payouts cancel ${id}`);
    assert.equal(again.exitCode, 5);
  });

  it('gives up waiting after the time-out, with the command that moves the payment on', async () => {
    const {id} = (await done(`payouts create --payee ${ids.payee} --amount-minor 100 --json`)).json() as {
      id: string;
    };
    const waited = await remit(`payouts wait ${id} --until debited --timeout 30s`);
    assert.equal(waited.exitCode, 10);
    assert.match(
      waited.stderr,
      /was not debited within 30 s: its status is created and it needs an approval/,
    );
    assert.match(waited.stderr, new RegExp(`Hint: remit payouts approve ${id}\\n$`));
    assert.match(waited.stdout, /^Status\tcreated$/m);
  });

  it('calls an approval that fails a partial success on create, and a refusal by itself', async () => {
    const made = await remit(
      `payouts create --payee ${ids.payee} --amount-minor 9007199254740991 --auto-approve --json`,
    );
    assert.equal(made.exitCode, 8);
    const record = made.json() as {id: string; status: string; warning: string};
    assert.equal(record.status, 'created');
    assert.ok(made.stderr.includes(record.warning));
    const approved = await remit(`payouts approve ${record.id}`);
    assert.equal(approved.exitCode, 5);
  });

  it('walks a list in pages, each with the command for the next', async () => {
    const all = ((await done('payouts list --all --json')).json() as {id: string}[]).map(({id}) => id);
    const walked: string[] = [];
    let line: string | undefined = 'payouts list --limit 2 --page-size 1 -o id';
    while (line !== undefined) {
      const {stdout, stderr} = await done(line);
      walked.push(...stdout.trim().split('\n'));
      line = /^Hint: remit (payouts list .*)$/m.exec(stderr)?.[1];
    }
    assert.deepEqual(walked, all);
    assert.ok(all.length > 4);
  });

  it('filters a list', async () => {
    const statuses = async (flags: string) =>
      ((await done(`payouts list --json ${flags}`)).json() as {status: string}[]).map(({status}) => status);
    assert.deepEqual(new Set(await statuses('--status canceled')), new Set(['canceled']));
    assert.deepEqual(await statuses('--payee 0192a000-0000-7000-8000-0000000000aa'), []);
    assert.equal((await statuses('--created-from 2030-01-01T00:00:00Z')).length, 0);
    assert.equal((await statuses('--order asc --limit 1'))[0], 'settled');
  });

  it('sends nothing on a dry run', async () => {
    const before = service.sandbox.sandbox.requests();
    const dry = await done(
      `payouts create --payee ${ids.payee} --amount 5.00 --currency USD --dry-run --json`,
    );
    assert.deepEqual(service.sandbox.sandbox.requests(), before);
    const {method, url, headers, body, idempotency_key} = dry.json() as Record<string, unknown>;
    assert.deepEqual([method, url], ['POST', `${BASE_URL}/api/payouts`]);
    assert.equal((headers as Record<string, string>)['idempotency-key'], idempotency_key);
    assert.doesNotMatch(dry.stdout + dry.stderr, new RegExp(service.testKey));
    assert.deepEqual(body, {payee_id: ids.payee, amount_in_minor_units: 500, currency_code: 'USD'});
  });

  it('collects a payin the same way', async () => {
    const payer = (await done('payers create --name Rivera -o id')).stdout.trim();
    const added = await done(
      `payment-methods add --payer ${payer} --account-number 000987654321 --routing-number 021000021 --holder-name R --json`,
    );
    service.sandbox.passVerification();
    await done(`payment-methods set-default ${(added.json() as {id: string}).id} --payer ${payer}`);
    const made = await done(
      `payins create --payer ${payer} --amount 20.00 --currency USD --auto-approve --wait`,
    );
    assert.match(made.stdout, /^Status\tsettled$/m);
    assert.match(made.stdout, /^Payer\t\S+ \(Rivera\)$/m);
    assert.match(made.stdout, /^Amount\t20\.00 USD$/m);
    const id = /^ID\t(\S+)$/m.exec(made.stdout)![1]!;
    assert.match((await done(`payins get ${id}`)).stdout, /^Status\tsettled$/m);
    assert.match((await done('payins list')).stdout, new RegExp(`^${id}\tsettled\t20\\.00 USD`, 'm'));
    assert.match((await done('payers list')).stdout, /\tRivera\t/);
    assert.match((await done(`payers get ${payer}`)).stdout, /^Name\tRivera$/m);
    const open = (await done(`payins create --payer ${payer} --amount-minor 5 -o id`)).stdout.trim();
    assert.match(
      (await done(`payins approve ${open} --until debited`)).stdout,
      /^Status\t(debited|settled)$/m,
    );
    const left = (await done(`payins create --payer ${payer} --amount-minor 5 -o id`)).stdout.trim();
    assert.match((await done(`payins cancel ${left}`)).stdout, /^Status\tcanceled$/m);
    assert.equal((await remit(`payins wait ${left}`)).exitCode, 9);
  });

  it('deletes a payment method, but not the default', async () => {
    const refused = await remit(`payment-methods delete ${ids.method} --payee ${ids.payee}`);
    assert.equal(refused.exitCode, 5);
    const added = await done(
      `payment-methods add --payee ${ids.payee} --account-number 000123450000 --routing-number 021000021 --holder-name A --json`,
    );
    const {id} = added.json() as {id: string};
    const deleted = await done(`payment-methods delete ${id} --payee ${ids.payee} --json`);
    assert.deepEqual(deleted.json(), {id, deleted: true, payee_id: ids.payee});
    assert.equal((await remit(`payment-methods delete ${id} --payee ${ids.payee}`)).exitCode, 4);
  });

  it('fits a terminal of 80 and of 120 columns, and says the same', async () => {
    for (const columns of [80, 120]) {
      for (const line of [
        'payouts list --all',
        `payouts get ${ids.payout}`,
        'payins list',
        'payees list',
        `payees get ${ids.payee}`,
        'payers list',
        `payment-methods list --payee ${ids.payee}`,
        'whoami',
        `payouts create --payee ${ids.payee} --amount 1.00 --currency USD --yes`,
        `payouts create --payee ${ids.payee} --amount 1.00 --currency USD --dry-run`,
      ]) {
        const {stdout} = await done(line, {columns, clock: new RecordingClock(Date.parse(MONDAY))});
        const bare = stdout.replaceAll(/\u001b\[\d+m/g, '');
        for (const shown of bare.split('\n')) assert.ok(shown.length <= columns, `${line}: ${shown}`);
        assert.doesNotMatch(bare, /\t|NaN|undefined|\[object/, line);
        if (!line.endsWith('--dry-run'))
          assert.match(stdout, /\u001b\[/, `${line} has no style on a terminal`);
      }
    }
  });

  it('guards the live entity', async () => {
    const env = {REMIT_API_KEY: service.liveKey, REMIT_BASE_URL: BASE_URL};
    const line = 'payees create --name Acme';
    const before = service.sandbox.sandbox.requests();
    const refused = await remit(line, {env});
    assert.equal(refused.exitCode, 11);
    assert.match(refused.stderr, /refused to create a payee with a live key/);
    assert.equal((await remit(`${line} --live`, {env})).exitCode, 11);
    assert.deepEqual(service.sandbox.sandbox.requests(), before);
    const made = await remit(`${line} --live --yes --json`, {env});
    assert.equal(made.exitCode, 0);
    assert.match(made.stderr, /LIVE/);
  });

  it('says what is wrong with a key', async () => {
    const env = {REMIT_API_KEY: 'test_nobody_issued_this', REMIT_BASE_URL: BASE_URL};
    const refused = await remit('payouts list --json', {env});
    assert.equal(refused.exitCode, 3);
    assert.equal(refused.error().code, 'AUTHENTICATION_ERROR');
    assert.doesNotMatch(refused.stderr, /nobody_issued/);
  });
});
