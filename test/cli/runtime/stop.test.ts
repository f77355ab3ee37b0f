import assert from 'node:assert/strict';
import {EventEmitter} from 'node:events';
import {withHeldTimers} from '../../store/held-timers.ts';
import {describe, it} from 'mocha';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {Halt} from '../../../src/batch/send/halt.ts';
import {systemClock} from '../../../src/clock.ts';
import type {RemitError} from '../../../src/errors.ts';
import {Sanitizer} from '../../../src/sanitize/sanitizer.ts';

function stopWithExits() {
  const exits: number[] = [];
  return {stop: new Stop((code) => exits.push(code)), exits};
}

describe('a signal', () => {
  for (const [who, signal] of [
    ['a command', new Stop(() => {}).signal],
    ['a batch', new Halt(new Sanitizer()).signal],
  ] as const)
    it(`is waited for by any number of waits of ${who}, without a warning of Node`, async () => {
      const warnings: string[] = [];
      const note = ({message}: Error) => void warnings.push(message);
      process.on('warning', note);
      try {
        for (let n = 0; n < 200; n++) void systemClock.sleep(1, signal);
        await systemClock.sleep(5, signal);
      } finally {
        process.off('warning', note);
      }
      assert.deepEqual(warnings, []);
    });

  for (const [name, code, exitCode] of [
    ['SIGINT', 'INTERRUPTED', 130],
    ['SIGTERM', 'TERMINATED', 143],
  ] as const) {
    it(`${name} aborts what waits, with exit code ${exitCode}`, () => {
      const {stop, exits} = stopWithExits();
      stop.receive(name);
      assert.equal((stop.signal.reason as RemitError).code, code);
      assert.equal(stop.reason?.exitCode, exitCode);
      assert.deepEqual(exits, []);
    });

    it(`${name} ends the process the second time`, () => {
      const {stop, exits} = stopWithExits();
      stop.receive(name);
      stop.receive(name);
      assert.deepEqual(exits, [exitCode]);
    });
  }

  it('begins at the first column of a terminal, which has echoed ^C', () => {
    for (const [isTTY, written] of [
      [true, ['\r']],
      [undefined, []],
    ] as const) {
      const {stop} = stopWithExits();
      const target = new EventEmitter();
      const texts: string[] = [];
      stop.listen(target, {isTTY, write: (text) => texts.push(text)});
      target.emit('SIGINT');
      assert.deepEqual([texts, stop.reason?.code], [written, 'INTERRUPTED']);
      stop.release();
    }
  });

  it('ends a process that does not unwind in time, and not one that has', () =>
    withHeldTimers((pass) => {
      const stuck = stopWithExits();
      const unwound = stopWithExits();
      stuck.stop.receive('SIGINT');
      unwound.stop.receive('SIGINT');
      unwound.stop.release();
      pass(60_000);
      assert.deepEqual([stuck.exits, unwound.exits], [[130], []]);
    }));

  it('drains first and stops second in a run that drains; the third ends the process', () => {
    const {stop, exits} = stopWithExits();
    const {first, second} = stop.drain();
    stop.receive('SIGINT');
    assert.deepEqual([first.aborted, second.aborted], [true, false]);
    stop.receive('SIGINT');
    assert.deepEqual([second.aborted, exits.length], [true, 0]);
    stop.receive('SIGINT');
    assert.deepEqual(exits, [130]);
  });

  it('that a closed terminal sends counts once, as SIGTERM', () => {
    const {stop, exits} = stopWithExits();
    const {first, second} = stop.drain();
    const target = new EventEmitter();
    stop.listen(target);
    target.emit('SIGHUP');
    target.emit('SIGHUP');
    assert.deepEqual([first.aborted, second.aborted, exits], [true, false, []]);
    assert.deepEqual([stop.reason?.exitCode, stop.hungUp], [143, true]);
  });

  it('is ignored after the release', () => {
    const {stop} = stopWithExits();
    const target = new EventEmitter();
    stop.listen(target);
    assert.equal(target.listenerCount('SIGINT'), 1);
    stop.release();
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      assert.equal(target.emit(name), true, 'without a listener it ends the process');
    assert.equal(stop.reason, undefined);
  });
});
