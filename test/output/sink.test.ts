import assert from 'node:assert/strict';
import {Writable} from 'node:stream';
import {Sink} from '../../src/output/sink.ts';

/** A stream whose reader takes nothing until it is let go. */
class Slow extends Writable {
  #taken: (() => void) | undefined;

  constructor() {
    super({highWaterMark: 1});
  }

  override _write(_: unknown, __: unknown, taken: () => void): void {
    this.#taken = taken;
  }

  letGo(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
    if (this.writableLength > 0) this.letGo();
  }
}

describe('a standard stream', () => {
  it('is waited for once, however many write to a slow reader', async () => {
    const slow = new Slow();
    const sink = new Sink(slow);
    const waits = Array.from({length: 50}, async (_, n) => sink.write(`${n}\n`));
    assert.equal(slow.listenerCount('drain'), 1);
    slow.letGo();
    await Promise.all(waits);
    assert.deepEqual(
      ['drain', 'close'].map((name) => slow.listenerCount(name)),
      [0, 0],
    );
    const again = sink.write('once more');
    assert.equal(slow.listenerCount('drain'), 1);
    slow.letGo();
    await again;
  });

  it('is waited for no longer when its reader goes away', async () => {
    const slow = new Slow();
    const sink = new Sink(slow);
    const wait = sink.write('nobody reads this');
    slow.destroy(Object.assign(new Error('gone'), {code: 'EPIPE'}));
    await wait;
    assert.deepEqual([sink.closed, sink.failure()], [true, undefined]);
  });

  it('is not flushed once its reader has gone: nothing would answer', async () => {
    const silent = Object.assign(new Writable(), {write: () => true});
    const sink = new Sink(silent);
    silent.emit('error', Object.assign(new Error('gone'), {code: 'EPIPE'}));
    const late = new Promise<string>((resolve) => setImmediate(() => resolve('still waiting')));
    assert.equal(await Promise.race([sink.flush(), late]), undefined);
  });

  it('that throws ends a flush, and the failure is reported', async () => {
    const full = Object.assign(new Writable(), {
      write: () => {
        throw Object.assign(new Error('no space left on device'), {code: 'ENOSPC'});
      },
    });
    const flushed = new Sink(full);
    await flushed.flush();
    assert.match(flushed.failure()?.message ?? '', /no space left on device/);
    assert.equal(full.listenerCount('error'), 1);
    const written = new Sink(full);
    await written.write('text');
    await written.flush();
    assert.equal(written.closed, true);
  });
});
