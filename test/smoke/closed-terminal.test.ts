import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {watch} from 'node:fs';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {PAYOUT_ID, payout} from '../commands/fixtures.ts';
import {scriptedServer, type ScriptedServer} from './scripted-server.ts';
import {BIN, cleanEnv} from './spawn-cli.ts';

/** util-linux: gives a command a terminal of its own. Another `script` takes other flags. */
const HAS_TERMINALS = /util-linux/.test(String(spawnSync('script', ['--version']).stdout));

describe('a terminal that is closed under a command', () => {
  let server: ScriptedServer;
  const folder = mkdtempSync(join(tmpdir(), 'remit-terminal-'));
  before(async () => {
    server = await scriptedServer([{status: 200, body: payout({status: 'initiated'})}]);
  });
  after(async () => {
    await server.close();
    rmSync(folder, {recursive: true, force: true});
  });

  if (!HAS_TERMINALS) it('skipped: script of util-linux is not installed', () => {});
  for (const [what, redirection] of HAS_TERMINALS
    ? [
        ['input and output', ''],
        ['input', `>'${folder}/out' 2>&1`],
      ]
    : [])
    it(`ends it with 143 if it was its ${what}`, async () => {
      const name = `code-${redirection!.length}`;
      const ended = new Promise<void>((resolve) => {
        const watcher = watch(folder, (_event, changed) => {
          if (changed !== name) return;
          watcher.close();
          resolve();
        });
      });
      // The shell leads the session, so it alone is told of the hang-up, and tells the command.
      const line = `'${process.execPath}' '${BIN}' payouts wait ${PAYOUT_ID} ${redirection} <&0 &
        trap "kill -HUP $!" HUP; wait $!; wait $!; echo $? >'${folder}/part'; mv '${folder}/part' '${folder}/${name}'`;
      const env = cleanEnv({REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: server.baseUrl});
      const asked = server.nextRequest();
      const options = {env, stdio: ['pipe', 'ignore', 'ignore']} as const;
      const terminal = spawn('script', ['-qec', line, '/dev/null'], {...options, stdio: [...options.stdio]});
      await asked;
      terminal.kill('SIGKILL');
      await ended;
      assert.equal(readFileSync(join(folder, name), 'utf8'), '143\n');
    });
});
