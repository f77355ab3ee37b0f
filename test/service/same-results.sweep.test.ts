import {removeTemplates} from '../batch/chaos.ts';
import {compareBatch, compareOperations, counts, payRows} from './same-results.ts';

// `npm run long:services` compares more. The seeds are fixed: a new one may find something in any run of the suite.
const SEEDS = [1, 2, 3];

describe('a batch at a service that differs', function () {
  this.timeout(120_000);
  it('pays each of 1,000 rows once', () => payRows(1000));
});

describe('random service files, generated from the schema', function () {
  this.timeout(120_000);
  after(() => {
    removeTemplates();
    if (process.env['REMIT_PRINT_COUNTS'])
      process.stderr.write(`    same results: ${JSON.stringify(counts)}\n`);
  });

  for (const seed of SEEDS) {
    it(`give the results of the canonical service for every operation, with seed ${seed}`, () =>
      compareOperations(seed));
    it(`give the results of the canonical service for a batch with faults, with seed ${seed}`, () =>
      compareBatch(seed));
  }
});
