import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../cli/run-cli.ts';
import {answer} from '../client/transport/fake-transport.ts';
import {page, PAYEE_ID, PAYER_ID, payout, PAYOUT_ID} from './fixtures.ts';

/** Known fields with values of other types than the contract says. */
const ODD = {
  subaccount_id: true,
  rail: {name: 'ach'},
  country_code: 5,
  currency_code: ['USD'],
  client_metadata: 'text',
};

describe('known fields of other types', () => {
  it('are printed as they were received, after a read and after a write', async () => {
    const record = payout({...ODD, status: 'approved'});
    const service = ({method}: {method: string}) => (method === 'GET' ? answer(200, record) : answer(204));
    for (const words of [
      ['payouts', 'get', PAYOUT_ID],
      ['payouts', 'approve', PAYOUT_ID],
    ]) {
      const ran = await runCli([...words, '--json'], {service});
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.deepEqual(ran.json(), record);
    }
  });

  it('are printed as they were received in a list of more than one piece', async () => {
    const records = Array.from({length: 450}, (_, at) => payout({...ODD, id: idOf(at)}));
    const pages = [0, 100, 200, 300, 400].map((from) =>
      page(records.slice(from, from + 100), from === 400 ? null : String(from)),
    );
    const ran = await runCli(['payouts', 'list', '--all', '--json'], {service: pages});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(ran.json(), records);
  });

  it('are still compared with the request: an answer with another party, whatever its type, is not the move', async () => {
    const words = [
      'moves',
      'create',
      '--source',
      PAYEE_ID,
      '--destination',
      PAYER_ID,
      '--amount',
      '5.00',
      '--currency',
      'USD',
      '--json',
    ];
    for (const destination of [{id: PAYER_ID}, 7, true, [PAYER_ID]]) {
      const record = {
        ...{id: PAYOUT_ID, source_subaccount_id: PAYEE_ID, destination_subaccount_id: destination},
        ...{amount_in_minor_units: 500, currency_code: 'USD', status: 'CREATED'},
      };
      const ran = await runCli(words, {service: [answer(201, {data: record})]});
      assert.match(ran.stderr + ran.stdout, /KEY_REUSED/, JSON.stringify(destination));
    }
  });

  it('do not make an answer the record of another id', async () => {
    const other = {...payout({status: 'approved'}), id: {value: PAYOUT_ID}};
    const service = ({method}: {method: string}) =>
      method === 'GET' ? answer(200, payout({status: 'created'})) : answer(200, other);
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '--json'], {service});
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stderr, /another record/);
  });
});

const idOf = (at: number): string => `0192a000-0000-7000-8000-${String(at).padStart(12, '0')}`;
