import {createHash} from 'node:crypto';
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {withHeldTimers} from '../held-timers.ts';
import type {Clock} from '../../../src/clock.ts';
import {RemitError} from '../../../src/errors.ts';
import {acquireLock, type Lock, lockFailure, type LockOptions} from '../../../src/store/locks/lock.ts';
import {
  describeSelf,
  type Holder,
  lifeOf,
  type ProcessProbe,
  systemProbe,
} from '../../../src/store/locks/lock-holder.ts';
import {scratchFolder} from '../scratch-folder.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

/** A machine with some processes, given as pid -> start time. */
function machine(facts: Partial<ProcessProbe> & {processes?: Record<number, string>} = {}): ProcessProbe {
  const {processes = {}, ...rest} = facts;
  const all: Record<number, string> = {1: '10', ...processes};
  return {
    host: 'alpha',
    boot: 'boot-1',
    namespace: 'pid:[1]',
    pid: 1,
    startTime: (pid) => all[pid],
    exists: (pid) => pid in all,
    ...rest,
  };
}

class FakeClock implements Clock {
  time = NOW;
  slept: number[] = [];
  whileAsleep: () => void = () => {};
  now(): number {
    return this.time;
  }
  monotonic(): number {
    return this.time;
  }
  async sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.time += ms;
    this.whileAsleep();
  }
}

it('a lock that a full disk refuses names the folder, not the lock', () => {
  const {message} = lockFailure(
    Object.assign(new Error('x'), {code: 'ENOSPC'}),
    '/state/remit/reconcile.lock',
  );
  assert.equal(message, 'Could not write to /state/remit: no space is left on its disk');
});

describe('the lock', () => {
  const folder = scratchFolder();
  const path = () => join(folder(), 'state', 'batch.lock');
  let clock: FakeClock;
  let beats: (() => void)[];
  const held: Lock[] = [];

  const acquire = async (options: Partial<LockOptions> = {}) => {
    const lock = await acquireLock(path(), {
      purpose: 'A run of batch b1',
      clock,
      probe: machine(),
      schedule: (beat) => {
        beats.push(beat);
        return () => void beats.splice(beats.indexOf(beat), 1);
      },
      ...options,
    });
    held.push(lock);
    return lock;
  };
  /** Leaves a lock file as another process would. */
  const leave = (holder: Partial<Holder>, ageMs = 0) => {
    mkdirSync(join(folder(), 'state'), {recursive: true});
    const whole = {
      ...describeSelf(machine({pid: 77, processes: {77: '500'}}), 'A run of batch b1', 'f'.repeat(24), NOW),
      ...holder,
    };
    writeFileSync(path(), JSON.stringify(whole));
    utimesSync(path(), (NOW - ageMs) / 1000, (NOW - ageMs) / 1000);
  };
  const refused = (pattern: RegExp) => (error: unknown) => {
    assert.ok(error instanceof RemitError, String(error));
    assert.equal(error.code, 'LOCKED');
    assert.equal(error.exitCode, 13);
    assert.match(error.message, pattern);
    return true;
  };
  const written = () => JSON.parse(readFileSync(path(), 'utf8')) as Holder;

  beforeEach(() => {
    clock = new FakeClock();
    beats = [];
  });
  afterEach(async () => {
    for (const lock of held.splice(0)) await lock.release();
  });

  it('is a file of mode 0600 that names its holder, and is removed on release', async () => {
    const lock = await acquire();
    const {token, ...rest} = written();
    assert.match(token, /^[0-9a-f]{24}$/);
    assert.deepEqual(rest, {
      purpose: 'A run of batch b1',
      host: 'alpha',
      boot: 'boot-1',
      namespace: 'pid:[1]',
      pid: 1,
      startTime: '10',
      since: '2026-03-01T12:00:00.000Z',
    });
    assert.equal(statSync(path()).mode & 0o777, 0o600);
    await lock.release();
    await lock.release();
    assert.deepEqual(readdirSync(join(folder(), 'state')), []);
    assert.equal(beats.length, 0);
  });

  it('is refused while its holder lives, however old the heartbeat: a stopped process still holds it', async () => {
    leave({}, 3_600_000);
    await assert.rejects(acquire({probe: machine({processes: {77: '500'}})}), (error: RemitError) => {
      refused(/^A run of batch b1 is already running: process 77 on alpha, since 2026-03-01T12:00:00/)(error);
      assert.equal(error.hint, 'wait for it to end');
      assert.equal(error.details?.['pid'], 77);
      assert.equal(error.details?.['heartbeat_age_ms'], 3_600_000);
      return true;
    });
    assert.deepEqual(clock.slept, []);
  });

  it('is waited for while a holder has it that is done in moments', async () => {
    const reader = await acquire({purpose: 'status of batch b1', brief: true});
    clock.whileAsleep = () => {
      if (clock.slept.length === 50) void reader.release();
    };
    await acquire();
    assert.equal(clock.slept.length, 50);
    assert.equal(written().purpose, 'A run of batch b1');
    assert.equal(Object.hasOwn(written(), 'brief'), false);
  });

  it('is refused when such a holder is not done after half a minute', async () => {
    await acquire({purpose: 'status of batch b1', brief: true});
    await assert.rejects(acquire(), refused(/status of batch b1 is already running/));
    assert.equal(clock.time, NOW + 30_000);
  });

  it('is refused to the process that already holds it', async () => {
    await acquire();
    await assert.rejects(
      acquire({hint: 'remit sandbox stop'}),
      (error: RemitError) => error.hint === 'remit sandbox stop',
    );
  });

  it('is taken over at once from a dead process', async () => {
    leave({});
    await acquire();
    assert.equal(written().pid, 1);
    assert.deepEqual(readdirSync(join(folder(), 'state')), ['batch.lock']);
    assert.deepEqual(clock.slept, []);
  });

  it('is taken over at once when the pid belongs to a later process', async () => {
    leave({});
    await acquire({probe: machine({processes: {77: '9000'}})});
    assert.equal(written().pid, 1);
  });

  const elsewhere: [string, Partial<Holder>][] = [
    ['another host', {host: 'beta'}],
    ['another container of this machine', {namespace: 'pid:[2]'}],
    ['this host before it was restarted, or one of the same name', {boot: 'boot-0'}],
    ['a process with an unknown start time', {pid: 78, startTime: null}],
  ];
  for (const [name, holder] of elsewhere) {
    const probe = machine({processes: {78: '1'}});

    it(`is refused while the heartbeat of ${name} is fresh`, async () => {
      leave(holder, 29_000);
      await assert.rejects(acquire({probe}), refused(/is already running/));
    });

    it(`is taken over from ${name} after 30 seconds without a heartbeat, and five of watching`, async () => {
      leave(holder, 30_000);
      await acquire({probe});
      assert.equal(written().pid, 1);
      assert.deepEqual(clock.slept, [5000]);
    });
  }

  it('is refused when the heartbeat of a host whose clock is behind still moves', async () => {
    leave({host: 'beta'}, 90_000);
    clock.whileAsleep = () => utimesSync(path(), (NOW - 85_000) / 1000, (NOW - 85_000) / 1000);
    await assert.rejects(acquire(), refused(/process 77 on beta/));
  });

  it('is not taken from a holder that is seen to live on this machine', async () => {
    await acquire();
    await assert.rejects(acquire({breakLock: true}), (error: RemitError) => {
      refused(/is already running: process 1 on alpha/)(error);
      assert.match(error.hint!, /it is still running, .* end it first \(kill 1\)/);
      return true;
    });
  });

  it('is taken from a living holder elsewhere on request, and that holder learns of it at its next heartbeat', async () => {
    const first = await acquire();
    const second = await acquire({breakLock: true, purpose: 'A resume', probe: machine({host: 'beta'})});
    assert.equal(first.lost.aborted, false);
    beats[0]?.();
    assert.equal(first.lost.aborted, true);
    refused(/was taken by another process: process 1 on beta/)(first.lost.reason);
    await first.release();
    assert.equal(written().purpose, 'A resume');
    second.assertHeld();
  });

  it('is known to be lost before the next heartbeat to one who asks', async () => {
    const first = await acquire();
    first.assertHeld();
    await acquire({breakLock: true, probe: machine({host: 'beta'})});
    assert.throws(() => first.assertHeld(), refused(/was taken/));
    assert.equal(first.lost.aborted, true);
  });

  it('is lost when its file is removed', async () => {
    const lock = await acquire();
    rmSync(path());
    beats[0]?.();
    refused(/its file is gone/)(lock.lost.reason);
  });

  it('is touched by each heartbeat', async () => {
    await acquire();
    clock.time += 60_000;
    beats[0]?.();
    assert.equal(statSync(path()).mtimeMs, NOW + 60_000);
  });

  it('has a heartbeat every two seconds', () =>
    withHeldTimers(async (pass) => {
      const lock = await acquire({schedule: undefined});
      const taken = statSync(path()).mtimeMs;
      const touchedAfter = (ms: number) => {
        clock.time += ms;
        pass(ms);
        return statSync(path()).mtimeMs;
      };
      assert.deepEqual([1999, 1, 1999, 1].map(touchedAfter), [taken, NOW + 2000, NOW + 2000, NOW + 4000]);
      await lock.release();
    }));

  it('is refused while a file that remit did not write is in its place, until that is old', async () => {
    mkdirSync(join(folder(), 'state'));
    writeFileSync(path(), '{"pid":');
    utimesSync(path(), NOW / 1000, NOW / 1000);
    await assert.rejects(acquire(), refused(/its file was not written by remit/));
    clock.time += 31_000;
    await acquire();
    assert.equal(written().pid, 1);
  });

  it('is taken over although a contender died in the middle of taking it over, twice', async () => {
    leave({token: 'a'.repeat(24)});
    const dead = (token: string) =>
      JSON.stringify({...describeSelf(machine({pid: 88}), 'x', token, NOW), startTime: '1'});
    writeFileSync(`${path()}.${'a'.repeat(24)}`, dead('b'.repeat(24)));
    writeFileSync(`${path()}.${'a'.repeat(24)}.${'b'.repeat(24)}`, dead('c'.repeat(24)));
    await acquire();
    assert.equal(written().pid, 1);
    assert.deepEqual(readdirSync(join(folder(), 'state')), ['batch.lock']);
  });

  it('waits for a living contender, and is then refused or taken', async () => {
    leave({token: 'a'.repeat(24)});
    const guard = `${path()}.${'a'.repeat(24)}`;
    writeFileSync(
      guard,
      JSON.stringify(describeSelf(machine({pid: 99, processes: {99: '3'}}), 'x', 'd'.repeat(24), NOW)),
    );
    clock.whileAsleep = () => rmSync(guard, {force: true});
    await acquire({probe: machine({processes: {99: '3'}})});
    assert.deepEqual(clock.slept, [20]);
  });

  it('sweeps away what dead contenders left long ago, and nothing else', async () => {
    mkdirSync(join(folder(), 'state'));
    const names = [
      `batch.lock.${'a'.repeat(24)}`,
      `batch.lock.${'b'.repeat(12)}.tmp`,
      'batch.lock.txt',
      'other',
    ];
    for (const name of names) {
      writeFileSync(join(folder(), 'state', name), '');
      utimesSync(join(folder(), 'state', name), 1, 1);
    }
    await acquire();
    assert.deepEqual(readdirSync(join(folder(), 'state')).sort(), ['batch.lock', 'batch.lock.txt', 'other']);
  });

  it('sweeps away at once what a contender left that is known to be dead', async () => {
    mkdirSync(join(folder(), 'state'));
    const left = (pid: number) => {
      const holder = describeSelf(machine({pid, processes: {[pid]: '3'}}), 'x', 'd'.repeat(24), NOW);
      const draft = join(folder(), 'state', `batch.lock.${String(pid).repeat(6)}.tmp`);
      writeFileSync(draft, JSON.stringify(holder));
      utimesSync(draft, NOW / 1000, NOW / 1000);
    };
    left(98);
    left(99);
    await acquire({probe: machine({processes: {99: '3'}})});
    const names = readdirSync(join(folder(), 'state')).sort();
    assert.deepEqual(names, ['batch.lock', `batch.lock.${'99'.repeat(6)}.tmp`]);
  });

  it('sweeps away at once the empty draft of a contender that is known to be dead', async () => {
    mkdirSync(join(folder(), 'state'));
    const probe = machine({processes: {99: '3'}});
    const {host, boot, namespace} = describeSelf(probe, 'x', 'd'.repeat(24), NOW);
    const nameOf = (on: string, pid: number) => {
      const id = createHash('sha256')
        .update(JSON.stringify([on, boot, namespace]))
        .digest('hex');
      return `batch.lock.${id.slice(0, 8)}-${pid}-${'b'.repeat(12)}.tmp`;
    };
    const kept = [nameOf(host, 99), nameOf('elsewhere', 98)];
    for (const name of [nameOf(host, 98), ...kept]) {
      const draft = join(folder(), 'state', name);
      writeFileSync(draft, '');
      utimesSync(draft, NOW / 1000, NOW / 1000);
    }
    await acquire({probe});
    assert.deepEqual(readdirSync(join(folder(), 'state')).sort(), ['batch.lock', ...kept].sort());
  });

  it('says which file is in the way when it cannot be taken', async () => {
    writeFileSync(join(folder(), 'state'), '');
    await assert.rejects(
      acquire(),
      (error: RemitError) => error.code === 'STATE' && /state/.test(error.message),
    );
    assert.equal(existsSync(path()), false);
  });
});

describe('what the system says about processes', () => {
  it('finds this process alive', () => {
    const self = describeSelf(systemProbe, 'test', 'token', Date.now());
    assert.equal(lifeOf(self, systemProbe), process.platform === 'linux' ? 'alive' : 'unknown');
  });

  it('finds no process for an unused pid', () => {
    assert.equal(systemProbe.exists(2 ** 22 + 1), false);
    assert.equal(systemProbe.startTime(2 ** 22 + 1), undefined);
  });
});
