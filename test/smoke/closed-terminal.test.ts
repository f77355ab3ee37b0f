import assert from 'node:assert/strict';
import {spawn, spawnSync, type ChildProcess} from 'node:child_process';
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
  let runs = 0;
  const folder = mkdtempSync(join(tmpdir(), 'remit-terminal-'));
  before(async () => {
    server = await scriptedServer([{status: 200, body: payout({status: 'initiated'})}]);
  });
  after(async () => {
    await server.close();
    rmSync(folder, {recursive: true, force: true});
  });

  /** Runs the command in a shell at a terminal, closes the terminal when `ready`, and resolves to what the shell noted. */
  async function closedUnder(
    command: string,
    ready: (terminal: ChildProcess) => Promise<unknown>,
  ): Promise<string> {
    const name = `code-${String((runs += 1))}`;
    const ended = new Promise<void>((resolve) => {
      const watcher = watch(folder, (_event, changed) => {
        if (changed !== name) return;
        watcher.close();
        resolve();
      });
    });
    // The shell leads the session, so it alone is told of the hang-up, and tells the command; its own wait then ends
    // with 129. A command in the background has no terminal as its input unless it is passed on.
    const line = `exec 3<&0; '${process.execPath}' '${BIN}' ${command} <&3 &
      trap "kill -HUP $!" HUP; code=129; while [ $code = 129 ]; do wait $!; code=$?; done; echo $code >'${folder}/part'; mv '${folder}/part' '${folder}/${name}'`;
    const env = cleanEnv({REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: server.baseUrl});
    const terminal = spawn('script', ['-qec', line, '/dev/null'], {env, stdio: ['pipe', 'pipe', 'ignore']});
    await ready(terminal);
    terminal.kill('SIGKILL');
    await ended;
    return readFileSync(join(folder, name), 'utf8');
  }

  if (!HAS_TERMINALS) it('skipped: script of util-linux is not installed', () => {});
  for (const [what, redirection] of HAS_TERMINALS
    ? [
        ['input and output', ''],
        ['input', `>'${folder}/out' 2>&1`],
      ]
    : [])
    it(`ends it with 143 if it was its ${what}`, async () => {
      const asked = server.nextRequest();
      assert.equal(await closedUnder(`payouts wait ${PAYOUT_ID} ${redirection}`, () => asked), '143\n');
    });

  if (HAS_TERMINALS)
    it('ends it with 143 at a prompt', async () => {
      const prompted = async (terminal: ChildProcess) => {
        let screen = '';
        for await (const data of terminal.stdout!) {
          screen += String(data);
          if (screen.includes('Signing secret')) return;
        }
      };
      assert.equal(await closedUnder('webhooks listen --port 0', prompted), '143\n');
    });
});
