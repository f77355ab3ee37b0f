import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {hasDeclaredShape} from '../../../src/cli/sandbox/control-shape.ts';

describe('the answer of a control call', () => {
  const clock = {mode: 'frozen', now: '2026-01-01T00:00:00.000Z', timing: 'fast'};
  const ofClock = (json: unknown) => hasDeclaredShape({method: 'GET', path: '/sandbox/clock'}, json);

  it('has the fields of the call', async () => {
    assert.equal(await ofClock(clock), true);
    for (const other of [{}, {data: []}, {...clock, now: undefined}, null, 'text', [clock]])
      assert.equal(await ofClock(other), false, JSON.stringify(other));
  });

  it('may have the fields and values of another version', async () => {
    assert.equal(await ofClock({...clock, more: {}}), true);
    assert.equal(await ofClock({...clock, mode: 'slow', now: 'soon'}), true);
  });

  it('is not checked if the call declares none', async () => {
    assert.equal(await hasDeclaredShape({method: 'DELETE', path: '/sandbox/faults/f_1'}, {}), true);
    assert.equal(await hasDeclaredShape({method: 'GET', path: '/sandbox/of-a-later-version'}, {}), true);
  });

  it('is found by the path with its values', async () => {
    const path = '/sandbox/deliveries/a%2Fb' as const;
    assert.equal(await hasDeclaredShape({method: 'GET', path}, {id: 'a/b'}), false);
  });
});
