import assert from 'node:assert/strict';
import {allOperations} from '../../../src/contract/operations/operations.ts';
import {fuzz} from '../fuzz/fuzzer.ts';

const REQUESTS = Number(process.env['REMIT_TEST_REQUESTS'] ?? 1500);

/** The short form of `npm run fuzz:sandbox`, with the same requests every time; the long one draws new ones. */
describe('sandbox: any request', function () {
  this.timeout(Math.max(30_000, REQUESTS * 20));

  it('is answered as the contract declares, and never with 500', async () => {
    const seed = Number(process.env['REMIT_TEST_SEED'] ?? 1);
    console.log(`      npm run fuzz:sandbox -- --requests ${REQUESTS} --seed ${seed}`);
    const {answers} = await fuzz(REQUESTS, seed);
    const succeeded = allOperations().filter(({id}) =>
      [...(answers.get(id) ?? [])].some(([status]) => status < 300),
    );
    // A fuzzer that only ever meets refusals would prove little.
    assert.ok(
      succeeded.length >= allOperations().length * 0.9,
      `${succeeded.length} operations succeeded at all`,
    );
  });
});
