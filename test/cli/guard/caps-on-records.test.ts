import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {answer, type Reply} from '../../client/transport/fake-transport.ts';
import {page, payout, PAYOUT_ID} from '../../commands/fixtures.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {runCli, type CliOptions} from '../run-cli.ts';
import {profiled} from './profiled.ts';

const MOVE = '0192a000-0000-7000-8000-000000000010';
const TRANSFER = '0192a000-0000-7000-8000-000000000031';
const CAPS = {max_amount_minor: {USD: 20_000}};
const STATED = ['--amount', '125.00', '--currency', 'USD'];

/** How each command asks for the record, and how the service answers with one. */
const COMMANDS: [words: string[], asRecord: (record: unknown) => Reply][] = [
  [['payouts', 'approve', PAYOUT_ID], (record) => answer(200, record)],
  [['payins', 'approve', PAYOUT_ID], (record) => answer(200, record)],
  [['moves', 'approve', MOVE], (record) => answer(200, record)],
  [['transfers', 'approve', TRANSFER], (record) => page([{...(record as object), id: TRANSFER}])],
  [['api', 'POST', `/api/payouts/${PAYOUT_ID}/approve`], (record) => answer(200, record)],
  [['api', 'POST', `/api/subaccounts/move/${MOVE}/approve`], (record) => answer(200, record)],
  [
    ['api', 'POST', `/api/treasury/account-transfers/${TRANSFER}/approve`],
    (record) => page([{...(record as object), id: TRANSFER}]),
  ],
];
const PATCHED: ServiceFile = {routes: {'payouts.cancel': 'PATCH /api/payouts/{id}'}};
const amount = (changes: object) => ({status: 'created', currency_code: 'USD', rail: 'wire', ...changes});
const run = (words: string[], record: Reply, options: CliOptions = {}) =>
  runCli([...words, '--json'], {
    env: profiled({caps: CAPS}),
    service: [
      record,
      answer(200, {id: words[2], status: /move/.test(words.join(' ')) ? 'SETTLED' : 'approved'}),
    ],
    ...options,
  });
const writes = (requests: readonly {method: string}[]) =>
  requests.filter(({method}) => method !== 'GET').length;

for (const [words, asRecord] of COMMANDS)
  describe(`under a cap, ${words
    .slice(0, 3)
    .join(' ')
    .replace(/0192\S{32}/, 'ID')}`, () => {
    it('is sent if the amount of the record is within it', async () => {
      for (const record of [
        amount({amount_in_minor_units: 12_500}),
        amount({amount_in_minor_units: '12500'}),
      ]) {
        const ran = await run(words, asRecord(record));
        assert.equal(ran.exitCode, 0, ran.stderr);
        assert.equal(writes(ran.requests), 1);
      }
    });

    for (const [title, record, says] of [
      ['an amount above it', amount({amount_in_minor_units: 20_001}), /200\.01 USD .* is above the cap/],
      ['such an amount as text', amount({amount_in_minor_units: '20001'}), /above the cap/],
      ['a bare status', {status: 'created'}, /the record has no amount/],
      ['another field name', amount({amount: 999_999}), /amount \(999999\)/],
      ['an amount that is no number', amount({amount_in_minor_units: '9,999.00'}), /"9,999\.00"/],
      [
        'a nested amount',
        amount({payout: {amount_in_minor_units: 999_999}}),
        /payout\.amount_in_minor_units/,
      ],
      [
        'no currency',
        {status: 'created', amount_in_minor_units: 5},
        /but the record has no ISO 4217 code in currency_code/,
      ],
      [
        'a currency in lower case',
        amount({amount_in_minor_units: 5, currency_code: 'usd'}),
        /but the record has no ISO 4217 code in currency_code/,
      ],
      ['another currency', amount({amount_in_minor_units: 5, currency_code: 'JPY'}), /no cap for JPY/],
    ] as const)
      it(`is refused if the record has ${title}`, async () => {
        const ran = await run(words, asRecord(record));
        assert.equal(ran.exitCode, 11, ran.stderr);
        assert.equal(ran.error().code, 'GUARD_CAP');
        assert.match(ran.error().message, says);
        assert.equal(writes(ran.requests), 0);
      });

    it('accepts a stated amount only if the record has none, with --yes or at a terminal', async () => {
      const bare = asRecord({status: 'created'});
      const stated = [...words, ...STATED];
      const refused = await run(stated, bare);
      assert.equal(refused.exitCode, 11);
      assert.equal(refused.error().code, 'GUARD_CONFIRM');
      assert.match(refused.error().hint ?? '', /--yes/);
      assert.equal(writes(refused.requests), 0);
      const sent = await run([...stated, '--yes'], bare);
      assert.equal(sent.exitCode, 0, sent.stderr);
      assert.match(sent.stderr, /125\.00 USD \(12500 minor units\)[^]*as\s+stated\s+with --amount/);
      const typed = await run(stated, bare, {columns: 120});
      assert.equal(typed.exitCode, 0, typed.stderr);
      assert.match(typed.stderr, /as\s+stated\s+with --amount/);
    });

    it('repeats a stated amount that it cannot compare, and names the way out', async () => {
      const ran = await run([...words, ...STATED, '--yes'], asRecord(amount({amount: '125.00'})));
      assert.equal(ran.exitCode, 11);
      const {message, hint} = ran.error();
      assert.match(
        message,
        /; the stated 125\.00 USD \(12500 minor units\) cannot be compared with it \(profile/,
      );
      assert.match(
        String(hint),
        /in the service file \(fields and units\); to find them: remit doctor -p \w+$/,
      );
      assert.equal(writes(ran.requests), 0);
    });

    it('checks a stated amount against the cap, and against the record', async () => {
      const above = [...words, '--amount', '200.01', '--currency', 'USD', '--yes'];
      assert.match((await run(above, asRecord({status: 'created'}))).error().message, /above the cap/);
      const other = await run(
        [...words, ...STATED, '--yes'],
        asRecord(amount({amount_in_minor_units: 12_501})),
      );
      assert.equal(other.exitCode, 11);
      assert.match(other.error().message, /the amount is 125\.01 USD .*, not 125\.00 USD .* as stated/);
      const unreadable = await run([...words, ...STATED, '--yes'], asRecord(amount({amount: 5})));
      assert.equal(unreadable.exitCode, 11);
      assert.doesNotMatch(String(unreadable.error().hint), /--amount/, 'stating it does not help');
      for (const ran of [other, unreadable]) assert.equal(writes(ran.requests), 0);
    });

    it('is refused with a live key if the amount is unknown, with or without a cap', async () => {
      const options = {env: profiled({mode: 'live'})};
      const live = await run([...words, '--live', '--yes'], asRecord({status: 'created'}), options);
      assert.equal(live.exitCode, 11);
      assert.equal(live.error().code, 'GUARD_LIVE');
      assert.match(live.error().hint ?? '', /--amount and --currency/);
      assert.equal(writes(live.requests), 0);
    });
  });

describe('a cancellation, which moves no money', () => {
  const canceled = answer(200, payout({status: 'canceled', amount_in_minor_units: 999_999}));
  const PATH = `/api/payouts/${PAYOUT_ID}/cancel`;
  const CANCELS = [
    ['payouts', 'cancel', PAYOUT_ID],
    ['payins', 'cancel', PAYOUT_ID],
    ['api', 'POST', PATH],
  ];

  for (const words of CANCELS)
    it(`is not refused by caps or allowed rails: ${words.slice(0, 2).join(' ')}`, async () => {
      for (const caps of [CAPS, {max_amount_minor: {EUR: 1}}, {rails: ['book']}]) {
        const ran = await run(words, canceled, {env: profiled({caps}), service: [canceled, canceled]});
        assert.equal(ran.exitCode, 0, ran.stderr);
        assert.equal(writes(ran.requests), 1);
      }
    });

  it('is subject to caps if its request in the service file may do something else', async () => {
    const service: [title: string, service: ServiceFile, isSent: boolean][] = [
      ['another word', {routes: {'payouts.cancel': 'POST /api/payouts/{id}/stop'}}, false],
      ['another body', {...PATCHED, bodies: {'payouts.cancel': {state: 'stopped'}}}, false],
      ['a second value', {...PATCHED, bodies: {'payouts.cancel': {state: 'canceled', then: 'pay'}}}, false],
      ['no body', PATCHED, false],
      [
        'a body for something else',
        {
          routes: {'payouts.cancel': 'POST /api/payouts/{id}/void'},
          bodies: {'payouts.cancel': {status: 'submitted'}},
        },
        false,
      ],
      ['a word for it', {routes: {'payouts.cancel': 'POST /api/payouts/{id}/void-payout'}}, true],
      ['a body for it', {...PATCHED, bodies: {'payouts.cancel': {state: 'canceled'}}}, true],
      ['a flag for it', {...PATCHED, bodies: {'payouts.cancel': {canceled: true}}}, true],
      ['a DELETE of the record', {routes: {'payouts.cancel': 'DELETE /api/payouts/{id}'}}, true],
    ];
    for (const [title, file, isSent] of service)
      for (const dryRun of [[], ['--dry-run']]) {
        const words = ['payouts', 'cancel', PAYOUT_ID, ...dryRun];
        const ran = await run(words, canceled, {
          ...{env: profiled({caps: CAPS, service: file}), service: [canceled, canceled]},
        });
        assert.equal(ran.exitCode, isSent ? 0 : 11, `${title} ${dryRun.join()}: ${ran.stderr}`);
        assert.equal(writes(ran.requests), isSent && dryRun.length === 0 ? 1 : 0, title);
        if (!isSent) assert.equal(ran.error().code, 'GUARD_CAP', title);
      }
  });

  it('is refused with a query, a body or an id that leads to another path', async () => {
    for (const words of [
      ['api', 'POST', `${PATH}?amount=1`],
      ['api', 'POST', PATH, '--data', '{"amount_in_minor_units":999999}'],
      ['api', 'POST', PATH, '--data', '{"status":"approved"}'],
    ]) {
      const ran = await run(words, canceled);
      assert.equal(ran.exitCode, 11, ran.stderr);
      assert.equal(writes(ran.requests), 0);
    }
    for (const words of [
      ['api', 'POST', `/api/payouts/${PAYOUT_ID}%2Fapprove%23/cancel`],
      ['api', 'POST', `/api/payouts/${PAYOUT_ID};x/cancel`],
      ['payouts', 'cancel', `${PAYOUT_ID}/approve#`],
    ]) {
      const ran = await run(words, canceled);
      assert.equal(ran.exitCode, 5, `${words.join(' ')}: ${ran.stderr}`);
      assert.equal(writes(ran.requests), 0);
    }
  });

  it('is refused if the profile is read-only, and with a live key if the record has no readable amount', async () => {
    const readOnly = await run(['payouts', 'cancel', PAYOUT_ID], canceled, {
      env: profiled({read_only: true}),
    });
    assert.equal(readOnly.error().code, 'GUARD_READ_ONLY');
    const live = await run(
      ['payouts', 'cancel', PAYOUT_ID, '--live', '--yes'],
      answer(200, {status: 'created'}),
      {
        env: profiled({mode: 'live'}),
      },
    );
    assert.equal(live.error().code, 'GUARD_LIVE');
    for (const {requests} of [readOnly, live]) assert.equal(writes(requests), 0);
  });
});

describe('allowed rails', () => {
  it('apply to a record as well, and one without a rail is refused', async () => {
    const env = profiled({caps: {rails: ['wire']}});
    const approve = ['payouts', 'approve', PAYOUT_ID];
    assert.equal((await run(approve, answer(200, payout({rail: 'wire'})), {env})).exitCode, 0);
    for (const rail of ['standard_ach', null, 5, undefined]) {
      const ran = await run(approve, answer(200, payout({rail})), {env});
      assert.equal(ran.exitCode, 11);
      assert.equal(writes(ran.requests), 0);
    }
  });

  it('do not stop a move, which has no rail', async () => {
    const env = profiled({caps: {rails: ['wire']}});
    const record = answer(200, {id: MOVE, ...amount({amount_in_minor_units: 500, rail: undefined})});
    const path = `/api/subaccounts/move/${MOVE}/approve`;
    for (const words of [
      ['moves', 'approve', MOVE],
      ['api', 'POST', path],
    ]) {
      const ran = await run(words, record, {env});
      assert.equal(ran.exitCode, 0, ran.stderr);
    }
  });
});
