import assert from 'node:assert/strict';
import {join} from 'node:path';
import {RemitError} from '../../../src/errors.ts';
import {migrate, type Migration} from '../../../src/store/port/migrate.ts';
import type {SqliteDatabase} from '../../../src/store/port/port.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {scratchFolder} from '../scratch-folder.ts';

const FIRST: Migration = {name: '001-rows', sql: 'CREATE TABLE r (a); CREATE INDEX r_a ON r (a);'};
const SECOND: Migration = {name: '002-more', sql: 'ALTER TABLE r ADD COLUMN b'};

describe('migrations', () => {
  const folder = scratchFolder();
  let db: SqliteDatabase;
  beforeEach(async () => {
    db = await openSqlite(join(folder(), 'a.db'), {durability: 'normal'});
  });
  afterEach(() => db.close());

  const names = () =>
    db
      .prepare('SELECT name FROM remit_migrations ORDER BY position')
      .all()
      .map(({name}) => name);

  it('are applied once, in order, and only what is missing', () => {
    migrate(db, [FIRST]);
    db.exec('INSERT INTO r (a) VALUES (1)');
    migrate(db, [FIRST, SECOND]);
    migrate(db, [FIRST, SECOND]);
    assert.deepEqual(db.prepare('SELECT * FROM r').all(), [{a: 1, b: null}]);
    assert.deepEqual(names(), ['001-rows', '002-more']);
  });

  it('leave nothing of one that fails, and keep those before it', () => {
    const broken = {name: '002-broken', sql: 'CREATE TABLE half (a); CREATE TABLE r (a)'};
    assert.throws(() => migrate(db, [FIRST, broken]), /r already exists/);
    assert.deepEqual(names(), ['001-rows']);
    assert.throws(() => db.prepare('SELECT * FROM half'), /no such table/);
  });

  it('refuse a database of a newer version, and change nothing in it', () => {
    migrate(db, [FIRST, SECOND]);
    assert.throws(
      () => migrate(db, [FIRST]),
      (error: unknown) =>
        error instanceof RemitError &&
        error.code === 'STATE' &&
        /newer version of remit.*"002-more"/.test(error.message),
    );
    assert.deepEqual(names(), ['001-rows', '002-more']);
  });

  it('refuse a database that took another way', () => {
    migrate(db, [{...FIRST, name: '001-other'}]);
    assert.throws(
      () => migrate(db, [FIRST, SECOND]),
      /another version of remit: its migration 1 is "001-other"/,
    );
  });
});
