import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {LossHunt} from './named-losses.ts';

// The long form, 50 times each: npm run long:listen
describe('commands that are killed while deliveries wait', function () {
  this.timeout(180_000);

  for (const [title, what, times] of [
    ['listen', 'killListeners', 5],
    ['endpoints rotate', 'killRotations', 2],
  ] as const)
    it(`${title} loses no event without naming it`, async () => {
      const hunt = new LossHunt();
      await hunt.open();
      try {
        await hunt[what](times);
        const {events, kills} = await hunt.check();
        assert.ok(events > 0 && kills > 0, `${events} events, ${kills} kills`);
      } finally {
        await hunt.close();
      }
    });
});
