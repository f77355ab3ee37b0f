/** `npm run canary`: every command in every format, on a terminal, against every hostile answer. */
import {spawn} from 'node:child_process';
import {once} from 'node:events';

const mocha = spawn('npx', ['mocha', 'test/commands/canary*.sweep.test.ts'], {
  stdio: 'inherit',
  env: {...process.env, REMIT_CANARY: 'long'},
});
const [code] = (await once(mocha, 'exit')) as [number | null];
process.exit(code ?? 1);
