// `npm run fuzz:sandbox -- --requests 10000 --seed 1`: random requests to every operation, over the contract.
import {parseArgs} from 'node:util';
import {allOperations} from '../../../src/contract/operations/operations.ts';
import {fuzz} from './fuzzer.ts';

const {values} = parseArgs({
  options: {requests: {type: 'string', default: '10000'}, seed: {type: 'string'}},
});
const requests = Number(values.requests);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
console.log(`${requests} requests, --seed ${seed}`);
const began = performance.now();
const {answers} = await fuzz(requests, seed);
for (const {id} of allOperations()) {
  const counts = [...(answers.get(id) ?? [])].sort(([a], [b]) => a - b);
  console.log(`  ${id.padEnd(34)} ${counts.map(([status, count]) => `${status}: ${count}`).join('  ')}`);
}
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(
  `No 500, no undeclared status, no answer that breaks its schema; the ledger balances. ${seconds} s`,
);
