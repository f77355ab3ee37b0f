import assert from 'node:assert/strict';
import {once} from 'node:events';
import {mkdtempSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {runRemit} from '../../../src/cli/demo/child.ts';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {portOf} from '../../../src/narrow.ts';

describe('a command of the demo', () => {
  /** Runs a program in place of remit, which connects when it runs, and ends with 0 when the connection is closed. */
  const endAfter = async (name: 'SIGINT' | 'SIGTERM'): Promise<number | 'SIGKILL'> => {
    const stop = new Stop(() => assert.fail('the grace period ended'));
    const server = createServer((socket) => {
      stop.receive(name);
      if (name === 'SIGINT') socket.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const script = join(mkdtempSync(join(tmpdir(), 'demo-')), 'remit.cjs');
    writeFileSync(
      script,
      `process.on('SIGTERM', () => process.exit(143));
      require('node:net').connect(${portOf(server)}, '127.0.0.1').resume().on('end', () => process.exit(0));`,
    );
    const {argv} = process;
    process.argv = [argv[0]!, script];
    try {
      return await runRemit([], {quiet: true, env: {}, stop});
    } finally {
      process.argv = argv;
      stop.release();
      server.close();
    }
  };

  it('ends with the demo when the demo is terminated', async () =>
    assert.equal(await endAfter('SIGTERM'), 143));

  it('gets no second signal after Ctrl-C, which a terminal sends to both', async () =>
    assert.equal(await endAfter('SIGINT'), 0));
});
