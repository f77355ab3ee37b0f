// The pages of the sandbox and of the inspector in a real browser: `npm run test:browser`. With `-- --if-installed`, as CI
// runs it, it says so and ends well where there is no Chromium. REMIT_TEST_SHOTS=<folder> keeps screenshots.
import {spawnSync} from 'node:child_process';
import {findChromium} from './chromium.ts';

if (findChromium() === undefined) {
  const message = `Chromium is not installed here (none on the PATH).
The pages were NOT tested in a browser. Install it (apt-get install chromium), or name one:
REMIT_TEST_CHROMIUM=/path/to/chromium npm run test:browser`;
  console.error(`\n${'!'.repeat(100)}\n${message}\n${'!'.repeat(100)}\n`);
  process.exitCode = process.argv.includes('--if-installed') ? 0 : 1;
} else {
  const {status} = spawnSync(
    process.execPath,
    ['node_modules/mocha/bin/mocha.js', '--timeout', '60000', 'test/browser/*.browser.ts'],
    {stdio: 'inherit'},
  );
  process.exitCode = status ?? 1;
}
