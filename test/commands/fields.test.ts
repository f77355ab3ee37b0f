import assert from 'node:assert/strict';
import {runCli} from '../cli/run-cli.ts';
import {answer} from '../client/transport/fake-transport.ts';
import {payout, PAYOUT_ID as ID} from './fixtures.ts';

const PAYOUT = payout({amount_in_minor_units: 144_000, odd_news: {inner: 1}});

describe('--fields', () => {
  const get = (fields: string, ...more: string[]) =>
    runCli(['payouts', 'get', ID, '--fields', fields, ...more], {service: [answer(200, PAYOUT)]});
  const list = (fields: string, format: string) =>
    runCli(['payouts', 'list', '--fields', fields, '-o', format], {
      service: [answer(200, {data: [PAYOUT], next_cursor: null})],
    });

  it('with an unknown name ends with 2, names the nearest and all, and writes nothing', async () => {
    for (const ran of [
      await get('id,staus', '--json'),
      await get('id,staus'),
      ...(await Promise.all(
        ['json', 'ndjson', 'csv', 'table', 'yaml'].map((format) => list('id,staus', format)),
      )),
    ]) {
      assert.deepEqual([ran.exitCode, ran.stdout], [2, ''], ran.stderr);
      assert.match(ran.stderr, /"?staus.{0,2}, which is not a field of this result/);
      assert.match(ran.stderr, /did you mean status\? It has .*amount_in_minor_units/);
    }
  });

  it('takes what the contract knows though no record has it, and what a record has though the contract does not', async () => {
    for (const fields of [
      'transfer_details.trace_number',
      'client_metadata.anything',
      'odd_news.inner',
      'odd_news',
    ])
      assert.equal((await get(fields, '--json')).exitCode, 0, fields);
    assert.equal((await list('transfer_details.trace_number', 'ndjson')).exitCode, 0);
  });

  it('takes the amount in major units for people and in CSV, where it is calculated, and lists it', async () => {
    assert.equal((await list('id,amount', 'csv')).stdout, `id,amount\n${ID},1440.00\n`);
    assert.equal((await list('id,amount', 'table')).stdout, `ID\tAmount\n${ID}\t1,440.00 USD\n`);
    assert.equal((await get('amount')).stdout, 'Amount\t1,440.00 USD\n');
    for (const format of ['csv', 'table'])
      assert.match((await list('id,amout', format)).stderr, /did you mean amount\? It has amount, /);
    const json = await list('id,amount', 'json');
    assert.deepEqual([json.exitCode, json.stdout], [2, '']);
    assert.match(json.error().hint ?? '', /^did you mean amount_in_\w+\? It has amount_in_/);
  });

  it('shows an amount of the service itself as it is', async () => {
    const ran = await runCli(['payouts', 'get', ID, '--fields', 'amount,odd_news.inner'], {
      service: [answer(200, {...PAYOUT, amount: 'x'})],
    });
    assert.match(ran.stdout, /^Amount\tx\nodd_news\.inner\t1\n$/);
  });

  it('is not judged on the result of a query', async () => {
    assert.equal((await get('there', '--json', '--query', '{there: id}')).exitCode, 0);
  });

  it('with an unknown name only warns where something was done: the result is told anyway', async () => {
    const ran = await runCli(['payouts', 'cancel', ID, '--fields', 'id,staus', '--json'], {
      service: [answer(200, {...PAYOUT, status: 'canceled'})],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, /staus.*did you mean status/);
    assert.deepEqual(ran.json(), {id: ID, staus: null});
  });
});

describe('--query', () => {
  const cancel = (query: string, ...more: string[]) =>
    runCli(['payouts', 'cancel', ID, '--query', query, ...more], {
      service: [answer(200, {...PAYOUT, status: 'canceled'})],
    });

  it('that is no expression is refused before anything is sent', async () => {
    for (const ran of [await cancel('foo['), await cancel('id |', '--json')]) {
      assert.deepEqual([ran.exitCode, ran.stdout, ran.requests.length], [2, '', 0], ran.stderr);
      assert.match(ran.stderr, /is not a JMESPath expression/);
    }
  });

  it('that does not fit the result of a write ends with 8: what was done is told whole, never a usage error', async () => {
    const ran = await cancel('length(amount_in_minor_units)', '--json');
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stderr, /does not fit this result.*The operation succeeded/);
    assert.equal((ran.json() as {status: string}).status, 'canceled');
  });

  it('that does not fit the result of a read ends with 2', async () => {
    const ran = await runCli(['payouts', 'get', ID, '--query', 'length(amount_in_minor_units)', '--json'], {
      service: [answer(200, PAYOUT)],
    });
    assert.deepEqual([ran.exitCode, ran.stdout], [2, '']);
  });
});

describe('amounts in lists', () => {
  it('are grouped for people, and plain for machines', async () => {
    const service = [answer(200, {data: [PAYOUT], next_cursor: null})];
    assert.match((await runCli(['payouts', 'list'], {service})).stdout, /1,440\.00 USD/);
    assert.match((await runCli(['payouts', 'list', '-o', 'csv'], {service})).stdout, /,144000,|,144000$/m);
  });
});
