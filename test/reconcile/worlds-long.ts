// `npm run long:reconcile -- --worlds 10000 --from 0`: worlds with known truth, in which no match may be wrong and at
// least 99.9% of what an id or a trace proves must be found.
import {parseArgs} from 'node:util';
import {checkWorlds} from './check-worlds.ts';

const {values} = parseArgs({
  options: {worlds: {type: 'string', default: '10000'}, from: {type: 'string', default: '0'}},
});
const score = await checkWorlds(Number(values.from), Number(values.worlds));
const found = score.provable - score.missed.length;
for (const each of [...score.wrong, ...score.missed].slice(0, 20)) process.stdout.write(`${each}\n`);
process.stdout.write(
  `${score.worlds} worlds, ${score.lines} lines: ${score.matched} matches, ${score.wrong.length} of them wrong; ` +
    `${found} of ${score.provable} provable payments found (${((100 * found) / score.provable).toFixed(2)}%)\n`,
);
if (score.wrong.length > 0 || found < 0.999 * score.provable) process.exitCode = 1;
