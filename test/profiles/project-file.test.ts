import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {RemitError} from '../../src/errors.ts';
import {findProjectFile, parseProjectFile} from '../../src/profiles/project-file.ts';

const scratch = () => mkdtempSync(join(tmpdir(), 'remit-project-'));

describe('the project file', () => {
  it('is the nearest one at or above the working folder', () => {
    const top = scratch();
    const below = join(top, 'a', 'b');
    mkdirSync(below, {recursive: true});
    writeFileSync(join(top, '.remit.json'), '{"profile":"top"}');
    assert.equal(findProjectFile(below, undefined, {})?.profile, 'top');
    writeFileSync(join(top, 'a', '.remit.json'), '{"profile":"near"}');
    assert.deepEqual(findProjectFile(below, undefined, {}), {
      profile: 'near',
      path: join(top, 'a', '.remit.json'),
    });
  });

  it('is found above a path that leads through a file', () => {
    const top = scratch();
    writeFileSync(join(top, '.remit.json'), '{"profile":"top"}');
    writeFileSync(join(top, 'file'), '');
    assert.equal(findProjectFile(join(top, 'file', 'below'), undefined, {})?.profile, 'top');
  });

  it('may name a profile and output settings', () => {
    const settings = {profile: 'p', output: 'json', fields: 'id', color: false};
    assert.deepEqual(parseProjectFile(JSON.stringify(settings), '/p'), {...settings, path: '/p'});
  });

  for (const name of [
    'key',
    'api_key',
    'base_url',
    'key_command',
    'live',
    'yes',
    'overrides',
    'service',
    'routes',
    'path',
  ]) {
    it(`may not set ${name}`, () => {
      assert.throws(
        () => parseProjectFile(JSON.stringify({[name]: 'x'}), '/p/.remit.json'),
        (error: RemitError) =>
          error.code === 'USAGE' && error.message === `/p/.remit.json may not set "${name}"`,
      );
    });
  }

  for (const text of ['', 'null', '[]', '{"profile":7}', '{']) {
    it(`is refused as damaged when it is ${text || 'empty'}`, () => {
      assert.throws(
        () => parseProjectFile(text, '/p'),
        (error: RemitError) => error.code === 'STATE_DAMAGED',
      );
    });
  }
});
