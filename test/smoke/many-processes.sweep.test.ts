import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {addProfilesAtOnce, killWhileAdding, payAtOnce} from './many-processes.ts';

describe('many processes at once', function () {
  this.timeout(120_000);

  it('add their profiles one after another', () => addProfilesAtOnce(12));

  it('send their requests', () => payAtOnce(12));

  it('leave nothing behind when they are killed', async () => {
    const killed = await killWhileAdding(12, (n) => 20 + n * 40);
    assert.ok(killed > 0, 'the kills come too late');
  });
});
