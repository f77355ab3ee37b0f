import assert from 'node:assert/strict';
import {RecordAges} from '../../../src/batch/model/record-age.ts';

const NOW = Date.UTC(2026, 0, 2, 12);
const HOUR_MS = 3_600_000;

describe('when a record was created', () => {
  const ages = new RecordAges();
  const madeAt = (created: unknown, facts: {status?: number; date?: string} = {}) =>
    ages.madeAt({status: 200, json: {id: 'x', created_at: created}, ...facts}, NOW);

  it('is read from the record', () => {
    for (const text of [
      '2026-01-02T11:00:00Z',
      '2026-01-02T11:00Z',
      '2026-01-02T11:00:00.000000Z',
      '2026-01-02T11:00:00',
      '2026-01-02T13:00:00+02:00',
    ])
      assert.equal(madeAt(text), NOW - HOUR_MS, text);
  });

  it('is measured by the clock of the service, and given by ours', () => {
    assert.equal(madeAt('2030-05-05T05:00:00Z', {date: 'Sun, 05 May 2030 08:00:00 GMT'}), NOW - 3 * HOUR_MS);
    assert.equal(madeAt('2001-05-05T05:00:00Z', {date: 'Sat, 05 May 2001 04:00:00 GMT'}), NOW);
    assert.equal(madeAt('2026-01-02T11:00:00Z', {date: 'yesterday'}), NOW - HOUR_MS, 'a Date that is none');
  });

  it('is never in the future', () => {
    assert.equal(madeAt('2026-01-02T13:00:00Z'), NOW);
    assert.equal(madeAt('2026-01-02T11:00:00.900', {date: 'Fri, 02 Jan 2026 11:00:00 GMT'}), NOW);
  });

  it('is not given for a record that was just created', () => {
    const date = 'Fri, 02 Jan 2026 11:00:09 GMT';
    assert.equal(madeAt('2026-01-02T11:00:00.900Z', {date}), undefined);
    assert.equal(madeAt('2026-01-02T10:59:59.900Z', {date}), NOW - 9100);
    assert.equal(madeAt('2026-01-02T11:00:05+01:00', {date}), NOW - HOUR_MS - 4000, 'of another zone');
    assert.equal(
      madeAt('2026-01-02T11:00:05+01:00', {date: 'Fri, 02 Jan 2026 11:00:19 GMT'}),
      NOW - HOUR_MS - 14_000,
    );
  });

  it('is unknown if the answer does not contain it', () => {
    for (const none of [undefined, null, 1_767_351_600, '2026-01-02', 'today', '2026-13-41T99:99:99Z'])
      assert.equal(madeAt(none), undefined, String(none));
    assert.equal(madeAt('2026-01-02T11:00:00Z', {status: 503}), undefined);
    assert.equal(ages.madeAt({status: 200, json: undefined}, NOW), undefined);
  });
});
