import assert from 'node:assert/strict';
import {LiveSandbox} from './live-sandbox.ts';

describe('sandbox open', () => {
  let sandbox: LiveSandbox;
  before(async () => {
    sandbox = new LiveSandbox();
    await sandbox.start(['--fresh']);
  });
  after(async () => {
    await sandbox.run(['sandbox', 'stop', '-o', 'json']);
    const {stdout, stderr} = await sandbox.ended();
    const link = /^ {2}page {6}(http:\/\/127\.0\.0\.1:\d+\/\?open=\S+)$/m.exec(stdout)?.[1];
    assert.ok(link, `no link in ${stdout}`);
    assert.match(stderr, /Hint: remit sandbox seed/);
  });

  const opens = async (url: string) => (await fetch(url, {redirect: 'manual'})).status;

  it('prints a link that opens the page once', async () => {
    const {stdout, stderr, exitCode} = await sandbox.run(['sandbox', 'open']);
    assert.equal(exitCode, 0);
    assert.match(stdout, /^http:\/\/127\.0\.0\.1:\d+\/\?open=[\w-]{32}\n$/);
    assert.match(stderr, /once/);
    assert.deepEqual([await opens(stdout.trim()), await opens(stdout.trim())], [303, 403]);
  });

  it('gives machines the link and its end', async () => {
    const made = (await sandbox.run(['sandbox', 'open', '-o', 'json'])).json() as Record<string, string>;
    assert.deepEqual(Object.keys(made), ['url', 'expires_at']);
    assert.ok(Date.parse(made['expires_at']!) > Date.now());
    assert.equal(await opens(made['url']!), 303);
  });

  it('says when no sandbox is running', async () => {
    const result = await new LiveSandbox().run(['sandbox', 'open', '-o', 'json']);
    assert.deepEqual([result.exitCode, result.error().code], [13, 'NOT_RUNNING']);
  });
});
