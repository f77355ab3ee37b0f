import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {BASE_URL, LIVE_KEY, runCli} from '../cli/run-cli.ts';
import {answer, type Reply} from '../client/transport/fake-transport.ts';
import {METHOD_ID, page, PAYEE_ID, PAYER_ID, payin, payout, PAYOUT_ID} from './fixtures.ts';

const run = (line: string, ...service: Reply[]) => runCli(line.split(' '), {service});

describe('a write whose answer has another status than was meant', () => {
  for (const status of ['created', 'approved', 'settled'])
    it(`exits 8 for a cancel that leaves the record ${status}`, async () => {
      for (const reply of [answer(200, payout({status})), answer(201, payout({status}))]) {
        const ran = await run(`payouts cancel ${PAYOUT_ID} --json`, reply);
        assert.equal(ran.exitCode, 8, ran.stderr);
        assert.equal((ran.json() as {status: string}).status, status);
        assert.match(ran.stderr, new RegExp(`the payout was not canceled: its status is ${status}`));
        assert.match(ran.stderr, new RegExp(`^Hint: remit payouts get ${PAYOUT_ID}$`, 'm'));
        assert.doesNotMatch(ran.stderr, /payouts approve/);
      }
    });

  it('exits 8 for a cancel that was answered without a record, when the record is still created', async () => {
    const ran = await run(`payins cancel ${PAYOUT_ID}`, answer(204), answer(200, payin()));
    assert.equal(ran.exitCode, 8);
    assert.match(ran.stderr, /the payin was not canceled: its status is created/);
  });

  it('exits 0 for a cancel that was done, however the service spells it, or that continues', async () => {
    for (const [code, status] of [
      [200, 'canceled'],
      [200, 'CANCELED'],
      [200, 'cancelled'],
      [202, 'created'],
    ] as const)
      assert.equal((await run(`payouts cancel ${PAYOUT_ID}`, answer(code, payout({status})))).exitCode, 0);
  });

  for (const [what, line, status] of [
    ['an approval', `payouts approve ${PAYOUT_ID}`, 'failed'],
    ['an approval', `payouts approve ${PAYOUT_ID}`, 'canceled'],
    [
      'a creation',
      `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --auto-approve`,
      'failed',
    ],
  ] as const)
    it(`exits 8 for ${what} whose payout is ${status}`, async () => {
      const ran = await run(line, answer(201, payout({status})));
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(
        ran.stderr,
        new RegExp(`^Warning: the payout ${status === 'failed' ? 'has failed' : 'is canceled'}$`, 'm'),
      );
    });

  it('exits 8 for an approved account transfer that has failed', async () => {
    const record = {id: PAYOUT_ID, status: 'failed', amount_in_minor_units: 1, currency_code: 'USD'};
    const ran = await run(`transfers approve ${PAYOUT_ID}`, answer(200, record));
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stderr, /the account transfer has failed/);
  });
});

const CREATE_PAYOUT = `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD`;
const CREATE_TRANSFER = `transfers create --source ${PAYEE_ID} --destination ${METHOD_ID} --amount 125.00 --currency USD --rail book`;
const CREATE_MOVE = `moves create --source ${PAYEE_ID} --destination ${METHOD_ID} --amount 125.00 --currency USD`;
const ACCOUNTS = {source_account_id: PAYEE_ID, destination_account_id: METHOD_ID};

describe('a write answered 207', () => {
  const RECORD = {id: PAYOUT_ID, amount_in_minor_units: 1, currency_code: 'USD'};
  for (const [line, status, next] of [
    [`payouts cancel ${PAYOUT_ID}`, 'canceled', 'payouts get'],
    [`payouts cancel ${PAYOUT_ID}`, 'created', 'payouts get'],
    [`payouts approve ${PAYOUT_ID}`, 'initiated', 'payouts get'],
    [`payouts approve ${PAYOUT_ID}`, 'created', 'payouts approve'],
    [`payins cancel ${PAYOUT_ID}`, 'canceled', 'payins get'],
    [`transfers approve ${PAYOUT_ID}`, 'initiated', 'transfers get'],
    [`transfers approve ${PAYOUT_ID}`, 'created', 'transfers approve'],
    [`moves approve ${PAYOUT_ID}`, 'SETTLED', 'moves get'],
  ] as const)
    it(`names a command that is not refused: ${line.split(' ', 2).join(' ')}, ${status}`, async () => {
      const ran = await run(line, answer(207, {...RECORD, status}));
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.equal(ran.stderr.match(/^Hint: .*$/gm)?.at(-1), `Hint: remit ${next} ${PAYOUT_ID}`);
      assert.equal(ran.stderr.includes(' approve '), next.endsWith('approve'), ran.stderr);
    });

  it('names the new account transfer, not the list', async () => {
    const record = {id: PAYOUT_ID, status: 'created', ...ACCOUNTS};
    const ran = await run(CREATE_TRANSFER, answer(207, record));
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stderr, new RegExp(`^Hint: remit transfers get ${PAYOUT_ID}$`, 'm'));
  });
});

describe('a status that proves no approval', () => {
  for (const [line, status] of [
    [`${CREATE_PAYOUT} --auto-approve`, undefined],
    [`${CREATE_PAYOUT} --auto-approve`, 'declined'],
    [`payouts approve ${PAYOUT_ID}`, undefined],
    [`payins approve ${PAYOUT_ID}`, 'declined'],
    [`${CREATE_TRANSFER} --auto-approve`, undefined],
    [`${CREATE_TRANSFER} --auto-approve`, 'declined'],
    [`transfers approve ${PAYOUT_ID}`, 'declined'],
    [`moves approve ${PAYOUT_ID}`, 'DECLINED'],
  ] as const)
    it(`exits 8: ${status ?? 'none'} after ${line.split(' ').slice(0, 2).join(' ')}`, async () => {
      const record = line.startsWith('payouts create') ? payout({status}) : {id: PAYOUT_ID, status};
      const ran = await runCli([...line.split(' '), '--json'], {service: () => answer(201, record)});
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.equal((ran.json() as {id: string}).id, PAYOUT_ID);
      assert.match(ran.stderr, /^Warning: whether the [a-z ]+ was approved is unknown: it (is|has) /m);
      assert.match(
        ran.stderr,
        new RegExp(`^Hint: remit \\w+ get ${PAYOUT_ID}(; to find .*: remit doctor)?$`, 'm'),
      );
    });

  for (const line of [CREATE_PAYOUT, `${CREATE_PAYOUT} --idempotency-key k-1`, CREATE_TRANSFER, CREATE_MOVE])
    it(`exits 8 without a status, also if no approval was requested: ${line}`, async () => {
      for (const status of [undefined, null, 7, '']) {
        const record = {id: PAYOUT_ID, status};
        const ran = await run(`${line} --json`, answer(201, record));
        assert.equal(ran.exitCode, 8, ran.stderr);
        assert.equal((ran.json() as {id: string}).id, PAYOUT_ID);
        assert.match(ran.stderr, /^Warning: .* was created, but whether it needs an approval is unknown: /m);
        assert.match(
          ran.stderr,
          new RegExp(`^Hint: remit \\w+ get ${PAYOUT_ID}(; to find .*: remit doctor)?$`, 'm'),
        );
      }
      assert.equal((await run(line, answer(202, {id: PAYOUT_ID}))).exitCode, 8);
    });

  it('exits 0 while the service says that it is still processing (202)', async () => {
    const ran = await run(`${CREATE_PAYOUT} --auto-approve`, answer(202, payout({status: 'queued'})));
    assert.equal(ran.exitCode, 0, ran.stderr);
  });
});

describe('an approval or a cancellation whose answer has another amount', () => {
  const read = {id: PAYOUT_ID, amount_in_minor_units: 1200, currency_code: 'USD', ...ACCOUNTS};
  const LIVE = {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL};
  interface Given {
    before?: object;
    env?: typeof LIVE | 'test';
  }
  const first = (line: string): Record<string, unknown> =>
    line.startsWith('moves') ? {...read, status: 'CREATED'} : {...read, status: 'created'};
  const answered = (line: string, changes: object) => {
    const status = line.startsWith('moves') ? 'SETTLED' : line.includes('cancel') ? 'canceled' : 'approved';
    return {...read, status, ...changes};
  };
  const act = (line: string, changes: object, {before = first(line), env = LIVE}: Given = {}) =>
    runCli(line.split(' '), {
      ...(env === 'test' ? {} : {env}),
      service: ({method, path}) => {
        if (method === 'POST') return answer(200, answered(line, changes));
        if (path.includes(PAYOUT_ID)) return answer(200, before);
        return line.startsWith('transfers') ? page([before]) : answer(404, {});
      },
    });

  for (const line of [
    `payouts approve ${PAYOUT_ID} --live --yes`,
    `payins approve ${PAYOUT_ID} --live --yes`,
    `payouts cancel ${PAYOUT_ID} --live --yes`,
    `moves approve ${PAYOUT_ID} --live --yes`,
    `transfers approve ${PAYOUT_ID} --live --yes`,
  ])
    it(`exits 8 and shows both: ${line.split(' ', 2).join(' ')}`, async () => {
      const ran = await act(line, {amount_in_minor_units: 1300});
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(
        ran.stderr,
        /^Warning: .* was (approved|canceled), but the amount in the answer is 13\.00 USD \(1300 minor units\), not 12\.00 USD \(1200 minor units\)$/m,
      );
      assert.match(ran.stderr, new RegExp(`^Hint: remit ${line.split(' ')[0]} get ${PAYOUT_ID}$`, 'm'));
      assert.equal((await act(line, {})).exitCode, 0);
      assert.equal((await act(line, {amount_in_minor_units: undefined})).exitCode, 0);
    });

  it('exits 8 for another currency, for an unreadable amount, and after a wait', async () => {
    const line = `payouts approve ${PAYOUT_ID} --live --yes`;
    assert.equal((await act(line, {currency_code: 'CAD'})).exitCode, 8);
    const odd = await act(line, {amount_in_minor_units: 0});
    assert.match(odd.stderr, /was approved, but the amount in the answer is unreadable: /);
    assert.equal(odd.exitCode, 8);
    const settled = {amount_in_minor_units: 1300, status: 'settled'};
    assert.equal((await act(`${line} --wait`, settled)).exitCode, 8);
  });

  it('compares the stated amount with a test key, if the record has none', async () => {
    const line = `payouts approve ${PAYOUT_ID} --amount 12.00 --currency USD --yes`;
    const before = {id: PAYOUT_ID, status: 'created'};
    assert.equal((await act(line, {amount_in_minor_units: 1300}, {before, env: 'test'})).exitCode, 8);
    assert.equal((await act(line, {}, {before, env: 'test'})).exitCode, 0);
  });

  it('compares nothing with a test key, because nothing is read first', async () => {
    const ran = await act(`payouts approve ${PAYOUT_ID}`, {amount_in_minor_units: 1300}, {env: 'test'});
    assert.deepEqual([ran.exitCode, ran.requests.length], [0, 1], ran.stderr);
  });
});

const KNOWN = {status: 'approved', amount_in_minor_units: 12_500, currency_code: 'USD'};

describe('an answer that lacks what was requested', () => {
  const AUTO = `${CREATE_PAYOUT} --auto-approve`;
  const ENDPOINT = {id: PAYOUT_ID, url: 'https://example.com/hooks'};
  for (const [title, line, record, keys] of [
    ['the payee of a payout', AUTO, payout({...KNOWN, payee_id: undefined}), 'fields.payouts.payee_id'],
    [
      'the amount of a payout',
      AUTO,
      payout({...KNOWN, amount_in_minor_units: undefined, amount_in_cents: undefined}),
      'fields.payouts.amount_in_minor_units and units.payouts.amount_in_minor_units',
    ],
    [
      'the metadata of a payout',
      `${AUTO} --metadata order=1`,
      payout({...KNOWN, client_metadata: undefined}),
      'fields.payouts.client_metadata',
    ],
    [
      'both accounts and the amount of an account transfer',
      `${CREATE_TRANSFER} --auto-approve`,
      {id: PAYOUT_ID, status: 'approved', from: PAYEE_ID, amount: 99_999, currency_code: 'USD'},
      'fields.accountTransfers.amount_in_minor_units, units.accountTransfers.amount_in_minor_units, fields.accountTransfers.source_account_id and fields.accountTransfers.destination_account_id',
    ],
    [
      'the subaccounts of a move',
      CREATE_MOVE,
      {...KNOWN, id: PAYOUT_ID, status: 'CREATED'},
      'fields.moves.source_subaccount_id and fields.moves.destination_subaccount_id',
    ],
    [
      'the label of an account',
      `treasury label ${PAYOUT_ID} Main`,
      {id: PAYOUT_ID, name: 'Old'},
      'fields.treasury.label',
    ],
    [
      'whether a method is the default',
      `payment-methods set-default ${METHOD_ID} --payee ${PAYEE_ID}`,
      {id: METHOD_ID, default: false},
      'fields.payeePaymentMethods.is_default',
    ],
    [
      'whether an endpoint is active',
      `webhooks endpoints disable ${PAYOUT_ID}`,
      {...ENDPOINT, enabled: true},
      'webhooks.active',
    ],
    [
      'the event types of a changed endpoint',
      `webhooks endpoints update ${PAYOUT_ID} --event-types payin.settled`,
      {...ENDPOINT, events: ['payout.settled']},
      'fields.webhookEndpoints.event_types',
    ],
    [
      'the event types of a new endpoint',
      `webhooks endpoints create --url ${ENDPOINT.url} --event-types payin.settled`,
      {...ENDPOINT, signing_secret: 'whsec_0123456789abcdef0123456789abcdef'},
      'fields.webhookEndpoints.event_types',
    ],
  ] as const)
    it(`exits 8 and names the keys: ${title}`, async () => {
      const ran = await run(`${line} --json`, answer(201, record));
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.equal((ran.json() as {id: string}).id, record.id);
      assert.match(ran.stderr, /^Warning: whether .* is as requested is unknown: the answer does not show /m);
      assert.ok(
        ran.stderr.includes(`; if this service differs, set ${keys} in the service file\n`),
        ran.stderr,
      );
      assert.match(ran.stderr, /^Hint: remit .*; to find what differs at the service: remit doctor$/m);
      assert.doesNotMatch(ran.stderr, /approve /);
    });

  it('exits 8 while the service continues, if the answer has no readable status', async () => {
    for (const line of [AUTO, `${CREATE_TRANSFER} --auto-approve`]) {
      const record = {...payout({status: undefined, state: 'created'}), ...ACCOUNTS};
      const ran = await run(`${line} --json`, answer(202, record));
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(ran.stderr, /was approved is unknown: it has no status; .*set fields\.\w+\.status/);
    }
  });

  it('exits 8 for a payin in a currency in which the same minor units are another amount', async () => {
    const line = `payins create --payer ${PAYER_ID} --amount 5.00 --currency USD --json`;
    const of = (currency_code: string) =>
      payin({amount_in_minor_units: 500, amount_in_cents: 500, currency_code});
    const ran = await run(line, answer(201, of('JPY')));
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(
      ran.stderr,
      /^Warning: payin .* is shown in JPY, .*; requested in USD\. As shown it is 500 JPY \(500 minor units\), not 5\.00 USD .* set fields\.payins\.currency_code in/m,
    );
    assert.equal((await run(line, answer(201, of('CAD')))).exitCode, 0);
  });

  it('exits 6 for metadata of null', async () => {
    const ran = await run(
      `${AUTO} --metadata order=1`,
      answer(201, payout({...KNOWN, client_metadata: null})),
    );
    assert.equal(ran.exitCode, 6, ran.stderr);
  });
});

describe('a creation that was approved without a request', () => {
  for (const [line, record] of [
    [CREATE_PAYOUT, payout({status: 'approved'})],
    [CREATE_TRANSFER, {id: PAYOUT_ID, status: 'initiated'}],
    [CREATE_MOVE, {data: {id: PAYOUT_ID, status: 'SETTLED'}}],
  ] as const)
    it(`exits 8: ${line.split(' ')[0]}`, async () => {
      const ran = await run(`${line} --json`, answer(201, record));
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(ran.stderr, /^Warning: .*, although no approval was requested/m);
      assert.equal((ran.json() as {id: string}).id, PAYOUT_ID);
    });

  it('exits 8 after a wait too', async () => {
    const ran = await run(`${CREATE_PAYOUT} --wait`, answer(201, payout({status: 'settled'})));
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stderr, /although no approval was requested/);
  });

  it('is nothing unusual for a key that was used before', async () => {
    const line = `${CREATE_PAYOUT} --idempotency-key k-1`;
    assert.equal((await run(line, answer(200, payout({status: 'approved'})))).exitCode, 0);
  });
});

describe('a creation without a key whose answer is not as requested', () => {
  for (const [line, changes] of [
    [CREATE_TRANSFER, {amount_in_minor_units: 99_900}],
    [CREATE_TRANSFER, {currency_code: 'EUR'}],
    [CREATE_TRANSFER, {source_account_id: METHOD_ID, destination_account_id: PAYEE_ID}],
    [CREATE_MOVE, {amount_in_minor_units: 9}],
    [CREATE_MOVE, {source_subaccount_id: METHOD_ID}],
    [CREATE_MOVE, {destination_subaccount_id: PAYEE_ID}],
    [`treasury simulate-credit ${PAYEE_ID} --amount 125.00 --currency USD`, {amount_in_minor_units: 1}],
  ] as const)
    it(`exits 6 and names both sides: ${line.split(' ')[0]} ${Object.keys(changes).join()}`, async () => {
      const ran = await run(`${line} --json`, answer(201, {id: PAYOUT_ID, status: 'CREATED', ...changes}));
      assert.deepEqual([ran.exitCode, ran.stdout, ran.error().code], [6, '', 'KEY_REUSED'], ran.stderr);
      assert.match(ran.error().message, new RegExp(`created .* ${PAYOUT_ID}.*, but not as requested`));
      assert.equal(ran.error().details?.['id'], PAYOUT_ID);
      const [difference] = ran.error().details?.['differences'] as {field: string}[];
      assert.equal(difference?.field, Object.keys(changes)[0]);
    });

  it('only warns of another rail', async () => {
    const amount = {amount_in_minor_units: 12_500, currency_code: 'USD'};
    const record = {id: PAYOUT_ID, status: 'created', ...ACCOUNTS, ...amount, rail: 'wire'};
    const ran = await run(CREATE_TRANSFER, answer(201, record));
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, /Warning: the rail of account transfer .* is wire, requested book/);
  });
});

describe('a change of a known record', () => {
  const LINES = [
    [
      `payment-methods set-default ${METHOD_ID} --payee ${PAYEE_ID}`,
      {id: METHOD_ID, is_default: false},
      'is_default is false, requested true',
      `remit payment-methods list --payee ${PAYEE_ID}`,
    ],
    [
      `treasury label ${PAYOUT_ID} Main`,
      {id: PAYOUT_ID, label: 'Old'},
      'label is Old, requested Main',
      `remit treasury accounts get ${PAYOUT_ID}`,
    ],
    [
      `webhooks endpoints update ${PAYOUT_ID} --url https://example.com/new --event-types payin.settled`,
      {id: PAYOUT_ID, url: 'https://example.com/old', event_types: ['payout.settled']},
      'url is https://example.com/old, requested https://example.com/new; event_types is ',
      `remit webhooks endpoints get ${PAYOUT_ID}`,
    ],
  ] as const;
  for (const [line, record, words, next] of LINES)
    it(`exits 8 if the answer shows other values: ${line.split(' ').slice(0, 3).join(' ')}`, async () => {
      const ran = await runCli([...line.split(' '), '--json'], {service: () => answer(200, record)});
      assert.deepEqual([ran.exitCode, ran.json()], [8, record], ran.stderr);
      assert.ok(ran.stderr.includes(words), ran.stderr);
      assert.ok(ran.stderr.includes(next), ran.stderr);
    });

  it('has taken effect if the service only writes the values differently, or is not done yet', async () => {
    const line = `webhooks endpoints update ${PAYOUT_ID} --url https://EXAMPLE.com --event-types b.a,a.b`;
    const record = {id: PAYOUT_ID, url: 'https://example.com/', event_types: ['a.b', 'b.a']};
    const update = [...line.split(' '), '--description', ' New  one '];
    for (const [status, changes] of [
      [200, {description: 'New one'}],
      [200, {}],
      [202, {description: 'old'}],
    ] as const) {
      const ran = await runCli(update, {service: () => answer(status, {...record, ...changes})});
      assert.equal(ran.exitCode, 0, ran.stderr);
    }
    const none = ['webhooks', 'endpoints', 'update', PAYOUT_ID, '--description', ''];
    const ran = await runCli(none, {service: () => answer(200, {...record, description: null})});
    assert.equal(ran.exitCode, 0, ran.stderr);
  });
});

describe('a success that contains an error', () => {
  const ERRORS = [
    {success: false, message: 'declined'},
    {data: null, error: {code: 'DECLINED', message: 'no'}},
    {id: PAYOUT_ID, success: false, error: 'declined'},
  ];
  for (const line of [
    `${CREATE_PAYOUT} --auto-approve`,
    CREATE_TRANSFER,
    CREATE_MOVE,
    `payouts approve ${PAYOUT_ID}`,
    `payins cancel ${PAYOUT_ID}`,
    `moves approve ${PAYOUT_ID}`,
    `transfers approve ${PAYOUT_ID}`,
    `payment-methods set-default ${METHOD_ID} --payee ${PAYEE_ID}`,
    `payment-methods delete ${METHOD_ID} --payee ${PAYEE_ID}`,
    `treasury label ${PAYOUT_ID} Main`,
    `webhooks endpoints update ${PAYOUT_ID} --description x`,
    `webhooks endpoints disable ${PAYOUT_ID}`,
    `webhooks endpoints delete ${PAYOUT_ID}`,
    'api POST /api/payouts --data {"amount_in_minor_units":5,"auto_approve":true}',
  ])
    it(`leaves a write in doubt: ${line.split(' ').slice(0, 3).join(' ')}`, async () => {
      for (const body of ERRORS) {
        const ran = await runCli([...line.split(' '), '--json'], {service: () => answer(200, body)});
        assert.deepEqual([ran.exitCode, ran.stdout], [12, ''], JSON.stringify(body));
        assert.match(ran.error().message, /JSON of an error/);
      }
    });

  for (const line of [
    `payouts get ${PAYOUT_ID}`,
    `moves get ${PAYOUT_ID}`,
    `treasury balance ${PAYOUT_ID}`,
    'payouts list',
    `payment-methods list --payee ${PAYEE_ID}`,
    'api GET /api/payouts',
  ])
    it(`makes a read unavailable: ${line.split(' ').slice(0, 2).join(' ')}`, async () => {
      for (const body of [...ERRORS, {data: [], error: {code: 'PARTIAL'}}]) {
        const ran = await runCli([...line.split(' '), '--json'], {service: () => answer(200, body)});
        assert.deepEqual([ran.exitCode, ran.stdout], [7, ''], JSON.stringify(body));
      }
    });

  for (const body of [{}, {data: null}, {message: 'accepted'}])
    it(`is not the record of a create through api: ${JSON.stringify(body)}`, async () => {
      const argv = ['api', 'POST', '/api/payouts', '--data', '{"amount_in_minor_units":5}', '--json'];
      const ran = await runCli(argv, {service: () => answer(201, body)});
      assert.equal(ran.exitCode, 12, ran.stderr);
      assert.match(ran.error().hint ?? '', /--idempotency-key/);
    });

  it('is not a deletion if the service denies it', async () => {
    for (const body of [{id: PAYOUT_ID, deleted: false}, {data: {deleted: false}}]) {
      const ran = await runCli(['webhooks', 'endpoints', 'delete', PAYOUT_ID], {
        service: () => answer(200, body),
      });
      assert.deepEqual([ran.exitCode, ran.stdout], [12, '']);
    }
  });
});

describe('a read that is answered with another record', () => {
  const other = answer(200, payout({id: PAYEE_ID, status: 'settled'}));

  it('is no answer to get', async () => {
    const ran = await run(`payouts get ${PAYOUT_ID} --json`, other, other, other);
    assert.equal(ran.exitCode, 7);
    assert.match(
      ran.error().message,
      new RegExp(`answered 200 with another record \\(its id: ${PAYEE_ID}\\)`),
    );
  });

  it('does not end a wait', async () => {
    const ran = await run(`payouts wait ${PAYOUT_ID} --timeout 1s --json`, ...Array<Reply>(20).fill(other));
    assert.equal(ran.exitCode, 10, ran.stderr);
    const found = answer(200, payout({status: 'settled', id: PAYOUT_ID.toUpperCase()}));
    assert.equal((await run(`payouts wait ${PAYOUT_ID}`, other, found)).exitCode, 0);
  });

  it('that does not name itself is accepted', async () => {
    const ran = await run(`payouts get ${PAYOUT_ID} --json`, answer(200, {status: 'settled'}));
    assert.deepEqual([ran.exitCode, ran.json()], [0, {status: 'settled'}]);
  });
});

describe('a creation whose record cannot be found afterwards', () => {
  it('hints at the record, not at the list of parties', async () => {
    const missing = answer(404, {error_code: 'NOT_FOUND', message: 'not found'});
    const line = `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --auto-approve --wait --json`;
    const ran = await run(line, answer(201, payout({status: 'approved'})), missing);
    assert.equal(ran.exitCode, 4);
    assert.equal(ran.error().hint, `remit payouts wait ${PAYOUT_ID}`);
    assert.equal(ran.error().details?.['next'], `remit payouts wait ${PAYOUT_ID}`);
  });
});

describe('a hostile list', () => {
  it('prints no cursor that could forge a hint', async () => {
    const ran = await run('payouts list --limit 1', page([payout()], 'c\nHint: remit payouts approve x'));
    assert.equal(ran.exitCode, 0);
    assert.doesNotMatch(ran.stderr, /^Hint:/m);
    assert.match(ran.stderr, /More payouts may exist/);
  });

  it('of empty pages without end is stopped', async () => {
    let n = 0;
    const ran = await runCli(['payouts', 'list', '--all', '--json'], {service: () => page([], `c${n++}`)});
    assert.deepEqual([ran.exitCode, ran.error().code, n], [7, 'LIST_CUT', 1000]);
  });
});
