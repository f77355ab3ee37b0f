import assert from 'node:assert/strict';
import fc from 'fast-check';
import {SPEED_MAX, SandboxClock} from '../../../src/sandbox/time/clock.ts';
import {TestSandbox} from '../harness.ts';
import {ManualClock} from '../manual-clock.ts';

describe('sandbox clock', () => {
  it('runs with the machine, and ahead of it once advanced', () => {
    const machine = new ManualClock('2026-01-01T00:00:00Z');
    const clock = new SandboxClock(machine, {mode: 'real', aheadMs: 0});
    clock.advanceTo(machine.now() + 5000);
    machine.pass(100);
    assert.equal(clock.now(), machine.now() + 5000);
    assert.equal(clock.waitMs(clock.now() + 20), 20);
  });

  it('ends with the year 2199, however it runs', () => {
    const machine = new ManualClock('2026-01-01T00:00:00Z');
    const clock = new SandboxClock(machine, {mode: 'real', aheadMs: 0});
    clock.advanceTo(Date.UTC(9999, 11, 31));
    machine.pass(1000);
    assert.equal(clock.now(), Date.UTC(2200, 0, 1));
    assert.equal(clock.waitMs(Date.UTC(2200, 0, 2)), Infinity);
  });

  it('stands still when frozen, and nothing happens by waiting', () => {
    const machine = new ManualClock('2026-01-01T00:00:00Z');
    const clock = new SandboxClock(machine, {mode: 'frozen', atMs: 1000});
    machine.pass(60_000);
    assert.equal(clock.now(), 1000);
    assert.equal(clock.waitMs(1001), Infinity);
    assert.equal(clock.waitMs(1000), 0);
    clock.advanceTo(5000);
    assert.equal(clock.now(), 5000);
  });

  it('runs faster when accelerated, and is waited for the less', () => {
    const machine = new ManualClock('2026-01-01T00:00:00Z');
    const clock = new SandboxClock(machine, {mode: 'frozen', atMs: 1000});
    clock.setMode({mode: 'accelerated', speed: 60});
    machine.pass(1000);
    assert.equal(clock.now(), 61_000);
    assert.equal(clock.waitMs(61_000 + 6000), 100);
    assert.equal(clock.waitMs(61_001), 1);
    clock.advanceTo(100_000);
    machine.pass(10);
    assert.equal(clock.now(), 100_600);
  });

  it('continues from the same moment when its mode changes, and never leaps by that', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            mode: fc.oneof(
              fc.constant({mode: 'real'} as const),
              fc.constant({mode: 'frozen'} as const),
              fc.record({
                mode: fc.constant('accelerated' as const),
                speed: fc.integer({min: 2, max: SPEED_MAX}),
              }),
            ),
            pass: fc.nat({max: 1_000_000}),
            advance: fc.nat({max: 1_000_000}),
          }),
        ),
        (steps) => {
          const machine = new ManualClock('2026-01-01T00:00:00Z');
          const clock = new SandboxClock(machine, {mode: 'real', aheadMs: 0});
          for (const {mode, pass, advance} of steps) {
            const before = clock.now();
            clock.setMode(mode);
            assert.equal(clock.now(), before);
            machine.pass(pass);
            const pace = mode.mode === 'frozen' ? 0 : mode.mode === 'real' ? 1 : mode.speed;
            assert.equal(clock.now(), before + pass * pace);
            clock.advanceTo(clock.now() + advance);
            assert.equal(clock.now(), before + pass * pace + advance);
            const due = clock.now() + 1000;
            const wait = clock.waitMs(due);
            if (wait === Infinity) assert.equal(mode.mode, 'frozen');
            else {
              machine.pass(wait);
              assert.ok(clock.now() >= due);
            }
          }
        },
      ),
    );
  });

  it('never goes back', () => {
    const clock = new SandboxClock(new ManualClock('2026-01-01T00:00:00Z'), {mode: 'frozen', atMs: 1000});
    clock.advanceTo(999);
    assert.equal(clock.now(), 1000);
  });

  it('runs everything that becomes due while it is advanced', async () => {
    const at = await TestSandbox.open({frozenAtMs: Date.parse('2026-05-05T12:00:00Z')});
    const {payees} = await at.sandbox.seed({payees: 1, payers: 0});
    const {body} = await at.payout(payees[0]!.id, {auto_approve: true});
    at.clock.pass(3_600_000);
    assert.equal(await at.statusOf('payout', body.id as string), 'initiated');
    assert.deepEqual(await at.sandbox.advance({ms: 1500}), {
      now: '2026-05-05T12:00:01.500Z',
      fired: 1,
      attempts: 0,
      deliveries: 0,
    });
    assert.equal(await at.statusOf('payout', body.id as string), 'debited');
    assert.deepEqual(await at.sandbox.advance({toMs: Date.parse('2026-05-06T00:00:00Z')}), {
      now: '2026-05-06T00:00:00.000Z',
      fired: 1,
      attempts: 0,
      deliveries: 0,
    });
    const settled = (await at.get(`/api/payouts/${body.id}`)).body;
    assert.deepEqual([settled.status, settled.updated_at], ['settled', '2026-05-05T12:00:03.000Z']);
    await at.close();
  });

  it('is changed while it runs, and keeps its mode over a restart', async () => {
    const at = await TestSandbox.open();
    const before = (await at.sandbox.status()).clock;
    assert.deepEqual(await at.sandbox.setClock({mode: 'accelerated', speed: 3600}), {
      mode: 'accelerated',
      now: before.now,
      timing: 'fast',
      speed: 3600,
    });
    at.clock.pass(1000);
    await at.reopen();
    const hour = new Date(Date.parse(before.now) + 3_600_000).toISOString();
    const {now, speed} = await at.sandbox.clock();
    assert.deepEqual([now, speed], [hour, 3600]);
    await at.sandbox.setClock({mode: 'frozen'});
    at.clock.pass(1000);
    assert.equal((await at.sandbox.clock()).now, hour);
    await at.close();
  });

  it('takes another mode at the start, and keeps the moment', async () => {
    const frozenAtMs = Date.parse('2026-05-05T12:00:00Z');
    const at = await TestSandbox.open({frozenAtMs, clockMode: {mode: 'accelerated', speed: 60}});
    at.clock.pass(1000);
    assert.equal((await at.sandbox.clock()).now, '2026-05-05T12:01:00.000Z');
    await at.close();
  });

  it('shows the same time after a restart', async () => {
    const at = await TestSandbox.open({frozenAtMs: Date.parse('2026-05-05T12:00:00Z')});
    await at.sandbox.advance({ms: 5000});
    await at.reopen();
    assert.equal((await at.sandbox.status()).clock.now, '2026-05-05T12:00:05.000Z');
    await at.close();
  });
});
