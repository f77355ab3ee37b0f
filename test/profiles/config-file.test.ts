import {userInfo} from 'node:os';
import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, readdirSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {RemitError} from '../../src/errors.ts';
import {parseConfig, readConfig} from '../../src/profiles/config-file.ts';
import {configDir, homeFolder, stateDir} from '../../src/profiles/folders.ts';

const profile = {base_url: 'https://a.example.com', key: {stored: 'test_aaaaaaaaaaaa'}, mode: 'test'};
const scratch = () => mkdtempSync(join(tmpdir(), 'remit-config-'));

describe('the config file', () => {
  it('is at the place that the environment names', () => {
    assert.equal(configDir({REMIT_CONFIG_DIR: '/c'}, '/h'), '/c');
    assert.equal(configDir({XDG_CONFIG_HOME: '/x'}, '/h'), '/x/remit');
    assert.equal(configDir({REMIT_CONFIG_DIR: '', XDG_CONFIG_HOME: ''}, '/h'), '/h/.config/remit');
    assert.equal(stateDir({REMIT_STATE_DIR: '/s'}, '/h'), '/s');
    assert.equal(stateDir({XDG_STATE_HOME: '/x'}, '/h'), '/x/remit');
    assert.equal(stateDir({}, '/h'), '/h/.local/state/remit');
  });

  it('are never in the working folder', () => {
    assert.equal(configDir({XDG_CONFIG_HOME: '.config'}, '/h'), '/h/.config/remit');
    assert.equal(stateDir({XDG_STATE_HOME: 'state'}, '/h'), '/h/.local/state/remit');
    for (const name of ['REMIT_CONFIG_DIR', 'REMIT_STATE_DIR'])
      assert.throws(
        () => (name === 'REMIT_STATE_DIR' ? stateDir : configDir)({[name]: 'here'}, '/h'),
        new RegExp(`${name} is "here", not an absolute path`),
      );
    const {homedir: known} = userInfo();
    for (const HOME of ['', '.', 'home']) assert.equal(homeFolder({HOME}), known);
    assert.equal(homeFolder({HOME: '/h'}), '/h');
  });

  it('is empty if there is no file, and reading creates nothing', () => {
    const dir = join(scratch(), 'none');
    assert.deepEqual(readConfig(dir), {version: 1, profiles: {}});
    assert.throws(() => statSync(dir), /ENOENT/);
  });

  it('is not empty if it is a link to a file that is gone, such as one on another disk', () => {
    const dir = scratch();
    symlinkSync(join(dir, 'gone.json'), join(dir, 'config.json'));
    assert.throws(() => readConfig(dir), {
      code: 'STATE',
      message: /is a link to a file that does not exist$/,
    });
  });

  it('is not touched by reading', () => {
    const dir = scratch();
    const path = join(dir, 'config.json');
    writeFileSync(path, JSON.stringify({version: 1, profiles: {a: profile}}), {mode: 0o644});
    const before = statSync(path, {bigint: true});
    readConfig(dir);
    const after = statSync(path, {bigint: true});
    assert.deepEqual([after.mtimeNs, after.ino, after.mode], [before.mtimeNs, before.ino, before.mode]);
    assert.deepEqual(readdirSync(dir), ['config.json']);
  });

  it('may be without profiles and without a default', () => {
    assert.deepEqual(parseConfig('{"version":1}', '/c/config.json'), {version: 1, profiles: {}});
    const full = {
      version: 1,
      default: 'a',
      profiles: {a: {...profile, service: {keys: {format: 'uuid'}}}},
    };
    assert.deepEqual(parseConfig(JSON.stringify(full), '/c/config.json'), full);
  });

  it('of an earlier version has its routes and fields read as a service file', () => {
    const overrides = {
      operations: {
        'payouts.create': {method: 'POST', path: '/v2/payouts'},
        'payees.list': {path: '/v2/payees'},
      },
      fields: {'payouts.create.metadata': 'payout_metadata', 'moves.create.amount_in_minor_units': 'amount'},
    };
    const text = JSON.stringify({version: 1, profiles: {a: {...profile, overrides}}});
    assert.deepEqual(parseConfig(text, '/c/config.json').profiles['a'], {
      ...profile,
      service: {
        routes: {'payouts.create': 'POST /v2/payouts', 'payees.list': 'GET /v2/payees'},
        fields: {
          'payouts.create': {metadata: 'payout_metadata'},
          'moves.create': {amount_in_minor_units: 'amount'},
        },
        units: {'moves.amount_in_minor_units': 'minor'},
      },
    });
  });

  it('cannot be a folder', () => {
    const dir = scratch();
    mkdirSync(join(dir, 'config.json'));
    assert.throws(
      () => readConfig(dir),
      (error: RemitError) => error.code === 'STATE' && error.exitCode === 13,
    );
  });

  for (const [title, text, says] of [
    ['cut off', '{"version":1,"profiles":{"a":{"key":{"stored":"test_secretsecret', /is not JSON/],
    ['a list', '[]', /does not contain an object/],
    ['of another version', '{"version":2}', /version that this remit does not know/],
    ['with profiles that are a list', '{"version":1,"profiles":[]}', /"profiles" that is not an object/],
    [
      'with a profile that is empty',
      JSON.stringify({version: 1, profiles: {a: null}}),
      /a profile "a" that is not an object/,
    ],
    [
      'with a cap on rails that is not a list',
      JSON.stringify({version: 1, profiles: {a: {...profile, caps: {rails: 'wire'}}}}),
      /cap "rails"/,
    ],
    [
      'with a cap on rails that are not text',
      JSON.stringify({version: 1, profiles: {a: {...profile, caps: {rails: ['wire', 1]}}}}),
      /cap "rails"/,
    ],
    [
      'with another cap that is a list of text',
      JSON.stringify({version: 1, profiles: {a: {...profile, caps: {max_batch_rows: ['wire']}}}}),
      /cap "max_batch_rows"/,
    ],
    ['with an invalid name', JSON.stringify({version: 1, profiles: {'../x': profile}}), /invalid name/],
    [
      'without a base URL',
      JSON.stringify({version: 1, profiles: {a: {...profile, base_url: 1}}}),
      /without a base_url/,
    ],
    [
      'with a strange mode',
      JSON.stringify({version: 1, profiles: {a: {...profile, mode: 'prod'}}}),
      /neither test nor live/,
    ],
    [
      'with two key sources',
      JSON.stringify({version: 1, profiles: {a: {...profile, key: {stored: 'x', command: 'y'}}}}),
      /exactly one source/,
    ],
    [
      'with an unknown key source',
      JSON.stringify({version: 1, profiles: {a: {...profile, key: {vault: 'x'}}}}),
      /no known source/,
    ],
    [
      'with a cap that cannot be read',
      JSON.stringify({version: 1, profiles: {a: {...profile, caps: {max_amount_minor: {USD: '5'}}}}}),
      /cap "max_amount_minor"/,
    ],
    [
      'with an unknown cap',
      JSON.stringify({version: 1, profiles: {a: {...profile, caps: {max_amount: {USD: 5}}}}}),
      /cap "max_amount"/,
    ],
    [
      'with a guard under another name',
      JSON.stringify({version: 1, profiles: {a: {...profile, readonly: true}}}),
      /setting "readonly" that this remit does not know/,
    ],
    [
      'with a cap for no currency',
      JSON.stringify({version: 1, profiles: {a: {...profile, caps: {max_amount_minor: {usd: 5}}}}}),
      /cap "max_amount_minor"/,
    ],
    [
      'with overrides of another kind',
      JSON.stringify({version: 1, profiles: {a: {...profile, overrides: {routes: {}}}}}),
      /overrides/,
    ],
    [
      'with overrides of which one part is unknown',
      JSON.stringify({version: 1, profiles: {a: {...profile, overrides: {operations: {}, routes: {}}}}}),
      /overrides/,
    ],
    [
      'with a service that is no object',
      JSON.stringify({version: 1, profiles: {a: {...profile, service: 'x.json'}}}),
      /service/,
    ],
    [
      'with a doubtful read_only',
      JSON.stringify({version: 1, profiles: {a: {...profile, read_only: 'yes'}}}),
      /read_only/,
    ],
  ] as const) {
    it(`${title} is refused as damaged, naming the file and no key`, () => {
      assert.throws(
        () => parseConfig(text, '/c/config.json'),
        (error: RemitError) => {
          assert.equal(error.code, 'STATE_DAMAGED');
          assert.equal(error.exitCode, 13);
          assert.match(error.message, /^\/c\/config\.json /);
          assert.match(error.message, says);
          assert.doesNotMatch(error.message, /test_/);
          return true;
        },
      );
    });
  }
});
