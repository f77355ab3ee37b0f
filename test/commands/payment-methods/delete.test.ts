import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../../cli/run-cli.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {METHOD_ID, PAYEE_ID} from '../fixtures.ts';

const LINE = `payment-methods delete ${METHOD_ID} --payee ${PAYEE_ID} --json`.split(' ');

describe('payment-methods delete', () => {
  for (const [status, deleted, exitCode] of [
    [200, true, 0],
    [204, true, 0],
    [202, null, 8],
    [207, null, 8],
  ] as const)
    it(`exits ${exitCode} after a ${status}`, async () => {
      const ran = await runCli(LINE, {
        service: [answer(status, status === 204 ? undefined : {id: METHOD_ID})],
      });
      assert.equal(ran.exitCode, exitCode, ran.stderr);
      assert.deepEqual(ran.json(), {id: METHOD_ID, deleted, payee_id: PAYEE_ID});
      if (deleted === null)
        assert.match(ran.stderr, new RegExp(`^Hint: remit payment-methods list --payee ${PAYEE_ID}$`, 'm'));
    });
});
