// The sandbox's suite on PostgreSQL: `npm run test:postgres`. With `-- --short`, as CI runs it, the part of it that asks most
// of a store; with `-- --if-installed` it says so and ends well where there is no PostgreSQL.
import {spawnSync} from 'node:child_process';
import {postgresPrograms} from '../store/postgres/postgres-server.ts';
import {SHORT, testFile} from './test-files.ts';

const flags = new Set(process.argv.slice(2));
if (postgresPrograms() === undefined && process.env['REMIT_TEST_POSTGRES'] === undefined) {
  const message = `PostgreSQL is not installed here (no initdb and postgres on the PATH or under /usr/lib/postgresql).
The sandbox was NOT tested on it. Install it (apt-get install postgresql), or name a server that tests may fill:
REMIT_TEST_POSTGRES=postgres://user@host/database npm run test:postgres`;
  console.error(`\n${'!'.repeat(100)}\n${message}\n${'!'.repeat(100)}\n`);
  process.exitCode = flags.has('--if-installed') ? 0 : 1;
} else {
  const files = flags.has('--short')
    ? [...SHORT.map(testFile), 'test/store/postgres/postgres.test.ts']
    : ['test/sandbox/**/*.test.ts', 'test/store/postgres/postgres.test.ts'];
  const {status} = spawnSync(
    process.execPath,
    ['node_modules/mocha/bin/mocha.js', '--timeout', '60000', ...files],
    {stdio: 'inherit', env: {REMIT_TEST_RUNS: '10', ...process.env, REMIT_TEST_STORE: 'postgres'}},
  );
  process.exitCode = status ?? 1;
}
