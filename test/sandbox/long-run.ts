// The sandbox's property and crash tests at their full length: `npm run long:sandbox`, or one of them by name
// (`npm run crash:sandbox` is the kill loop). REMIT_TEST_KILLS and the like set other lengths.
import {spawnSync} from 'node:child_process';
import {LONG, testFile} from './test-files.ts';

const lengths = {REMIT_TEST_KILLS: '50', REMIT_TEST_RUNS: '500', REMIT_TEST_REQUESTS: '20000'};
const named = process.argv.slice(2);
const files = (named.length > 0 ? named : LONG).map(testFile);
const {status} = spawnSync(
  process.execPath,
  ['node_modules/mocha/bin/mocha.js', '--timeout', '0', ...files],
  {
    stdio: 'inherit',
    env: {...lengths, ...process.env},
  },
);
process.exitCode = status ?? 1;
