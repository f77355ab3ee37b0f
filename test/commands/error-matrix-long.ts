/** `npm run long:errors`: every writing command against every status from 200 to 599, and every request of a batch. */
import {spawn} from 'node:child_process';
import {once} from 'node:events';

const mocha = spawn(
  'npx',
  ['mocha', 'test/commands/error-matrix.test.ts', 'test/commands/error-matrix/*.test.ts'],
  {
    stdio: 'inherit',
    env: {...process.env, REMIT_MATRIX: 'long'},
  },
);
const [code] = (await once(mocha, 'exit')) as [number | null];
process.exit(code ?? 1);
