import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {batchFolder, type BatchFolder} from '../../../src/batch/journal/folder.ts';
import {answerReaders, askForCopy, removeStale} from '../../../src/batch/journal/published-copy.ts';
import type {SqliteDatabase} from '../../../src/store/port/port.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {Bench} from '../harness.ts';
import {VirtualClock} from '../virtual-clock.ts';

describe('the copy of a journal for readers, if it cannot be removed', () => {
  const bench = new Bench();
  after(() => bench.remove());
  let published: string;
  before(async () => {
    await bench.plan(bench.payouts(1));
    published = await bench.inJournal(({place}) => place.published);
  });

  it('is an error of the local state when the batch is opened', async () => {
    mkdirSync(published); // no file, so it cannot be removed like one
    await assert.rejects(bench.open(), {code: 'STATE'});
    rmdirSync(published);
  });

  it('does not keep the batch locked when it is closed', async () => {
    const batch = await bench.open();
    mkdirSync(published);
    await batch.close();
    rmdirSync(published);
    await (await bench.open()).close();
  });
});

describe('the copy of a journal for readers', () => {
  /** Somewhat longer than between two looks of the process that has the batch. */
  const LOOK_MS = 600;
  let place: BatchFolder;
  let db: SqliteDatabase;
  let clock: VirtualClock;
  let lost: AbortController;
  let stop: () => void;
  beforeEach(async () => {
    place = batchFolder(mkdtempSync(join(tmpdir(), 'remit-copy-')), 'payout', 'b');
    mkdirSync(place.folder, {recursive: true});
    db = await openSqlite(place.journal, {durability: 'full'});
    db.exec('create table rows (n integer); insert into rows values (7)');
    clock = new VirtualClock();
    clock.advance(5000);
    lost = new AbortController();
    stop = answerReaders(place, db, {lost: lost.signal}, clock);
  });
  afterEach(() => {
    stop();
    db.close();
  });
  const ask = () => askForCopy(place, async () => true);
  const request = () => writeFileSync(place.copyRequest, '');

  it('is made when one asks, and only then', async () => {
    await sleep(LOOK_MS);
    assert.equal(existsSync(place.published), false);
    const publishedAt = await ask();
    assert.ok(Math.abs(publishedAt! - Date.now()) < 2000);
    assert.equal(existsSync(place.copyRequest), false);
    assert.equal(statSync(place.published).mode & 0o777, 0o600);
    const copy = await openSqlite(place.published, {durability: 'full'});
    assert.equal(copy.prepare<{n: number}>('select n from rows').one().n, 7);
    copy.close();
  });

  it('is made again for the next one who asks, and is removed when nobody has asked for ten seconds', async () => {
    const first = await ask();
    await sleep(1100); // until it is not fresh any more
    db.exec('insert into rows values (8)');
    const second = await ask();
    assert.ok(second! > first!);
    clock.advance(9000);
    await sleep(LOOK_MS);
    assert.equal(existsSync(place.published), true);
    clock.advance(1001);
    await sleep(LOOK_MS);
    assert.equal(existsSync(place.published), false);
  });

  it('is read again while it is fresh, without asking', async () => {
    const first = await ask();
    stop();
    writeFileSync(place.published, 'the same copy');
    assert.ok((await ask())! >= first!);
    assert.equal(existsSync(place.copyRequest), false);
  });

  it('is not made by a process that has lost the batch, which removes nothing either', async () => {
    lost.abort();
    request();
    await sleep(LOOK_MS);
    assert.deepEqual([existsSync(place.published), existsSync(place.copyRequest)], [false, true]);
    writeFileSync(place.published, 'that of the other process');
    stop();
    assert.deepEqual([existsSync(place.published), existsSync(place.copyRequest)], [true, true]);
  });

  it('replaces what a killed process has left, and never writes to where a link leads', async () => {
    const target = join(place.folder, 'target');
    writeFileSync(target, 'as before');
    symlinkSync(target, `${place.published}.tmp`);
    await ask();
    assert.equal(statSync(target).size, 'as before'.length);
    assert.equal(existsSync(place.published), true);
  });

  it('is not made within a transaction, and the one who asks is not kept waiting', async () => {
    db.begin();
    request();
    await sleep(LOOK_MS);
    assert.deepEqual([existsSync(place.published), existsSync(place.copyRequest)], [false, false]);
    db.rollback();
    assert.deepEqual(
      readdirSync(place.folder).filter((name) => name.startsWith('published')),
      [],
    );
  });

  it('is removed at the end, with the request for it', async () => {
    await ask();
    request();
    stop();
    assert.deepEqual([existsSync(place.published), existsSync(place.copyRequest)], [false, false]);
  });

  it('is not there if the process has ended, or does not answer within three seconds', async () => {
    stop();
    assert.equal(await askForCopy(place, async () => false), undefined);
    const began = performance.now();
    assert.equal(await ask(), undefined);
    assert.ok(performance.now() - began >= 2900);
    assert.equal(existsSync(place.copyRequest), true, 'others may ask too');
  });

  it('is removed with its drafts when the batch is opened, also the folder of a driver', () => {
    for (const suffix of ['', '.tmp', '.tmp-wal', '.tmp-shm', '.tmp-journal'])
      writeFileSync(`${place.published}${suffix}`, '');
    mkdirSync(`${place.published}.tmp.lock`);
    request();
    removeStale(place);
    assert.deepEqual(
      readdirSync(place.folder).filter((name) => name.startsWith('published')),
      [],
    );
  });
});
