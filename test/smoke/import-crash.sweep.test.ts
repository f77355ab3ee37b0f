import assert from 'node:assert/strict';
import {importWithKills} from './import-crash.ts';

describe('an import of payees that is killed', function () {
  this.timeout(180_000);

  it('creates each payee once, and writes no account number', async () => {
    const {kills, lost, searched} = await importWithKills({rows: 60, kills: 3, seed: 7});
    assert.ok(kills > 0 && lost > 0 && searched >= 2);
  });
});
