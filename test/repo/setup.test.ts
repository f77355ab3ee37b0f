import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {hostname, tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, before, beforeEach, describe, it} from 'mocha';
import {ROOT} from './tree.ts';

interface Lock {
  packages: Record<string, {version?: string; dependencies?: Record<string, string>; dev?: boolean}>;
}
interface Installed {
  isInstalled: (root: string, part?: Lock) => boolean;
}
interface CommandPart {
  commandPart: (root: string, lock: Lock) => {manifest: object; lock: Lock};
}
interface Npm {
  npmCommand: (
    args: string[],
    env: NodeJS.ProcessEnv,
  ) => {command: string; args: string[]; env: Record<string, string>};
}
interface SetupLock {
  underLock: (root: string, work: () => unknown, say?: (text: string) => void) => Promise<void>;
}

const otherSystem = process.platform === 'win32' ? 'linux' : 'win32';

describe('setup', () => {
  let folder: string;
  let isInstalled: Installed['isInstalled'];
  let npmCommand: Npm['npmCommand'];
  let underLock: SetupLock['underLock'];
  let commandPart: CommandPart['commandPart'];

  before(async () => {
    // A name that is only known at run time: these are plain scripts, without types.
    const load = (name: string): Promise<unknown> => import(`../../bin/setup/${name}.mjs`);
    ({isInstalled} = (await load('installed')) as Installed);
    ({npmCommand} = (await load('npm')) as Npm);
    ({underLock} = (await load('lock')) as SetupLock);
    ({commandPart} = (await load('command-part')) as CommandPart);
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'remit setup '));
  });
  afterEach(() => rmSync(folder, {recursive: true, force: true}));

  const write = (path: string, content: unknown): void =>
    writeFileSync(join(folder, path), JSON.stringify(content));

  describe('of packages', () => {
    const manifest = {name: 'a', scripts: {test: 'mocha'}, dependencies: {b: '1.0.0'}};
    const lock = {
      packages: {
        '': {dependencies: {b: '1.0.0'}},
        'node_modules/b': {version: '1.0.0'},
        'node_modules/c': {version: '2.0.0', optional: true, os: [otherSystem]},
      },
    };
    const installed = {packages: {'node_modules/b': {version: '1.0.0'}}};

    beforeEach(() => {
      mkdirSync(join(folder, 'node_modules'));
      write('package.json', manifest);
      write('package-lock.json', lock);
      write('node_modules/.package-lock.json', installed);
    });

    it('is done when everything that this system needs is there', () =>
      assert.equal(isInstalled(folder), true));

    it('is not done again when only scripts change', () => {
      write('package.json', {...manifest, scripts: {test: 'other'}, version: '9.9.9'});
      assert.equal(isInstalled(folder), true);
    });

    it('is done again when a version or a dependency changes', () => {
      write('package-lock.json', {packages: {...lock.packages, 'node_modules/b': {version: '1.0.1'}}});
      assert.equal(isInstalled(folder), false);
      write('package-lock.json', lock);
      write('package.json', {...manifest, devDependencies: {d: '1.0.0'}});
      assert.equal(isInstalled(folder), false);
    });

    it('is done again when a package of this system is missing', () => {
      const here = {version: '1.0.0', optional: true, os: [process.platform], cpu: [process.arch]};
      write('package-lock.json', {packages: {...lock.packages, 'node_modules/e': here}});
      assert.equal(isInstalled(folder), false);
    });

    it('is done again when an install did not get to its end', () => {
      rmSync(join(folder, 'node_modules/.package-lock.json'));
      assert.equal(isInstalled(folder), false);
      writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{"packages": {"node_modu');
      assert.equal(isInstalled(folder), false);
    });
  });

  describe('of the command alone', () => {
    const packages: Lock['packages'] = {
      '': {dependencies: {b: '1.0.0'}},
      'node_modules/b': {version: '1.0.0', dependencies: {d: '^1.0.0', gone: '1.0.0'}},
      'node_modules/b/node_modules/d': {version: '1.0.1'},
      'node_modules/c': {version: '2.0.0', dev: true},
      'node_modules/d': {version: '2.0.0', dev: true},
      'node_modules/@s/e': {version: '3.0.0', dev: true, dependencies: {d: '2.0.0'}},
      'node_modules/esbuild': {version: '4.0.0', dev: true},
    };
    const whole = (): Lock => {
      const devDependencies = {c: '2.0.0', '@s/e': '3.0.0', esbuild: '4.0.0'};
      return {packages: {...packages, '': {...packages[''], devDependencies} as object}};
    };
    const sources = (text: string) => {
      mkdirSync(join(folder, 'src', 'deep'), {recursive: true});
      writeFileSync(join(folder, 'src', 'deep', 'one.ts'), text);
      return commandPart(folder, whole()).lock.packages;
    };

    it('is what the sources import, the bundler, and what these require where Node finds it', () => {
      const part = sources(
        "import {b} from 'b';\nimport type {E} from '@s/e/types';\nimport {c} from './c.ts';\n",
      );
      assert.deepEqual(Object.keys(part).sort(), [
        '',
        'node_modules/@s/e',
        'node_modules/b',
        'node_modules/b/node_modules/d',
        'node_modules/d',
        'node_modules/esbuild',
      ]);
      assert.equal(part['node_modules/d']?.dev, undefined, 'npm ci would leave it out');
    });

    it('knows a package that is loaded at its first use', () =>
      assert.ok('node_modules/c' in sources("const c = await import('c');\n")));

    it('is installed when its packages are there, although others are not', () => {
      const lock = whole();
      const {dependencies, devDependencies} = lock.packages[''] as {
        dependencies: object;
        devDependencies: object;
      };
      write('package.json', {name: 'a', dependencies, devDependencies});
      write('package-lock.json', lock);
      sources("import {b} from 'b';\n");
      const part = commandPart(folder, lock).lock;
      mkdirSync(join(folder, 'node_modules'));
      write('node_modules/.package-lock.json', part);
      assert.deepEqual([isInstalled(folder), isInstalled(folder, part)], [false, true]);
      delete part.packages['node_modules/esbuild'];
      write('node_modules/.package-lock.json', part);
      assert.equal(isInstalled(folder, commandPart(folder, lock).lock), false);
    });

    it('is less than a half of the packages of this project, and has none of the test runner', () => {
      const all = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
      const part = Object.keys(commandPart(ROOT, all).lock.packages);
      for (const name of [
        '@oclif/core',
        'undici',
        'zod',
        'conf',
        'cli-table3',
        '@inquirer/prompts',
        'esbuild',
      ])
        assert.ok(part.includes(`node_modules/${name}`), name);
      for (const name of ['mocha', 'nock', 'typescript', 'eslint', 'prettier'])
        assert.ok(!part.includes(`node_modules/${name}`), name);
      assert.ok(part.length < Object.keys(all.packages).length / 2);
    });
  });

  describe('of a package', () => {
    it('builds before npm packs it', () => {
      copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
      mkdirSync(join(folder, 'bin'));
      const setup = `import {mkdirSync, writeFileSync} from 'node:fs';
        mkdirSync('dist');
        writeFileSync('dist/built.txt', process.argv.slice(2).join());`;
      writeFileSync(join(folder, 'bin', 'setup.mjs'), setup);
      const {stdout, stderr} = spawnSync('npm', ['pack', '--json'], {cwd: folder, encoding: 'utf8'});
      const [{files}] = JSON.parse(stdout || '[{"files": []}]') as [{files: {path: string}[]}];
      assert.ok(
        files.some(({path}) => path === 'dist/built.txt'),
        stderr,
      );
      assert.equal(readFileSync(join(folder, 'dist', 'built.txt'), 'utf8'), '--build');
    });
  });

  describe('of npm', () => {
    it('uses the npm that runs it, without its settings for scripts', () => {
      const env = {
        npm_execpath: '/opt/npm/bin/npm-cli.js',
        npm_config_registry: 'https://npm.example.com/',
        npm_config_ignore_scripts: 'false',
        npm_config_prefix: '/opt',
        npm_config_global: 'true',
        npm_config_omit: 'dev',
        npm_package_name: 'remit-cli',
        npm_lifecycle_event: 'test',
        PATH: '/bin',
      };
      assert.deepEqual(npmCommand(['ci'], env), {
        command: process.execPath,
        args: ['/opt/npm/bin/npm-cli.js', 'ci'],
        env: {npm_execpath: env.npm_execpath, npm_config_registry: env.npm_config_registry, PATH: '/bin'},
      });
    });

    it('finds npm by itself when something else runs it', () => {
      for (const env of [{PATH: '/bin'}, {PATH: '/bin', npm_execpath: '/opt/yarn/yarn.js'}])
        assert.equal(/^npm$|cmd/.test(npmCommand(['ci'], env).command), true);
    });
  });

  describe('of two at once', () => {
    const lockFile = () => join(folder, '.setup.lock');

    it('waits for the first, and says so once', async () => {
      const order: string[] = [];
      const said: string[] = [];
      let finish = (): void => {};
      const first = underLock(folder, () =>
        new Promise<void>((resolve) => (finish = resolve)).then(() => order.push('first')),
      );
      const second = underLock(
        folder,
        () => order.push('second'),
        (text) => said.push(text),
      );
      assert.equal(readFileSync(lockFile(), 'utf8'), `${process.pid} ${hostname()}`);
      finish();
      await Promise.all([first, second]);
      assert.deepEqual(order, ['first', 'second']);
      assert.deepEqual(said, ['Waiting for another set-up of this clone…']);
      assert.equal(existsSync(lockFile()), false);
    });

    it('does not wait for one that is dead', async () => {
      const {pid} = spawnSync(process.execPath, ['-e', '0']);
      writeFileSync(lockFile(), `${pid} ${hostname()}`);
      let ran = false;
      await underLock(folder, () => (ran = true));
      assert.equal(ran, true);
      assert.equal(existsSync(lockFile()), false);
    });

    it('gives the lock back when the work fails', async () => {
      await assert.rejects(
        underLock(folder, () => Promise.reject(new Error('no'))),
        /no/,
      );
      assert.equal(existsSync(lockFile()), false);
    });
  });

  it('says what to do when Node is too old', () => {
    const setup = join(ROOT, 'bin', 'setup.mjs');
    const old = `Object.defineProperty(process, 'versions', {value: {node: '18.19.0'}}); await import(${JSON.stringify(setup)});`;
    const result = spawnSync(process.execPath, ['--input-type=module', '-e', old], {encoding: 'utf8'});
    assert.equal(result.status, 1);
    assert.match(result.stderr, /^setup: Node 18\.19\.0 is too old: remit needs 20\.19/);
    assert.equal(result.stdout, '');
  });
});
