import assert from 'node:assert/strict';
import {SandboxClock} from '../../src/sandbox/sandbox-clock.ts';
import {TestSandbox} from './harness.ts';
import {ManualClock} from './manual-clock.ts';

describe('sandbox clock', () => {
  it('runs with the machine, and ahead of it once advanced', () => {
    const machine = new ManualClock('2026-01-01T00:00:00Z');
    const clock = new SandboxClock(machine, {mode: 'real', aheadMs: 0});
    clock.advanceTo(machine.now() + 5000);
    machine.pass(100);
    assert.equal(clock.now(), machine.now() + 5000);
    assert.equal(clock.waitMs(clock.now() + 20), 20);
  });

  it('stands still when frozen, and nothing comes to pass by waiting', () => {
    const machine = new ManualClock('2026-01-01T00:00:00Z');
    const clock = new SandboxClock(machine, {mode: 'frozen', atMs: 1000});
    machine.pass(60_000);
    assert.equal(clock.now(), 1000);
    assert.equal(clock.waitMs(1001), Infinity);
    assert.equal(clock.waitMs(1000), 0);
    clock.advanceTo(5000);
    assert.equal(clock.now(), 5000);
  });

  it('never goes back', () => {
    const clock = new SandboxClock(new ManualClock('2026-01-01T00:00:00Z'), {mode: 'frozen', atMs: 1000});
    clock.advanceTo(999);
    assert.equal(clock.now(), 1000);
  });

  it('lets everything happen on the way when it is advanced', async () => {
    const at = await TestSandbox.open({frozenAtMs: Date.parse('2026-05-05T12:00:00Z')});
    const {payees} = await at.sandbox.seed({payees: 1, payers: 0});
    const {body} = await at.payout(payees[0]!.id, {auto_approve: true});
    at.clock.pass(3_600_000);
    assert.equal(await at.statusOf('payout', body.id as string), 'initiated');
    assert.deepEqual(await at.sandbox.advance({ms: 1500}), {now: '2026-05-05T12:00:01.500Z', fired: 1});
    assert.equal(await at.statusOf('payout', body.id as string), 'debited');
    assert.deepEqual(await at.sandbox.advance({toMs: Date.parse('2026-05-06T00:00:00Z')}), {
      now: '2026-05-06T00:00:00.000Z',
      fired: 1,
    });
    const settled = (await at.get(`/api/payouts/${body.id}`)).body;
    assert.deepEqual([settled.status, settled.updated_at], ['settled', '2026-05-05T12:00:03.000Z']);
    await at.close();
  });

  it('stands where it stood after a restart', async () => {
    const at = await TestSandbox.open({frozenAtMs: Date.parse('2026-05-05T12:00:00Z')});
    await at.sandbox.advance({ms: 5000});
    await at.reopen();
    assert.equal((await at.sandbox.status()).clock.now, '2026-05-05T12:00:05.000Z');
    await at.close();
  });
});
