import assert from 'node:assert/strict';
import {Slots} from '../../../src/webhooks/http/slots.ts';

describe('slots', () => {
  it('contain what was added and not removed, and are reused', () => {
    const slots = new Slots<string>();
    const [a, b] = [slots.add('a'), slots.add('b')];
    assert.equal(slots.remove(a, 'a'), true);
    assert.equal(slots.add('c'), a);
    assert.equal(slots.remove(a, 'a'), false, 'its place is taken by another value');
    assert.deepEqual(
      [...slots],
      [
        [a, 'c'],
        [b, 'b'],
      ],
    );
    assert.equal(slots.size, 2);
  });
});
