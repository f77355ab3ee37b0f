import assert from 'node:assert/strict';
import {ReplayMemory} from '../../../src/webhooks/verify/replay-memory.ts';

describe('replay memory', () => {
  it('forgets what would be refused by its timestamp alone', () => {
    const memory = new ReplayMemory();
    assert.equal(memory.see('a', 1000, 1000, 2000), 'new');
    assert.equal(memory.see('a', 1000, 2000, 2000), 'seen');
    assert.equal(memory.see('b', 3000, 3000, 4000), 'new');
    assert.equal(memory.size, 1);
  });

  it('stays within its limit, and refuses what it can no longer distinguish from a replay', () => {
    const memory = new ReplayMemory({maxEntries: 2});
    assert.equal(memory.see('a', 1000, 1000, 9000), 'new');
    assert.equal(memory.see('b', 2000, 1000, 9000), 'new');
    assert.equal(memory.see('c', 3000, 1000, 9000), 'new');
    assert.equal(memory.size, 2);
    assert.equal(memory.see('a', 1000, 1000, 9000), 'unknown', 'this one is a replay');
    assert.equal(memory.see('d', 500, 1000, 9000), 'unknown');
    assert.equal(memory.see('b', 2000, 1000, 9000), 'seen');
    assert.equal(memory.see('e', 4000, 1000, 9000), 'new');
  });
});
