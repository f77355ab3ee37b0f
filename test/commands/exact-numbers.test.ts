import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../cli/run-cli.ts';
import {answer} from '../client/transport/fake-transport.ts';
import {METHOD_ID, page, PAYEE_ID, PAYOUT_ID, payout} from './fixtures.ts';

/** An answer as its text, in which a word stands for the literal of a number. */
const literal = (json: object, number: string) => {
  const found = answer(200, json);
  return {...found, body: Buffer.from(JSON.stringify(json).replaceAll('"NUMBER"', number))};
};
const odd = (changes: Record<string, unknown>) => payout({amount_in_cents: undefined, ...changes});
const record = (number: string) => () => literal(odd({amount_in_minor_units: 'NUMBER'}), number);

describe('numbers of answers', () => {
  for (const number of [
    '9007199254740993',
    '123456789012345678901234567890',
    '1e400',
    '0.1000000000000000055511151231',
  ])
    it(`are repeated in JSON as they came: ${number}`, async () => {
      const service = () => literal(payout({metadata: {deep: ['NUMBER']}}), number);
      for (const [format, pattern] of [
        ['json', new RegExp(`"deep": \\[\\s*${number.replace('.', '\\.')}\\s*\\]`)],
        ['ndjson', new RegExp(`"deep":\\[${number.replace('.', '\\.')}\\]`)],
        ['yaml', new RegExp(`^ +- ${number.replace('.', '\\.')}$`, 'm')],
      ] as const) {
        const got = await runCli(['payouts', 'get', PAYOUT_ID, '-o', format], {service});
        assert.match(got.stdout, pattern, format);
        const raw = await runCli(['api', 'GET', `/api/payouts/${PAYOUT_ID}`, '-o', format], {service});
        assert.match(raw.stdout, pattern, `api, ${format}`);
      }
      const list = () =>
        literal(
          {data: Array.from({length: 250}, (_, at) => ({id: `a${at}`, n: 'NUMBER'})), next_cursor: null},
          number,
        );
      const listed = await runCli(['payouts', 'list', '--all', '--json'], {service: list});
      assert.equal(listed.stdout.split(`"n": ${number}`).length, 251, 'a list that is held as text');
      const csv = await runCli(['payouts', 'list', '--all', '-o', 'csv', '--fields', 'n'], {service: list});
      assert.equal(csv.stdout.split('\n')[1], number);
    });

  it('that are amounts above 2^53 are exact in major units', async () => {
    const card = await runCli(['payouts', 'get', PAYOUT_ID], {service: record('9007199254740993')});
    assert.match(card.stdout, /^Amount\t90,071,992,547,409\.93 USD$/m);
    assert.equal(card.stderr, '');
    const csv = await runCli(['payouts', 'list', '-o', 'csv', '--fields', 'amount'], {
      service: () =>
        literal({data: [odd({amount_in_minor_units: 'NUMBER'})], next_cursor: null}, '9007199254740993'),
    });
    assert.equal(csv.stdout, 'amount\n90071992547409.93\n');
  });

  it('are compared by --query as rounded numbers, with a warning, and never left out', async () => {
    const service = () =>
      literal({data: [odd({amount_in_minor_units: 'NUMBER'})], next_cursor: null}, '9007199254740993');
    const list = (query: string) => runCli(['payouts', 'list', '-o', 'json', '--query', query], {service});
    const compared = await list('[?amount_in_minor_units > `100`].id | length(@)');
    assert.equal(compared.stdout, '1\n');
    assert.match(compared.stderr, /rounded numbers: 9007199254740993 has more digits/);
    const shown = await list('[].amount_in_minor_units | [0]');
    assert.equal(shown.stdout, '9007199254740993\n');
    assert.equal(shown.stderr, '');
  });

  it('that are amounts as text are read as the number', async () => {
    const text = odd({amount_in_minor_units: '12500'});
    const card = await runCli(['payouts', 'get', PAYOUT_ID], {service: () => answer(200, text)});
    assert.match(card.stdout, /^Amount\t125\.00 USD$/m);
    const service = () => page([text, {...text, id: METHOD_ID}]);
    const table = await runCli(['payouts', 'list'], {service});
    assert.match(table.stdout, /\t125\.00 USD\t/);
    const csv = await runCli(['payouts', 'list', '-o', 'csv', '--fields', 'amount'], {service});
    assert.equal(csv.stdout, 'amount\n125.00\n125.00\n');
    const one = () => page([text]);
    const summary = await runCli(['payouts', 'list', '--summary', '--json'], {service: one});
    assert.equal((summary.json() as {amount: string}[])[0]?.amount, '125.00');
    assert.equal(summary.exitCode, 0);
  });

  it('that are fractions of a minor unit cause a named warning where they are shown', async () => {
    for (const number of ['12500.4', '12500.0000000000000001', '1e400']) {
      const got = await runCli(['payouts', 'get', PAYOUT_ID, '--json'], {service: record(number)});
      const warning = `Warning: amount_in_minor_units of ${PAYOUT_ID} is ${number}, not a whole number of minor units\n`;
      assert.equal(got.stderr, warning);
      assert.match(got.stdout, new RegExp(`"amount_in_minor_units": ${number.replace('.', '\\.')},`));
      const service = () =>
        literal(
          {data: [odd({amount_in_minor_units: 'NUMBER'}), payout({id: PAYEE_ID})], next_cursor: null},
          number,
        );
      const summary = await runCli(['payouts', 'list', '--summary'], {service});
      assert.match(summary.stderr, /^Warning: 1 payout has no amount that can be summed/m);
      assert.equal(summary.exitCode, 8, 'a sum that leaves a record out');
      assert.match(summary.stdout, /^status\tcreated\t1\t125\.00 USD$/m);
    }
  });

  it('that are fractions stop an approval with a live key', async () => {
    const env = {REMIT_API_KEY: 'live_0123456789abcdef', REMIT_BASE_URL: 'http://127.0.0.1:4010'};
    for (const number of ['12500.4', '12500.0000000000000001', '-12500']) {
      const ran = await runCli(
        ['payouts', 'approve', PAYOUT_ID, '--live', '--yes', '--amount', '125.00', '--currency', 'USD'],
        {
          ...{env, service: record(number)},
        },
      );
      assert.equal(ran.exitCode, 11, ran.stderr);
      assert.deepEqual(
        ran.requests.filter(({method}) => method !== 'GET'),
        [],
      );
    }
  });
});

describe('numbers of requests', () => {
  for (const [number, path] of [
    ['9007199254740993', 'amount_in_minor_units'],
    ['1e400', 'metadata.deep.1'],
    ['0.12345678901234567890', 'metadata.n'],
  ] as const)
    it(`that would be rounded are refused with their path: ${number}`, async () => {
      const body = {
        payee_id: PAYEE_ID,
        amount_in_minor_units: path.startsWith('amount') ? 'NUMBER' : 100,
        metadata: {deep: [1, path.includes('deep') ? 'NUMBER' : 1], n: path.endsWith('.n') ? 'NUMBER' : 1},
      };
      const data = JSON.stringify(body).replace('"NUMBER"', number);
      for (const more of ['--dry-run', '--json'])
        for (const words of [
          ['api', 'POST', '/api/payouts'],
          ['payouts', 'create'],
        ]) {
          const ran = await runCli([...words, '--data', data, more], {service: []});
          assert.deepEqual([ran.exitCode, ran.requests], [5, []], ran.stderr);
          assert.match(ran.stderr, new RegExp(`--data: ${path} has more digits than can be sent exactly`));
          assert.ok(!ran.stderr.includes(number));
        }
    });

  it('that are exact are sent, in any form', async () => {
    const data = '{"a":9007199254740992,"b":1.50,"c":1e3,"d":-0.1}';
    const ran = await runCli(['api', 'POST', '/api/payees', '--data', data, '--dry-run', '--json'], {
      service: [],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stdout, /9007199254740992/);
  });
});

describe('--include', () => {
  it('repeats the numbers of the body as they came', async () => {
    const service = () => literal(payout({metadata: {n: 'NUMBER'}}), '9007199254740993');
    for (const options of [{columns: 80}, {}])
      for (const more of [[], ['-o', 'table']]) {
        const ran = await runCli(['api', 'GET', `/api/payouts/${PAYOUT_ID}`, '--include', ...more], {
          ...{service},
          ...options,
        });
        assert.match(ran.stdout, /"n": 9007199254740993/, ran.stderr);
      }
  });
});
