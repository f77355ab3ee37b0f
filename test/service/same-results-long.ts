/**
 * `npm run long:services -- [COUNT] [FIRST SEED]`: random service files against the canonical service, for every operation and
 * for a batch with lost answers, 503 and kills. Stops at the first difference, and prints what was compared.
 */
import {removeTemplates} from '../batch/chaos.ts';
import {compareBatch, compareOperations, counts} from './same-results.ts';

const [count = 300, first = 1] = process.argv.slice(2).map(Number);
try {
  for (let seed = first; seed < first + count; seed++) {
    await compareOperations(seed);
    await compareBatch(seed);
  }
} finally {
  removeTemplates();
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}
