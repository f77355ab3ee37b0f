import assert from 'node:assert/strict';
import {RecentMap} from '../../../src/webhooks/delivery/recent-map.ts';

describe('a map of recent entries', () => {
  it('keeps at least the last half of its size, and drops what is older than its size', () => {
    const map = new RecentMap<number, string>(10);
    for (let key = 0; key < 23; key += 1) map.set(key, `${key}`);
    const held = Array.from({length: 23}, (_, key) => key).filter((key) => map.get(key) !== undefined);
    assert.ok(held.length <= 10, `${held.length} entries`);
    assert.deepEqual(held.slice(-5), [18, 19, 20, 21, 22]);
  });

  it('deletes from both of its parts, and replaces values', () => {
    const map = new RecentMap<number, string>(4);
    for (const key of [1, 2, 3]) map.set(key, 'old');
    map.set(3, 'new');
    assert.equal(map.get(3), 'new');
    assert.equal(map.get(1), 'old');
    map.delete(1);
    map.delete(3);
    assert.deepEqual([map.get(1), map.get(2), map.get(3)], [undefined, 'old', undefined]);
  });
});
