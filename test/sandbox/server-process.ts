// A sandbox in a process of its own, to be killed: `server-process.ts STORE`. Its first line says where it is.
import {startSandbox} from '../../src/sandbox/server.ts';

const {REMIT_TEST_AUTHORITY: authorityFile, REMIT_TEST_TIMING: timing} = process.env;
const running = await startSandbox({
  store: process.argv[2]!,
  mainBalanceMinor: 1_000_000_000_000,
  authorityFile,
  ...(timing === 'instant' ? {timing} : {}),
});
const {payees, payers} = await running.sandbox.seed({payees: 20, payers: 20});
const {baseUrl, testKey, controlToken} = running;
const ids = (parties: readonly {id: string}[]) => parties.map(({id}) => id);

console.log(JSON.stringify({baseUrl, testKey, controlToken, payees: ids(payees), payers: ids(payers)}));
