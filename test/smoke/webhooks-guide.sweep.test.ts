import assert from 'node:assert/strict';
import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {readText} from '../repo/tree.ts';
import {BIN, cleanEnv} from './spawn-cli.ts';

/** The shell blocks of a page. */
const blocksOf = (page: string): string[] =>
  [...readText(page).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!.trim());

/** What a reader leaves running in a second terminal. */
const RUNS_ON = /^remit webhooks (listen|events tail) /;

interface Running {
  line: string;
  child: ChildProcess;
  text: () => string;
}

describe('the commands of docs/guides/webhooks.md and of the README on webhooks', function () {
  this.timeout(180_000);
  const app = createServer((request, response) => request.resume().on('end', () => response.end()));
  const home = mkdtempSync(join(tmpdir(), 'remit-guide-'));
  const env = {...cleanEnv(), HOME: home, NODE: process.execPath, BIN};
  let running: Running | undefined;

  before(async () => {
    await once(app.listen(0, '127.0.0.1'), 'listening');
  });
  after(async () => {
    await end();
    await run('remit sandbox stop');
    app.close();
  });

  /** Ports that are free here, and the application's. */
  function here(block: string): string {
    const {port} = app.address() as AddressInfo;
    return block
      .replaceAll('remit webhooks listen', 'remit webhooks listen --port 0')
      .replaceAll('remit sandbox start', 'remit sandbox start --port 0 --timing instant')
      .replaceAll('3000', String(port));
  }

  function start(block: string): Running {
    const script = `set -e -o pipefail; remit() { "$NODE" "$BIN" "$@"; }; ${block}`;
    const child = spawn('/bin/bash', ['-c', script], {env, cwd: home, stdio: ['ignore', 'pipe', 'pipe']});
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    return {line: block, child, text: () => text};
  }

  async function run(block: string): Promise<string> {
    const {child, text} = start(here(block));
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 0, `${block}\n${text()}`);
    return text();
  }

  const until = async (one: Running, pattern: RegExp): Promise<void> => {
    while (!pattern.test(one.text())) {
      assert.equal(one.child.exitCode, null, `${one.line}\n${one.text()}`);
      await wait(20);
    }
  };

  /** Starts what runs on, in place of the one before; it is ready when it has printed something. */
  async function leaveRunning(line: string): Promise<Running> {
    await end();
    const one = start(here(line).replace(/^remit/, 'exec "$NODE" "$BIN"'));
    running = one;
    await until(one, /./);
    return one;
  }

  /** Ends it as Ctrl-C does. */
  async function end(): Promise<void> {
    const {child} = running ?? {};
    running = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'close');
  }

  const PAY =
    'remit payouts create --payee "$(remit payees list --limit 1 -o id -q)" --amount 1.00 --currency USD --auto-approve';

  it('work in order, with a listener in a second terminal', async () => {
    const blocks = blocksOf('docs/guides/webhooks.md');
    assert.ok(blocks.length > 10);
    for (const block of blocks) {
      if (!RUNS_ON.test(block)) {
        await run(block);
        if (block.includes('--wait')) await until(running!, /payout\.settled +verified/);
        continue;
      }
      const one = await leaveRunning(block);
      if (!block.includes('--expect')) continue;
      const closed = once(one.child, 'close');
      await run(PAY);
      assert.deepEqual(await closed, [0, null], one.text());
    }
  });

  it('show a first event with the README alone', async () => {
    const blocks = blocksOf('README.md');
    const at = blocks.findIndex((one) => RUNS_ON.test(`${one} `));
    const one = await leaveRunning(blocks[at]!);
    await run('remit sandbox faults clear');
    await run(blocks[at + 1]!);
    await until(one, /payout\.settled +verified/);
  });
});
