import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {LocalContext} from '../../../../src/cli/core/context.ts';
import {FreshSecrets} from '../../../../src/cli/webhooks/listen/fresh-secrets.ts';
import {givenNamedSecrets} from '../../../../src/cli/webhooks/secrets.ts';
import {RecordingClock} from '../../../client/recording-clock.ts';
import {scratch} from '../../run-cli.ts';

describe('secrets of a running listener', () => {
  function place(first = 'one\n') {
    const cwd = scratch();
    const file = join(cwd, 'hook.secret');
    writeFileSync(file, first, {mode: 0o600});
    const clock = new RecordingClock();
    const warned: string[] = [];
    const concealed: string[] = [];
    const sanitizer = {conceal: (secret: string) => concealed.push(secret)};
    const out = {warn: (text: string) => warned.push(text), sanitizer};
    const local = {clock, out, runtime: {cwd, env: {}}} as unknown as LocalContext; // only these are used
    const flags = {'secret-from': ['hook.secret'], 'secret-encoding': 'utf8' as const};
    const seen: unknown[] = [];
    const fresh = new FreshSecrets(local, flags, givenNamedSecrets(local, flags), (now, before) =>
      seen.push([now.map(({value}) => value), before]),
    );
    return {file, clock, warned, concealed, seen, fresh};
  }

  it('are read again once their file has changed, and masked', () => {
    const {file, clock, seen, concealed, fresh} = place();
    assert.equal(fresh.read(), false, 'nothing has changed');
    writeFileSync(file, 'one\ntwo\n');
    assert.equal(fresh.read(), false, 'at most once a second');
    clock.advance(1000);
    assert.equal(fresh.read(), true);
    clock.advance(1000);
    assert.equal(fresh.read(), false);
    assert.deepEqual(seen, [[['one', 'two'], ['one']]]);
    assert.ok(concealed.includes('two'));
  });

  it('stay in use while their file is empty, missing or a pipe', () => {
    const {file, clock, warned, seen, fresh} = place();
    const again = () => {
      clock.advance(1000);
      return fresh.read();
    };
    writeFileSync(file, '');
    assert.equal(again(), false);
    assert.match(warned.join(), /hook\.secret is empty; the secrets that were read before stay in use$/);
    rmSync(file);
    assert.equal(again(), false);
    execFileSync('mkfifo', [file]);
    assert.equal(again(), false, 'reading it would wait forever');
    rmSync(file);
    writeFileSync(file, 'three\n', {mode: 0o600});
    assert.equal(again(), true);
    assert.deepEqual([seen, warned.length], [[[['three'], ['one']]], 1]);
  });
});
