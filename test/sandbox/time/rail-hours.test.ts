import assert from 'node:assert/strict';
import fc from 'fast-check';
import {ACCOUNT_TRANSFER_RAILS, PAYIN_RAILS, PAYOUT_RAILS} from '../../../src/contract/rails.ts';
import {isBankingDay} from '../../../src/sandbox/time/banking-days.ts';
import {railHours, type Flow} from '../../../src/sandbox/time/rail-hours.ts';
import {dayAt} from '../../../src/sandbox/time/schedule.ts';

const wall = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'medium',
});
const FLOWS: Flow[] = [
  ...PAYIN_RAILS.map((rail) => ({rail, pull: true})),
  ...[...PAYOUT_RAILS, ...ACCOUNT_TRANSFER_RAILS].map((rail) => ({rail, pull: false})),
];

/** What happens to money that is ready at a moment of New York's winter (UTC-5), as shown on the wall there. */
function walk(flow: Flow, ready: string): string[] {
  const times = railHours(flow);
  const submitted = times.submit(Date.parse(`${ready}-05:00`));
  const debited = times.debit(submitted);
  const ends = [times.settle(debited), ...(times.comeBack ? [times.comeBack(debited)] : [])];
  return [submitted, debited, ...ends].map((ms) => wall.format(ms));
}

// 2026-02-13 is a Friday; the Monday after it is Washington's Birthday.
describe('sandbox rails, by the calendar (ready: submitted, debited, settled, or returned)', () => {
  it('standard ACH debits leave with the next file and are safe when no return can come any more', () => {
    const flow: Flow = {rail: 'standard_ach', pull: true};
    const end = ['2026-02-17 08:30:00', '2026-02-19 09:00:00', '2026-02-19 08:30:00'];
    assert.deepEqual(walk(flow, '2026-02-13T10:10:00'), ['2026-02-13 10:30:00', ...end]);
    assert.deepEqual(walk(flow, '2026-02-14T10:10:00'), [
      '2026-02-17 00:00:00',
      ...['2026-02-18 08:30:00', '2026-02-20 09:00:00', '2026-02-20 08:30:00'],
    ]);
  });

  it('standard ACH credits are debited at once and arrive on the next banking day', () => {
    assert.deepEqual(walk({rail: 'standard_ach', pull: false}, '2026-02-13T10:30:00'), [
      '2026-02-13 10:30:00',
      '2026-02-13 10:30:00',
      '2026-02-17 08:30:00',
      '2026-02-18 08:30:00',
    ]);
  });

  it('same-day ACH takes the next of three windows, or the first of the next banking day', () => {
    const credit: Flow = {rail: 'same_day_ach', pull: false};
    const settled = (ready: string) => [walk(credit, ready)[0], walk(credit, ready)[2]];
    for (const [ready, deadline, settlement] of [
      ['2026-02-13T09:00:00', '2026-02-13 10:30:00', '2026-02-13 13:00:00'],
      ['2026-02-13T10:30:00', '2026-02-13 10:30:00', '2026-02-13 13:00:00'],
      ['2026-02-13T10:30:01', '2026-02-13 14:45:00', '2026-02-13 17:00:00'],
      ['2026-02-13T16:45:00', '2026-02-13 16:45:00', '2026-02-13 18:00:00'],
      ['2026-02-13T16:45:01', '2026-02-17 10:30:00', '2026-02-17 13:00:00'],
      ['2026-02-15T12:00:00', '2026-02-17 10:30:00', '2026-02-17 13:00:00'],
    ] as const)
      assert.deepEqual(settled(ready), [deadline, settlement], ready);
    assert.deepEqual(walk({rail: 'same_day_ach', pull: true}, '2026-02-13T09:00:00'), [
      '2026-02-13 10:30:00',
      '2026-02-13 13:00:00',
      '2026-02-18 09:00:00',
      '2026-02-18 08:30:00',
    ]);
  });

  it('wires take minutes within the hours of Fedwire, which open on the evening before', () => {
    const submitted = (ready: string) => walk({rail: 'wire', pull: false}, ready)[0];
    assert.equal(submitted('2026-02-12T18:45:00'), '2026-02-12 18:45:00');
    assert.equal(submitted('2026-02-12T18:45:01'), '2026-02-12 21:00:00');
    assert.equal(submitted('2026-02-12T23:30:00'), '2026-02-12 23:30:00');
    assert.equal(submitted('2026-02-13T19:00:00'), '2026-02-16 21:00:00');
    assert.equal(submitted('2026-02-15T03:00:00'), '2026-02-16 21:00:00');
    assert.equal(walk({rail: 'wire', pull: false}, '2026-02-12T10:00:00')[2], '2026-02-12 10:05:00');
  });

  it('instant payments and card pushes take seconds at any hour, and are never returned', () => {
    for (const rail of ['instant_bank', 'instant_card'] as const) {
      const times = walk({rail, pull: false}, '2026-12-25T03:00:00');
      assert.equal(times.length, 3);
      assert.ok(times[2]! <= '2026-12-25 03:00:30');
    }
  });

  it('keeps its hours on both sides of a clock change', () => {
    const {submit, debit} = railHours({rail: 'same_day_ach', pull: true});
    const at = (text: string) => new Date(debit(submit(Date.parse(text)))).toISOString();
    assert.equal(at('2026-03-06T14:00:00Z'), '2026-03-06T18:00:00.000Z');
    assert.equal(at('2026-03-09T13:00:00Z'), '2026-03-09T17:00:00.000Z');
    assert.equal(at('2026-10-30T13:00:00Z'), '2026-10-30T17:00:00.000Z');
    assert.equal(at('2026-11-02T14:00:00Z'), '2026-11-02T18:00:00.000Z');
  });

  it('goes forward from any moment, waits for nothing twice, and moves ACH and wires on banking days', () => {
    const moment = fc
      .date({min: new Date('2025-01-01'), max: new Date('2035-01-01'), noInvalidDate: true})
      .map((date) => date.getTime());
    fc.assert(
      fc.property(moment, fc.constantFrom(...FLOWS), (ready, flow) => {
        const times = railHours(flow);
        const submitted = times.submit(ready);
        assert.ok(submitted >= ready && submitted - ready < 6 * 86_400_000);
        assert.equal(times.submit(submitted), submitted);
        assert.ok(times.reject(submitted) >= submitted);
        const debited = times.debit(submitted);
        assert.ok(debited >= submitted);
        for (const end of [times.settle, times.comeBack ?? times.settle]) {
          assert.ok(end(debited) >= debited);
          if (flow.rail.endsWith('_ach')) assert.ok(isBankingDay(dayAt(end(debited))));
        }
        if (flow.rail.endsWith('_ach')) assert.ok(isBankingDay(dayAt(submitted)));
      }),
    );
  });
});
