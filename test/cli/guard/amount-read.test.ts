import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {answeredRecord} from '../../../src/client/answers/record.ts';
import {amountOfBody, amountOfRecord, type AmountRead} from '../../../src/cli/guard/amount-read.ts';
import {type JsonValue, parseJson} from '../../../src/narrow.ts';

const ID = 'a1';
const read = (minor: number, currency: string | null = 'USD'): AmountRead => ({
  kind: 'read',
  minor: BigInt(minor),
  currency: currency ?? undefined,
});
const whyOf = (amount: AmountRead): string => {
  assert.equal(
    amount.kind,
    'unreadable',
    JSON.stringify(amount, (_, value) => String(value)),
  );
  return (amount as {why: string}).why;
};
let deep: JsonValue = {amount: 1};
for (let level = 0; level < 100_000; level += 1) deep = {a: deep};

describe('the amount of a record', () => {
  for (const [title, record, expected] of [
    ['a whole number', {id: ID, amount_in_minor_units: 500, currency_code: 'USD'}, read(500)],
    ['text of digits', {amount_in_minor_units: '500', currency_code: 'USD'}, read(500)],
    ['the deprecated alias', {amount_in_cents: 500, currency_code: 'USD'}, read(500)],
    [
      'both, which agree',
      {amount_in_minor_units: 500, amount_in_cents: 500, currency_code: 'USD'},
      read(500),
    ],
    ['an envelope', {data: {id: ID, amount_in_minor_units: 500, currency_code: 'USD'}}, read(500)],
    ['no currency', {amount_in_minor_units: 500}, read(500, null)],
    ['a currency that is no code', {amount_in_minor_units: 500, currency_code: 'usd'}, read(500, null)],
    ['more than a code for a currency', {amount_in_minor_units: 500, currency_code: 'AUSD'}, read(500, null)],
    ['a code and more for a currency', {amount_in_minor_units: 500, currency_code: 'USDA'}, read(500, null)],
    ['an id in other letters', {id: 'A1', amount_in_minor_units: 500, currency_code: 'USD'}, read(500)],
    [
      'other amounts beside the documented one',
      {amount_in_minor_units: 5, total: 9, currency_code: 'USD'},
      read(5),
    ],
    ['a bare status', {status: 'created'}, {kind: 'absent'}],
    [
      'ids, times and last digits',
      {id: ID, created_at: '2026-01-01T00:00:00.00Z', m: {last4: '6789', exp_year: 2031}},
      {kind: 'absent'},
    ],
    [
      'amounts in the metadata of the client',
      {status: 'created', client_metadata: {amount: '500'}},
      {kind: 'absent'},
    ],
  ] as const)
    it(`is read with ${title}`, () => assert.deepEqual(amountOfRecord(answeredRecord(record), ID), expected));

  for (const [title, record, why] of [
    ['text that is no number', {amount_in_minor_units: '5.00'}, /amount_in_minor_units is "5\.00"/],
    ['a fraction', {amount_in_minor_units: 0.5}, /is 0\.5, not a positive whole number/],
    ['zero', {amount_in_minor_units: 0}, /is 0,/],
    ['minus zero', parseJson('{"amount_in_minor_units":-0}'), /is -0,/],
    ['a negative number', {amount_in_minor_units: -500_000}, /is -500000/],
    ['a number beyond 2^53', parseJson('{"amount_in_minor_units":9007199254740993}'), /9007199254740992/],
    ['an exponent beyond everything', parseJson('{"amount_in_minor_units":1e400}'), /Infinity/],
    ['an object', {amount_in_minor_units: {value: 500}}, /is an object/],
    ['a list', {amount_in_minor_units: [500]}, /amount_in_minor_units is a list/],
    ['two amounts', {amount_in_minor_units: 500, amount_in_cents: 501}, /is 500, but amount_in_cents is 501/],
    ['another field name', {amount: 500}, /amount \(500\), which remit cannot read as its amount/],
    ['another name and text', {value: '5.00'}, /value \("5\.00"\)/],
    ['an exponent as text', {sum: '5e5'}, /sum \("5e5"\)/],
    ['digits between spaces', {sum: ' 500000 '}, /sum \(" 500000 "\)/],
    ['words for an amount', {amount: 'five hundred'}, /amount/],
    ['text that can only be money', {text: 'USD 125.00'}, /text \("USD 125\.00"\)/],
    ['a nested amount', {payout: {amount_in_minor_units: 500}}, /payout\.amount_in_minor_units \(500\)/],
    ['an amount in a list', {parts: [{status: 'x'}, {n: 7}]}, /parts\.1\.n \(7\)/],
    ['an amount deep down', deep, /may|cannot read|more than/],
    ['another id', {id: 'b2', amount_in_minor_units: 5, currency_code: 'USD'}, /another record, b2/],
    ['text', 'created', /did not answer with a record/],
    ['a list of records', [{amount_in_minor_units: 5}], /did not answer with a record/],
    ['nothing', null, /did not answer with a record/],
  ] as const)
    it(`is unreadable with ${title}`, () =>
      assert.match(whyOf(amountOfRecord(answeredRecord(record), ID)), why));

  it('is searched for among 10,000 values, and unreadable with more', () => {
    const record = (values: number) => ({list: Array.from({length: values - 1}, () => 'x')});
    assert.deepEqual(amountOfRecord(answeredRecord(record(10_000)), ID), {kind: 'absent'});
    assert.match(whyOf(amountOfRecord(answeredRecord(record(10_001)), ID)), /more than 10000 values/);
  });

  it('strips what a terminal would act on from what it repeats', () => {
    const why = whyOf(amountOfRecord({amount_in_minor_units: '\u001b[2J\nHint: x'}, ID));
    assert.doesNotMatch(why, /\u001b|\n/);
  });
});

describe('the amount of a typed body', () => {
  for (const [title, body, expected] of [
    ['a whole number', {amount_in_minor_units: 500, currency_code: 'USD'}, read(500)],
    [
      'an exponent, which is what leaves',
      parseJson('{"amount_in_minor_units":5e2,"currency_code":"USD"}'),
      read(500),
    ],
    [
      'a repeated name, of which the last one leaves',
      parseJson('{"amount_in_minor_units":1,"amount_in_minor_units":500,"currency_code":"USD"}'),
      read(500),
    ],
    ['the alias null', {amount_in_minor_units: 500, amount_in_cents: null, currency_code: 'USD'}, read(500)],
    ['metadata', {amount_in_minor_units: 500, currency_code: 'USD', metadata: {total: '9'}}, read(500)],
    ['no amount', {name: 'Acme', scheduled_date: '2030-01-02', auto_approve: true}, {kind: 'absent'}],
    ['no body', undefined, {kind: 'absent'}],
  ] as const)
    it(`is read with ${title}`, () => assert.deepEqual(amountOfBody(body), expected));

  for (const [title, body, why] of [
    ['text of digits', {amount_in_minor_units: '500'}, /amount_in_minor_units is "500"/],
    ['two amounts', {amount_in_minor_units: 5, amount_in_cents: 500_000}, /but amount_in_cents is 500000/],
    ['an undeclared amount', {amount_in_minor_units: 5, amount: 500_000}, /the body has amount \(500000\)/],
    ['an undeclared amount alone', {amount: '5000.00'}, /amount \("5000\.00"\)/],
    ...[
      '5e5',
      ' 500000 ',
      '5E+5',
      '+500000',
      '500 000',
      '500_000',
      "500'000",
      '500.000,00',
      '.5e6',
      '0x7a120',
      '５０００００',
    ].map((text) => [`the text ${text} under another name`, {x: {y: text}}, /the body has x\.y/] as const),
    [
      'another case of the name',
      {amount_in_minor_units: 5, Amount_In_Minor_Units: 500_000},
      /Amount_In_Minor_Units/,
    ],
    ['a number under any name', {amount_in_minor_units: 5, x: 500_000}, /x \(500000\)/],
    ['digits under any name', {amount_in_minor_units: 5, аmount: '500000'}, /mount \("500000"\)/],
    ['a nested amount', {amount_in_minor_units: 5, data: {a: [{b: 500_000}]}}, /data\.a\.0\.b \(500000\)/],
    ['a number in the metadata', {amount_in_minor_units: 5, metadata: {a: 500_000}}, /metadata\.a/],
    ['a number beyond 2^53', parseJson('{"amount_in_minor_units":9007199254740993}'), /9007199254740992/],
    [
      '__proto__',
      parseJson('{"__proto__":{"amount_in_minor_units":500000}}'),
      /__proto__\.amount_in_minor_units/,
    ],
    ['a list', [{amount_in_minor_units: 5}], /not a JSON object/],
    ['a number', 500_000, /not a JSON object/],
  ] as const)
    it(`is unreadable with ${title}`, () => assert.match(whyOf(amountOfBody(body)), why));
});
