// The sandbox of `npm run bench:sandbox`: `sandbox-server.ts STORE`. Prints {base_url, test_key, payee}.
import {startSandbox} from '../../src/sandbox/server.ts';

const {baseUrl, testKey, sandbox} = await startSandbox({store: process.argv[2]!});
const {payees} = await sandbox.seed({payees: 1, payers: 0});
console.log(JSON.stringify({base_url: baseUrl, test_key: testKey, payee: payees[0]!.id}));
