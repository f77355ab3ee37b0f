import assert from 'node:assert/strict';
import {exec} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {BIN, cleanEnv} from './spawn-cli.ts';

const DAY_MS = 86_400_000;

/** The built command, typed into a shell, with the sandbox in the background. */
class Shell {
  readonly #env = cleanEnv();
  readonly folder = this.#env['HOME'] ?? '';

  constructor() {
    const bin = join(this.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'remit'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, {mode: 0o755});
    this.#env['PATH'] = `${bin}:${this.#env['PATH'] ?? ''}`;
  }

  /** Both streams in one text, as a person reads them. */
  async type(line: string): Promise<{text: string; code: number}> {
    const typed = `${line} 2>&1; echo " exit $?"`;
    const {stdout} = await promisify(exec)(typed, {env: this.#env, cwd: this.folder, timeout: 60_000});
    return {text: stdout, code: Number(/ exit (\d+)\n$/.exec(stdout)?.[1])};
  }

  async value(line: string): Promise<string> {
    const {text} = await this.type(line);
    return text.trim().split(/\s+/)[0] ?? '';
  }
}

/** The last command of a text that fits. */
function printedIn(text: string, pattern: RegExp): string {
  const found = [...text.matchAll(/remit [^\n]+/g)]
    .map(([line]) => line)
    .findLast((line) => pattern.test(line));
  assert.ok(found !== undefined, text);
  return found;
}

/** A sandbox with batch `november`, whose first payout came back. @returns its record, and the account that it left */
async function withReturn(shell: Shell): Promise<{record: string; account: string}> {
  const begun = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10);
  const started = await shell.type(
    `remit sandbox start --detach --port 0 --timing real --freeze-at ${begun}T15:00:00Z`,
  );
  assert.equal(started.code, 0, started.text);
  await shell.type('remit sandbox seed --payees 1');
  const payee = await shell.value('remit payees list -o id');
  writeFileSync(
    join(shell.folder, 'november.csv'),
    `reference,payee_id,amount,currency_code,rail\nINV-2026-001,${payee},1250.00,USD,standard_ach\nINV-2026-002,${payee},99.50,USD,standard_ach\n`,
  );
  const ran = await shell.type('remit payouts batch run november.csv --batch-id november --yes');
  assert.equal(ran.code, 0, ran.text);
  await shell.type('remit sandbox advance 7d');
  assert.equal((await shell.type('remit payouts batch status november --refresh')).code, 0);
  const row = await shell.type('remit payouts batch status november --row INV-2026-001 --json');
  const record = /"id": "([^"]+)"/.exec(row.text)?.[1] ?? row.text;
  const back = await shell.type(`remit sandbox simulate payout ${record} return --after 12d --code R03`);
  assert.equal(back.code, 0, back.text);
  await shell.type('remit sandbox advance 13d');
  const accounts = await shell.type('remit treasury accounts list');
  return {record, account: /^(\S+)\tOperating/m.exec(accounts.text)?.[1] ?? accounts.text};
}

describe('a payout that comes back', function () {
  this.timeout(300_000);
  let shell: Shell;
  beforeEach(() => {
    shell = new Shell();
  });
  afterEach(() => shell.type('remit sandbox stop'));

  it('is paid a second time in five commands, each printed by the one before', async () => {
    const {account} = await withReturn(shell);
    const first = await shell.type(`remit reconcile --account ${account}`);
    assert.equal(first.code, 8, first.text);
    assert.match(first.text, /INV-2026-001 of payout batch november: 1,250\.00 USD came back on \S+, R03/);
    const second = await shell.type(printedIn(first.text, /batch status november/));
    assert.equal(second.code, 8, second.text);
    assert.match(second.text, /1 returned by the bank/);
    const third = await shell.type(printedIn(second.text, /batch report november/));
    const fourth = await shell.type(printedIn(third.text, /batch run \S+failed\.csv/));
    assert.equal(fourth.code, 11, fourth.text);
    const fifth = await shell.type(`${printedIn(fourth.text, /--accept duplicates=1/)} --yes`);
    assert.equal(fifth.code, 0, fifth.text);
    assert.match(fifth.text, /1 of 1 row accepted/);

    await shell.type('remit sandbox advance 2d');
    const end = await shell.type(`remit reconcile --account ${account}`);
    assert.equal(end.code, 0, end.text);
    const statement = await shell.type(
      `remit sandbox statement --account ${account} --format camt053 --out statement.xml`,
    );
    assert.equal(statement.code, 0, statement.text);
    const witnessed = await shell.type(`remit reconcile --account ${account} --statement statement.xml`);
    assert.equal(witnessed.code, 0, witnessed.text);
    assert.match(witnessed.text, /as the bank states it/);
  });

  it('is found by the next reconcile after one that was killed, which leaves old or whole files', async () => {
    const {account, record} = await withReturn(shell);
    const state = join(shell.folder, '.local/state/remit');
    await shell.type(`remit sandbox statement --account ${account} --format camt053 --out s.xml`);
    const line = `remit reconcile --account ${account} --statement s.xml --html p.html --ledger l.journal --out csv`;
    const began = Date.now();
    const whole = await shell.type(line);
    const longestMs = Date.now() - began;
    assert.equal(whole.code, 8, whole.text);
    const endings = {
      'p.html': '</html>\n',
      'l.journal': '\n',
      'csv/payments.csv': '\n',
      'csv/matches.csv': '\n',
    };
    const sizes = () =>
      Object.entries(endings).map(([name, ending]) => {
        const path = join(shell.folder, name);
        const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
        assert.ok(text?.endsWith(ending) ?? true, name);
        return text?.length;
      });
    const expected = sizes();
    const shown = (text: string) => text.slice(text.indexOf('Reconciled '));
    const points = 12;
    for (let point = 0; point < points; point += 1) {
      // Every other one is the first reconcile, and the others repeat one.
      if (point % 2 === 0)
        for (const name of [...readdirSync(state), 'batches/payout/november/returns.json'])
          if (/^reconcile|returns\.json$/.test(name))
            rmSync(join(state, name), {recursive: true, force: true});
      for (const name of Object.keys(endings)) rmSync(join(shell.folder, name), {force: true});
      const seconds = (((0.2 + (0.8 * point) / points) * longestMs) / 1000).toFixed(3);
      await shell.type(`timeout -s KILL ${seconds} ${line}`);
      for (const [at, size] of sizes().entries()) assert.ok(size === undefined || size === expected[at]);
      const get = await shell.type(`remit payouts get ${record}`);
      assert.ok(get.code === 8 || (get.code === 0 && point % 2 === 0), `${seconds} ${get.text}`);
      const again = await shell.type(line);
      assert.equal(shown(again.text), shown(whole.text), seconds);
      assert.deepEqual(sizes(), expected);
    }
  });

  it('is not looked for any more after Ctrl-C while a long statement is read, of which nothing is kept', async () => {
    const {account} = await withReturn(shell);
    const rows = Array.from({length: 150_000}, (_, n) => `2026-11-01,Payment ${n},-${(n % 900) + 1}.17,USD`);
    writeFileSync(
      join(shell.folder, 'long.csv'),
      `booking_date,text,amount,currency_code\n${rows.join('\n')}\n`,
    );
    const line = `remit reconcile --account ${account} --statement long.csv`;
    const stopped = await shell.type(
      `${line} --from 2026-11-01 --to 2026-11-01 2>words & until grep -q '^1000 lines' words; do sleep 0.1; done; kill -INT $!; wait $!; code=$?; cat words; (exit $code)`,
    );
    assert.equal(stopped.code, 130, stopped.text);
    assert.match(stopped.text, /^Error: interrupted$/m);
    const read = await shell.type('remit reconcile statements --json');
    assert.match(read.text, /^\[\]$/m);
  });
});
