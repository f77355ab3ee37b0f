import assert from 'node:assert/strict';
import {showReady} from '../../../../src/cli/sandbox/start/ready.ts';
import {makeOutput} from '../../../output/make-output.ts';

const BASE = 'http://127.0.0.1:4510';
const KEY = 'test_sandbox_1';
const READY = {
  ...{type: 'ready' as const, base_url: BASE, test_key: KEY, live_key: 'live_sandbox_1'},
  ...{control_url: `${BASE}/sandbox`, control_token: 'control-1'},
};

/** The hints that are printed, in order. */
function hints(facts: Partial<Parameters<typeof showReady>[2]>): string[] {
  const {out, stdout, stderr} = makeOutput({}, {columns: 400});
  showReady(out, READY, {profile: 'sandbox', known: true, service: undefined, ...facts});
  return Array.from(`${stdout.text}\n${stderr.text}`.matchAll(/^Hint: (.*)$/gm), ([, hint = '']) => hint);
}

describe('the hints of a sandbox that was started', () => {
  it('use its profile', () => {
    assert.deepEqual(hints({}), ['remit sandbox seed --payees 3 -p sandbox', 'remit payees list -p sandbox']);
  });

  it('use its address and key if another sandbox has the profile, and its service file', () => {
    assert.deepEqual(hints({known: false, profile: undefined, service: 'my service.json'}), [
      `REMIT_BASE_URL=${BASE} REMIT_API_KEY=${KEY} REMIT_SERVICE_FILE='my service.json' remit payees list`,
      `REMIT_BASE_URL=${BASE} remit sandbox stop`,
    ]);
  });

  it('use its address and key if the profile belongs to another service', () => {
    assert.deepEqual(hints({profile: undefined}), [
      'remit sandbox seed --payees 3',
      `REMIT_BASE_URL=${BASE} REMIT_API_KEY=${KEY} remit payees list`,
    ]);
  });
});
