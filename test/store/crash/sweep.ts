/**
 * `npm run crash:store`: kills a writing process at every call that changes the disk, by each driver of this Node, and
 * checks what it leaves with every driver. The WASM driver's process kills itself, before, after and (writes) in the middle
 * of a call. node:sqlite goes past node:fs: its process is killed by strace at the entry of its k-th system call where
 * strace is installed, else at chosen times from outside. Prints what was done and found; exits 1 at the first bad database.
 */
import {spawnSync} from 'node:child_process';
import {mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Durability} from '../../../src/store/port/port.ts';
import type {SqliteDriver} from '../../../src/store/sqlite/sqlite.ts';
import {databaseFile} from './disk-tap.ts';
import {inTurns} from './processes.ts';
import {buildVictim, checkSurvivor, runVictim, type VictimOptions} from './victims.ts';
import {availableDrivers} from '../drivers.ts';

const GENERATIONS = 6;
const WIDTH = 2;
const TIMED_KILLS = 150;
const SYSTEM_CALLS = ['pwrite64', 'write', 'fdatasync', 'fsync', 'ftruncate', 'unlink', 'rename', 'link'];

const drivers = availableDrivers();
const root = realpathSync(mkdtempSync(join(tmpdir(), 'remit-sweep-')));
const program = await buildVictim(root);
let turn = 0;

/** True when the process was killed; then what it left has been found whole. */
async function killAndCheck(name: string, options: VictimOptions): Promise<boolean> {
  const place = join(root, name.replaceAll(/[^a-z0-9]+/g, '-'));
  const {signal, acknowledged} = await runVictim(program, place, options);
  if (signal === null) return false;
  await checkSurvivor(place, acknowledged, drivers[turn++ % drivers.length] as SqliteDriver);
  rmSync(place, {recursive: true});
  return true;
}

function report(driver: string, durability: string, what: string, count: number): void {
  process.stdout.write(
    `${driver}, durability ${durability}: killed ${count} times ${what}, every database whole\n`,
  );
}

async function sweepWasm(durability: Durability): Promise<void> {
  const options = {driver: 'wasm', durability, generations: GENERATIONS} as const;
  const {calls} = await runVictim(program, join(root, 'count'), options);
  const points = Array.from({length: calls}, (_, index) => index + 1);
  for (const how of ['before', 'after', 'torn'] as const) {
    let kills = 0;
    await inTurns(points, WIDTH, async (killAt) => {
      if (!(await killAndCheck(`wasm-${killAt}`, {...options, killAt, how})))
        throw new Error(`call ${killAt} never came`);
      kills += 1;
    });
    report(
      'wasm',
      durability,
      how === 'torn' ? 'in the middle of a write or after another call' : `${how} a call`,
      kills,
    );
  }
}

async function sweepNativeUnderStrace(durability: Durability): Promise<void> {
  for (const name of SYSTEM_CALLS) {
    let kills = 0;
    for (let lastKill = true; lastKill;) {
      const ends = [1, 2].map((step) => {
        const place = `native-${name}-${kills + step}`;
        const wrapper = straceArguments(databaseFile(join(root, place)), name, kills + step);
        return killAndCheck(place, {driver: 'node:sqlite', durability, generations: GENERATIONS, wrapper});
      });
      const killed = await Promise.all(ends);
      kills += killed.filter(Boolean).length;
      lastKill = killed.every(Boolean);
    }
    if (kills > 0) report('node:sqlite', durability, `at ${name}`, kills);
  }
}

/** Only calls on the database and its log count; one process is enough, for SQLite runs in the main thread. */
function straceArguments(file: string, name: string, count: number): string[] {
  const paths = [file, `${file}-wal`].flatMap((path) => ['-P', path]);
  return [
    'strace',
    '-qqq',
    '-o',
    '/dev/null',
    ...paths,
    '-e',
    `trace=${name}`,
    '-e',
    `inject=${name}:signal=SIGKILL:when=${count}`,
  ];
}

async function sweepNativeByTime(durability: Durability): Promise<void> {
  const moments = Array.from({length: TIMED_KILLS}, (_, index) => index / 5);
  let kills = 0;
  await inTurns(moments, WIDTH, async (killAfterMs) => {
    const options: VictimOptions = {driver: 'node:sqlite', durability, generations: 1_000_000, killAfterMs};
    if (await killAndCheck(`timed-${killAfterMs}`, options)) kills += 1;
  });
  report('node:sqlite', durability, 'at chosen times', kills);
}

const hasStrace = spawnSync('strace', ['-V']).status === 0;
process.stdout.write(
  `Node ${process.versions.node}; drivers ${drivers.join(' and ')}; strace ${hasStrace ? 'found' : 'not found'}\n`,
);
try {
  for (const durability of ['full', 'normal'] as const) {
    await sweepWasm(durability);
    if (!drivers.includes('node:sqlite')) continue;
    if (hasStrace) await sweepNativeUnderStrace(durability);
    await sweepNativeByTime(durability);
  }
} finally {
  rmSync(root, {recursive: true, force: true});
}
