import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {
  existsSync,
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {before, beforeEach, describe, it} from 'mocha';
import {cleanEnv, spawnCli} from './spawn-cli.ts';

describe('the code cache', () => {
  let cacheHome: string;
  beforeEach(() => {
    cacheHome = mkdtempSync(join(tmpdir(), 'remit-cache-'));
  });
  const folder = () => join(cacheHome, 'remit');
  const file = () => join(folder(), readdirSync(folder()).sort()[0]!);
  /** Takes a file away, and names where it is now. */
  const moved = (path: string) => {
    const elsewhere = join(cacheHome, 'elsewhere');
    renameSync(path, elsewhere);
    return elsewhere;
  };
  /** The commands that have caches, one for each part of the bundle that they load. */
  const commands = () =>
    readdirSync(folder())
      .map((name) => /^code-[0-9a-f]{32}-v[\d.]+-\w+-([\w.-]+)\.bin$/.exec(name)?.[1] ?? name)
      .sort();
  const remit = async (line: string, env: Record<string, string> = {}) => {
    const ran = await spawnCli(line.split(' '), cleanEnv({XDG_CACHE_HOME: cacheHome, ...env}));
    assert.deepEqual([ran.code, ran.stderr], [0, ''], line);
    return ran.stdout;
  };

  const LINE = 'help exit-codes';
  let kept: string;
  let expected: string;
  before(async () => {
    kept = mkdtempSync(join(tmpdir(), 'remit-cache-kept-'));
    expected = await remit(LINE, {XDG_CACHE_HOME: kept});
  });
  /** The cache as that command has left it. */
  const fill = () => cpSync(join(kept, 'remit'), folder(), {recursive: true});

  it('is written for the owner only, once for each command', async () => {
    await remit('profiles list -q');
    assert.deepEqual([statSync(folder()).mode & 0o777, statSync(file()).mode & 0o777], [0o700, 0o600]);
    assert.deepEqual(commands(), ['profiles.list']);
    const own = file();
    const first = statSync(own, {bigint: true}).mtimeNs;
    await remit('profiles list -q');
    await remit(LINE);
    await remit('whoami --help');
    assert.equal(statSync(own, {bigint: true}).mtimeNs, first, 'other commands add nothing to it');
    assert.deepEqual(commands(), ['help', 'help', 'profiles.list']);
  });

  it('is written again by the first run that succeeds', async () => {
    const env = cleanEnv({XDG_CACHE_HOME: cacheHome});
    assert.equal((await spawnCli(['profiles', 'list', '-o', 'wrong'], env)).code, 2);
    // The parts that the run that succeeds loads; the other run loaded one more, to report the wrong flag.
    const whole = () =>
      readdirSync(folder())
        .sort()
        .map((name) => [name, readFileSync(join(folder(), name))] as const)
        .filter(([, bytes]) => bytes[4] === 1);
    assert.deepEqual(whole(), []);
    await remit('profiles list -q');
    const written = whole();
    assert.notDeepEqual(written, []);
    assert.equal((await spawnCli(['profiles', 'list', '-o', 'wrong'], env)).code, 2);
    assert.deepEqual(whole(), written);
  });

  it('has a file for each part of the bundle that the command runs', async () => {
    await remit('payouts batch list -q');
    assert.deepEqual(commands(), ['payouts.batch.list', 'payouts.batch.list']);
  });

  it('is not written by --version', async () => {
    await remit('--version');
    assert.throws(() => statSync(folder()));
  });

  for (const [title, damage] of [
    ['a flipped bit at its end', (bytes: Buffer) => (bytes[bytes.length - 100]! ^= 1)],
    ['a flipped bit in its middle', (bytes: Buffer) => (bytes[bytes.length >> 1]! ^= 4)],
    ['a flipped bit in its head', (bytes: Buffer) => (bytes[5]! ^= 1)],
    ['zeros', (bytes: Buffer) => bytes.fill(0)],
  ] as const) {
    it(`does no harm with ${title}, and is made again`, async () => {
      fill();
      const bytes = readFileSync(file());
      damage(bytes);
      writeFileSync(file(), bytes);
      assert.equal(await remit(LINE), expected);
      assert.notDeepEqual(readFileSync(file()), bytes);
      assert.equal(await remit(LINE), expected);
    });
  }

  /** Damages the file, and gives it the times that it had. */
  const damageUnseen = (): Buffer => {
    const {atime, mtime} = statSync(file());
    const bytes = readFileSync(file());
    bytes[bytes.length >> 1]! ^= 4;
    writeFileSync(file(), bytes);
    utimesSync(file(), atime, mtime);
    return bytes;
  };

  it('is checked at each start, so that damage which leaves no new time does no harm either', async () => {
    fill();
    assert.equal(await remit(LINE), expected);
    const bytes = damageUnseen();
    assert.equal(await remit(LINE), expected);
    assert.notDeepEqual(readFileSync(file()), bytes);
  });

  it('is checked without a warning, and also where Node refuses its own checksum', async () => {
    const preload = join(cacheHome, 'preload.cjs');
    const report = join(cacheHome, 'modules');
    writeFileSync(
      preload,
      `if (process.env.REFUSE) process.binding = () => { throw new Error('refused'); };
process.on('exit', () => require('node:fs').writeFileSync(process.env.REPORT, process.moduleLoadList.join()));`,
    );
    const loadsZlib = async (env: Record<string, string>) => {
      const options = {NODE_OPTIONS: `--require=${preload}`, REPORT: report};
      assert.equal(await remit(LINE, {...options, ...env}), expected);
      return readFileSync(report, 'utf8').includes('NativeModule zlib');
    };
    fill();
    assert.equal(await loadsZlib({NODE_PENDING_DEPRECATION: '1'}), false);
    const bytes = damageUnseen();
    assert.equal(await loadsZlib({REFUSE: '1'}), true);
    assert.notDeepEqual(readFileSync(file()), bytes);
  });

  const isRoot = process.getuid?.() === 0;
  const NOBODY = 65_534;
  /** Only root can give files away. */
  const foreign = (which: (path: string) => string) =>
    ['belongs to another user', (path: string) => chownSync(which(path), NOBODY, NOBODY)] as const;

  for (const [title, loosen] of [
    ['others can write to', (path: string) => chmodSync(path, 0o622)],
    ['its group can write to', (path: string) => chmodSync(path, 0o620)],
    ['is a link', (path: string) => symlinkSync(moved(path), path)],
    ['is a pipe', (path: string) => void (moved(path), execFileSync('mkfifo', [path]))],
    ...(isRoot ? [foreign((path) => path)] : []),
  ] as const)
    it(`does not run a file that ${title}, and replaces it`, async () => {
      fill();
      const path = file();
      loosen(path);
      assert.equal(await remit(LINE), expected);
      const after = lstatSync(path);
      assert.deepEqual([after.isFile(), after.mode & 0o777, after.uid], [true, 0o600, process.getuid!()]);
    });

  for (const [title, loosen] of [
    ['others can write to', () => chmodSync(folder(), 0o777)],
    ...(isRoot ? [foreign(folder)] : []),
  ] as const)
    it(`neither reads nor writes in a folder that ${title}`, async () => {
      fill();
      loosen(folder());
      await remit('profiles list -q'); // in a trusted folder it would be added
      assert.deepEqual(commands(), ['help', 'help']);
    });

  for (const length of [0, 3, 5, 1000])
    it(`does no harm cut to ${length} bytes`, async () => {
      fill();
      writeFileSync(file(), readFileSync(file()).subarray(0, length));
      assert.equal(await remit(LINE), expected);
    });

  it('is done without where it cannot be written', async function () {
    if (process.getuid?.() !== 0) {
      mkdirSync(folder());
      chmodSync(folder(), 0o500);
      await remit(LINE);
    }
    for (const XDG_CACHE_HOME of [
      '/proc/remit',
      '/dev/null',
      'relative/path',
      join(cacheHome, 'a'.repeat(300)),
    ])
      await remit(LINE, {XDG_CACHE_HOME});
  });

  for (const HOME of ['', 'relative/path'])
    it(`is done without if HOME is ${JSON.stringify(HOME)}`, async () => {
      const places = ['/.cache', join(process.cwd(), '.cache'), join(process.cwd(), 'relative')];
      const found = places.map((place) => existsSync(place));
      await remit(LINE, {XDG_CACHE_HOME: '', HOME});
      assert.deepEqual(
        places.map((place) => existsSync(place)),
        found,
      );
    });

  it('survives many at once', async () => {
    await Promise.all(
      ['help exit-codes', 'profiles list -q', 'help flags', 'help environment'].map((line) => remit(line)),
    );
    assert.deepEqual(commands(), ['help', 'help', 'profiles.list']);
    await remit(LINE);
  });
});
