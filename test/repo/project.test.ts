import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {LONG, SHORT, testFile} from '../sandbox/test-files.ts';
import {filesUnder, readJson, readText} from './tree.ts';

const none = (findings: readonly string[]): void => assert.equal(findings.join('\n'), '');

const FOLDERS = ['bin', 'docs', 'src', 'test'];
/** Names that begin with a dot are a matter of taste and tools; the others are few and known. */
const FILES = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'eslint.config.js',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
];

interface LockedPackage {
  version?: string;
  resolved?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
}

/** Packages that work without their install script, and so may be locked with one: why. */
const SCRIPT_NOT_NEEDED: Record<string, string> = {
  'node_modules/esbuild': 'the script only shortens its start',
  'node_modules/fsevents': 'macOS only, optional, never loaded by a test run',
};

function lockFindings(packages: Record<string, LockedPackage>): string[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const wrong: string[] = [];
    if (entry.resolved !== undefined) wrong.push(`${path} names a registry (resolved)`);
    if (entry.hasInstallScript && !entry.dev) wrong.push(`${path} would need an install script for users`);
    else if (entry.hasInstallScript && !(path in SCRIPT_NOT_NEEDED))
      wrong.push(`${path} has an install script`);
    return wrong;
  });
}

/** Folders that exist only on one person's machine. */
const MACHINE_PATH = /(?<![\w.~}/-])\/(?:root|work|Users|home)\/[\w.-]+|[A-Z]:\\Users\\/;
const machinePaths = (path: string, text: string): string[] =>
  text
    .split('\n')
    .flatMap((line, index) => (MACHINE_PATH.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : []));

describe('the project', () => {
  it('has the agreed top level', () => {
    const top = [...new Set(filesUnder().map((path) => path.split('/')[0]!))].filter(
      (name) => !name.startsWith('.'),
    );
    const files = filesUnder().filter((path) => !path.includes('/') && !path.startsWith('.'));
    assert.deepEqual(
      top.filter((name) => !files.includes(name)),
      FOLDERS,
    );
    assert.deepEqual(files, FILES);
  });

  it('mirrors src in test', () => {
    const areas = new Set(filesUnder('src').map((path) => path.split('/')[1]!.replace(/\.ts$/, '')));
    // These test the project, the built tool, speed, a simulated machine, the interface document, the page, the tests.
    const extra = ['repo', 'smoke', 'bench', 'sim', 'conformance', 'browser', 'mutation'];
    const tested = new Set(
      filesUnder('test').map((path) => path.split('/')[1]!.replace(/(\.test)?\.[cm]?ts$/, '')),
    );
    none(
      [...tested]
        .filter((name) => !areas.has(name) && !extra.includes(name))
        .map((name) => `test/${name} mirrors nothing`),
    );
  });

  it('locks no registry address and no install script that anybody needs', () => {
    const {packages} = readJson('package-lock.json') as {packages: Record<string, LockedPackage>};
    none(lockFindings(packages));
    assert.equal(
      lockFindings({
        'node_modules/a': {resolved: 'https://registry.example/a.tgz'},
        'node_modules/b': {hasInstallScript: true},
        'node_modules/c': {hasInstallScript: true, dev: true},
        'node_modules/esbuild': {hasInstallScript: true, dev: true},
      }).length,
      3,
    );
  });

  it('pins every dependency to one version', () => {
    const manifest = readJson('package.json') as Record<string, Record<string, string>>;
    const loose = Object.entries({...manifest.dependencies, ...manifest.devDependencies}).filter(
      ([, version]) => !/^(npm:[a-z]+@)?\d+\.\d+\.\d+$/.test(version),
    );
    none(loose.map(([name, version]) => `${name} ${version}`));
  });

  it('sets itself up before the scripts that a fresh clone begins with', () => {
    const {scripts} = readJson('package.json') as {scripts: Record<string, string>};
    for (const name of ['demo', 'test', 'test:fast', 'build', 'lint', 'types', 'generate', 'conformance'])
      assert.match(scripts[`pre${name}`] ?? scripts[name]!, /^node bin\/setup\.mjs/, name);
  });

  it('has every test that a script runs by name', () => {
    for (const name of [...LONG, ...SHORT]) assert.ok(testFile(name), name);
    assert.throws(() => testFile('no-such'), /0 files/);
    const named = readText('package.json').match(/\b(?:test|bin)\/[\w./-]+\.[cm]?[jt]s\b/g) ?? [];
    assert.ok(named.length > 20);
    const all = new Set(filesUnder());
    none(named.filter((path) => !all.has(path)));
  });

  it('names no folder of a machine', () => {
    const text = /\.(md|[cm]?[jt]s|json|ya?ml|csv|txt)$|^\.[^/]+$|^\.ci\//;
    none(
      filesUnder()
        .filter((path) => text.test(path))
        .flatMap((path) => machinePaths(path, readText(path))),
    );
    const [home, users] = ['home', 'Users']; // put together here, so that this file passes its own check
    assert.equal(machinePaths('a.md', `see /${home}/someone/notes.txt`).length, 1);
    assert.equal(machinePaths('a.ts', `const a = '/${users}/someone';`).length, 1);
    assert.equal(machinePaths('a.md', `GET /api/${home}/x and ~/${home}/x`).length, 0);
  });

  it('names no flag that --accept replaced', () => {
    const replaced = [
      ...['allow duplicates', 'allow similar', 'allow paid-elsewhere', 'allow cut-input'],
      ...['accept differences', 'accept key-trust', 'release rest', 'trust refusals'],
    ].map((words) => words.replace(' ', '-')); // put together here, so that this file passes its own check
    const using = (path: string, text: string) =>
      replaced.filter((name) => text.includes(name)).map((name) => `${path} names ${name}: write --accept`);
    const text = /\.(md|[cm]?[jt]s|json)$/;
    none(
      filesUnder()
        .filter((path) => text.test(path))
        .flatMap((path) => using(path, readText(path))),
    );
    assert.equal(using('a.md', `run with --${replaced[0]} 2 or --${replaced.at(-1)}`).length, 2);
  });
});
