import {readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';

const IMPORTED = /\b(?:from|import) ?\(?'((?:@[^/']+\/)?[^./'][^/']*)(?:\/[^']*)?'/g;
const BUNDLER = 'esbuild';

/**
 * What is needed to build the command: the packages that the sources import, the bundler, and all that these require.
 * They are a quarter of what the lock file lists; the rest is for tests, types and the linter.
 * @param lock the content of package-lock.json
 * @returns {{manifest: object, lock: object}} for a folder in which `npm ci` installs just these, at the same paths
 */
export function commandPart(root, lock) {
  const {dependencies = {}, devDependencies = {}} = lock.packages[''];
  const known = {...dependencies, ...devDependencies};
  const imported = importedUnder(join(root, 'src')).add(BUNDLER);
  const direct = Object.fromEntries(Object.entries(known).filter(([name]) => imported.has(name)));
  const manifest = {name: 'remit-command', version: '0.0.0', private: true, dependencies: direct};
  const packages = {'': manifest, ...withRequired(Object.keys(direct), lock.packages)};
  return {manifest, lock: {...lock, name: manifest.name, version: manifest.version, packages}};
}

function importedUnder(folder) {
  const names = new Set();
  for (const entry of readdirSync(folder, {recursive: true, withFileTypes: true})) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    for (const [, name] of text.matchAll(IMPORTED)) names.add(name);
  }
  return names;
}

function withRequired(names, all) {
  const found = {};
  const waiting = names.map((name) => `node_modules/${name}`);
  for (const path of waiting) {
    if (path === undefined || path in found) continue;
    const entry = {...all[path]};
    delete entry.dev;
    found[path] = entry;
    for (const name of Object.keys({...entry.dependencies, ...entry.optionalDependencies}))
      waiting.push(pathOf(name, path, all));
  }
  return found;
}

/** Where Node finds a package that another one requires: beside it, or in a folder further up. */
function pathOf(name, from, all) {
  for (let at = from; ; at = at.slice(0, at.lastIndexOf('node_modules/')).replace(/\/$/, '')) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (path in all) return path;
    if (at === '') return undefined; // an optional one of another system
  }
}
