import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {loadNativeModule, openNative} from '../../../src/store/sqlite/native.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {scratchFolder} from '../scratch-folder.ts';
import {availableDrivers} from '../drivers.ts';

const drivers = availableDrivers();
const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('the two drivers', () => {
  const folder = scratchFolder();
  const file = () => join(folder(), 'a.db');

  it('are offered as this Node has them, node:sqlite first', () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const native = major > 22 || (major === 22 && minor >= 13);
    assert.deepEqual(drivers, native ? ['node:sqlite', 'wasm'] : ['wasm']);
  });

  it('are chosen by what this Node has', async () => {
    const db = await openSqlite(file(), {durability: 'full'});
    assert.equal(db.driver, drivers[0]);
    db.close();
  });

  for (const writer of drivers) {
    for (const reader of drivers) {
      it(`share a file: ${writer} writes, ${reader} reads and writes, ${writer} reads`, async () => {
        const first = await openSqlite(file(), {durability: 'full', driver: writer});
        first.exec('CREATE TABLE t (a INTEGER, b TEXT, c BLOB) STRICT; CREATE INDEX t_b ON t (b)');
        first.prepare('INSERT INTO t VALUES (?, ?, ?)').run(2n ** 60n, 'é', new Uint8Array([0, 255]));
        first.close();
        const second = await openSqlite(file(), {durability: 'full', driver: reader});
        second.prepare('INSERT INTO t VALUES (?, ?, ?)').run(5, 'b', null);
        second.close();
        const third = await openSqlite(file(), {durability: 'normal', driver: writer});
        assert.deepEqual(third.prepare('SELECT * FROM t ORDER BY a').all(), [
          {a: 5, b: 'b', c: null},
          {a: 2n ** 60n, b: 'é', c: new Uint8Array([0, 255])},
        ]);
        third.close();
      });
    }
  }

  it('know an open transaction also where node:sqlite does not tell (22.13 to 22.15)', () => {
    const native = loadNativeModule();
    if (native === undefined) return; // Node 20 has no such driver
    const real = new native.DatabaseSync(':memory:');
    const silent = {
      exec: (sql: string) => real.exec(sql),
      prepare: (sql: string) => real.prepare(sql),
      close: () => real.close(),
    };
    const raw = openNative(
      {
        DatabaseSync: function () {
          return silent;
        } as unknown as typeof native.DatabaseSync,
      },
      ':memory:',
    );
    raw.exec('BEGIN');
    assert.equal(raw.inTransaction, true);
    raw.exec('COMMIT');
    assert.equal(raw.inTransaction, false);
    assert.equal(raw.inTransaction, false);
    raw.close();
  });
});

describe('the drivers in a CommonJS bundle', function () {
  let folder = '';
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'remit-bundle-'));
    const {build} = await import('esbuild');
    await build({
      stdin: {
        contents: `import {openSqlite} from './src/store/sqlite/sqlite.ts';
          const [file, driver] = process.argv.slice(2);
          openSqlite(file, {durability: 'full', driver}).then((db) => {
            console.log(JSON.stringify(db.prepare('SELECT ? AS a').get('é')));
            db.close();
          });`,
        resolveDir: root,
        loader: 'ts',
      },
      outfile: join(folder, 'bundle.cjs'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['node-sqlite3-wasm'],
      logLevel: 'error',
    });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  });
  after(() => rmSync(folder, {recursive: true, force: true}));

  for (const driver of drivers) {
    it(`work and print nothing of their own: ${driver}`, () => {
      const args = [join(folder, 'bundle.cjs'), join(folder, `${driver.replace(':', '-')}.db`), driver];
      const {stdout, stderr, status} = spawnSync(process.execPath, args, {encoding: 'utf8'});
      assert.deepEqual({stdout, stderr, status}, {stdout: '{"a":"é"}\n', stderr: '', status: 0});
    });
  }
});

describe('SQLite in WASM', () => {
  const folder = scratchFolder();
  const OPENS_A_SANDBOX = `
    import {openEmbeddedStore} from './src/store/sqlite/embedded.ts';
    import {migrations} from './src/sandbox/migrations/list.ts';
    import {createSandbox} from './src/sandbox/sandbox.ts';
    const store = await openEmbeddedStore(process.argv[1], {
      durability: 'normal', migrations: migrations('sqlite'), together: ['transfers'], driver: 'wasm'});
    await (await createSandbox({store})).close();`;

  const compiled = () => {
    const flags = ['--trace-wasm-compilation-times', '--import', './bin/typescript.mjs'];
    const args = [...flags, '--input-type=module', '--eval', OPENS_A_SANDBOX, join(folder(), 'sandbox.db')];
    const {stdout, stderr, status} = spawnSync(process.execPath, args, {cwd: root, encoding: 'utf8'});
    assert.deepEqual({stderr, status}, {stderr: '', status: 0});
    return stdout;
  };

  it('is not compiled a second time when a sandbox opens its store', () => {
    compiled(); // creates the store
    const lines = compiled().match(/ using (?:Liftoff|TurboFan)/g);
    assert.deepEqual([...new Set(lines)], [' using Liftoff']);
  });
});
