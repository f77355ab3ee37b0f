/**
 * A batch of forty rows in real processes that are killed, or whose disk fails. `npm run crash:batch` does all of it at
 * every call, on both drivers; here is a few of each.
 */
import assert from 'node:assert/strict';
import {mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {EXIT} from '../../../src/errors.ts';
import {seeded} from '../harness.ts';
import {breakDisk, FAULTS} from './disk-faults.ts';
import {killAtCall, killAtInstant, type Way} from './kills.ts';
import {LOSSES, loseResults, loseState, runOnTwoStates, runTwiceOnOneState} from './runners.ts';
import {inTurns} from '../../store/crash/processes.ts';
import {buildVictim} from './victims.ts';
import {availableDrivers} from '../../store/drivers.ts';

const SEED = Number(process.env['REMIT_CRASH_SEED'] ?? Date.now() % 1_000_000);
const drivers = availableDrivers();

describe(`a batch whose process is killed or whose disk fails (seed ${SEED})`, function () {
  this.timeout(120_000);
  const random = seeded(SEED);
  const between = (from: number, to: number) => from + Math.floor(random() * (to - from));
  const way = (turn: number): Way => ({
    driver: drivers[turn % drivers.length]!,
    path: turn % 2 === 0 ? 'stage-and-release' : 'direct',
  });
  const drawn = <T>(all: readonly T[], count: number): T[] => {
    const left = [...all];
    return Array.from({length: count}, () => left.splice(between(0, left.length), 1)[0]!);
  };
  let folder = '';
  let program = '';
  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'remit-victims-')));
    program = await buildVictim(folder);
  });
  after(() => rmSync(folder, {recursive: true, force: true}));

  it('pays and reports every row once after SIGKILL at a call that changes the disk', async () => {
    const calls = [between(1, 260), between(260, 520)];
    await inTurns(calls.entries(), 2, async ([turn, killAt]) => {
      const how = (['before', 'after', 'torn'] as const)[between(0, 3)]!;
      assert.ok(await killAtCall(program, {...way(turn), driver: 'wasm'}, {killAt, how}), `call ${killAt}`);
    });
  });

  it('pays and reports every row once after SIGKILL from outside, on each driver', async () => {
    const turns = drivers.map((driver, index): Way => ({...way(index), driver}));
    await inTurns(turns, 2, async (turn) => {
      assert.ok(await killAtInstant(program, turn, {posts: between(2, 38)}));
    });
  });

  it('sends nothing after a failed write or sync, exits 13, and completes once the disk works again', async () => {
    const calls = {journal: between(40, 90), registry: between(8, 20), results: 1, status: between(2, 4)};
    await inTurns(drawn(FAULTS, 4).entries(), 2, async ([turn, fault]) => {
      const code = await breakDisk(program, {...way(turn), driver: 'wasm'}, fault, calls[fault.of]);
      assert.ok(
        code === EXIT.LOCAL_STATE || (code === undefined && fault.kind === 'sync'),
        `${fault.of} ${code}`,
      );
    });
  });

  it('refuses a second process, by name, until the first is dead', () => runTwiceOnOneState(program, way(0)));

  it('pays each row once although two processes with separate state run it at the same time', () =>
    runOnTwoStates(program, way(1), false));

  it('pays each row once when journal, registry, both, or the results were deleted', async () => {
    const losses = Object.keys(LOSSES) as (keyof typeof LOSSES)[];
    await inTurns(drawn(losses, 2).entries(), 2, ([turn, loss]) =>
      loseState(program, way(turn), loss, between(2, 38)),
    );
    await loseResults(program, way(1));
  });
});
