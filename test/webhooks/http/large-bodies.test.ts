import assert from 'node:assert/strict';
import {BodyReader, SMALL_BYTES} from '../../../src/webhooks/http/body-reader.ts';
import {LargeBodies} from '../../../src/webhooks/http/large-bodies.ts';

const MAX_BYTES = 100_000;

describe('the slots for large bodies', () => {
  let nowMs = 0;
  const cuts: string[] = [];
  let large: LargeBodies;
  const reader = (name: string, mayBeLarge = true) =>
    new BodyReader({
      large,
      maxBytes: MAX_BYTES,
      mayBeLarge: () => mayBeLarge,
      onCut: () => cuts.push(name),
    });
  const bytes = (size: number, letter = 'a') => Buffer.alloc(size, letter);

  beforeEach(() => {
    nowMs = 0;
    cuts.length = 0;
    large = new LargeBodies({monotonic: () => nowMs}, {places: 2, maxBytes: MAX_BYTES});
  });

  it('are not needed by small bodies, in any number of pieces', () => {
    const readers = Array.from({length: 10}, (_, index) => reader(`${index}`));
    for (const one of readers) {
      assert.equal(one.add(bytes(SMALL_BYTES - 2)), undefined);
      assert.equal(one.add(bytes(1, 'b')), undefined);
      assert.equal(one.add(bytes(1, 'c')), undefined);
      assert.equal(one.bytes.toString(), `${'a'.repeat(SMALL_BYTES - 2)}bc`);
    }
  });

  it('hold complete bodies, and are reused', () => {
    for (const letter of ['x', 'y', 'z']) {
      const one = reader(letter);
      for (let count = 0; count < 10; count += 1) assert.equal(one.add(bytes(10_000, letter)), undefined);
      assert.equal(one.bytes.toString(), letter.repeat(MAX_BYTES));
      assert.equal(one.add(bytes(1)), 'too_large');
      one.release();
      one.release();
    }
    const [first, second, third] = [reader('1'), reader('2'), reader('3')];
    assert.deepEqual(
      [first, second, third].map((one) => one.add(bytes(20_000))),
      [undefined, undefined, 'crowded'],
      'a second release gives nothing back',
    );
  });

  it('pass from the oldest unfinished body to a new one, once it has taken a second', () => {
    const [done, slow] = [reader('done'), reader('slow')];
    done.add(bytes(20_000));
    done.complete();
    slow.add(bytes(20_000));
    nowMs = 999;
    assert.equal(reader('early').add(bytes(20_000)), 'crowded');
    nowMs = 1000;
    assert.equal(reader('late').add(bytes(20_000)), undefined);
    assert.deepEqual(cuts, ['slow']);
    assert.equal(reader('later').add(bytes(20_000)), 'crowded', 'the one that is complete stays');
  });

  it('are not for bodies that their headers rule out: only the start of those is kept', () => {
    const one = reader('unsigned', false);
    assert.equal(one.add(bytes(10_000, 'a')), undefined);
    assert.equal(one.add(bytes(10_000, 'b')), 'unwanted');
    assert.equal(one.bytes.toString(), 'a'.repeat(10_000) + 'b'.repeat(SMALL_BYTES - 10_000));
    assert.equal(one.size, 20_000);
  });
});
