import assert from 'node:assert/strict';
import {getEventListeners} from 'node:events';
import {unwatch, waiter, watch} from '../../../src/client/transport/abort.ts';

describe('watching a signal', () => {
  it('tells all who still watch, with one listener for all of them', () => {
    const told: [string, unknown][] = [];
    const who = (name: string) => waiter((reason) => told.push([name, reason]));
    const stop = new AbortController();
    const [a, b, c] = [who('a'), who('b'), who('c')];
    for (const one of [a, b, c]) watch(stop.signal, one);
    unwatch(b);
    assert.equal(getEventListeners(stop.signal, 'abort').length, 1);
    stop.abort('enough');
    assert.deepEqual(told, [
      ['a', 'enough'],
      ['c', 'enough'],
    ]);
  });

  it('does not call a waiter that another waiter removed', () => {
    const stop = new AbortController();
    const told: string[] = [];
    const second = waiter(() => told.push('second'));
    const first = waiter(() => {
      told.push('first');
      unwatch(second);
    });
    watch(stop.signal, first);
    watch(stop.signal, second);
    stop.abort();
    assert.deepEqual(told, ['first']);
  });

  it('keeps signals apart, and forgets who watches none', () => {
    const [one, two] = [new AbortController(), new AbortController()];
    let told = 0;
    watch(
      one.signal,
      waiter(() => told++),
    );
    unwatch(waiter(() => told++));
    two.abort();
    assert.equal(told, 0);
    one.abort();
    assert.equal(told, 1);
  });
});
