import assert from 'node:assert/strict';
import {endure, MOST_MB} from './hostile-clients.ts';

describe('a listener and hostile clients', () => {
  // The long form, with all connections and for longer: npm run hostile:listen
  const title = 'keeps serving good clients, and its memory stays bounded';
  if (process.platform !== 'linux') it('skipped: no /proc on this system', () => undefined);
  else
    it(title, async function () {
      this.timeout(120_000);
      for (const {attack, grownMb, good} of await endure({share: 0.15, ms: 250})) {
        assert.ok(good > 0, attack);
        assert.ok(grownMb <= MOST_MB, `${attack}: ${grownMb} MB`);
      }
    });
});
