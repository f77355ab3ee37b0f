import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {readText} from '../repo/tree.ts';
import {BIN, cleanEnv} from './spawn-cli.ts';

/** What the page tells one of the two to type, in order. */
const blocksFor = (name: string): string[] =>
  [
    ...readText('docs/guides/approvals.md').matchAll(
      new RegExp(`<!-- ${name} -->\n\`\`\`sh\n([\\s\\S]*?)\`\`\``, 'g'),
    ),
  ].map(([, block]) => block!.replaceAll('\\\n', ' ').trim());

/** A person with a home, an SSH key and nothing else; `remit` is on the path. */
class Person {
  readonly home = mkdtempSync(join(tmpdir(), 'remit-person-'));
  readonly #env: NodeJS.ProcessEnv;

  constructor(name: string) {
    mkdirSync(join(this.home, 'bin'));
    mkdirSync(join(this.home, '.ssh'));
    const remit = `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`;
    writeFileSync(join(this.home, 'bin', 'remit'), remit, {mode: 0o755});
    const env = cleanEnv();
    this.#env = {...env, HOME: this.home, PATH: `${join(this.home, 'bin')}${delimiter}${env['PATH'] ?? ''}`};
    const key = join(this.home, '.ssh', 'id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', key]);
  }

  type(script: string): {code: number | null; text: string} {
    const ran = spawnSync('/bin/bash', ['-e', '-c', script], {
      ...{env: this.#env, cwd: this.home, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']},
    });
    return {code: ran.status, text: ran.stdout + ran.stderr};
  }

  types(script: string): string {
    const {code, text} = this.type(script);
    assert.equal(code, 0, `${script}\n${text}`);
    return text;
  }

  sends(file: string, to: Person, as = file): void {
    copyFileSync(join(this.home, file), join(to.home, as));
  }
}

const CSV = `reference,payee_id,amount,currency_code
NOV-1,019b76da-a800-7000-8235-80d251bba0e9,10.00,USD
NOV-2,019b76da-a800-7000-8235-80d251bba0e9,20.00,USD
`;

describe('the guide to approvals', () => {
  it('takes two people with ssh-keygen from nothing to an approved release', () => {
    const [ben, anna] = [new Person('ben@acme'), new Person('anna@acme')];
    const [setUp, staging, release] = blocksFor('ben');
    const [approving] = blocksFor('anna');
    assert.ok(setUp && staging && release && approving);
    for (const person of [ben, anna]) writeFileSync(join(person.home, 'november.csv'), CSV);
    ben.types('remit sandbox start --detach --port 0 && remit sandbox seed --payees 3');
    try {
      anna.sends('.ssh/id_ed25519.pub', ben, 'anna.pub');
      assert.match(ben.types(setUp.replace('set prod', 'set sandbox')), /USD from 0\.00: 1 of anna/);
      ben.sends('policy', anna);
      const early = ben.type('remit payouts batch run november.csv --batch-id november --direct --yes');
      assert.equal(early.code, 11, early.text);
      assert.match(
        ben.types(staging.replace(/^(.* run .*)$/m, '$1 --yes')),
        /approve november --file november\.csv/,
      );
      assert.equal(ben.type('remit payouts batch release november --yes').code, 11);
      ben.sends('november.request', anna);
      writeFileSync(join(anna.home, 'november.csv'), CSV.replace('20.00', '25.00'));
      const stated = `${approving} --confirm-total USD=30.00 --confirm-count 2 --yes`;
      assert.equal(anna.type(stated.replace('=30', '=35')).code, 11);
      assert.ok(!existsSync(join(anna.home, 'november.approval')));
      writeFileSync(join(anna.home, 'november.csv'), CSV);
      assert.match(anna.types(stated), /Approved by anna/);
      anna.sends('november.approval', ben);
      const done = ben.types(release.replace(/^(.* release .*)$/m, '$1 --yes'));
      assert.match(done, /complete: 2 of 2/);
      assert.match(done, /released {2}ben/);
      assert.match(done, /Every event follows/);
    } finally {
      ben.types('remit sandbox stop');
    }
  });
});
