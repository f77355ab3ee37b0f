import assert from 'node:assert/strict';
import fc from 'fast-check';
import {dayAt, releaseTime, timeOn} from '../../../src/sandbox/time/schedule.ts';

const utc = (day: string) => new Date(releaseTime(day)).toISOString();

describe('sandbox schedule: 09:00 in America/New_York', () => {
  it('is 14:00 UTC in winter and 13:00 UTC in summer', () => {
    assert.equal(utc('2026-01-15'), '2026-01-15T14:00:00.000Z');
    assert.equal(utc('2026-07-15'), '2026-07-15T13:00:00.000Z');
  });

  it('is right on both sides of a clock change, and on its day', () => {
    assert.equal(utc('2026-03-07'), '2026-03-07T14:00:00.000Z');
    assert.equal(utc('2026-03-08'), '2026-03-08T13:00:00.000Z');
    assert.equal(utc('2026-10-31'), '2026-10-31T13:00:00.000Z');
    assert.equal(utc('2026-11-01'), '2026-11-01T14:00:00.000Z');
  });

  it('is nine local time on any day', () => {
    const wall = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'America/New_York',
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    const days = fc.date({min: new Date('2007-01-01'), max: new Date('2100-01-01'), noInvalidDate: true});
    fc.assert(
      fc.property(days, (date) => {
        const day = date.toISOString().slice(0, 10);
        assert.equal(wall.format(releaseTime(day)), `${day} 09:00:00`);
        assert.equal(dayAt(releaseTime(day)), day);
      }),
    );
  });

  it('finds any other local hour too, around a clock change', () => {
    const wall = new Intl.DateTimeFormat('sv-SE', {timeZone: 'America/New_York', timeStyle: 'short'});
    for (const day of ['2026-03-07', '2026-03-08', '2026-03-09', '2026-10-31', '2026-11-01', '2026-11-02'])
      for (const hour of [0, 4, 8, 12, 16, 18, 21, 23]) {
        const ms = timeOn(day, hour, 45);
        assert.equal(`${dayAt(ms)} ${wall.format(ms)}`, `${day} ${String(hour).padStart(2, '0')}:45`);
      }
  });

  it('knows the day in New York, which is not the day in UTC', () => {
    assert.equal(dayAt(Date.parse('2026-03-02T04:59:59Z')), '2026-03-01');
    assert.equal(dayAt(Date.parse('2026-03-02T05:00:00Z')), '2026-03-02');
    assert.equal(dayAt(Date.parse('2026-07-02T03:59:59.999Z')), '2026-07-01');
  });
});
