import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {filesUnder, readJson} from './tree.ts';

interface Manifest {
  version: string;
  commands: Record<string, {flags: Record<string, unknown>; args: Record<string, unknown>}>;
}

const REMEDY = 'npm run build, and commit .oclif.manifest.json';

describe('the command manifest', () => {
  const manifest = readJson('.oclif.manifest.json') as Manifest;
  const files = filesUnder('src/commands');
  const idOf = (path: string): string =>
    path
      .replace(/^src\/commands\//, '')
      .replace(/\.ts$/, '')
      .replaceAll('/', ':');

  it('has a command for every file of src/commands, and no other', () => {
    assert.deepEqual(Object.keys(manifest.commands).sort(), files.map(idOf).sort(), REMEDY);
  });

  it('is of the version of package.json', () => {
    assert.equal(manifest.version, (readJson('package.json') as {version: string}).version, REMEDY);
  });

  it('knows the flags and arguments of every command', async () => {
    for (const path of files) {
      const {default: command} = (await import(`../../${path}`)) as {
        default: {flags?: Record<string, {helpGroup?: string}>; args?: Record<string, unknown>};
      };
      const own = Object.entries(command.flags ?? {}).filter(([, flag]) => flag.helpGroup !== 'GLOBAL');
      const known = manifest.commands[idOf(path)];
      assert.deepEqual(
        Object.keys(known?.flags ?? {}).sort(),
        own.map(([name]) => name).sort(),
        `${path}: ${REMEDY}`,
      );
      assert.deepEqual(Object.keys(known?.args ?? {}), Object.keys(command.args ?? {}), `${path}: ${REMEDY}`);
    }
  });
});
