import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {BASE_URL, runCli, scratch, TEST_KEY, type CliOptions} from '../../cli/run-cli.ts';
import {FakeParties} from '../../parties/fake-parties.ts';

export interface Imported {
  created: number;
  found: number;
  already: number;
  problems: {reference: string; state: string; message: string; others: string[]}[];
  next: string | null;
}

export const NUMBERS = Array.from({length: 8}, (_, n) => `98765432${n}1`);

/** Eight payees in a CSV, and a service whose answers get lost. */
export class ImportDesk {
  readonly folder = scratch();
  readonly parties = new FakeParties();
  topic = 'payees';

  constructor() {
    this.writeAll();
  }

  writeAll(): void {
    this.write(NUMBERS.map((number, n) => [`S-${n}`, `Supplier ${n}`, number, '021000021']));
  }

  write(rows: readonly (readonly string[])[]): void {
    const lines = [['reference', 'name', 'account_number', 'routing_number'], ...rows];
    writeFileSync(this.file, `${lines.map((row) => row.join(',')).join('\n')}\n`);
  }

  get file(): string {
    return join(this.folder, 'suppliers.csv');
  }

  get results(): string[] {
    return readFileSync(join(this.folder, 'suppliers.imported.csv'), 'utf8').trim().split('\n');
  }

  run(words = '', options: CliOptions = {}) {
    return runCli([this.topic, 'import', this.file, ...words.split(' ').filter((word) => word !== '')], {
      service: this.parties.answer,
      env: {HOME: this.folder, REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
      ...options,
    });
  }

  async go(words = ''): Promise<Imported & {exit: number}> {
    const ran = await this.run(`${words} --json`);
    return {...(ran.json() as Imported), exit: ran.exitCode};
  }

  /** Each of the eight exists once, with one bank account. */
  existOnce(): void {
    for (let n = 0; n < 8; n++) {
      const found = this.parties.named(`S-${n}`);
      assert.deepEqual([found.length, found[0]?.methods.length], [1, 1], `S-${n}`);
    }
  }
}

export const isCreate = ({method, path}: {method: string; path: string}) =>
  method === 'POST' && /^\/api\/pay(ees|ers)$/.test(path);
export const isAdd = ({method, path}: {method: string; path: string}) =>
  method === 'POST' && path.endsWith('/payment-methods');
