import assert from 'node:assert/strict';
import {once} from 'node:events';
import {postgresPrograms} from '../store/postgres/postgres-server.ts';
import {checkTruth, makePurses, workUntilDeath, type Place, type Purses, type Told} from './crash-load.ts';
import {fileStore, postgresStore, type TestStore} from './test-store.ts';
import {ServerProgram} from './server-program.ts';

const KILLS = Number(process.env['REMIT_TEST_KILLS'] ?? 2);

let server: ServerProgram;

/**
 * Rounds of: check what earlier rounds were told, work with eight clients, and SIGKILL at some instant.
 * @param beside how many other servers use the store at the same time; they are not killed
 */
async function killLoop(store: TestStore, beside: number): Promise<void> {
  const told: Told = new Map();
  const counted = {records: 0, moves: 0, settled: 0};
  let purses: Purses | undefined;
  const others = await Promise.all(Array.from({length: beside}, () => server.start<Place>(store.place)));
  for (let round = 0; round <= KILLS; round += 1) {
    const {child, place} = await server.start<Place>(store.place);
    purses ??= await makePurses(place);
    const mine = purses;
    await checkTruth(place, mine, told);
    if (round < KILLS) {
      told.clear(); // what was true after one restart is not asked again after each
      const workers = Array.from({length: 8}, (_, n) => workUntilDeath(place, mine, round, n, told));
      const enough = 20 + Math.random() * 100;
      const killer = setInterval(
        () => void (told.size >= enough && child.kill('SIGKILL')),
        1 + Math.random() * 10,
      );
      const exited = once(child, 'exit');
      await Promise.all([...workers, exited]);
      clearInterval(killer);
      assert.ok(told.size >= 20);
      const moves = [...told.values()].filter(({kind}) => kind === 'move');
      counted.records += told.size - moves.length;
      counted.moves += moves.length;
      counted.settled += moves.filter(({status}) => status === 'SETTLED').length;
      for (const other of others) await checkTruth(other.place, mine, new Map([...told].slice(-20)));
    }
  }
  assert.ok(counted.settled > 0 && counted.moves > counted.settled, JSON.stringify(counted));
  if (KILLS > 2)
    console.log(
      `      ${KILLS} kills: ${counted.records} payouts and payins, ${counted.moves} moves (${counted.settled} settled)`,
    );
}

describe('sandbox under SIGKILL', function () {
  this.timeout((KILLS + 2) * 60_000);
  let store: TestStore;
  before(async () => (server = await ServerProgram.bundle()));
  after(() => server.remove());
  afterEach(async () => {
    await server.killAll();
    await store.drop();
  });

  it('leaves nothing half done in its file, and keeps everything that was answered', async () => {
    store = await fileStore();
    await killLoop(store, 0);
  });

  if (postgresPrograms() === undefined && process.env['REMIT_TEST_POSTGRES'] === undefined) return;
  it('leaves nothing half done on PostgreSQL, while another process continues', async () => {
    store = await postgresStore();
    await killLoop(store, 1);
  });
});
