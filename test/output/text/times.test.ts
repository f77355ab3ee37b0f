import assert from 'node:assert/strict';
import {afterEach, describe, it} from 'mocha';
import {clockTime, relativeTime} from '../../../src/output/text/times.ts';

const NOW = Date.parse('2024-03-10T12:00:00Z');

describe('a relative time', () => {
  for (const [at, words] of [
    ['2024-03-10T11:59:57Z', 'just now'],
    ['2024-03-10T12:00:03Z', 'just now'],
    ['2024-03-10T11:59:55.001Z', 'just now'],
    ['2024-03-10T11:59:55Z', '5 seconds ago'],
    ['2024-03-10T11:59:15Z', '45 seconds ago'],
    ['2024-03-10T11:59:00Z', '1 minute ago'],
    ['2024-03-10T12:02:30Z', '2024-03-10T12:02:30Z'],
    ['2024-03-10T09:00:00Z', '3 hours ago'],
    ['2024-03-09T12:00:00Z', '1 day ago'],
    ['2024-01-01T00:00:00Z', '2024-01-01Z'],
    ['soon', 'soon'],
  ] as const) {
    it(`of ${at} is ${words}`, () => assert.equal(relativeTime(at, NOW), words));
  }
});

describe('a time of day', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  for (const name of ['Asia/Tokyo', 'America/New_York', 'UTC'])
    it(`is in UTC and says so on a machine in ${name}`, () => {
      process.env['TZ'] = name;
      const ms = Date.parse('2024-03-10T23:59:58.900Z');
      assert.deepEqual([ms, ms + 99, ms + 1100, ms].map(clockTime), [
        '23:59:58Z',
        '23:59:58Z',
        '00:00:00Z',
        '23:59:58Z',
      ]);
      assert.equal(relativeTime('2024-01-01T23:00:00Z', ms), '2024-01-01Z');
    });
});
