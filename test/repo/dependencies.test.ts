import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {tableRows} from './markdown.ts';
import {readJson, readText} from './tree.ts';

const PAGE = 'docs/internals/adr/0007-dependencies.md';

describe('dependencies', () => {
  it('each have their row, version and licence in the page of decisions, and no other has', () => {
    const {dependencies, devDependencies} = readJson('package.json') as Record<
      string,
      Record<string, string>
    >;
    const {packages} = readJson('package-lock.json') as {packages: Record<string, {license?: string}>};
    const used = Object.entries({...dependencies, ...devDependencies})
      .map(([name, version]) => `${name} ${version} ${packages[`node_modules/${name}`]?.license}`)
      .sort();
    const documented = tableRows(readText(PAGE))
      .map(({cells}) => cells.slice(0, 3).join(' '))
      .sort();
    assert.deepEqual(documented, used, `correct ${PAGE} or package.json`);
  });
});
