import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {Shell, withReturn} from './returned-payout.ts';

/** Moments at which a reconcile is killed. */
const POINTS = Number(process.env['REMIT_KILLS'] ?? 4);

describe('a payout that comes back', function () {
  this.timeout(POINTS * 60_000);
  let shell: Shell;
  beforeEach(() => {
    shell = new Shell();
  });
  afterEach(() => shell.type('remit sandbox stop'));

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
    for (let point = 0; point < POINTS; point += 1) {
      // Every other one is the first reconcile, and the others repeat one.
      if (point % 2 === 0)
        for (const name of [...readdirSync(state), 'batches/payout/november/returns.json'])
          if (/^reconcile|returns\.json$/.test(name))
            rmSync(join(state, name), {recursive: true, force: true});
      for (const name of Object.keys(endings)) rmSync(join(shell.folder, name), {force: true});
      const seconds = (((0.2 + (0.8 * point) / POINTS) * longestMs) / 1000).toFixed(3);
      await shell.type(`timeout -s KILL ${seconds} ${line}`);
      for (const [at, size] of sizes().entries()) assert.ok(size === undefined || size === expected[at]);
      const get = await shell.type(`remit payouts get ${record}`);
      assert.ok(get.code === 8 || (get.code === 0 && point % 2 === 0), `${seconds} ${get.text}`);
      const again = await shell.type(line);
      assert.equal(shown(again.text), shown(whole.text), seconds);
      assert.deepEqual(sizes(), expected);
    }
  });
});
