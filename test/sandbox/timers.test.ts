import assert from 'node:assert/strict';
import type {Context} from '../../src/sandbox/context.ts';
import {IdMaker} from '../../src/sandbox/ids.ts';
import {openSandboxStore} from '../../src/sandbox/open-store.ts';
import {seededRandom} from '../../src/sandbox/random.ts';
import {SandboxClock} from '../../src/sandbox/sandbox-clock.ts';
import {TimerPump} from '../../src/sandbox/timer-pump.ts';
import {setTimer, type FireTimer} from '../../src/sandbox/timers.ts';
import {TIMINGS} from '../../src/sandbox/timing.ts';
import {ManualClock} from './manual-clock.ts';
import {testStore, type TestStore} from './test-store.ts';

describe('sandbox timers', () => {
  let store: TestStore;
  let context: Context;
  let pump: TimerPump;
  let fired: string[];
  const bugs: unknown[] = [];
  const set = (subjectId: string, dueMs: number) =>
    context.store.write((queries) =>
      setTimer(queries, context, {
        dueMs,
        entityId: 'e',
        subject: 'payout',
        ownerId: null,
        subjectId,
        step: 'x',
      }),
    );
  /** Records its firing; a timer named `a+5` sets `a` anew, 5 ms later. */
  const fire: FireTimer = async (queries, within, timer) => {
    fired.push(`${timer.subjectId}@${timer.dueMs}`);
    const [name, ms] = timer.subjectId.split('+');
    if (ms !== undefined)
      await setTimer(queries, within, {...timer, subjectId: name!, dueMs: timer.dueMs + Number(ms)});
  };

  beforeEach(async () => {
    store = await testStore();
    fired = [];
    context = {
      store: await openSandboxStore(store.place),
      clock: new SandboxClock(new ManualClock('1970-01-01T00:00:00Z'), {mode: 'real', aheadMs: 0}),
      ids: new IdMaker(seededRandom('timers')),
      random: seededRandom('timers'),
      timing: TIMINGS.fast,
      rules: {strictIdempotency: false, idempotencyTtlMs: null, magicAmounts: true},
      timerAdded: (dueMs) => pump.notice(dueMs),
      deliveryAdded: () => assert.fail('no delivery is made here'),
    };
    pump = new TimerPump({context, fire, background: false, onBug: (error) => bugs.push(error)});
  });
  afterEach(async () => {
    await pump.stop();
    await context.store.close();
    await store.drop();
    assert.deepEqual(bugs, []);
  });

  it('fire in the order of time, then of their making, and only what is due', async () => {
    await set('c', 30);
    await set('a', 10);
    await set('b', 10);
    await set('d', 31);
    assert.equal(await pump.run(30), 3);
    assert.deepEqual(fired, ['a@10', 'b@10', 'c@30']);
    assert.equal(await pump.run(31), 1);
  });

  it('let a timer set on the way have its turn before later ones', async () => {
    await set('b', 20);
    await set('a+5', 10);
    await set('c', 14);
    assert.equal(await pump.run(100), 4);
    assert.deepEqual(fired, ['a+5@10', 'c@14', 'a@15', 'b@20']);
  });

  it('come through in any number', async () => {
    for (let n = 0; n < 180; n += 1) await set(`t${n}`, 1000 - n);
    await pump.run(2000);
    assert.equal(fired.length, 180);
    assert.deepEqual(
      fired.map((entry) => Number(entry.split('@')[1])),
      Array.from({length: 180}, (_, n) => 821 + n),
    );
  });

  it('leave a whole batch undone when one of it breaks, and can be tried again', async () => {
    await set('a', 1);
    await set('b', 2);
    let broken = true;
    const fragile = new TimerPump({
      context,
      background: false,
      onBug: () => undefined,
      fire: async (queries, within, timer) => {
        if (broken && timer.subjectId === 'b') throw new Error('broken');
        await fire(queries, within, timer);
      },
    });
    await assert.rejects(fragile.run(10), /broken/);
    fired = [];
    broken = false;
    assert.equal(await fragile.run(10), 2);
    assert.deepEqual(fired, ['a@1', 'b@2']);
  });

  it('wait for the clock, unless the background runs', async () => {
    await set('a', 5);
    await pump.catchUp();
    assert.deepEqual(fired, []);
    context.clock.advanceTo(5);
    await pump.catchUp();
    assert.deepEqual(fired, ['a@5']);
  });
});
