import assert from 'node:assert/strict';
import {cpSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Registry} from '../../../src/batch/registry/registry.ts';
import {systemClock} from '../../../src/clock.ts';

const SCOPE = {mode: 'test', baseUrl: 'http://localhost', kind: 'payout', namespace: 'default'} as const;
const claim = (reference: string, generation = 0) => ({
  ...{reference, generation, fingerprint: 'f', party: 'p', amount: 100, currency: 'USD'},
});

describe('payments that the registry has noted', () => {
  let home: string;
  let registry: Registry;
  const open = (stateDir: string) =>
    Registry.open({
      ...{stateDir, scope: SCOPE, clock: systemClock},
      claimant: {profile: 'p', batchId: 'b', journalId: 'j'},
    });
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'remit-noted-'));
    registry = await open(join(home, 'one'));
    registry.claim([claim('INV-1'), claim('INV-2')], 1);
    registry.paid('INV-1', 'id-1');
    registry.flush();
  });
  afterEach(async () => {
    await registry.close();
    rmSync(home, {recursive: true});
  });

  it('are seen by every lookup', () => {
    assert.deepEqual([registry.find('INV-1')?.paid, registry.find('INV-1')?.id], [true, 'id-1']);
    assert.equal(registry.find('INV-2')?.paid, false);
  });

  it('are known to the next process when this one is killed before they were sorted in', async () => {
    const batches = (name: string) => join(home, name, 'batches');
    mkdirSync(batches('two'), {recursive: true});
    for (const file of ['registry.db', 'registry.db-wal'])
      cpSync(join(batches('one'), file), join(batches('two'), file));
    const next = await open(join(home, 'two'));
    assert.deepEqual([next.find('INV-1')?.paid, next.find('INV-1')?.id], [true, 'id-1']);
    await next.close();
  });

  it('apply to the generation of each claim, even if several arrive together', () => {
    const generations = [0, 0, 2, 1, 1, 0];
    registry.claim(
      generations.map((generation, i) => claim(`MIX-${i}`, generation)),
      2,
    );
    assert.deepEqual(
      generations.map((_, i) => registry.find(`MIX-${i}`)?.generation),
      generations,
    );
  });

  it('never come after a new generation, which is not paid', () => {
    registry.claim([claim('INV-1', 1)], 2);
    assert.deepEqual([registry.find('INV-1')?.paid, registry.find('INV-1')?.id], [false, null]);
  });

  it('yield to a later payment of the same reference', () => {
    registry.claim([claim('INV-1', 1)], 2);
    registry.paid('INV-1', 'id-2');
    registry.flush();
    assert.equal(registry.find('INV-1')?.id, 'id-2');
  });
});
