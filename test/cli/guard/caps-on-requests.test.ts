import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {answer} from '../../client/transport/fake-transport.ts';
import {PAYEE_ID, payout, PAYOUT_ID} from '../../commands/fixtures.ts';
import {runCli, scratch, type CliOptions} from '../run-cli.ts';
import {profiled} from './profiled.ts';

const CAPS = {max_amount_minor: {USD: 20_000}};
/** Answers with what was sent, since the answer to a create is compared with it. */
const echo = ({body: sent}: {body?: string | undefined}) =>
  answer(201, payout(JSON.parse(sent ?? '{}') as Record<string, unknown>));
const api = (words: string[], options: CliOptions = {}) =>
  runCli(['api', ...words, '--json'], {env: profiled({caps: CAPS}), service: echo, ...options});
const body = (fields: object) => JSON.stringify({payee_id: PAYEE_ID, currency_code: 'USD', ...fields});

describe('under a cap, api', () => {
  it('sends a creation whose amount is within it', async () => {
    const ran = await api(['POST', '/api/payouts', '-d', body({amount_in_minor_units: 20_000})]);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(ran.requests.length, 1);
  });

  const refused: [title: string, method: string, path: string, data: string][] = [
    ['an amount above it', 'POST', '/api/payouts', body({amount_in_minor_units: 20_001})],
    ['an amount as text', 'POST', '/api/payouts', body({amount_in_minor_units: '500000'})],
    ['another alias', 'POST', '/api/payouts', body({amount_in_minor_units: 1, amount_in_cents: 500_000})],
    ['an undeclared amount', 'POST', '/api/payouts', body({amount: 500_000})],
    [
      'an undeclared amount beside one',
      'POST',
      '/api/payouts',
      body({amount_in_minor_units: 1, amount: '5000.00'}),
    ],
    [
      'an amount beyond 2^53',
      'POST',
      '/api/payouts',
      `{"currency_code":"USD","amount_in_minor_units":9007199254740994}`,
    ],
    ['a negative amount', 'POST', '/api/payouts', body({amount_in_minor_units: -500_000})],
    ['minus zero', 'POST', '/api/payouts', '{"currency_code":"USD","amount_in_minor_units":-0}'],
    ['an exponent', 'POST', '/api/payouts', '{"currency_code":"USD","amount_in_minor_units":5e5}'],
    ['a nested amount', 'POST', '/api/payouts', body({data: {amount_in_minor_units: 1}})],
    ['a list of bodies', 'POST', '/api/payouts', `[${body({amount_in_minor_units: 1})}]`],
    ['text for a body', 'POST', '/api/payouts', '"amount_in_minor_units=500000"'],
    ['no amount', 'POST', '/api/payouts', body({})],
    ['no currency', 'POST', '/api/payouts', '{"amount_in_minor_units":1}'],
    [
      'an amount in the query',
      'POST',
      '/api/payouts?amount_in_minor_units=500000',
      body({amount_in_minor_units: 1}),
    ],
    [
      'an id that may be read as another path',
      'POST',
      '/api/payees/x%2F..%2F..%2Fpayouts%23/payment-methods',
      body({amount_in_minor_units: 500_000}),
    ],
    [
      'an id that may be read as another path, without an amount',
      'POST',
      `/api/treasury/accounts/x%2F..%2Fpayouts/update-label`,
      '{"label":"x"}',
    ],
    ['an amount where none belongs', 'POST', '/api/payees', body({name: 'Acme', amount_in_minor_units: 1})],
    ['a second slash', 'POST', '/api//payouts', body({amount_in_minor_units: 1})],
    ['a slash at the end', 'POST', '/api/payouts/', body({amount_in_minor_units: 1})],
    ['percent-encoding', 'POST', '/api/%70ayouts', body({amount_in_minor_units: 1})],
    ['path parameters', 'POST', '/api/payouts;v=1', body({amount_in_minor_units: 1})],
    ['other letters', 'POST', '/API/Payouts', body({amount_in_minor_units: 1})],
    ['a suffix', 'POST', '/api/payouts.json', body({amount_in_minor_units: 1})],
    ['an approval with a slash at the end', 'POST', `/api/payouts/${PAYOUT_ID}/approve/`, '{}'],
    ['an approval with an encoded slash', 'POST', `/api/payouts/${PAYOUT_ID}%2Fapprove`, '{}'],
    ...['.html', '.', '%2e', '%20', '%00', '%09', '%3Fx', '%23x', '%253Fx'].map(
      (end): [string, string, string, string] => [
        `an approval that ends in ${end}`,
        'POST',
        `/api/payouts/${PAYOUT_ID}/approve${end}`,
        body({amount_in_minor_units: 1}),
      ],
    ),
    [
      'an approval in full-width letters',
      'POST',
      `/api/payouts/${PAYOUT_ID}/%EF%BD%81pprove`,
      body({amount_in_minor_units: 1}),
    ],
    ['a blank at the end', 'POST', '/api/payouts%20', body({amount_in_minor_units: 1})],
    ['another suffix', 'POST', '/api/payouts.csv', body({amount_in_minor_units: 1})],
    ['an approval with a query', 'POST', `/api/payouts/${PAYOUT_ID}/approve?x=1`, '{}'],
    ['an approval with an amount', 'POST', `/api/payouts/${PAYOUT_ID}/approve`, '{"amount":5}'],
    ['an unknown path without an amount', 'POST', '/v2/anything', '{}'],
    ['an unknown path with another field', 'POST', '/v2/anything', '{"total":500000}'],
    ['an unknown path with digits as text', 'POST', '/v2/anything', '{"howMuch":"500000"}'],
    ['PUT', 'PUT', `/api/payouts/${PAYOUT_ID}`, body({amount_in_minor_units: 500_000})],
    ['PATCH without an amount', 'PATCH', `/api/payouts/${PAYOUT_ID}`, '{}'],
    ['DELETE of an unknown path', 'DELETE', '/v2/holds/1', '{}'],
  ];
  for (const [title, method, path, data] of refused)
    it(`refuses ${title}: ${method} ${path.replace(PAYOUT_ID, 'ID')}`, async () => {
      const ran = await api([method, path, '-d', data]);
      assert.equal(ran.exitCode, 11, ran.stderr + ran.stdout);
      assert.deepEqual(
        ran.requests.filter((request) => request.method !== 'GET'),
        [],
      );
    });

  it('refuses a body with two amounts before the cap is compared with either', async () => {
    for (const amounts of [
      [1, 500_000],
      [500_000, 1],
    ]) {
      const fields = amounts.map((amount) => `"amount_in_minor_units":${amount}`).join(',');
      const ran = await api(['POST', '/api/payouts', '-d', `{"currency_code":"USD",${fields}}`]);
      assert.equal(ran.exitCode, 5, ran.stderr + ran.stdout);
      assert.match(ran.stderr, /amount_in_minor_units is given twice/);
      assert.deepEqual(ran.requests, []);
    }
  });

  it('hints at the path as it is declared, with the ids that were typed', async () => {
    for (const [path, declared] of [
      ['/API/Payouts', '/api/payouts'],
      [`/api/PAYOUTS/${PAYOUT_ID}//approve`, `/api/payouts/${PAYOUT_ID}/approve`],
    ] as const) {
      const ran = await api(['POST', path, '-d', '{}']);
      assert.equal(ran.error().hint, `write the path as ${declared}`);
    }
  });

  it('checks a body from stdin or a file alike', async () => {
    const text = body({amount_in_minor_units: 20_001});
    const file = join(scratch(), 'body.json');
    writeFileSync(file, text);
    for (const [data, options] of [
      ['-', {stdin: text}],
      [`@${file}`, {}],
    ] as const) {
      const ran = await api(['POST', '/api/payouts', '-d', data], options);
      assert.equal(ran.exitCode, 11);
      assert.deepEqual(ran.requests, []);
    }
  });

  it('allows what moves no money, and any read', async () => {
    for (const words of [
      ['POST', '/api/payees', '-d', '{"name":"Acme"}'],
      ['DELETE', `/api/payees/${PAYEE_ID}/payment-methods/${PAYOUT_ID}`],
      ['GET', '/api//payouts?amount=5'],
    ])
      assert.equal((await api(words)).exitCode, 0, words.join(' '));
  });

  it('takes a stated amount, zero too, for a request that shows none', async () => {
    const stated = ['POST', '/v2/anything', '--amount', '0', '--currency', 'USD'];
    assert.equal((await api(stated)).exitCode, 11);
    const sent = await api([...stated, '--yes']);
    assert.equal(sent.exitCode, 0, sent.stderr);
    const above = await api(['POST', '/v2/anything', '--amount', '500', '--currency', 'USD', '--yes']);
    assert.equal(above.exitCode, 11);
  });

  it('apply to a request in the form of the service, which the service file describes', async () => {
    const env = profiled({
      caps: CAPS,
      service: {
        fields: {moves: {amount_in_minor_units: 'amount', currency_code: 'ccy'}},
        units: {'moves.amount_in_minor_units': 'major'},
      },
    });
    const send = (fields: object, ...more: string[]) =>
      api(['POST', '/api/subaccounts/move', '-d', JSON.stringify(fields), ...more], {env});
    const sent = await send({amount_in_minor_units: 20_000, currency_code: 'USD'});
    assert.equal(sent.exitCode, 0, sent.stderr);
    assert.equal(sent.requests.at(-1)!.body, '{"amount":"200.00","ccy":"USD"}');
    assert.equal((await send({amount_in_minor_units: 20_001, currency_code: 'USD'})).exitCode, 11);
    assert.equal((await send({amount: '200.00', ccy: 'USD'})).error().code, 'LOCAL_VALIDATION');
    assert.equal((await send({amount: '200.00', ccy: 'USD'}, '--raw')).exitCode, 0);
    assert.equal((await send({amount: '200.01', ccy: 'USD'}, '--raw')).exitCode, 11);
    assert.equal((await send({amount_in_minor_units: 1, ccy: 'USD'}, '--raw')).exitCode, 11);
    assert.equal((await send({amount: '1.00', amount_in_minor_units: 1, ccy: 'USD'}, '--raw')).exitCode, 11);
  });

  it('applies allowed rails to creates and unknown requests', async () => {
    const env = profiled({caps: {rails: ['wire']}});
    const send = (path: string, fields: object) => api(['POST', path, '-d', body(fields)], {env});
    for (const path of ['/api/payouts', '/v2/anything']) {
      assert.equal((await send(path, {amount_in_minor_units: 1, rail: 'wire'})).exitCode, 0);
      assert.equal((await send(path, {amount_in_minor_units: 1, rail: 'standard_ach'})).exitCode, 11);
      assert.equal((await send(path, {amount_in_minor_units: 1})).exitCode, 11);
    }
    for (const path of [
      '/api/subaccounts/move',
      `/api/treasury/accounts/${PAYEE_ID}/simulate-inbound-credit`,
    ])
      assert.equal((await send(path, {amount_in_minor_units: 1})).exitCode, 0, 'it has no rail');
  });
});

describe('with a live key, api', () => {
  const live = (words: string[], options: CliOptions = {}) =>
    api([...words, '--live'], {env: profiled({mode: 'live'}), columns: 100, ...options});

  it('asks for yes or no where an unknown request shows no amount', async () => {
    const ran = await live(['POST', '/v2/anything'], {answers: [true]});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, /amount {7}unknown: the request has no amount/);
    assert.equal((await live(['POST', '/v2/anything'], {answers: [false]})).exitCode, 11);
  });

  it('refuses an amount that it cannot read', async () => {
    const ran = await live(['POST', '/v2/anything', '-d', '{"total":500000}', '--yes']);
    assert.equal(ran.exitCode, 11);
    assert.match(ran.error().message, /total \(500000\)/);
  });
});
