import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import * as z from 'zod';
import {Sanitizer} from '../../src/sanitize/sanitizer.ts';
import {answerFields, pathsOf, type AnswerSchema} from '../../src/cli/help/answer-fields.ts';
import type {EventRow} from '../../src/cli/webhooks/events/filters.ts';
import {ansiPaint, plainPaint} from '../../src/output/text/colour.ts';
import {selectedValue} from '../../src/output/records/select.ts';
import type {Eye, View} from '../../src/output/records/view.ts';
import {deliveryView} from '../../src/output/views/deliveries.ts';
import {failureReasonText} from '../../src/output/views/failure.ts';
import {moveView, subaccountView} from '../../src/output/views/moves.ts';
import {payeeView, payerView, paymentMethodView} from '../../src/output/views/parties.ts';
import {profileDetails} from '../../src/output/views/profiles.ts';
import * as sandbox from '../../src/output/views/sandbox.ts';
import {payinView, payoutView} from '../../src/output/views/transfers.ts';
import {
  accountTransferView,
  balanceView,
  bankTransactionView,
  treasuryAccountView,
} from '../../src/output/views/treasury.ts';
import {webhookEventView, webhookReplayView} from '../../src/output/views/webhook-events.ts';
import {eventTypeView, webhookEndpointView} from '../../src/output/views/webhooks.ts';
import {CONTROL_ANSWERS} from '../../src/sandbox/control/answers.ts';
import {payin, payout} from '../commands/fixtures.ts';
import {makeOutput} from './make-output.ts';
import type {Json, Printable} from '../../src/narrow.ts';

const OF_THE_SERVICE: [command: string, view: View][] = [
  ['payouts:get', payoutView],
  ['payins:get', payinView],
  ['moves:list', moveView],
  ['subaccounts:get', subaccountView],
  ['payees:get', payeeView],
  ['payers:get', payerView],
  ['payment-methods:list', paymentMethodView],
  ['treasury:accounts:list', treasuryAccountView],
  ['treasury:balance', balanceView],
  ['treasury:transactions', bankTransactionView],
  ['transfers:list', accountTransferView],
  ['webhooks:endpoints:create', webhookEndpointView],
  ['webhooks:event-types', eventTypeView],
];

const {Status, Key, Seeded, Fault, Checkpoint, Clock, Delivery, MagicValues} = CONTROL_ANSWERS;
const declared = (schema: z.ZodType, prefix = '') =>
  pathsOf(z.toJSONSchema(schema, {unrepresentable: 'any'}) as AnswerSchema, prefix);
const BESIDES = ['base_url', 'control_url', 'pid', 'started_at', 'store'];
const ENTITIES = declared(Status.shape.audit.shape.entities.element, 'audit.entities');
const OF_THE_SANDBOX: [title: string, view: View, schema: z.ZodType, besides: string[]][] = [
  ['status', sandbox.sandboxView, Status, [...BESIDES, ...ENTITIES]],
  ['clock', sandbox.clockView, Clock, []],
  ['magic', sandbox.magicView, MagicValues.shape.data.element, []],
  ['keys', sandbox.sandboxKeyView, Key, []],
  ['seed', sandbox.seededView, Seeded.shape.payees.element, ['kind']],
  ['faults', sandbox.faultView, Fault, ['match']],
  ['checkpoints', sandbox.checkpointView, Checkpoint, []],
  ['deliveries', deliveryView, Delivery, []],
];

/** Paths that no record can have: their column would always be empty. */
function unknownPaths({card, columns}: View, known: readonly string[]): string[] {
  const isKnown = (path: string) =>
    known.includes(path) || known.some((name) => name.endsWith('.*') && path.startsWith(name.slice(0, -1)));
  return [...card, ...columns].map(({path}) => path).filter((path) => !isKnown(path.replace(/\.\d+/, '')));
}

describe('every line and column', () => {
  for (const [command, view] of OF_THE_SERVICE)
    it(`of ${command.replaceAll(':', ' ')} shows a field that the contract has`, async () => {
      assert.deepEqual(unknownPaths(view, (await answerFields(command)).paths), []);
    });

  for (const [title, view, schema, besides] of OF_THE_SANDBOX)
    it(`of sandbox ${title} shows a field that the sandbox answers`, () => {
      assert.deepEqual(unknownPaths(view, [...declared(schema), ...besides]), []);
    });
});

const eye = (changes: Partial<Eye> = {}): Eye => ({
  ...{terminal: false, columns: 80, nowMs: Date.parse('2023-11-14T22:13:20Z'), paint: plainPaint},
  ...changes,
});
const shownOf = (value: Printable): Json => new Sanitizer().value(value);
/** The line of a card with this label, as it is shown. */
function line({card, columns}: View, label: string, record: object, how = eye()): string {
  const field = [...card, ...columns].find((one) => one.label === label);
  assert.ok(field, `${label} is a line of the card`);
  const shown = shownOf(record);
  return field.show(selectedValue(shown, field.path), shown, how);
}

describe('a payout as people see it', () => {
  const method = (payment_method: unknown) =>
    line(payoutView, 'Payment method', payout({payout_metadata: {payment_method}}));

  it('names the method by type, last digits and bank or brand', () => {
    assert.equal(
      method({type: 'bank_account', last4: '6789', bank_name: 'Test Bank'}),
      'bank_account …6789 Test Bank',
    );
    assert.equal(method({type: 'card', last4: '4242', brand: 'Visa', bank_name: null}), 'card …4242 Visa');
    assert.equal(method({type: 'card', last4: 4242}), 'card');
    assert.equal(method(undefined), '{}');
    assert.equal(line(payoutView, 'Payment method', payout({payout_metadata: null})), '-');
    assert.equal(line(payoutView, 'Payment method', payout({payout_metadata: 'none'})), 'none');
  });

  it('names the party where the service does', () => {
    const {payee_id} = payout();
    assert.equal(line(payoutView, 'Payee', payout()), `${payee_id} (Acme Ltd)`);
    assert.equal(line(payoutView, 'Payee', payout({payout_metadata: null})), payee_id);
    assert.equal(
      line(payinView, 'Payer', payin()),
      `${(payin() as {payer_id?: string}).payer_id} (Acme Ltd)`,
    );
  });

  it('lists its metadata', () => {
    const shown = (client_metadata: unknown) =>
      line(payoutView, 'Client metadata', payout({client_metadata}));
    assert.equal(shown({order: '17', team: 'ops'}), 'order=17, team=ops');
    assert.deepEqual([shown({}), shown(null), shown('text')], ['-', '-', 'text']);
  });

  it('says in red why it failed', () => {
    const failure = {code: 'R01', message: 'account closed', more: 1};
    const record = payout({transfer_details: {failure}});
    assert.equal(line(payoutView, 'Failure', record), 'R01 account closed {"more":1}');
    assert.equal(
      line(
        payoutView,
        'Failure',
        payout({transfer_details: {failure: {code: 'R01', message: 'account closed'}}}),
        eye({paint: ansiPaint}),
      ),
      '\u001b[31mR01 account closed\u001b[39m',
    );
  });

  it('colours what is good, bad and open', () => {
    for (const [status, code] of [
      ['settled', 32],
      ['failed', 31],
      ['canceled', 31],
      ['created', 33],
    ] as const)
      assert.equal(
        line(payoutView, 'Status', payout({status}), eye({paint: ansiPaint})),
        `\u001b[${code}m${status}\u001b[39m`,
      );
    assert.equal(
      line(payoutView, 'Status', payout({status: 'new_word'}), eye({paint: ansiPaint})),
      'new_word',
    );
  });
});

describe('why a record failed', () => {
  for (const [title, record, text] of [
    [
      'in its transfer details',
      {transfer_details: {failure: {code: 'R01', message: 'closed'}}},
      'R01 closed',
    ],
    ['in its metadata', {payin_metadata: {failure: {code: 51, message: ''}}}, '51'],
    ['in the metadata of a payout', {payout_metadata: {failure: 'closed'}}, 'closed'],
    ['as an object', {failure: {message: 'closed'}}, 'closed'],
    ['in plain fields', {failure_code: 'R02', failure_message: 'no'}, 'R02 no'],
    ['as a reason', {failure_reason: 'limit'}, 'limit'],
    ['nowhere', {failure: '', status: 'failed'}, undefined],
    ['in no known form', {failure: {code: true, message: {}}}, undefined],
  ] as const)
    it(`is found ${title}`, () => assert.equal(failureReasonText(record), text));
});

describe('a delivery of the sandbox as people see it', () => {
  const attempt = {
    ...{n: 1, at: '2026-03-02T15:00:05.000Z', status: 500, error: null, elapsed_ms: 12, response: 'oh no'},
    ...{fault: null, by_hand: false},
  };
  const attempts = (...changes: object[]) =>
    line(deliveryView, 'Attempts', {attempts: changes.map((change) => ({...attempt, ...change}))});

  it('has one line an attempt', () => {
    assert.equal(attempts({}), '1. 2026-03-02T15:00:05.000Z  500 in 12 ms: oh no');
    assert.equal(
      attempts({status: null, error: 'refused', response: '', by_hand: true, fault: 'drop'}),
      '1. 2026-03-02T15:00:05.000Z  refused (fault drop, by hand)',
    );
    assert.match(attempts({status: null}), /not sent: oh no$/);
    assert.match(attempts({by_hand: true}), /: oh no \(by hand\)$/);
    assert.equal(attempts(), 'none yet');
    assert.equal(line(deliveryView, 'Attempts', {}), 'none yet');
  });

  it('is green when delivered, yellow while open, red otherwise', () => {
    for (const [state, code] of [
      ['delivered', 32],
      ['pending', 33],
      ['sending', 33],
      ['failed', 31],
    ] as const)
      assert.equal(
        line(deliveryView, 'State', {state}, eye({paint: ansiPaint})),
        `\u001b[${code}m${state}\u001b[39m`,
      );
  });
});

describe('a recorded delivery as people see it', () => {
  const forward: EventRow['forwards'][number] = {
    target: 'http://localhost:3000/',
    state: 'forwarded',
    attempts: 1,
    status: 200,
    latency_ms: 3,
    error: null,
    replayed: false,
    resigned: false,
  };
  const row: EventRow = {
    ...{delivery: 'dlv_1', received_at: '2023-11-14T22:13:10.000Z', id: 'e1', event_type: 'payout.settled'},
    ...{verdict: 'verified', reason: null, attempt: 2, duplicate_of: 'dlv_0', filtered: false},
    ...{forwards: [forward], body: {}},
  };
  const details = {
    ...row,
    ...{path: '/hooks', secret_fingerprint: 'a1b2', body_bytes: 11, headers: [['X-Signature', 'v1=0']]},
    body_base64: Buffer.from('{"id":"e1"}').toString('base64'),
  };
  const forwards = (changes: Partial<EventRow['forwards'][number]>, how = eye()) =>
    webhookEventView.columns
      .find(({path}) => path === 'forwards')!
      .show(shownOf([{...forward, ...changes}]), shownOf(row), how);

  it('has a line for each of its fields', () => {
    const shown = webhookEventView.card.map(({label}) => [label, line(webhookEventView, label, details)]);
    assert.deepEqual(shown, [
      ['Delivery', 'dlv_1'],
      ['Received', row.received_at],
      ['Event type', 'payout.settled'],
      ['Event', 'e1'],
      ['Verdict', 'verified'],
      ['Reason', '-'],
      ['Failure', '-'],
      ['Attempt', '2'],
      ['Duplicate of', 'dlv_0'],
      ['Filtered', 'no'],
      ['Path', '/hooks'],
      ['Secret fingerprint', 'a1b2'],
      ['Forwards', 'http://localhost:3000/: forwarded, 1 attempt, last 200'],
      ['Lost in JSON', '-'],
      ['Headers', 'X-Signature: v1=0'],
      ['Body bytes', '11'],
      ['Body', '{"id":"e1"}'],
    ]);
    const cells = webhookEventView.columns.map(({path, show}) =>
      show(shownOf(selectedValue(row, path)), shownOf(row), eye()),
    );
    assert.deepEqual(cells, ['dlv_1', row.received_at, 'payout.settled', 'e1', 'verified', '2', '200', '-']);
  });

  it('shows where it was not forwarded, and why', () => {
    const dead = {...forward, state: 'dead', attempts: 5, status: null, error: 'refused'};
    assert.match(
      line(webhookEventView, 'Forwards', {forwards: [dead]}),
      /: gave up, 5 attempts, last refused$/,
    );
    assert.match(
      line(webhookEventView, 'Forwards', {forwards: [{...dead, state: 'waiting', error: null}]}),
      /: waiting, 5 attempts$/,
    );
    assert.equal(line(webhookEventView, 'Forwards', {forwards: []}), '-');
    const lost = [
      {path: 'data.amount', kind: 'number', sent: '9007199254740993'},
      {path: 'data.id', kind: 'duplicate_key', sent: null},
      {path: '', kind: 'too_deep', sent: null},
    ];
    assert.equal(
      line(webhookEventView, 'Lost in JSON', {lost}),
      'data.amount: sent as 9007199254740993\ndata.id: present more than once\nnested too deeply',
    );
    assert.match(
      line(webhookEventView, 'Forwards', {forwards: [{...forward, replayed: true, resigned: true}]}),
      /, last 200 \(replayed, signed again\)$/,
    );
    assert.equal(line(webhookEventView, 'Headers', {}), '-');
    assert.equal(
      line(webhookEventView, 'Body', {body_base64: Buffer.from('no JSON').toString('base64')}),
      'no JSON',
    );
  });

  it('keeps in a narrow terminal when it came, of which type it was, and whether it was verified', async () => {
    const {out, stdout} = makeOutput({colour: 'never'}, {columns: 45});
    await out.list([row], webhookEventView);
    assert.deepEqual(stdout.text.split('\n')[0]!.trim().split(/ +/), [
      ...['Delivery', 'Received', 'Event', 'type', 'Verdict'],
    ]);
  });

  it('counts attempts in a table, and colours what became of them', () => {
    assert.equal(forwards({attempts: 3, status: 500}), '500 (3 attempts)');
    assert.equal(forwards({status: null, state: 'waiting'}), 'waiting');
    for (const [state, code] of [
      ['forwarded', 32],
      ['dead', 31],
      ['waiting', 33],
    ] as const)
      assert.equal(forwards({state}, eye({paint: ansiPaint})), `\u001b[${code}m200\u001b[39m`);
    assert.equal(webhookEventView.columns.at(-1)!.show([], shownOf(row), eye()), '-');
  });
});

describe('a delivery that was sent again, as people see it', () => {
  const cells = (record: object, how = eye()) =>
    webhookReplayView.columns.map(({path, show}) =>
      show(shownOf(selectedValue(record, path)), shownOf(record), how),
    );
  const replay = {
    ...{delivery: 'dlv_1', event_type: 'payout.settled', outcome: 'fixed', status: 200, error: null},
    ...{status_before: null, error_before: 'connection refused', latency_ms: 3, target: 'http://a.test/'},
  };

  it('has the status of both answers, or why there was none', () => {
    assert.deepEqual(cells(replay), [
      ...['dlv_1', 'payout.settled', 'fixed', '200', 'connection refused', '3', 'http://a.test/'],
    ]);
    const failing = {...replay, outcome: 'still_failing', status: null, error: 'no answer within 10 s'};
    assert.deepEqual(cells(failing).slice(2, 5), [
      'still failing',
      'no answer within 10 s',
      'connection refused',
    ]);
  });

  it('is green when it passes, yellow while it fails as before, and red when it fails now', () => {
    for (const [word, shown, code] of [
      ['fixed', 'fixed', 32],
      ['still_passing', 'still passing', 32],
      ['passing', 'passing', 32],
      ['regressed', 'regressed', 31],
      ['still_failing', 'still failing', 33],
      ['failing', 'failing', 31],
    ] as const)
      assert.equal(
        cells({...replay, outcome: word}, eye({paint: ansiPaint}))[2],
        `\u001b[${code}m${shown}\u001b[39m`,
      );
    assert.equal(cells({...replay, outcome: 'new'}, eye({paint: ansiPaint}))[2], 'new');
  });
});

describe('a payment method as people see it', () => {
  it('shows its rails in words, also where they come as one text', () => {
    const shown = (supported_rails?: unknown) =>
      line(paymentMethodView, 'Supported rails', {supported_rails});
    assert.deepEqual([['ach', 'wire'], [], 'ach', undefined].map(shown), ['ach, wire', '', 'ach', '-']);
  });

  it('shows yes or no, and a dash if the service sends neither', () => {
    const shown = (is_default?: unknown) => line(paymentMethodView, 'Default', {is_default});
    assert.deepEqual([true, false, undefined, 'maybe'].map(shown), ['yes', 'no', '-', 'maybe']);
  });
});

describe('the sandbox as people see it', () => {
  it('counts what exists, and shows none if there is nothing', () => {
    const shown = (label: string, record: object) => line(sandbox.sandboxView, label, record);
    const answers = {'payouts.get 200': 4, 'payees.list 503': 1};
    assert.equal(
      shown('Requests', {requests: {total: 5, answers}}),
      '5 in all: 4 payouts.get 200, 1 payees.list 503',
    );
    assert.equal(shown('Requests', {requests: {total: 0, answers: {}}}), 'none');
    assert.equal(
      shown('Deliveries', {deliveries: {delivered: 3, pending: 0, failed: 1}}),
      '3 delivered, 1 failed',
    );
    assert.equal(shown('Deliveries', {deliveries: {pending: 0}}), 'none');
  });

  it('shows balances and sums in dollars', () => {
    const of = (entity: object) => (label: string) =>
      line(sandbox.sandboxView, label, {audit: {entities: [entity]}});
    const shown = of({
      balances: {main: '123456'},
      payouts: {settled: {count: 3, amount: '3750'}, created: {count: 1, amount: '500'}},
      payins: {},
    });
    assert.deepEqual(['Main account (test)', 'Payouts (test)', 'Payins (test)'].map(shown), [
      '1,234.56 USD',
      '3 settled (37.50 USD), 1 created (5.00 USD)',
      'none',
    ]);
    assert.equal(of({})('Main account (test)'), '-');
  });

  it('shows whether its ledger balances, in red if it does not', () => {
    const ledger = (audit: object) => line(sandbox.sandboxView, 'Ledger', {audit}, eye({paint: ansiPaint}));
    assert.equal(ledger({balanced: true, problems: []}), 'balances');
    assert.equal(
      ledger({balanced: false, problems: ['one is lost', 'two are twice']}),
      '\u001b[31mdoes not balance: one is lost; two are twice\u001b[39m',
    );
  });
});

describe('a profile as people see it', () => {
  it('has a line for each setting, and live in red', () => {
    const record = {
      ...{name: 'p', default: true, mode: 'live', base_url: 'https://a.example.com', key: 'live_…a1b2'},
      ...{read_only: false, approve_by_id: undefined},
      caps: {
        max_amount_minor: {USD: 500_000, EUR: 9_000},
        max_batch_total_minor: {USD: 1},
        max_batch_rows: 5,
        rails: ['wire', 'book'],
      },
      approval_policy: {path: '/etc/policy.json', sha256: 'ab'},
      approval_key: '/etc/me.pub',
      tls: {ca_file: '/etc/ca.pem', client_cert: 'me.pem', client_key: 'me.key'},
    };
    const shown = profileDetails.card.map(({label}) => line(profileDetails, label, record));
    assert.deepEqual(shown, [
      ...['p', 'yes', 'live', 'https://a.example.com', 'live_…a1b2', 'no', '-'],
      ...['5,000.00 USD, 90.00 EUR', '0.01 USD', '5', 'wire, book'],
      ...['/etc/policy.json', 'ab', '/etc/me.pub'],
      ...['/etc/ca.pem', 'me.pem', 'me.key'],
    ]);
    assert.equal(line(profileDetails, 'Mode', record, eye({paint: ansiPaint})), '\u001b[31mlive\u001b[39m');
    assert.equal(line(profileDetails, 'Mode', {mode: 'test'}, eye({paint: ansiPaint})), 'test');
  });
});
