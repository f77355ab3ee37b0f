import assert from 'node:assert/strict';
import {killUnderLoad} from './listen-crash.ts';

describe('a listener that is killed under load', () => {
  // The long form, 50 times: npm run crash:listen
  it('has every delivery that it answered with 2XX in its record', async function () {
    let answered = 0;
    for (const afterMs of [150, 400]) answered += await killUnderLoad(afterMs);
    assert.ok(answered > 0);
  });
});
