import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {COMMAND_OPERATIONS} from '../../src/cli/help/command-operations.ts';
import {operationOf} from '../../src/service/routes.ts';
import type {OperationId} from '../../src/contract/operations/operations.ts';
import {answer, type Script} from '../client/transport/fake-transport.ts';
import {runCli} from '../cli/run-cli.ts';
import {requestFields, WITHOUT_FLAG} from './contract-fields.ts';

const A = '0192a000-0000-7000-8000-00000000000a';
const B = '0192a000-0000-7000-8000-00000000000b';
const TIME = '2030-01-02T03:04:05Z';

/** A command line after the name of its command, and what it makes the command send: body fields, or the query. */
type Call = [typed: string, sent: Record<string, unknown>];

const AMOUNT = '--amount 1.25 --currency USD';
const AMOUNT_SENT = {amount_in_minor_units: 125, currency_code: 'USD'};
const PAGES: Call = ['--cursor c1 --page-size 7 --order asc', {cursor: 'c1', limit: '7', order: 'asc'}];
const CREATE = `${AMOUNT} --rail wire --payment-method ${B} --subaccount ${B} --scheduled-date 2030-01-02 --metadata k=v --auto-approve`;
const CREATE_SENT = {
  ...{...AMOUNT_SENT, rail: 'wire', subaccount_id: B, scheduled_date: '2030-01-02', auto_approve: true},
  'metadata.k': 'v',
};
const PARTY: Call = [
  '--name Elm --email a@example.com --type business --metadata k=v',
  {name: 'Elm', email: 'a@example.com', type: 'business', 'metadata.k': 'v'},
];
const FILTERS = `--status created --created-from ${TIME} --created-to ${TIME}`;
const FILTERS_SENT = {status: 'created', created_from: TIME, created_to: TIME};
const BANK: Call = [
  '--default --account-number 000123456789 --routing-number 021000021 --holder-name Elm --account-type savings --country US --currency USD',
  {
    ...{type: 'bank_account', country_code: 'US', currency_code: 'USD', is_default: true},
    'bank_account.account_number': '000123456789',
    'bank_account.routing_number': '021000021',
    'bank_account.account_type': 'savings',
    'bank_account.holder_name': 'Elm',
  },
];
const ABROAD: readonly Call[] = [
  [
    '--account-number 12345678 --field sort_code=12-34-56 --holder-name Elm --country GB',
    {
      ...{type: 'bank_account', country_code: 'GB', currency_code: 'GBP'},
      'bank_account.account_number': '12345678',
      'bank_account.sort_code': '123456',
      'bank_account.holder_name': 'Elm',
    },
  ],
  [
    '--account-number 1234567 --field institution_number=004 --field transit_number=12345 --holder-name Elm --country CA',
    {
      ...{type: 'bank_account', country_code: 'CA', currency_code: 'CAD'},
      'bank_account.account_number': '1234567',
      'bank_account.institution_number': '004',
      'bank_account.transit_number': '12345',
      'bank_account.holder_name': 'Elm',
    },
  ],
  [
    '--account-number 12345678 --field bsb=062-000 --holder-name Elm --country AU',
    {
      ...{type: 'bank_account', country_code: 'AU', currency_code: 'AUD'},
      'bank_account.account_number': '12345678',
      'bank_account.bsb': '062000',
      'bank_account.holder_name': 'Elm',
    },
  ],
  [
    '--account-number 032180000118359719 --holder-name Elm --country MX',
    {
      ...{type: 'bank_account', country_code: 'MX', currency_code: 'MXN'},
      'bank_account.clabe': '032180000118359719',
      'bank_account.holder_name': 'Elm',
    },
  ],
  [
    '--account-number de89370400440532013000 --holder-name Elm --country DE',
    {
      ...{type: 'bank_account', country_code: 'DE', currency_code: 'EUR'},
      'bank_account.iban': 'DE89370400440532013000',
      'bank_account.holder_name': 'Elm',
    },
  ],
];
const CARD: Call = [
  '--type card --card-number 4242424242424242 --exp-month 2 --exp-year 2031 --country US --currency USD',
  {
    ...{type: 'card', country_code: 'US', currency_code: 'USD'},
    'card.number': '4242424242424242',
    'card.exp_month': 2,
    'card.exp_year': 2031,
  },
];
const ENDPOINT: Call = [
  '--url https://example.com/h --event-types payout.settled --description Text',
  {url: 'https://example.com/h', 'event_types.0': 'payout.settled', description: 'Text'},
];
const of = (flag: string, [typed, sent]: Call): Call => [`${flag} ${typed}`, sent];

/** For each operation with fields that its command sends: calls of the command that send every one of them. */
const CALLS: Partial<Record<OperationId, readonly Call[]>> = {
  'payouts.create': [
    [`--payee ${A} ${CREATE}`, {...CREATE_SENT, payee_id: A, override_default_payment_method_id: B}],
  ],
  'payins.create': [
    [
      `--payer ${A} ${CREATE.replace('wire', 'same_day_ach')}`,
      {...CREATE_SENT, rail: 'same_day_ach', payer_id: A, payment_method_id: B},
    ],
  ],
  'payouts.list': [PAGES, [`--payee ${A} ${FILTERS}`, {...FILTERS_SENT, payee_id: A}]],
  'payins.list': [PAGES, [`--payer ${A} ${FILTERS}`, {...FILTERS_SENT, payer_id: A}]],
  'payees.create': [PARTY],
  'payers.create': [PARTY],
  'payees.update': [of(A, PARTY)],
  'payers.update': [of(A, PARTY)],
  'payees.list': [PAGES],
  'payers.list': [PAGES],
  'payeePaymentMethods.add': [BANK, CARD, ...ABROAD].map((call) => of(`--payee ${A}`, call)),
  'payerPaymentMethods.add': [BANK, ...ABROAD].map((call) => of(`--payer ${A}`, call)),
  'payeePaymentMethods.list': [of(`--payee ${A}`, PAGES)],
  'payerPaymentMethods.list': [of(`--payer ${A}`, PAGES)],
  'moves.create': [
    [
      `--source ${A} --destination ${B} ${AMOUNT} --description Text`,
      {...AMOUNT_SENT, source_subaccount_id: A, destination_subaccount_id: B, description: 'Text'},
    ],
  ],
  'moves.list': [PAGES],
  'subaccounts.create': [['--name Rent --currency USD', {name: 'Rent', currency_code: 'USD'}]],
  'subaccounts.list': [PAGES],
  'treasury.accounts': [PAGES],
  'treasury.transactions': [of(A, PAGES)],
  'treasury.updateLabel': [[`${A} Text`, {label: 'Text'}]],
  'treasury.simulateInboundCredit': [
    [
      `${A} ${AMOUNT} --description Text --counterparty-name Elm`,
      {...AMOUNT_SENT, description: 'Text', counterparty_name: 'Elm'},
    ],
  ],
  'accountTransfers.create': [
    [
      `--source ${A} --destination ${B} ${AMOUNT} --rail book --description Text --auto-approve`,
      {
        ...{...AMOUNT_SENT, rail: 'book', description: 'Text', auto_approve: true},
        ...{source_account_id: A, destination_account_id: B},
      },
    ],
  ],
  'accountTransfers.list': [PAGES, [`--status created --account ${A}`, {status: 'created', account_id: A}]],
  'webhookEndpoints.create': [ENDPOINT],
  'webhookEndpoints.update': [of(A, ENDPOINT)],
  'webhookEndpoints.list': [PAGES],
};

/** `{a: {b: 1}}` as `{'a.b': 1}`. */
const flat = (value: object, prefix = ''): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]): [string, unknown][] =>
      typeof inner === 'object' && inner !== null
        ? Object.entries(flat(inner as object, `${prefix}${name}.`))
        : [[`${prefix}${name}`, inner]],
    ),
  );

/** The first command of an operation: the others wait for a record, or read a single one. */
const commandOf = (operation: OperationId): string =>
  Object.entries(COMMAND_OPERATIONS).find(([, operations]) => operations.includes(operation))![0];

/** The body or query of the one request that a command sends. */
async function sentBy(
  operation: OperationId,
  typed: string,
  data?: {json: string; by: 'word' | 'stdin'},
): Promise<Record<string, unknown>> {
  const {method} = operationOf(operation);
  const words = typed === '' ? [] : typed.split(' ');
  const dataWords = data === undefined ? [] : ['--data', data.by === 'stdin' ? '-' : data.json];
  const argv = [...commandOf(operation).split(':'), ...words, ...dataWords];
  const refusal = answer(400, {error_code: 'VALIDATION_ERROR', message: 'm'});
  const stdin = data?.by === 'stdin' ? {stdin: data.json} : {};
  // Metadata of a payee or payer is replaced, so that its reference is read first.
  const service: Script = (asked) =>
    asked.method === 'GET' && method === 'PATCH' ? answer(200, {}) : refusal;
  const {requests, stderr} = await runCli(argv, {service, ...stdin});
  const request = requests.find((one) => one.method === method);
  assert.ok(request, stderr);
  const {searchParams} = new URL(request.path, 'http://service');
  return request.body === undefined
    ? Object.fromEntries(searchParams)
    : flat(JSON.parse(String(request.body)) as object);
}

/** `{'a.b': 1}` as `{a: {b: 1}}`; items of a list are numbered. */
function nested(fields: Record<string, unknown>): unknown {
  const tops = new Map<string, Record<string, unknown> | undefined>();
  for (const name of Object.keys(fields)) tops.set(name.split('.')[0]!, undefined);
  const entries = [...tops.keys()].map((top): [string, unknown] => {
    const inner = Object.entries(fields).filter(([name]) => name.startsWith(`${top}.`));
    if (inner.length === 0) return [top, fields[top]];
    return [
      top,
      nested(Object.fromEntries(inner.map(([name, value]) => [name.slice(top.length + 1), value]))),
    ];
  });
  return entries.every(([name]) => /^\d+$/.test(name))
    ? entries.map(([, value]) => value)
    : Object.fromEntries(entries);
}

/** The words that stay beside `--data`: arguments, the owner of a payment method, and its secret number. */
const besideData = (typed: string, operation: OperationId): string =>
  (operation.endsWith('PaymentMethods.add')
    ? typed.match(/--(payee|payer|account-number|card-number) \S+/g)!.join(' ')
    : /^(?!--)\S+/.exec(typed)?.[0]) ?? '';

describe('--data', () => {
  for (const [id, calls] of Object.entries(CALLS) as [OperationId, Call[]][]) {
    if (operationOf(id).body === undefined || id === 'treasury.updateLabel') continue; // its one field is an argument
    it(`sends what the flags send: ${commandOf(id).replaceAll(':', ' ')} (${id})`, async () => {
      for (const [typed, expected] of calls) {
        const fields = Object.fromEntries(
          Object.entries(expected).filter(
            ([name]) => !/^(bank_account.(account_number|iban|clabe)|card.number)$/.test(name),
          ),
        );
        const json = JSON.stringify(nested(fields));
        for (const by of ['word', 'stdin'] as const)
          assert.deepEqual(await sentBy(id, besideData(typed, id), {json, by}), expected, by);
      }
    });
  }

  const payout = {payee_id: A, amount_in_minor_units: 125, currency_code: 'USD', metadata: {a: '1', b: '2'}};
  const json = JSON.stringify(payout);

  it('gives way to flags', async () => {
    const typed = `--payee ${B} --amount 7.00 --metadata b=3`;
    assert.deepEqual(await sentBy('payouts.create', typed, {json, by: 'word'}), {
      ...{payee_id: B, amount_in_minor_units: 700, currency_code: 'USD'},
      ...{'metadata.a': '1', 'metadata.b': '3'},
    });
  });

  it('is repeated as flags by the command to type next, because stdin cannot be read again', async () => {
    const {stderr, exitCode} = await runCli(['payouts', 'create', '--data', '-', '--retries', '0'], {
      stdin: json,
      service: [answer(500, {error_code: 'INTERNAL', message: 'm'})],
    });
    assert.equal(exitCode, 12);
    assert.match(
      stderr,
      /remit payouts create .*--payee=0192a000-.* --amount-minor=125 .*--idempotency-key /,
    );
    assert.doesNotMatch(stderr, /--data/);
  });

  const refused: [data: string, message: RegExp][] = [
    ['[]', /not a JSON object/],
    ['{', /not JSON/],
    ['@missing.json', /--data: there is no file missing\.json/],
    ['@/', /--data: \/ is a folder/],
    [
      '{"payee":"x"}',
      /payouts create has no field "payee"; did you mean payee_id\? It has payee_id, amount_/,
    ],
    ['{"payment_method":"x"}', /did you mean override_default_payment_method_id\?/],
    ['{"quite_different_thing":"x"}', /has no field "quite_different_thing"; it has payee_id, /],
    ['{"payment_method_id":"x"}', /payouts create has no field "payment_method_id"/],
    [
      '{"amount_in_cents":1}',
      /amount_in_cents is the deprecated name of amount_in_minor_units; use amount_in/,
    ],
    [
      '{"amount_in_minor_units":100,"amount_in_minor_units":200}',
      /--data: amount_in_minor_units is given twice/,
    ],
    ['{"metadata":{"a":"1","\\u0061":"2"}}', /--data: metadata\.a is given twice/],
    ['{"__proto__":1}', /no field "__proto__"/],
    ['{"dry_run":true}', /no field "dry_run"/],
    ['{"payer_id":"x"}', /no field "payer_id"/],
    ['{"amount_in_minor_units":1.5}', /amount_in_minor_units is not a whole number/],
    ['{"amount_in_minor_units":"125"}', /amount_in_minor_units is not a whole number/],
    [
      '{"amount_in_minor_units":9007199254740994}',
      /amount_in_minor_units is too large \(maximum 9007199254740991\)/,
    ],
    ['{"currency_code":null}', /currency_code is not a text/],
    ['{"auto_approve":"yes"}', /auto_approve is not true or false/],
    ['{"metadata":{"a":1}}', /metadata\.a is not a text/],
    ['{"metadata":{"a=b":"1"}}', /metadata has a key/],
    ['{"bank_account":{"account_number":"1"}}', /no field "bank_account\.account_number"/],
  ];
  for (const [data, message] of refused)
    it(`is refused: ${data}`, async () => {
      const {stderr, exitCode, requests} = await runCli(['payouts', 'create', '--data', data]);
      assert.deepEqual([exitCode, requests], [5, []]);
      assert.match(stderr, message);
    });

  it('hints at the schema of the body, which can be read', async () => {
    const {stderr} = await runCli(['payouts', 'create', '--data', '{"payee":"x"}']);
    const hint = /^Hint: remit (.*)$/m.exec(stderr)?.[1];
    assert.equal(hint, 'schema payouts.create --query body');
    const {stdout, exitCode} = await runCli(hint.split(' '));
    assert.equal(exitCode, 0);
    assert.match(stdout, /payee_id/);
  });

  it('is refused with a name that is given twice also by api', async () => {
    const data = '{"amount_in_minor_units":100,"amount_in_minor_units":200}';
    const {stderr, exitCode, requests} = await runCli(['api', 'POST', '/api/payouts', '--data', data]);
    assert.deepEqual([exitCode, requests], [5, []]);
    assert.match(stderr, /--data: amount_in_minor_units is given twice/);
  });

  it('does not take the number of an account or card', async () => {
    const data = '{"bank_account":{"account_number":"000123456789"}}';
    const argv = ['payment-methods', 'add', '--payee', A, '--data', data];
    const {stderr, exitCode, requests} = await runCli(argv);
    assert.deepEqual([exitCode, requests], [5, []]);
    assert.match(stderr, /--number-file FILE/);
    assert.doesNotMatch(stderr, /000123456789/);
  });
});

describe('the flags of a command', () => {
  for (const [id, calls] of Object.entries(CALLS) as [OperationId, Call[]][])
    it(`reach the service: ${commandOf(id).replaceAll(':', ' ')} (${id})`, async () => {
      for (const [typed, expected] of calls) {
        const sent = await sentBy(id, typed);
        if (sent['limit'] !== undefined && expected['limit'] === undefined) delete sent['limit']; // the default
        assert.deepEqual(sent, expected, typed);
      }
    });

  it('send each field of each operation, as this test shows', () => {
    const shown = Object.entries(CALLS).flatMap(([id, calls]) =>
      calls.flatMap(([, sent]) => Object.keys(sent).map((name) => `${id}.${name}`)),
    );
    const unsent = Object.values(COMMAND_OPERATIONS)
      .flat()
      .flatMap((id) => requestFields(id).map((field) => ({id, field})))
      .filter(({field}) => !WITHOUT_FLAG.has(field))
      .map(({id, field}) => `${id}.${field}`)
      .filter((name) => !shown.some((one) => one === name || one.startsWith(`${name}.`)));
    assert.deepEqual([...new Set(unsent)], [], 'add the field to a call of its operation in this test');
  });
});
