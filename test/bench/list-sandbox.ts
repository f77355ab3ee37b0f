// The sandbox of `npm run long:lists -- --sandbox`: `list-sandbox.ts STORE PAYOUTS`. Prints {base_url, test_key}; ends when
// its stdin does.
import {openSandboxStore} from '../../src/sandbox/migrations/open-store.ts';
import {createSandbox} from '../../src/sandbox/sandbox.ts';
import {startSandbox} from '../../src/sandbox/server.ts';
import {fillLists} from '../sandbox/handlers/lists.ts';

const [file, payouts] = [process.argv[2]!, Number(process.argv[3])];
const store = await openSandboxStore(file);
const filled = await createSandbox({store});
await fillLists(store, {payouts, lines: 1});
await filled.close();

const {baseUrl, testKey} = await startSandbox({store: file});
process.stdout.write(`${JSON.stringify({base_url: baseUrl, test_key: testKey})}\n`);
process.stdin.resume().on('end', () => process.exit());
