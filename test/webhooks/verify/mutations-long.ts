import {acceptedMutations} from './mutations.ts';

// npm run long:mutations [-- COUNT [SEED]]
const count = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? Date.now() >>> 0);
const accepted = acceptedMutations(count, seed);
console.log(`${count} mutations, seed ${seed}: ${accepted.length} accepted`);
if (accepted.length > 0) {
  console.log(accepted.slice(0, 3));
  process.exitCode = 1;
}
