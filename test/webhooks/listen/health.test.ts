import assert from 'node:assert/strict';
import {watchTarget, type TargetChange} from '../../../src/webhooks/listen/health.ts';
import {RecordingClock} from '../../client/recording-clock.ts';

const TARGET = 'http://localhost:3000/hook';

/** What is reported, and the pauses, while the probes find this. */
async function watch(...errors: (string | null)[]) {
  const clock = new RecordingClock();
  const stopped = new AbortController();
  const changes: Parameters<TargetChange>[] = [];
  const probed: string[] = [];
  clock.onSleep = (nth) => {
    if (nth === errors.length - 1) stopped.abort();
  };
  await watchTarget(TARGET, {
    clock,
    signal: stopped.signal,
    onChange: (...change) => void changes.push(change),
    probe: ({href}) => {
      probed.push(href);
      return Promise.resolve(errors[probed.length - 1] ?? null);
    },
  });
  return {changes, sleeps: clock.sleeps, probed};
}

describe('the health of a target', () => {
  it('is reported when the target goes down and when it recovers, and not in between', async () => {
    const {changes, probed} = await watch(null, null, 'connection refused', 'EHOSTUNREACH', null, null);
    assert.deepEqual(changes, [
      [TARGET, 'down', 'connection refused'],
      [TARGET, 'up', null],
    ]);
    assert.equal(probed[0], TARGET);
  });

  it('is reported at the start only if the target does not answer', async () => {
    assert.deepEqual((await watch(null)).changes, []);
    assert.deepEqual((await watch('connection refused')).changes, [[TARGET, 'down', 'connection refused']]);
  });

  it('is checked every 15 s, and every 5 s while the target is down', async () => {
    const {sleeps} = await watch(null, 'connection refused', null);
    assert.deepEqual(sleeps, [15_000, 5000, 15_000]);
  });
});
