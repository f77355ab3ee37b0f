import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {relativeTime} from '../../../src/output/text/times.ts';

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
    ['2024-01-01T00:00:00Z', '2024-01-01'],
    ['soon', 'soon'],
  ] as const) {
    it(`of ${at} is ${words}`, () => assert.equal(relativeTime(at, NOW), words));
  }
});
