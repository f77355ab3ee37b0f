import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {appendFileSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {payout, PAYOUT_ID} from '../commands/fixtures.ts';
import {scriptedServer, type ScriptedServer} from './scripted-server.ts';
import {BIN, cleanEnv} from './spawn-cli.ts';

/** `script` of util-linux gives a command its own terminal. Other versions of `script` have other flags. */
const HAS_TERMINALS = /util-linux/.test(String(spawnSync('script', ['--version']).stdout));

describe('what was typed before a confirmation is shown', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-typed-'));
  let server: ScriptedServer;
  before(async () => {
    server = await scriptedServer([{status: 200, body: payout({id: PAYOUT_ID, status: 'created'})}]);
  });
  after(async () => {
    await server.close();
    rmSync(folder, {recursive: true, force: true});
  });

  if (!HAS_TERMINALS) it('skipped: script of util-linux is not installed', () => {});
  for (const typed of HAS_TERMINALS ? ['125.00\r', '125.00'] : [])
    it(`does not answer it: ${JSON.stringify(typed)}`, async () => {
      const go = join(folder, 'go');
      assert.equal(spawnSync('mkfifo', [go]).status, 0);
      // The command starts when the keys are in the terminal, which echoes them.
      const line = `printf 'typing: '; read word <'${go}'; exec '${process.execPath}' '${BIN}' payouts cancel ${PAYOUT_ID} --live`;
      const env = cleanEnv({REMIT_API_KEY: 'live_0123456789abcdef', REMIT_BASE_URL: server.baseUrl});
      const terminal = spawn('script', ['-qec', line, '/dev/null'], {
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      let screen = '';
      const exited = once(terminal, 'exit');
      terminal.stdout.on('data', (data: Buffer) => (screen += data.toString()));
      const shows = async (text: string): Promise<void> => {
        while (!screen.includes(text)) await once(terminal.stdout, 'data');
      };
      await shows('typing: ');
      terminal.stdin.write(typed);
      await shows('typing: 125.00');
      appendFileSync(go, 'go\n');
      await shows('Type its amount');
      terminal.stdin.write('\r'); // nothing is not the amount
      await exited;
      rmSync(go);
      assert.deepEqual(
        server.requests.filter(({method}) => method !== 'GET'),
        [],
        screen,
      );
    });
});
