import assert from 'node:assert/strict';
import {AdaptiveSpeed} from '../../../src/batch/speed/adaptive.ts';
import {CATCH_UP_MS} from '../../../src/batch/speed/pacer.ts';

/** One request after the other, each with `tookMs`, `inFlight` at a time as far as the controller knows. */
class Load {
  now = 1000;
  readonly speed: AdaptiveSpeed;

  constructor(limits: {maxInFlight?: number; maxRps?: number} = {}) {
    this.speed = new AdaptiveSpeed({maxInFlight: 1024, ...limits});
  }

  /** Rounds of a full window, each answered after `tookMs`. */
  rounds(count: number, tookMs: number): this {
    for (let round = 0; round < count; round++) {
      const size = this.speed.limit();
      for (let i = 1; i <= size; i++) this.speed.sent(this.now, i);
      const at = this.now;
      this.now += tookMs;
      for (let i = 1; i <= size; i++) this.speed.succeeded(this.now, {at, inFlight: i});
    }
    return this;
  }

  refuse(retryAfterMs?: number, inFlight = this.speed.limit()): this {
    const at = this.now;
    this.now += 4;
    this.speed.refused(this.now, {at, inFlight}, retryAfterMs);
    return this;
  }
}

describe('a refusal', () => {
  it('counts for a request sent after the previous Retry-After ended, and not before', () => {
    const slowedBy = (sentAfterMs: number): boolean => {
      const {speed, now} = new Load().rounds(20, 50).refuse(1000);
      const before = speed.rps;
      speed.refused(now + sentAfterMs + 4, {at: now + sentAfterMs, inFlight: speed.limit()}, 1000);
      return speed.rps < before;
    };
    assert.deepEqual([slowedBy(999), slowedBy(1000)], [false, true]);
  });
});

describe('the window', () => {
  it('is 1 until the first success, then 4', () => {
    const {speed} = new Load();
    assert.equal(speed.limit(), 1);
    speed.sent(0, 1);
    speed.answered(50, {at: 0, inFlight: 1});
    assert.equal(speed.limit(), 1, 'a refused row is no success');
    speed.sent(50, 1);
    speed.failed(100);
    speed.sent(100, 1);
    speed.refused(150, {at: 100, inFlight: 1});
    assert.equal(speed.limit(), 1);
    speed.sent(150, 1);
    speed.succeeded(200, {at: 150, inFlight: 1});
    assert.equal(speed.limit(), 4);
  });

  it('doubles while the latency stays, up to the cap', () => {
    assert.equal(new Load().rounds(60, 50).speed.limit(), 1024);
    assert.equal(new Load({maxInFlight: 100}).rounds(60, 50).speed.limit(), 100);
    assert.equal(new Load({maxInFlight: 2}).rounds(20, 50).speed.limit(), 2);
    assert.equal(new Load({maxInFlight: 1}).rounds(20, 50).speed.limit(), 1);
  });

  it('does not grow while it is not filled', () => {
    const {speed} = new Load();
    for (let now = 0; now < 10_000; now += 50) {
      speed.sent(now, 1);
      speed.succeeded(now + 50, {at: now, inFlight: 1});
    }
    assert.equal(speed.limit(), 4);
  });

  it('stays below the number of requests for which this machine had no socket', () => {
    const {speed} = new Load().rounds(20, 50);
    speed.tooMany(10);
    speed.tooMany(12);
    assert.equal(speed.limit(), 9);
    speed.tooMany(1);
    assert.equal(speed.limit(), 1);
  });

  it('stays small at a service that answers one by one', () => {
    const load = new Load().rounds(1, 10);
    for (let round = 0; round < 200; round++) load.rounds(1, 10 * load.speed.limit());
    assert.ok(load.speed.limit() <= 8, String(load.speed.limit()));
  });

  it('recovers if a service became slower by itself, because that is not a queue', () => {
    const load = new Load({maxInFlight: 64}).rounds(40, 50);
    assert.equal(load.speed.limit(), 64);
    assert.equal(load.rounds(200, 400).speed.limit(), 64);
  });
});

describe('the pacer', () => {
  it('is off until the first refusal, then at the measured goodput', () => {
    const load = new Load({maxInFlight: 4}).rounds(20, 50); // 80 a second
    assert.equal(load.speed.rps, Infinity);
    load.refuse();
    assert.ok(load.speed.rps >= 80 && load.speed.rps <= 120, String(load.speed.rps));
    assert.ok(load.speed.earliest(load.now) > load.now);
  });

  it('does not react to failures, whatever their number', () => {
    const load = new Load({maxInFlight: 16}).rounds(20, 50);
    for (let i = 0; i < 1000; i++) load.speed.failed(load.now);
    assert.deepEqual([load.speed.limit(), load.speed.rps], [16, Infinity]);
  });

  it('counts simultaneous refusals once', () => {
    const load = new Load().rounds(20, 50);
    const at = load.now;
    load.speed.refused(at + 4, {at, inFlight: 3}, 1000);
    const {rps} = load.speed;
    for (let i = 0; i < 100; i++) load.speed.refused(at + 5, {at, inFlight: 3}, 1000);
    assert.equal(load.speed.rps, rps);
  });

  it('is at least one request in ten seconds, and one per second at first, while there are only refusals', () => {
    const load = new Load();
    load.speed.sent(load.now, 1);
    load.refuse();
    assert.equal(load.speed.rps, 1);
    for (let i = 0; i < 20; i++) {
      load.now = load.speed.earliest(load.now);
      load.speed.sent(load.now, 1);
      load.refuse();
    }
    assert.ok(Math.abs(load.speed.rps - 0.1) < 1e-9, String(load.speed.rps));
  });

  it('never lets through more than the user allows', () => {
    const load = new Load({maxRps: 10});
    assert.equal(load.speed.rps, 10);
    load.rounds(20, 1);
    assert.equal(load.speed.rps, 10);
    load.refuse();
    assert.ok(load.speed.rps <= 10);
    const speed = new AdaptiveSpeed({maxInFlight: 8, maxRps: 10});
    speed.sent(0, 1);
    assert.equal(speed.earliest(0), 100 - CATCH_UP_MS);
    speed.sent(speed.earliest(0), 2);
    assert.equal(speed.earliest(0), 200 - CATCH_UP_MS, 'no more is made up for than that');
    assert.equal(speed.earliest(250), 250);
  });
});

describe('a refusal with a full window', () => {
  it('lowers what may be in flight to one less, and probes again later', () => {
    const load = new Load({maxInFlight: 24}).rounds(60, 50);
    load.refuse(undefined, 24);
    assert.equal(load.speed.limit(), 23);
    load.rounds(200, 50);
    assert.equal(load.speed.limit(), 24);
  });

  it('never lowers it below one', () => {
    const load = new Load({maxInFlight: 1}).rounds(4, 50);
    for (let i = 0; i < 5; i++) {
      load.now += 1000;
      load.refuse(undefined, 1);
      assert.equal(load.speed.limit(), 1);
    }
  });
});

describe('the retry budget', () => {
  const sends = (speed: AdaptiveSpeed, now: number, count: number) => {
    for (let i = 0; i < count; i++) speed.sent(now, 1);
  };

  it('admits new rows while at most a tenth of the sends of ten seconds failed', () => {
    const {speed} = new Load();
    sends(speed, 0, 100);
    for (let i = 0; i < 10; i++) speed.failed(500);
    assert.equal(speed.admitsNewRows(500), true);
    speed.failed(500);
    assert.equal(speed.admitsNewRows(500), false);
    sends(speed, 5000, 10);
    assert.equal(speed.admitsNewRows(5000), true, '11 of 110');
  });

  it('always admits one failure', () => {
    const {speed} = new Load();
    speed.sent(0, 1);
    speed.failed(10);
    assert.equal(speed.admitsNewRows(10), true);
    speed.failed(20);
    assert.equal(speed.admitsNewRows(20), false);
  });

  it('forgets after ten seconds, even if nothing happened in between', () => {
    for (const later of [10_000, 12_345, 10_000_000]) {
      const {speed} = new Load();
      sends(speed, 100, 5);
      for (let i = 0; i < 5; i++) speed.failed(200);
      assert.equal(speed.admitsNewRows(9_999), false);
      assert.equal(speed.admitsNewRows(later), true);
    }
  });

  it('is not used up by refusals', () => {
    const load = new Load().rounds(10, 50);
    for (let i = 0; i < 50; i++) load.refuse(1000);
    assert.equal(load.speed.admitsNewRows(load.now), true);
  });
});
