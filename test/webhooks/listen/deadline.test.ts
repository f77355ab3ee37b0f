import assert from 'node:assert/strict';
import {nextTurn} from '../../../src/clock.ts';
import {Deadline} from '../../../src/webhooks/listen/deadline.ts';

describe('a deadline for many waits', () => {
  let nowMs = 0;
  let wake: () => void = () => {};
  let sleeps = 0;
  const clock = {
    monotonic: () => nowMs,
    sleep: () =>
      new Promise<void>((resolve) => {
        sleeps += 1;
        wake = resolve;
      }),
  };
  /** The timer fires. */
  const pass = async (ms: number) => {
    nowMs += ms;
    wake();
    await nextTurn();
    await nextTurn();
  };

  beforeEach(() => {
    nowMs = 0;
    sleeps = 0;
  });

  it('calls each once: with its value in time, or with the late one', async () => {
    const calls: string[] = [];
    const deadline = new Deadline(clock, 8000);
    const first = deadline.bound<string>((value) => calls.push(`first ${value}`), 'late');
    const second = deadline.bound<string>((value) => calls.push(`second ${value}`), 'late');
    first('written');
    await pass(1000);
    assert.deepEqual(calls, ['first written']);
    await pass(7000);
    second('written');
    first('written');
    assert.deepEqual(calls, ['first written', 'second late']);
  });

  it('runs one timer, and none when nothing waits', async () => {
    const deadline = new Deadline(clock, 8000);
    const all = Array.from({length: 100}, () => deadline.bound(() => undefined, undefined));
    assert.equal(sleeps, 1);
    for (const done of all) done(undefined);
    await pass(1000);
    assert.equal(sleeps, 1);
    deadline.bound(() => undefined, undefined);
    assert.equal(sleeps, 2);
  });
});
