import assert from 'node:assert/strict';
import fc from 'fast-check';
import {IdMaker, formatV7, timeOfId} from '../../../src/sandbox/base/ids.ts';
import {seededRandom, systemRandom} from '../../../src/sandbox/base/random.ts';

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('sandbox ids', () => {
  it('are UUIDs of version 7 that carry their time', () => {
    fc.assert(
      fc.property(fc.integer({min: 0, max: 2 ** 48 - 1}), (ms) => {
        const id = new IdMaker(systemRandom()).next(ms);
        assert.match(id, V7);
        assert.equal(timeOfId(id), ms);
      }),
    );
  });

  it('are written byte by byte', () => {
    const tail = Uint8Array.of(0xc1, 2, 0x30, 4, 0x50, 6, 0x70, 0xff);
    assert.equal(formatV7(0x0123456789ab, 0x07f, tail), '01234567-89ab-707f-8102-3004500670ff');
    assert.equal(formatV7(0x0123456789ac, 0xfff, tail), '01234567-89ac-7fff-8102-3004500670ff');
  });

  it('increase strictly, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({min: 0, max: 50}), {maxLength: 200}), (times) => {
        const maker = new IdMaker(systemRandom());
        const ids = times.map((ms) => maker.next(ms));
        assert.deepEqual(ids, ids.toSorted());
        assert.equal(new Set(ids).size, ids.length);
      }),
    );
  });

  it('keep increasing after 4096 within one millisecond', () => {
    const maker = new IdMaker(systemRandom());
    const ids = Array.from({length: 10_000}, () => maker.next(1000));
    assert.deepEqual(ids, ids.toSorted());
  });

  it('start after the highest one stored', () => {
    const first = new IdMaker(systemRandom());
    const stored = Array.from({length: 5000}, () => first.next(9000)).at(-1)!;
    const second = new IdMaker(systemRandom());
    second.startAfter(stored);
    assert.ok(second.next(0) > stored);
  });

  it('are the same for the same seed and times', () => {
    const make = (seed: string) => {
      const maker = new IdMaker(seededRandom(seed));
      return [1, 1, 2, 700].map((ms) => maker.next(ms));
    };
    assert.deepEqual(make('a'), make('a'));
    assert.notDeepEqual(make('a'), make('b'));
  });
});
