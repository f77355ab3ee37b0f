import assert from 'node:assert/strict';
import type {Clock} from '../../../src/clock.ts';
import {WaitBudget} from '../../../src/sandbox/time/patience.ts';

describe('the patience of an advance', () => {
  let nowMs = 0;
  let wake = () => {};
  const machine: Clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        wake = () => {
          nowMs += ms;
          resolve();
        };
        signal?.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  };
  const receive = (ms: number) => (): Promise<void> => {
    nowMs += ms;
    return Promise.resolve();
  };
  const forEver = (over: Promise<void>) => {
    wake();
    return over;
  };

  it('runs out only while it waits, not during other work', async () => {
    const patience = new WaitBudget(100, machine);
    nowMs += 60_000; // the bank had much to do
    await patience.during(receive(60));
    assert.equal(patience.isOver, false);
    nowMs += 60_000;
    const began = nowMs;
    await patience.during(forEver);
    assert.deepEqual([patience.isOver, nowMs - began], [true, 40]);
  });

  it('ends at once if no time is left', async () => {
    const patience = new WaitBudget(100, machine);
    await patience.during(receive(100));
    assert.equal(patience.isOver, true);
    wake = () => assert.fail('nothing sleeps');
    await patience.during((over) => over);
  });
});
