import assert from 'node:assert/strict';
import {systemClock} from '../../../src/clock.ts';
import {RemitError} from '../../../src/errors.ts';
import type {SandboxContext} from '../../../src/sandbox/world/context.ts';
import {IdMaker} from '../../../src/sandbox/base/ids.ts';
import {openSandboxStore} from '../../../src/sandbox/migrations/open-store.ts';
import {seededRandom} from '../../../src/sandbox/base/random.ts';
import {SandboxClock} from '../../../src/sandbox/time/clock.ts';
import {TimerPump} from '../../../src/sandbox/world/timer-pump.ts';
import {setTimer, type FireTimer} from '../../../src/sandbox/world/timers.ts';
import {TIMINGS} from '../../../src/sandbox/time/timing.ts';
import type {Store} from '../../../src/store/port/port.ts';
import {ManualClock} from '../manual-clock.ts';
import {testStore, type TestStore} from '../test-store.ts';
import {keyIndexFor} from '../../../src/sandbox/entities/remembered-keys.ts';

/** A store as a plain object, so that one of its functions can be another. */
const bound = (store: Store): Store => ({
  dialect: store.dialect,
  read: (work) => store.read(work),
  glance: (sql, values) => store.glance(sql, values),
  write: (work, options) => store.write(work, options),
  saveCopy: (name) => store.saveCopy(name),
  writeFromCopy: (name, work) => store.writeFromCopy(name, work),
  close: () => store.close(),
});

describe('sandbox timers', () => {
  let store: TestStore;
  let context: SandboxContext;
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
  /** Records its firing; a timer named `a+5` sets `a` again, 5 ms later. */
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
      keyIndex: keyIndexFor('sqlite'),
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

  it('fire in order of time, then of creation, and only when due', async () => {
    await set('c', 30);
    await set('a', 10);
    await set('b', 10);
    await set('d', 31);
    assert.equal(await pump.run(30), 3);
    assert.deepEqual(fired, ['a@10', 'b@10', 'c@30']);
    assert.equal(await pump.run(31), 1);
  });

  it('fire a timer that was set meanwhile before later ones', async () => {
    await set('b', 20);
    await set('a+5', 10);
    await set('c', 14);
    assert.equal(await pump.run(100), 4);
    assert.deepEqual(fired, ['a+5@10', 'c@14', 'a@15', 'b@20']);
  });

  it('all fire, however many there are', async () => {
    for (let n = 0; n < 180; n += 1) await set(`t${n}`, 1000 - n);
    await pump.run(2000);
    assert.equal(fired.length, 180);
    assert.deepEqual(
      fired.map((entry) => Number(entry.split('@')[1])),
      Array.from({length: 180}, (_, n) => 821 + n),
    );
  });

  /** A pump on the same store, with what shall go wrong. */
  const pumpOf = (options: {fire?: FireTimer; within?: SandboxContext; background?: boolean}) => {
    const told: string[] = [];
    const other = new TimerPump({
      context: options.within ?? context,
      background: options.background ?? false,
      onBug: (error) => told.push(String(error)),
      fire: options.fire ?? fire,
    });
    return {other, told};
  };

  it('continue if one of them throws: that one is parked and reported', async () => {
    for (const [at, name] of ['a', 'b', 'c'].entries()) await set(name, at + 1);
    const {other, told} = pumpOf({
      fire: async (queries, within, timer) => {
        if (timer.subjectId === 'b') throw new Error('broken');
        await fire(queries, within, timer);
      },
    });
    await other.run(10);
    assert.deepEqual(fired.slice(-2), ['a@1', 'c@3']);
    assert.deepEqual(told, ['Error: broken']);
    const parked = await context.store.read((queries) => queries.all('select * from parked_timers'));
    assert.deepEqual(
      parked.map(({subject_id: id, error}) => [id, error]),
      [['b', 'Error: broken']],
    );
    assert.equal(await other.run(10), 0);
    await other.stop();
  });

  it('stay due if the store fails, and can be retried', async () => {
    await set('a', 1);
    let failures = 1;
    const write: typeof context.store.write = (work, options) =>
      failures-- > 0
        ? Promise.reject(new RemitError('STATE', 'the disk is full'))
        : context.store.write(work, options);
    const {other} = pumpOf({within: {...context, store: {...bound(context.store), write}}});
    await assert.rejects(other.run(10), /disk is full/);
    assert.equal(await other.run(10), 1);
    await other.stop();
  });

  it('fire in the background after the store failed once', async () => {
    await set('a', 0);
    let failures = 1;
    const write: typeof context.store.write = (work, options) =>
      failures-- > 0
        ? Promise.reject(new RemitError('STATE', 'the disk is full'))
        : context.store.write(work, options);
    const {other, told} = pumpOf({
      within: {...context, store: {...bound(context.store), write}},
      background: true,
    });
    await other.look();
    const until = Date.now() + 5000;
    while (fired.length === 0 && Date.now() < until) await systemClock.sleep(20);
    await other.stop();
    assert.deepEqual([fired, told.length], [['a@0'], 1]);
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
