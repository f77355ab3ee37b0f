import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {payeeId} from '../../../batch/harness.ts';
import {TruthService} from '../../../batch/truth-service.ts';
import {VirtualClock} from '../../../batch/virtual-clock.ts';
import {BASE_URL, type CliOptions, type CliResult, LIVE_KEY, runCli, TEST_KEY} from '../../../cli/run-cli.ts';

/** A folder, a service that keeps the truth, and `remit payouts batch` typed in that folder. */
export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'remit-desk-'));
  readonly clock = new VirtualClock();
  readonly service = new TruthService();

  constructor() {
    this.service.now = () => this.clock.now();
  }

  env(key: string): Record<string, string> {
    return {HOME: this.folder, REMIT_API_KEY: key, REMIT_BASE_URL: BASE_URL, USER: 'ada'};
  }

  /** Types a printed command that begins with `remit`. */
  type(line: string): Promise<CliResult> {
    return runCli(line.split(' ').slice(1), {
      ...{env: this.env(TEST_KEY), service: this.service.transport(), clock: this.clock, cwd: this.folder},
    });
  }

  /** Types a line with a test key, or with the live one; of payins, when that is said. */
  async batch(
    line: string,
    options: Partial<CliOptions> & {live?: boolean; topic?: 'payouts' | 'payins'} = {},
  ): Promise<CliResult> {
    const {live = false, topic = 'payouts', ...rest} = options;
    const words = line.split(' ').map((word) => word.replace(/^\.\//, `${this.folder}/`)); // this process stays where it is
    return runCli([topic, 'batch', ...words], {
      ...{env: this.env(live ? LIVE_KEY : TEST_KEY), service: this.service.transport(), clock: this.clock},
      cwd: this.folder,
      ...rest,
    });
  }

  /** Adds a profile with the test key; the first one is the default. Returns the environment in which nothing else has a key. */
  async profile(name: string, ...flags: string[]): Promise<Record<string, string>> {
    const env = {HOME: this.folder};
    const argv = ['profiles', 'add', name, '--base-url', BASE_URL, '--key-stdin', ...flags];
    const added = await runCli(argv, {env, stdin: TEST_KEY, cwd: this.folder, clock: this.clock});
    assert.equal(added.exitCode, 0, added.stderr);
    return env;
  }

  /** With `p.csv`: A-1 of 10.00 and A-2 of 20.00. */
  static withTwoRows<D extends Desk>(this: new () => D): D {
    const desk = new this();
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
    return desk;
  }

  /** The same, with the profiles `first`, which is the default, and `acme`; and the environment in which nothing else has a key. */
  static async withProfiles(): Promise<{desk: Desk; env: Record<string, string>}> {
    const desk = Desk.withTwoRows();
    await desk.profile('first');
    return {desk, env: await desk.profile('acme')};
  }

  /** Writes rows of reference, number of the payee, amount. */
  file(name: string, rows: readonly (readonly [string, number, string])[]): void {
    const lines = rows.map(([reference, payee, amount]) => `${reference},${payeeId(payee)},${amount},USD`);
    writeFileSync(join(this.folder, name), `reference,payee_id,amount,currency_code\n${lines.join('\n')}\n`);
  }

  close(): void {
    rmSync(this.folder, {recursive: true, force: true});
  }
}
