/**
 * `npm run long:guard -- --service-files 100000 --lines 10000 [--seed 1]`: random service files and random command lines
 * with a live key. Stops at the first unguarded request other than a GET, and prints what was checked.
 */
import {parseArgs} from 'node:util';
import {checkFile, checkLine, counts} from './random-guard.ts';

const {values} = parseArgs({
  options: {
    'service-files': {type: 'string', default: '100000'},
    lines: {type: 'string', default: '10000'},
    seed: {type: 'string', default: '1'},
  },
});
const seed = Number(values.seed);
try {
  for (let n = 0; n < Number(values['service-files']); n++) await checkFile(seed + n);
  for (let n = 0; n < Number(values.lines); n++) await checkLine(seed + n);
} finally {
  process.stdout.write(`${JSON.stringify({seed, ...counts})}\n`);
}
