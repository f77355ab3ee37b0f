// `npm run long:team -- KILLS SEED`: kills of batches that a team shares.
import {killTeam} from './kills.ts';

const [kills = 500, seed = 1] = process.argv.slice(2).map(Number);
const KILLS_EACH = 10;
let total = 0;
for (let at = 0; total < kills; at++) {
  const words = at % 5 === 4 ? ['--direct'] : [];
  const result = await killTeam({
    rows: 400,
    kills: KILLS_EACH,
    seed: seed + at,
    sameMachine: at % 2 === 1,
    words,
  });
  total += result.kills;
  console.log(`seed ${seed + at}: ${result.kills} kills in ${result.starts} starts; ${total} in all`);
}
process.exit(0);
