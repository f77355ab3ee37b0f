import assert from 'node:assert/strict';
import {getEventListeners} from 'node:events';
import {unwatch, watch} from '../../src/client/abort.ts';

describe('watching a signal', () => {
  it('tells all who still watch, with one listener for all of them', () => {
    const told: [string, unknown][] = [];
    const who = (name: string) => ({onAbort: (reason: unknown) => void told.push([name, reason])});
    const stop = new AbortController();
    const [a, b, c] = [who('a'), who('b'), who('c')];
    for (const one of [a, b, c]) watch(stop.signal, one);
    unwatch(stop.signal, b);
    assert.equal(getEventListeners(stop.signal, 'abort').length, 1);
    stop.abort('enough');
    assert.deepEqual(told, [
      ['a', 'enough'],
      ['c', 'enough'],
    ]);
  });

  it('tells nobody who was taken off by another one that was told', () => {
    const stop = new AbortController();
    const told: string[] = [];
    const second = {onAbort: () => void told.push('second')};
    watch(stop.signal, {
      onAbort: () => {
        told.push('first');
        unwatch(stop.signal, second);
      },
    });
    watch(stop.signal, second);
    stop.abort();
    assert.deepEqual(told, ['first']);
  });

  it('keeps signals apart', () => {
    const [one, two] = [new AbortController(), new AbortController()];
    let told = 0;
    watch(one.signal, {onAbort: () => told++});
    unwatch(two.signal, {onAbort: () => {}});
    two.abort();
    assert.equal(told, 0);
  });
});
