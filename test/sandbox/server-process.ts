// A sandbox in a process of its own, to be killed: `server-process.ts FILE`. Its first line says where it is.
import {startSandbox} from '../../src/sandbox/server.ts';

const running = await startSandbox({store: process.argv[2]!, mainBalanceMinor: 1_000_000_000_000});
const {payees} = await running.sandbox.seed({payees: 20, payers: 0});
const {baseUrl, testKey} = running;

console.log(JSON.stringify({baseUrl, testKey, payees: payees.map(({id}) => id)}));
