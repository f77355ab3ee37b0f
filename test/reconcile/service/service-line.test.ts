import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {ExactNumber, type Json} from '../../../src/narrow.ts';
import {isUnread, serviceLine} from '../../../src/reconcile/service/service-line.ts';
import {dayAt} from '../../../src/sandbox/time/schedule.ts';

const ACCOUNT = '0192a000-0000-7000-8000-0000000000aa';
const RECORD = {
  id: '0192a000-0000-7000-8000-000000000001',
  account_id: ACCOUNT,
  amount_in_minor_units: 12_500,
  direction: 'debit',
  currency_code: 'USD',
  description: 'payout 0192a000-0000-7000-8000-000000000002',
  bank_reference: '742278160059',
  status: 'posted',
  posted_at: '2026-11-18T03:00:00Z',
  value_date: '2026-11-18',
};
const read = (changes: Record<string, unknown> = {}) => serviceLine({...RECORD, ...changes}, ACCOUNT, dayAt);
const line = (changes: Record<string, unknown> = {}) => {
  const found = read(changes);
  assert.ok(!isUnread(found), isUnread(found) ? found.unread : '');
  return found;
};

describe('a bank transaction of the service', () => {
  it('is a line with its sign, its day in New York and every other text', () => {
    assert.deepEqual(line(), {
      ...{key: `service:${ACCOUNT}:${RECORD.id}`, source: 'service', account: ACCOUNT, id: RECORD.id},
      ...{amount: -12_500n, currency: 'USD', bookingDay: '2026-11-17', valueDay: '2026-11-18'},
      ...{state: 'posted', returnCode: undefined},
      texts: [
        {path: 'description', text: RECORD.description},
        {path: 'bank_reference', text: '742278160059'},
      ],
    });
    assert.equal(line({direction: 'credit'}).amount, 12_500n);
  });

  it('keeps amounts and numbers that a double does not hold', () => {
    const found = line({
      amount_in_minor_units: new ExactNumber('9007199254740993'),
      details: {trace_number: new ExactNumber('90071992547409931')},
    });
    assert.equal(found.amount, -9_007_199_254_740_993n);
    assert.deepEqual(found.texts.at(-1), {path: 'details.trace_number', text: '90071992547409931'});
  });

  it('has the value date while it is pending', () => {
    const found = line({status: 'pending', posted_at: null});
    assert.equal(found.state, 'pending');
    assert.equal(found.bookingDay, '2026-11-18');
  });

  it('has the last days of months and years', () => {
    for (const day of ['2026-02-28', '2028-02-29', '2026-12-31', '2026-04-30'])
      assert.equal(line({posted_at: day}).bookingDay, day);
    assert.equal(line({posted_at: '2028-02-29T12:00:00+01:00'}).bookingDay, '2028-02-29');
    assert.equal(line({value_date: '2026-02-30'}).valueDay, undefined); // the day of its booking is known
  });

  it('has a return code from its field, or from the text of a return', () => {
    assert.equal(line({return_code: 'R03'}).returnCode, 'R03');
    assert.equal(line({description: 'Return of payout x, R02'}).returnCode, 'R02');
    assert.equal(line({description: 'invoice R02'}).returnCode, undefined);
  });

  for (const [what, changes] of [
    ['amount', {amount_in_minor_units: 12.5}],
    ['amount', {amount_in_minor_units: -1}],
    ['amount', {amount_in_minor_units: '9223372036854775808'}], // beyond 64 bits
    ['direction', {direction: 'out'}],
    ['currency', {currency_code: 'dollars'}],
    ['date', {posted_at: '2026-11-18T03:00:00'}],
    ['date', {posted_at: 'yesterday'}],
    ['date', {posted_at: '2026-02-30'}],
    ['date', {posted_at: '2026-02-31T00:00:00Z'}],
    ['date', {posted_at: '2026-04-31T12:00:00.000+02:00'}],
    ['date', {posted_at: 'Tue, 31 Feb 2026 00:00:00 +0000'}],
    ['date', {posted_at: null, status: 'pending', value_date: '2026-02-29'}],
  ] as const)
    it(`is not read without a ${what}: ${JSON.stringify(changes)}`, () => {
      const found = read(changes);
      assert.ok(isUnread(found));
      assert.equal(found.unread, `bank transaction ${RECORD.id} has no readable ${what}`);
    });

  it('is not read with a status that is neither posted nor pending', () => {
    assert.deepEqual(read({status: 'voided'}), {
      unread: `bank transaction ${RECORD.id} is neither posted nor pending`,
    });
  });

  it('has the key of its id as it was received, whatever is shown of it', () => {
    const key = (shown: string, received: unknown) => {
      const found = serviceLine({...RECORD, id: shown}, ACCOUNT, dayAt, received as Json);
      assert.ok(!isUnread(found));
      return found.key;
    };
    assert.equal(key('X', 'X'), `service:${ACCOUNT}:X`);
    const keys = [key('X', 'X'), key('X', 'X\u200b'), key('X', 'X\u200b\u200b'), key('#X', '#X')];
    assert.equal(new Set(keys).size, 4);
    assert.equal(key('X', 'X\u200b'), keys[1]);
    assert.ok(
      keys.slice(1).every((each) => /:#[\w-]{22}$/.test(each)),
      keys.join(),
    );
  });

  it('with an empty id has none', () => {
    const empty = line({id: ''});
    assert.deepEqual([empty.id, empty.key], [undefined, line({id: undefined}).key]);
  });

  it('without an id has the hash of its content', () => {
    const [one, same, other] = [
      line({id: undefined}),
      line({id: undefined}),
      line({id: undefined, description: 'x'}),
    ];
    assert.equal(one.key, same.key);
    assert.notEqual(one.key, other.key);
  });
});
