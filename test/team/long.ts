// `npm run long:team -- KIND TIMES SEED`: what must not happen to batches that a team shares.
import {failover} from './failover.ts';
import {hostileNetwork, skewedClocks, stopAndContinue} from './hostile.ts';
import {throughBouncer} from './bouncer.ts';
import {teamServer} from './team-world.ts';
import {killTeam} from './kills.ts';
import {disturbSeveral} from './several.ts';

const [kind = 'kills', times = '50', first = '1', library = 'libfaketime.so.1'] = process.argv.slice(2);

/** Ten kills each. */
const kills = async (seed: number) => {
  const words = seed % 5 === 4 ? ['--direct'] : [];
  return killTeam({rows: 400, kills: 10, seed, sameMachine: seed % 2 === 1, words});
};

const KINDS: Readonly<Record<string, (seed: number) => Promise<unknown>>> = {
  kills,
  stops: (seed) => stopAndContinue(seed),
  'real-stops': (seed) => stopAndContinue(seed, 32_000),
  several: (seed) => disturbSeveral({rows: 1500, disturbances: 10, seed}),
  'several-network': (seed) => disturbSeveral({rows: 1500, disturbances: 6, seed, isNetworkHostile: true}),
  network: hostileNetwork,
  bouncer: async (seed) => throughBouncer((await teamServer()) ?? '', library, seed),
  failover,
  clocks: (seed) => skewedClocks(seed, library),
};

const work = KINDS[kind];
if (work === undefined) throw new Error(`one of ${Object.keys(KINDS).join(', ')}`);
let failed = 0;
for (let seed = Number(first); seed < Number(first) + Number(times); seed++)
  try {
    console.log(`${kind}, seed ${seed}: ${JSON.stringify((await work(seed)) ?? 'ok')}`);
  } catch (error) {
    failed++;
    console.log(`${kind}, seed ${seed}: FAILED`, error);
  }
console.log(`${kind}: ${times} times, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
