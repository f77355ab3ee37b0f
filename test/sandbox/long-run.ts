// The sandbox's property and crash tests at their full length: `npm run long:sandbox`.
import {spawnSync} from 'node:child_process';

const lengths = {REMIT_TEST_KILLS: '50', REMIT_TEST_RUNS: '500', REMIT_TEST_REQUESTS: '20000'};
const files = ['crash', 'ledger', 'any-request'].map((name) => `test/sandbox/${name}.test.ts`);
const {status} = spawnSync(
  process.execPath,
  ['node_modules/mocha/bin/mocha.js', '--timeout', '0', ...files],
  {
    stdio: 'inherit',
    env: {...process.env, ...lengths},
  },
);
process.exitCode = status ?? 1;
