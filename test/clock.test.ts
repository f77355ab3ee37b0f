import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {poll} from '../src/clock.ts';
import {RecordingClock} from './client/recording-clock.ts';

describe('a loop that waits', () => {
  /** Steps that have a result at the nth one. */
  function polling(nth: number, timeoutMs?: number) {
    const clock = new RecordingClock();
    const left: number[] = [];
    const result = poll({
      ...{clock, timeoutMs},
      step: async (leftMs) => (left.push(leftMs) === nth ? 'found' : undefined),
      pauseMs: (pauses) => 100 * (pauses + 1),
      sleep: (ms) => clock.sleep(ms),
    });
    return {clock, left, result};
  }

  it('takes a step at once, and pauses between two', async () => {
    for (const [nth, sleeps] of [
      [1, []],
      [2, [100]],
      [4, [100, 200, 300]],
    ] as const) {
      const {clock, result} = polling(nth);
      assert.equal(await result, 'found');
      assert.deepEqual(clock.sleeps, sleeps);
    }
  });

  it('takes a last step when its time is over, however little is left', async () => {
    for (const timeoutMs of [0, 1, 150, 299, 300]) {
      const {clock, left, result} = polling(99, timeoutMs);
      assert.equal(await result, undefined);
      assert.equal(left.at(-1), 0, `${timeoutMs} ms`);
      assert.equal(
        clock.sleeps.reduce((sum, ms) => sum + ms, 0),
        timeoutMs,
      );
    }
  });

  it('ends with what a step or a pause throws', async () => {
    const clock = new RecordingClock();
    const loop = {clock, pauseMs: () => 1, sleep: () => Promise.reject(new Error('woken'))};
    await assert.rejects(poll({...loop, step: async () => undefined}), /woken/);
    await assert.rejects(poll({...loop, step: () => Promise.reject(new Error('no step'))}), /no step/);
  });
});
