/**
 * What a crash leaves is whole: SIGKILL, power loss, a log cut anywhere.
 *
 * The WASM driver reaches the disk by node:fs, so a process can kill itself exactly before its k-th call. node:sqlite
 * does not; a kill while it writes its log leaves a log cut somewhere, so the log is cut at and inside each frame, and
 * processes are killed from outside at chosen times. `npm run crash:store` sweeps every call of the whole workload,
 * with node:sqlite under strace where that is installed.
 */
import assert from 'node:assert/strict';
import {randomInt} from 'node:crypto';
import {copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import fc from 'fast-check';
import type {SqliteDriver} from '../../../src/store/sqlite/sqlite.ts';
import {databaseFile} from './disk-tap.ts';
import {framesOf, layOut, record} from './power-loss.ts';
import {inTurns} from './processes.ts';
import {buildVictim, checkSurvivor, runVictim} from './victims.ts';
import {inspect, runWorkload} from './workload.ts';
import {availableDrivers} from '../drivers.ts';

/** Of the calls one in so many, others each time. */
const EVERY = 3;

const drivers = availableDrivers();
const pairs = drivers.flatMap((writer) =>
  drivers.map((reader): [SqliteDriver, SqliteDriver] => [writer, reader]),
);

describe('a database after a crash', function () {
  this.timeout(300_000); // on a busy machine; alone it takes a few seconds
  let folder = '';
  let program = '';
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'remit-crash-'));
    program = await buildVictim(folder);
  });
  after(() => rmSync(folder, {recursive: true, force: true}));

  it('is whole after SIGKILL at calls of its making, of a commit of many pages, and of a checkpoint', async () => {
    const options = {driver: 'wasm', durability: 'full', generations: 2} as const;
    const whole = await runVictim(program, join(folder, 'count'), options);
    const made = whole.callsAt.get(0) ?? 0;
    const from = whole.callsAt.get(1) ?? 0;
    const to = whole.callsAt.get(2) ?? 0;
    assert.ok(made > 10 && to - from > 20, 'the second commit is of many pages and ends in a checkpoint');
    const first = randomInt(EVERY);
    const points = [...range(1, made), ...range(from + 1, to)].filter((_, n) => n % EVERY === first);
    await inTurns(points, 3, async (killAt) => {
      const place = join(folder, `kill-${killAt}`);
      const {signal, acknowledged} = await runVictim(program, place, {...options, killAt});
      assert.equal(signal, 'SIGKILL', `call ${killAt}`);
      await checkSurvivor(place, acknowledged, drivers[killAt % drivers.length] as SqliteDriver);
    });
  });

  for (const durability of ['full', 'normal'] as const) {
    const promise =
      durability === 'full' ? 'and holds all that was acknowledged' : 'though the last commits may be gone';
    it(`is whole after power loss at any moment with durability ${durability}, ${promise}`, async () => {
      const calls = await record(join(folder, `record-${durability}`), durability, 5);
      const moment = fc.nat(calls.length);
      const survivors = fc.array(fc.boolean(), {minLength: 1, maxLength: 60});
      await fc.assert(
        fc.asyncProperty(moment, survivors, async (count, survives) => {
          const place = join(folder, 'power');
          const acknowledged = layOut(
            place,
            calls,
            count,
            (index) => survives[index % survives.length] ?? false,
          );
          const found = await inspect(databaseFile(place), 'wasm');
          assert.ok(found <= acknowledged + 1);
          if (durability === 'full')
            assert.ok(found >= acknowledged, `acknowledged ${acknowledged}, found ${found}`);
        }),
        {numRuns: 60},
      );
    });
  }

  for (const [writer, reader] of pairs) {
    it(`holds exactly the whole commits of a log of ${writer} that is cut anywhere, read by ${reader}`, async () => {
      const source = join(folder, `cut-${writer}-${reader}`);
      const taken = join(folder, `taken-${writer}-${reader}`);
      mkdirSync(taken);
      await runWorkload(databaseFile(source), {
        driver: writer,
        durability: 'normal',
        generations: 3,
        checkpointPages: 100_000,
        onCommitted: () => copyDatabase(source, taken), // while it is open: closing writes the log back
      });
      const frames = framesOf(`${databaseFile(taken)}-wal`);
      assert.ok(frames.length > 15);
      let whole = -1;
      for (const {end, commits} of frames) {
        assert.equal(
          await inspectCut(taken, end - 2000, reader),
          whole,
          `cut inside the frame that ends at ${end}`,
        );
        if (commits) whole += 1;
        assert.equal(await inspectCut(taken, end, reader), whole, `cut behind ${end}`);
      }
      assert.equal(whole, 3);
    });

    it(`is whole when ${writer} is killed from outside, read by ${reader}, and continues from there`, async () => {
      const place = join(folder, `outside-${writer}-${reader}`);
      let acknowledged = -1;
      for (const killAfterMs of [0, 3, 9]) {
        const end = await runVictim(program, place, {
          driver: writer,
          durability: 'full',
          generations: 100_000,
          killAfterMs,
          fresh: acknowledged < 0,
        });
        assert.equal(end.signal, 'SIGKILL');
        assert.ok(end.acknowledged >= acknowledged, 'a later process began with less');
        acknowledged = end.acknowledged;
        await checkSurvivor(place, acknowledged, reader);
      }
    });
  }

  async function inspectCut(taken: string, bytes: number, reader: SqliteDriver): Promise<number> {
    const place = join(folder, 'cut');
    rmSync(place, {recursive: true, force: true});
    copyDatabase(taken, place);
    truncateSync(`${databaseFile(place)}-wal`, bytes);
    return inspect(databaseFile(place), reader);
  }
});

function copyDatabase(from: string, to: string): void {
  mkdirSync(to, {recursive: true});
  for (const suffix of ['', '-wal']) {
    const file = databaseFile(from) + suffix;
    if (existsSync(file)) copyFileSync(file, databaseFile(to) + suffix);
  }
}

const range = (from: number, to: number): number[] =>
  Array.from({length: to - from + 1}, (_, index) => from + index);
