import {execFileSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Desk} from '../../commands/payouts/batch/desk.ts';
import {BASE_URL, type CliOptions, type CliResult, runCli, TEST_KEY} from '../run-cli.ts';

/**
 * People with a home and an SSH key each, who share the state folder of ben, the only one with an API key; or a database,
 * with a machine each.
 */
export class People extends Desk {
  /** Of the database. */
  stateUrl: string | undefined;
  /** Under the folder of the desk. */
  readonly policy = join(this.folder, 'policy');

  homeOf(name: string): string {
    return join(this.folder, name);
  }

  keyOf = (name: string): string => join(this.homeOf(name), 'key');

  person(name: string): string {
    mkdirSync(this.homeOf(name));
    const made = ['-q', '-t', 'ed25519', '-N', '', '-C', `${name}@acme`, '-f', this.keyOf(name)];
    execFileSync('ssh-keygen', made);
    return name;
  }

  /** Types a line of `remit payouts batch` as this person. */
  as(name: string, line: string, options: Partial<CliOptions> = {}): Promise<CliResult> {
    const words = line.split(' ').map((word) => word.replace(/^\.\//, `${this.folder}/`));
    return this.run(name, ['payouts', 'batch', ...words], options);
  }

  run(name: string, argv: readonly string[], options: Partial<CliOptions> = {}): Promise<CliResult> {
    const home = this.homeOf(name);
    const place: Record<string, string> =
      this.stateUrl === undefined
        ? {REMIT_STATE_DIR: join(this.folder, 'shared')}
        : {REMIT_STATE_DIR: join(home, 'state'), REMIT_STATE_URL: this.stateUrl};
    const env = {HOME: home, ...place};
    return runCli(argv, {
      env,
      cwd: this.folder,
      service: this.service.transport(),
      clock: this.clock,
      ...options,
    });
  }

  /** Ben makes and releases, with a profile that has pinned the policy; anna and carl approve. */
  static async ready(...rules: string[]): Promise<People> {
    const people = this.withTwoRows<People>();
    for (const name of ['anna', 'ben', 'carl']) people.person(name);
    const init = [
      'policy',
      'init',
      people.policy,
      ...['anna', 'carl', 'ben'].flatMap((name) => [`--approver`, `${name}=${people.keyOf(name)}.pub`]),
    ];
    const written = await people.as('ben', init.join(' '));
    if (written.exitCode !== 0) throw new Error(written.stderr);
    if (rules.length > 0) {
      const keys = ['anna', 'carl', 'ben'].map((name) => `${name} ${publicKey(people.keyOf(name))}`);
      writeFileSync(people.policy, [...rules, ...keys, ''].join('\n'));
    }
    for (const name of ['ben', 'carl']) await people.pin(name);
    return people;
  }

  async pin(name: string): Promise<void> {
    const argv = ['profiles', 'add', 'prod', '--base-url', BASE_URL, '--key-stdin'];
    const added = await this.run(
      name,
      [...argv, '--approval-policy', this.policy, '--approval-key', this.keyOf(name)],
      {
        stdin: TEST_KEY,
      },
    );
    if (added.exitCode !== 0) throw new Error(added.stderr);
  }

  /** Approves without a terminal. */
  approve(name: string, more = '', file = './p.csv'): Promise<CliResult> {
    const figures = '--confirm-total USD=30.00 --confirm-count 2 --yes';
    const own = `--policy ${this.policy} --key ${this.keyOf(name)}`;
    return this.as(name, `approve b --file ${file} ${figures} ${own}${more === '' ? '' : ` ${more}`}`);
  }
}

export const publicKey = (file: string): string =>
  execFileSync('ssh-keygen', ['-y', '-f', file], {encoding: 'utf8'}).trim();
