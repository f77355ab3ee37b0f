import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, type AddressInfo} from 'node:net';
import {runCommand} from '../../src/automation/run-command.ts';
import {RemitError} from '../../src/errors.ts';
import {stringOf} from '../../src/narrow.ts';

/** Runs a program in place of the command. */
const run = (script: string, more: Partial<Parameters<typeof runCommand>[0]> = {}) =>
  runCommand({
    args: ['payouts', 'batch', 'run'],
    env: {},
    program: [process.execPath, '-e', script, '--'],
    ...more,
  });

const failure = (error: object): string =>
  `console.error('a note'); console.error(JSON.stringify(${JSON.stringify({error})}));`;

describe('a command run from code', () => {
  it('resolves with its document and exit code', async () => {
    const script = `process.exitCode = 8; console.error('{"error":{}}'); console.log(JSON.stringify(process.argv.slice(1)))`;
    const {json, exitCode} = await run(script);
    assert.deepEqual(json, ['payouts', 'batch', 'run', '-o', 'json']);
    assert.equal(exitCode, 8);
  });

  it('gets its input, and a service and key that replace those of this process', async () => {
    process.env['REMIT_PROFILE'] = 'of-the-caller';
    try {
      const names = ['REMIT_PROFILE', 'REMIT_API_KEY', 'REMIT_BASE_URL', 'REMIT_SERVICE_FILE'];
      const script = `console.log(JSON.stringify([require('fs').readFileSync(0, 'utf8'), process.cwd(),
        ...${JSON.stringify(names)}.map((name) => process.env[name] ?? null)]))`;
      const {json} = await run(script, {stdin: 'rows', env: {REMIT_API_KEY: 'test_key'}});
      assert.deepEqual(json, ['rows', '/', null, 'test_key', null, null]);
    } finally {
      delete process.env['REMIT_PROFILE'];
    }
  });

  it('rejects with the error of the command', async () => {
    const facts = {code: 'GUARD_CONFIRM', message: 'other figures', hint: 'look', details: {rows: 3}};
    const printed = {...facts, http_status: null, exit_code: 11, retryable: false, request_id: 'req_1'};
    await assert.rejects(run(`${failure(printed)} process.exitCode = 11`), (error) => {
      assert.ok(error instanceof RemitError);
      const {code, message, hint, details, exitCode, requestId, httpStatus} = error;
      assert.deepEqual({code, message, hint, details}, facts);
      assert.deepEqual([exitCode, requestId, httpStatus], [11, 'req_1', undefined]);
      return true;
    });
  });

  it('rejects without hiding anything if there is neither a result nor an error', async () => {
    for (const script of [
      `console.log('{"half":'); console.error('trace'); process.exitCode = 12`,
      `console.error('trace'); process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)`,
    ])
      await assert.rejects(run(script), (error) => {
        assert.ok(error instanceof RemitError && error.code === 'STATE');
        assert.match(
          error.message,
          /^the command payouts batch run ended with exit code \d+ without a result$/,
        );
        assert.match(stringOf(error.details?.['stderr']), /trace/);
        return true;
      });
    await assert.rejects(run('', {program: ['/nowhere/remit']}), /cannot start \/nowhere\/remit/);
  });

  it('is not started with a NUL character, which no process can be given', async () => {
    for (const more of [{args: ['a\0b']}, {env: {REMIT_API_KEY: 'test_a\0'}}])
      await assert.rejects(run('', more), {name: 'RemitError', code: 'USAGE', message: /NUL character/});
  });

  it('is stopped by its signal as by Ctrl-C, and still reports', async () => {
    const stopping = new AbortController();
    const server = createServer(() => stopping.abort()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const {port} = server.address() as AddressInfo;
    const script = `const line = require('net').connect(${port}, '127.0.0.1');
      process.on('SIGINT', () => { console.log('{"state":"interrupted"}'); process.exit(130); });`;
    const {json, exitCode} = await run(script, {signal: stopping.signal});
    assert.deepEqual({json, exitCode}, {json: {state: 'interrupted'}, exitCode: 130});
    await assert.rejects(run(script, {signal: stopping.signal}), {code: 'INTERRUPTED'}); // it does not even start
    server.close();
  });
});
