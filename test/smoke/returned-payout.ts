import assert from 'node:assert/strict';
import {exec} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {BIN, cleanEnv} from './spawn-cli.ts';

const DAY_MS = 86_400_000;

/** The built command, typed into a shell, with the sandbox in the background. */
export class Shell {
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
export function printedIn(text: string, pattern: RegExp): string {
  const found = [...text.matchAll(/remit [^\n]+/g)]
    .map(([line]) => line)
    .findLast((line) => pattern.test(line));
  assert.ok(found !== undefined, text);
  return found;
}

/** A sandbox with batch `november`, whose first payout came back. @returns its record, and the account that it left */
export async function withReturn(shell: Shell): Promise<{record: string; account: string}> {
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
