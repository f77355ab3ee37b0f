import assert from 'node:assert/strict';
import {statSync} from 'node:fs';
import {configPath, readConfig} from '../../../../src/profiles/config-file.ts';
import {writeProfile} from '../../../../src/cli/sandbox/start/profile.ts';
import {scratch} from '../../run-cli.ts';

describe('the profile of a sandbox that starts', () => {
  const configDir = scratch();
  const running = {baseUrl: 'http://127.0.0.1:4010', testKey: 'test_sandbox_0123456789abcdef'};
  const file = () => statSync(configPath(configDir)).ino;

  it('is written, and is the default', async () => {
    assert.equal(await writeProfile({configDir}, running), true);
    const {default: chosen, profiles} = readConfig(configDir);
    assert.equal(chosen, 'sandbox');
    assert.equal(profiles['sandbox']?.base_url, running.baseUrl);
  });

  it('is not written again while it stays the same', async () => {
    const before = file();
    assert.equal(await writeProfile({configDir}, running), true);
    assert.equal(file(), before);
    await writeProfile({configDir}, {...running, baseUrl: 'http://127.0.0.1:4011'});
    assert.notEqual(file(), before);
    assert.equal(readConfig(configDir).profiles['sandbox']?.base_url, 'http://127.0.0.1:4011');
  });
});
