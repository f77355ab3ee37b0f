// The sandbox under test, in a process of its own: `sandbox-process.ts STORE`. Prints the ready line of `sandbox start -o ndjson`.
import {startSandbox} from '../../src/sandbox/server.ts';

const running = await startSandbox({
  store: process.argv[2]!,
  mainBalanceMinor: 1_000_000_000_000,
  authorityFile: process.env['REMIT_TEST_AUTHORITY'],
  onBug: (error) => console.error('bug of the sandbox:', error),
});
const {baseUrl, controlUrl, testKey, liveKey, controlToken} = running;
console.log(
  JSON.stringify({
    type: 'ready',
    base_url: baseUrl,
    test_key: testKey,
    live_key: liveKey,
    control_url: controlUrl,
    control_token: controlToken,
  }),
);
