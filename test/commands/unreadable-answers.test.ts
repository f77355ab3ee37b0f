import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli, TEST_KEY} from '../cli/run-cli.ts';
import {answer} from '../client/transport/fake-transport.ts';
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
      /announced more pages \(has_more, pagination\.next_cursor\).*the list is incomplete/,
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
    assert.match(ran.stderr, /More payouts may exist; 1 is shown\./);
  });

  it('names the keys of an envelope without data', async () => {
    const service = [answer(200, {items: [item], total: 1})];
    const ran = await runCli(['payouts', 'list', '--json'], {service});
    assert.equal(ran.exitCode, 7);
    assert.match(ran.error().message, /with an unexpected body \(its keys: items, total\)/);
  });
});

describe('a created record whose id cannot be used', () => {
  const ids = {
    'an escape sequence': '\u001b[2J\u001b]52;c;ZXZpbA==\u0007',
    'a line break': 'x\nHint: remit payouts create',
    spaces: 'an id',
    '10 kB': 'x'.repeat(10_000),
    'a flag': '--live',
    'a step up': '..',
    'the key': TEST_KEY,
    'a card number': '4111111111111111',
    'a negative number': -7,
    'a fraction': 1.5,
  };
  for (const line of [
    `payouts create --payee ${PAYEE_ID} --amount-minor 5`,
    `payins create --payer ${PAYEE_ID} --amount-minor 5`,
    `moves create --source ${PAYEE_ID} --destination ${PAYOUT_ID} --amount-minor 5 --currency USD`,
    `transfers create --source ${PAYEE_ID} --destination ${PAYOUT_ID} --amount-minor 5 --currency USD --rail book`,
    'payees create --name A',
    'subaccounts create --name A',
    `payment-methods add --payee ${PAYEE_ID} --type bank_account --account-number 000123456789 --routing-number 021000021 --holder-name Ada`,
    'webhooks endpoints create --url https://example.com/h --event-types payout.settled',
  ])
    it(`leaves it in doubt: ${line.split(' ').slice(0, 3).join(' ')}`, async () => {
      for (const [what, id] of Object.entries(ids)) {
        const body = {id, status: 'created', amount_in_minor_units: 5};
        const service = Array.from({length: 3}, () => answer(201, body));
        const ran = await runCli([...line.split(' '), '--json'], {service});
        assert.deepEqual([ran.exitCode, ran.stdout], [12, ''], `${what}: ${ran.stderr}`);
        const {message, hint, details} = ran.error();
        assert.match(message, /answered 201 with a record whose id cannot be used/, what);
        assert.match(String(hint), /^remit [\w -]+ list\b/, what);
        assert.equal(details?.['may_have_taken_effect'], true);
        if (typeof id === 'string' && id !== '..' && id !== '--live')
          assert.ok(!ran.stderr.includes(id), what);
      }
    });

  it('names the key that repeats a payout', async () => {
    const service = Array.from({length: 3}, () => answer(201, {id: 'an id', status: 'created'}));
    const argv = [
      'payouts',
      'create',
      '--payee',
      PAYEE_ID,
      '--amount-minor',
      '5',
      '--idempotency-key',
      'k-1',
    ];
    const ran = await runCli([...argv, '--json'], {service});
    assert.deepEqual(
      [ran.error().details?.['idempotency_key'], ran.error().hint],
      ['k-1', 'remit payouts list --limit 5; to find what differs at the service: remit doctor'],
    );
    assert.match(String(ran.error().details?.['next']), /^remit payouts create .*--idempotency-key k-1/);
  });
});
