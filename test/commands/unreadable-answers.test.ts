import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../cli/run-cli.ts';
import {answer} from '../client/fake-transport.ts';
import {PAYEE_ID, PAYOUT_ID} from './fixtures.ts';

const DEEP = answer(
  200,
  `{"id":"${PAYOUT_ID}","status":"approved","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
);
const HTML = answer(200, '<html>Sign in to the Wi-Fi</html>', {'content-type': 'text/html'});

describe('an answer that cannot be processed', () => {
  for (const line of [
    `payouts create --payee ${PAYEE_ID} --amount-minor 5`,
    `payouts approve ${PAYOUT_ID}`,
    `moves approve ${PAYOUT_ID}`,
    `transfers approve ${PAYOUT_ID}`,
    'payees create --name A',
    `webhooks endpoints disable ${PAYOUT_ID}`,
    `treasury label ${PAYOUT_ID} Main`,
    'api POST /api/payees -d {"name":"A"}',
  ])
    it(`leaves a write in doubt, with what came: ${line.split(' ').slice(0, 2).join(' ')}`, async () => {
      const deep = await runCli([...line.split(' '), '--json'], {service: [DEEP]});
      assert.equal(deep.exitCode, 12, deep.stderr);
      assert.match(deep.error().message, /answered 200 with JSON nested more than 200 levels deep/);
      assert.deepEqual(deep.error().details?.['answer'], {
        ...{what: 'JSON nested more than 200 levels deep', bytes: DEEP.body.length},
        ...{id: PAYOUT_ID, status: 'approved'},
      });
      assert.notEqual(deep.error().hint, null);
      const html = await runCli([...line.split(' '), '--json'], {service: [HTML]});
      assert.equal(html.exitCode, 12);
      assert.match(html.error().message, /answered 200 with text\/html, not JSON \(33 bytes\)/);
      const {status, next, may_have_taken_effect} = html.error().details!;
      assert.deepEqual([status, next, may_have_taken_effect], [null, html.error().hint, true]);
    });

  for (const line of [
    `payment-methods delete ${PAYOUT_ID} --payee ${PAYEE_ID}`,
    `webhooks endpoints delete ${PAYOUT_ID}`,
  ])
    it(`never says that a record was deleted: ${line.split(' ').slice(0, 2).join(' ')}`, async () => {
      const ran = await runCli([...line.split(' '), '--json'], {service: [HTML, HTML, HTML]});
      assert.deepEqual([ran.exitCode, ran.stdout], [12, '']);
      assert.match(ran.error().message, /answered 200 with text\/html, not JSON/);
      assert.equal(ran.error().details?.['id'], PAYOUT_ID);
    });

  for (const line of [
    `payouts get ${PAYOUT_ID}`,
    'payouts list',
    `transfers get ${PAYOUT_ID}`,
    'api GET /api/payouts',
  ])
    it(`makes a read unavailable: ${line.split(' ').slice(0, 2).join(' ')}`, async () => {
      for (const service of [[DEEP], [HTML]]) {
        const ran = await runCli([...line.split(' '), '--json'], {service});
        assert.equal(ran.exitCode, 7);
        assert.equal(ran.error().code, 'UNAVAILABLE');
        assert.match(ran.error().message, /answered 200 with (JSON nested|text\/html)/);
      }
    });
});

describe('a list in another envelope', () => {
  const item = {id: PAYOUT_ID, status: 'created'};

  it('ends with an error that names the keys, after what came', async () => {
    const body = {data: [item], has_more: true, pagination: {next_cursor: 'c2'}};
    const ran = await runCli(['payouts', 'list', '--all', '-o', 'id'], {service: [answer(200, body)]});
    assert.equal(ran.exitCode, 7);
    assert.equal(ran.stdout, `${PAYOUT_ID}\n`);
    assert.match(
      ran.stderr,
      /the list goes on \(has_more, pagination\.next_cursor\).*the list is not complete/,
    );
    const table = await runCli(['payouts', 'list', '--all'], {service: [answer(200, body)]});
    assert.match(table.stdout, new RegExp(`^${PAYOUT_ID}\t`, 'm'));
    const json = await runCli(['payouts', 'list', '--json'], {service: [answer(200, body)]});
    assert.deepEqual([json.exitCode, json.stdout, json.error().code], [7, '', 'LIST_CUT']);
  });

  it('does not say that an account transfer is missing when only a part of the list was read', async () => {
    const body = {data: [item], has_more: true};
    const ran = await runCli(['transfers', 'get', PAYEE_ID, '--json'], {service: [answer(200, body)]});
    assert.deepEqual([ran.exitCode, ran.error().code], [7, 'LIST_CUT']);
  });

  it('is read by its Link header as well', async () => {
    const link = {link: '<https://example.com/api/payouts?page=2>; rel="next"'};
    const ran = await runCli(['payouts', 'list', '--all', '--json'], {service: [answer(200, [item], link)]});
    assert.equal(ran.error().code, 'LIST_CUT');
  });

  it('says that more may exist when the limit was reached', async () => {
    const service = [answer(200, {data: [item], has_more: true})];
    const ran = await runCli(['payouts', 'list', '--limit', '1', '-o', 'id'], {service});
    assert.deepEqual([ran.exitCode, ran.stdout], [0, `${PAYOUT_ID}\n`]);
    assert.match(ran.stderr, /More payouts may exist; 1 are shown\./);
  });

  it('names the keys of an envelope without data', async () => {
    const service = [answer(200, {items: [item], total: 1})];
    const ran = await runCli(['payouts', 'list', '--json'], {service});
    assert.equal(ran.exitCode, 7);
    assert.match(ran.error().message, /without what was asked for \(its keys: items, total\)/);
  });
});
