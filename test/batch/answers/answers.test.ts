import assert from 'node:assert/strict';
import fc from 'fast-check';
import {judgeAnswer, judgeFailure, judgeLook, type RowVerdict} from '../../../src/batch/answers/answers.ts';
import {compareEcho, otherPaymentIn, showsPaymentOf} from '../../../src/batch/answers/echo.ts';
import type {JournalRow} from '../../../src/batch/journal/rows/row.ts';
import type {Phase} from '../../../src/batch/journal/journal.ts';
import {FIELD_NAMES, type RowContent} from '../../../src/batch/model/row-fields.ts';
import {readAnswer} from '../../../src/client/answers/answer.ts';
import {type FailureKind, TransportFailure} from '../../../src/client/transport/transport.ts';
import {ExactNumber} from '../../../src/narrow.ts';
import {payeeId} from '../harness.ts';

const ROW: JournalRow = {
  n: 1,
  reference: 'INV-1',
  fingerprint: 'f',
  generation: 0,
  ...(Object.fromEntries(FIELD_NAMES.map((name) => [name, null])) as unknown as RowContent),
  party: payeeId(1),
  amount: 150075,
  currency: 'USD',
  rail: 'wire',
  metadata: '{"note":"November"}',
  outcome: undefined,
  outcomeWindow: 0,
};
const ID = 'a0000000-0000-4000-8000-000000000001';
const OTHER_ID = 'a0000000-0000-4000-8000-000000000002';

const record = (changes: Record<string, unknown> = {}) => ({
  id: ID,
  payee_id: payeeId(1),
  subaccount_id: null,
  status: 'created',
  amount_in_minor_units: 150075,
  amount_in_cents: 150075,
  currency_code: 'USD',
  country_code: 'US',
  rail: 'wire',
  client_metadata: {note: 'November', remit_reference: 'INV-1'},
  ...changes,
});

type Body = Record<string, unknown> | string | undefined;

function judge(
  phase: Phase,
  status: number,
  body: Body,
  {row = ROW, isProven = true}: {row?: JournalRow; isProven?: boolean} = {},
): RowVerdict {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const answer = readAnswer({status, headers: {}, body: Buffer.from(text)}, 0);
  const stagedId = phase === 'release' ? ID : null;
  return judgeAnswer(answer, {row, kind: 'payout', phase, stagedId, isProven});
}

describe('a 404 with a code', () => {
  it('is about the row once a create has worked, and until then perhaps about the route', () => {
    const assumption = {row: 1, key: 'routes.payouts.create', text: 'the route is wrong'};
    const body = Buffer.from(JSON.stringify({error_code: 'NOT_FOUND', message: 'no payee'}));
    const answer = readAnswer({status: 404, headers: {}, body}, 0);
    const judged = (isProven: boolean) =>
      judgeAnswer(
        {...answer, message: 'no payee (the route is wrong)', assumption},
        {row: ROW, kind: 'payout', phase: 'stage', stagedId: null, isProven},
      );
    const rejected = {is: 'known', state: 'rejected', id: null, status: null};
    assert.deepEqual(judged(true), {...rejected, message: 'no payee'});
    assert.deepEqual(judged(false), rejected);
  });
});

/** The verdict in a few words: `staged`, `collision, stop: collision`, `maybe`, `not sent: gate`. */
function wordsOf(verdict: RowVerdict): string {
  switch (verdict.is) {
    case 'known':
      return [
        verdict.state,
        ...(verdict.orphan === undefined ? [] : [`orphan`]),
        ...(verdict.stop === undefined ? [] : [`stop: ${verdict.stop}`]),
      ].join(', ');
    case 'maybe':
      return [
        'maybe',
        ...(verdict.throttled ? ['slower'] : []),
        ...(verdict.isKeyRefused ? ['key refused'] : []),
        ...(verdict.stop === undefined ? [] : [`stop: ${verdict.stop}`]),
      ].join(', ');
    case 'processing':
      return 'processing';
    case 'not-sent':
      return `not sent: ${verdict.then}${verdict.stop === undefined ? '' : ` ${verdict.stop}`}`;
  }
}

const code = (errorCode?: string) => ({error_code: errorCode, message: 'm'});

/** What an answer makes of a row when staging, releasing and paying directly. */
const TABLE: [string, number, Body, {stage: string; release: string; direct: string}][] = [
  ['201 created', 201, record(), {stage: 'staged', release: 'unapproved', direct: 'unapproved'}],
  ['200 created', 200, record(), {stage: 'staged', release: 'unapproved', direct: 'unapproved'}],
  ...(['approved', 'initiated', 'debited', 'settled', 'failed'] as const).flatMap((status) =>
    [200, 201, 202].map((http): (typeof TABLE)[number] => [
      `${http} ${status}`,
      http,
      record({status}),
      {stage: 'accepted', release: 'accepted', direct: 'accepted'},
    ]),
  ),
  ['202 created', 202, record(), {stage: 'staged', release: 'processing', direct: 'processing'}],
  [
    '202 with an unknown status',
    202,
    record({status: 'queued'}),
    {stage: 'maybe', release: 'processing', direct: 'processing'},
  ],
  [
    '202 without a status',
    202,
    record({status: undefined}),
    {stage: 'maybe', release: 'processing', direct: 'processing'},
  ],
  [
    '200 with an unknown status',
    200,
    record({status: 'queued'}),
    {stage: 'staged', release: 'processing', direct: 'processing'},
  ],
  [
    '201 with a status that is no text',
    201,
    record({status: 7}),
    {stage: 'staged', release: 'processing', direct: 'processing'},
  ],
  [
    '200 canceled',
    200,
    record({status: 'canceled'}),
    {stage: 'dead_key', release: 'dead_key', direct: 'dead_key'},
  ],
  [
    '207',
    207,
    record({warning: 'no funds'}),
    {stage: 'unapproved', release: 'unapproved', direct: 'unapproved'},
  ],
  [
    '207 without a status',
    207,
    record({status: undefined, warning: 'no funds'}),
    {stage: 'unapproved', release: 'unapproved', direct: 'unapproved'},
  ],
  ...['approved', 'initiated', 'settled'].map((status): (typeof TABLE)[number] => [
    `207 ${status}`,
    207,
    record({status, warning: 'notification failed'}),
    {stage: 'accepted', release: 'accepted', direct: 'accepted'},
  ]),
  [
    '207 canceled',
    207,
    record({status: 'canceled', warning: 'too late'}),
    {stage: 'dead_key', release: 'dead_key', direct: 'dead_key'},
  ],
  [
    '207 with an unknown status',
    207,
    record({status: 'queued', warning: 'slow'}),
    {stage: 'unapproved', release: 'processing', direct: 'processing'},
  ],
  [
    '201 of another amount',
    201,
    record({amount_in_minor_units: 1}),
    {
      stage: 'collision, stop: collision',
      release: 'collision, stop: collision',
      direct: 'collision, stop: collision',
    },
  ],
  [
    '200 approved of another amount',
    200,
    record({status: 'approved', amount_in_minor_units: 1}),
    {
      stage: 'collision, stop: collision',
      release: 'collision, stop: collision',
      direct: 'collision, stop: collision',
    },
  ],
  [
    '201 of another payee',
    201,
    record({payee_id: payeeId(2)}),
    {
      stage: 'collision, stop: collision',
      release: 'collision, stop: collision',
      direct: 'collision, stop: collision',
    },
  ],
  [
    '201 of a subaccount',
    201,
    record({subaccount_id: payeeId(3)}),
    {
      stage: 'collision, stop: collision',
      release: 'collision, stop: collision',
      direct: 'collision, stop: collision',
    },
  ],
  [
    '207 of another payee',
    207,
    record({payee_id: payeeId(2)}),
    {
      stage: 'collision, stop: collision',
      release: 'collision, stop: collision',
      direct: 'collision, stop: collision',
    },
  ],
  [
    '201 by another rail',
    201,
    record({rail: 'standard_ach'}),
    {stage: 'held', release: 'unapproved', direct: 'unapproved'},
  ],
  [
    '201 in another currency',
    201,
    record({currency_code: 'EUR'}),
    {stage: 'held', release: 'unapproved', direct: 'unapproved'},
  ],
  [
    '201 with other metadata',
    201,
    record({client_metadata: {}}),
    {stage: 'held', release: 'unapproved', direct: 'unapproved'},
  ],
  [
    '201 without an amount',
    201,
    record({amount_in_minor_units: undefined, amount_in_cents: undefined}),
    {stage: 'held', release: 'unapproved', direct: 'unapproved'},
  ],
  [
    '207 without an amount, which a retry must not release',
    207,
    record({amount_in_minor_units: undefined, amount_in_cents: undefined}),
    {stage: 'held', release: 'unapproved', direct: 'unapproved'},
  ],
  [
    '201 with another id',
    201,
    record({id: OTHER_ID, status: 'approved'}),
    {stage: 'accepted', release: 'accepted, orphan, stop: key-forgotten', direct: 'accepted'},
  ],
  [
    '201 with another id, not approved',
    201,
    record({id: OTHER_ID}),
    {stage: 'staged', release: 'unapproved, orphan, stop: key-forgotten', direct: 'unapproved'},
  ],
  [
    '207 with another id',
    207,
    record({id: OTHER_ID}),
    {stage: 'unapproved', release: 'unapproved, orphan, stop: key-forgotten', direct: 'unapproved'},
  ],
  [
    '202 with another id',
    202,
    record({id: OTHER_ID, status: 'queued'}),
    {stage: 'maybe', release: 'in_doubt, orphan, stop: key-forgotten', direct: 'processing'},
  ],
  [
    'another id and another amount',
    200,
    record({id: OTHER_ID, amount_in_minor_units: 1}),
    {
      stage: 'collision, stop: collision',
      release: 'collision, orphan, stop: collision',
      direct: 'collision, stop: collision',
    },
  ],
  ...(
    [
      ['an empty 200', 200, undefined],
      ['204', 204, undefined],
      ['a 201 that is not JSON', 201, '<html>'],
      ['a 201 that breaks off', 201, '{"id":"a00'],
      ['a 200 of null', 200, 'null'],
      ['a 200 of a list', 200, '[]'],
      ['a 200 of a text', 200, '"ok"'],
      ['a 200 without an id', 200, record({id: undefined})],
      ['a 200 with an empty id', 200, record({id: ''})],
      ['a 200 with a number for an id', 200, record({id: 7})],
      ['408', 408, undefined],
      ['425', 425, undefined],
      ['500', 500, undefined],
      ['500 with a code', 500, code('INTERNAL')],
      ['502', 502, '<html>'],
      ['504', 504, undefined],
      ['520', 520, undefined],
    ] as [string, number, Body][]
  ).map(([what, status, body]): (typeof TABLE)[number] => [
    what,
    status,
    body,
    {stage: 'maybe', release: 'maybe', direct: 'maybe'},
  ]),
  ...(
    [
      ['409 without a code', 409, undefined],
      ['409 with another code', 409, code('CONCURRENT')],
    ] as [string, number, Body][]
  ).map(([what, status, body]): (typeof TABLE)[number] => [
    what,
    status,
    body,
    {stage: 'maybe', release: 'maybe, key refused', direct: 'maybe'},
  ]),
  [
    '503 with a code',
    503,
    code('SERVICE_UNAVAILABLE'),
    {stage: 'maybe, slower', release: 'maybe, slower', direct: 'maybe, slower'},
  ],
  [
    '503 without a code',
    503,
    undefined,
    {stage: 'maybe, slower', release: 'maybe, slower', direct: 'maybe, slower'},
  ],
  ...(
    [
      [400, code('VALIDATION_ERROR')],
      [400, code()],
      [400, '<html>'],
      [422, code('INVALID_PAYMENT_DETAILS')],
      [422, undefined],
      [404, code('NOT_FOUND')],
      [404, code('PAYMENT_METHOD_NOT_FOUND')],
      [404, code('VALIDATION_ERROR')],
      [404, code('UNDOCUMENTED')],
    ] as [number, Body][]
  ).map(([status, body]): (typeof TABLE)[number] => [
    `${status} ${typeof body === 'object' ? ((body['error_code'] as string | undefined) ?? 'without a code') : 'without JSON'}`,
    status,
    body,
    // A refused release says nothing about the record, which exists.
    {stage: 'rejected', release: 'unapproved', direct: 'rejected'},
  ]),
  ...(
    [
      ['402', 402, undefined],
      ['405', 405, undefined],
      ['410', 410, code('GONE')],
      ['413', 413, undefined],
      ['415', 415, undefined],
    ] as [string, number, Body][]
  ).map(([what, status, body]): (typeof TABLE)[number] => [
    what,
    status,
    body,
    {stage: 'not sent: streak', release: 'not sent: streak', direct: 'not sent: streak'},
  ]),
  [
    '404 without a code',
    404,
    '<html>',
    {stage: 'not sent: streak', release: 'unapproved', direct: 'not sent: streak'},
  ],
  [
    '401',
    401,
    code('AUTHENTICATION_ERROR'),
    {
      stage: 'not sent: stop credentials',
      release: 'not sent: stop credentials',
      direct: 'not sent: stop credentials',
    },
  ],
  [
    '403',
    403,
    code('AUTHORIZATION_ERROR'),
    {stage: 'not sent: forbidden', release: 'not sent: forbidden', direct: 'not sent: forbidden'},
  ],
  [
    '409 of a dead key',
    409,
    code('IDEMPOTENCY_KEY_CONFLICT'),
    {stage: 'dead_key', release: 'maybe, key refused', direct: 'dead_key'},
  ],
  ['429', 429, undefined, {stage: 'not sent: gate', release: 'not sent: gate', direct: 'not sent: gate'}],
  ...[307, 308].map((status): (typeof TABLE)[number] => [
    String(status),
    status,
    undefined,
    {stage: 'not sent: stop redirect', release: 'not sent: stop redirect', direct: 'not sent: stop redirect'},
  ]),
  ...[300, 301, 302, 303, 304].map((status): (typeof TABLE)[number] => [
    String(status),
    status,
    undefined,
    {stage: 'maybe, stop: redirect', release: 'maybe, stop: redirect', direct: 'maybe, stop: redirect'},
  ]),
];

describe('an answer to a create', () => {
  for (const [what, status, body, expected] of TABLE) {
    for (const phase of ['stage', 'release', 'direct'] as const) {
      it(`of ${what} means ${expected[phase]} (${phase})`, () =>
        assert.equal(wordsOf(judge(phase, status, body)), expected[phase]));
    }
  }

  for (const [status, body, expected] of [
    [400, undefined, 'not sent: streak'],
    [422, '<html>', 'not sent: streak'],
    [422, code('INVALID_PAYMENT_DETAILS'), 'rejected'],
    [404, code('NOT_FOUND'), 'rejected'],
  ] as [number, Body, string][])
    it(`of ${status} ${typeof body === 'object' ? 'with' : 'without'} a code means ${expected} before the first success`, () =>
      assert.equal(wordsOf(judge('stage', status, body, {isProven: false})), expected));

  for (const [status, phase, expected] of [
    [301, 'stage', 'not sent: stop redirect'],
    [302, 'stage', 'not sent: stop redirect'],
    [303, 'stage', 'maybe, stop: redirect'],
    [302, 'direct', 'maybe, stop: redirect'],
    [308, 'direct', 'not sent: stop redirect'],
  ] as [number, Phase, string][])
    it(`of ${status} means ${expected} before the first success (${phase})`, () =>
      assert.equal(wordsOf(judge(phase, status, undefined, {isProven: false})), expected));

  for (const id of ['po\u001b[2J1', 'po\u200b1', 'po\n1', 'po\u202e1', 'po\u{e0041}1', ''])
    it(`with the unprintable id ${JSON.stringify(id)} is unreadable`, () =>
      assert.equal(wordsOf(judge('stage', 201, record({id}))), 'maybe'));

  it('keeps the id and the status of the record', () => {
    const verdict = judge('stage', 201, record());
    assert.deepEqual(verdict, {is: 'known', state: 'staged', id: ID, status: 'created'});
  });

  it('keeps the record of another id, and the staged one as an orphan', () => {
    const verdict = judge('release', 201, record({id: OTHER_ID, status: 'approved'}));
    assert.ok(verdict.is === 'known');
    assert.deepEqual([verdict.id, verdict.orphan], [OTHER_ID, ID]);
  });

  it('to a release keeps the known id if the answer has none', () => {
    const verdict = judge('release', 422, code());
    assert.ok(verdict.is === 'known');
    assert.equal(verdict.id, ID);
  });

  it('never throws, whatever it contains, and never counts an unexpected answer as paid', () => {
    const status = fc.oneof(fc.constantFrom(200, 201, 202, 207, 204), fc.integer({min: 200, max: 599}));
    fc.assert(
      fc.property(
        status,
        fc.jsonValue(),
        fc.constantFrom<Phase>('stage', 'release', 'direct'),
        (http, json, phase) => {
          const verdict = judge(phase, http, JSON.stringify(json));
          if (verdict.is === 'known') assert.notEqual(verdict.state, 'accepted');
        },
      ),
    );
  });

  it('counts as a payment only with a record that shows it', () => {
    const changes = fc.dictionary(
      fc.constantFrom(...Object.keys(record())),
      fc.oneof(
        fc.constant(undefined),
        fc.constantFrom('created', 'approved', 'settled', 'x'),
        fc.jsonValue(),
      ),
    );
    fc.assert(
      fc.property(fc.constantFrom(200, 201, 202, 207), changes, (http, some) => {
        const body = record(some);
        const verdict = judge('release', http, body);
        if (verdict.is !== 'known' || verdict.state !== 'accepted') return;
        assert.ok(['approved', 'initiated', 'debited', 'settled', 'failed'].includes(body.status));
        assert.equal(body.amount_in_minor_units ?? body.amount_in_cents ?? 150075, 150075);
      }),
      {numRuns: 300},
    );
  });
});

describe('an exchange without an answer', () => {
  const kinds: FailureKind[] = [
    'refused',
    'dns',
    'connect-timeout',
    'tls',
    'reset',
    'timeout',
    'cut',
    'aborted',
    'other',
  ];
  for (const kind of kinds) {
    it(`by ${kind} leaves doubt exactly when bytes had left`, () => {
      assert.equal(judgeFailure(new TransportFailure(kind, 'm', {sent: true})).is, 'maybe');
      assert.equal(judgeFailure(new TransportFailure(kind, 'm', {sent: false})).is, 'not-sent');
    });
  }
});

describe('fetching a record', () => {
  const look = (status: number, body: Body) =>
    judgeLook(
      readAnswer(
        {
          status,
          headers: {},
          body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body ?? null)),
        },
        0,
      ),
      ID,
    ).state;

  for (const [status, body, expected] of [
    [200, record(), 'open'],
    [200, record({status: 'approved'}), 'accepted'],
    [200, record({status: 'initiated'}), 'accepted'],
    [200, record({status: 'debited'}), 'accepted'],
    [200, record({status: 'settled'}), 'accepted'],
    [200, record({status: 'failed'}), 'accepted'],
    [200, record({status: 'canceled'}), 'dead_key'],
    [200, record({status: 'queued'}), 'unknown'],
    [200, record({status: undefined}), 'unknown'],
    [200, record({id: OTHER_ID}), 'unknown'],
    [200, '<html>', 'unknown'],
    [200, undefined, 'unknown'],
    [429, undefined, 'unknown'],
    [500, record({status: 'approved'}), 'unknown'],
    [404, record(), 'unknown'],
  ] as [number, Body, string][]) {
    const what = typeof body === 'object' ? `status ${String(body['status'])}` : String(body);
    it(`with the answer ${status} and ${what} is ${expected}`, () =>
      assert.equal(look(status, body), expected));
  }
});

describe('the echo of a record', () => {
  const rows: [string, Partial<JournalRow>, Record<string, unknown>, 'same' | 'differs' | 'other'][] = [
    ['everything as asked', {}, {}, 'same'],
    [
      'more fields and more metadata',
      {},
      {x: 1, client_metadata: {note: 'November', remit_reference: 'INV-1', y: 'z'}},
      'same',
    ],
    ['ids in capitals', {}, {payee_id: payeeId(1).toUpperCase()}, 'same'],
    ['only the old name of the amount', {}, {amount_in_minor_units: undefined}, 'same'],
    ['any rail where none was asked for', {rail: null}, {rail: 'standard_ach'}, 'same'],
    [
      'the subaccount that was asked for',
      {subaccount: payeeId(3)},
      {subaccount_id: payeeId(3).toUpperCase()},
      'same',
    ],
    [
      'no metadata but the reference',
      {metadata: null},
      {client_metadata: {remit_reference: 'INV-1'}},
      'same',
    ],
    ['another amount', {}, {amount_in_minor_units: 150076}, 'other'],
    ['the amount as text', {}, {amount_in_minor_units: '150075'}, 'same'],
    ['another amount as text', {}, {amount_in_minor_units: '150076'}, 'other'],
    ['the amount and a fraction', {}, {amount_in_minor_units: 150075.4}, 'other'],
    [
      'the amount and a fraction that a double does not hold',
      {},
      {amount_in_minor_units: new ExactNumber('150075.00000000000000001')},
      'other',
    ],
    [
      'the largest amount as text',
      {amount: Number.MAX_SAFE_INTEGER},
      {amount_in_minor_units: String(Number.MAX_SAFE_INTEGER)},
      'same',
    ],
    ['an amount as text that is no whole number', {}, {amount_in_minor_units: '150075.0'}, 'other'],
    [
      'another amount under the old name alone',
      {},
      {amount_in_minor_units: undefined, amount_in_cents: 1},
      'other',
    ],
    ['another payee', {}, {payee_id: payeeId(2)}, 'other'],
    ['a payee that is no text', {}, {payee_id: 7}, 'other'],
    ['a subaccount where none was asked for', {}, {subaccount_id: payeeId(3)}, 'other'],
    ['another subaccount', {subaccount: payeeId(3)}, {subaccount_id: payeeId(4)}, 'other'],
    ['the main account in place of a subaccount', {subaccount: payeeId(3)}, {subaccount_id: null}, 'other'],
    ['no word of the subaccount', {subaccount: payeeId(3)}, {subaccount_id: undefined}, 'differs'],
    ['no amount', {}, {amount_in_minor_units: undefined, amount_in_cents: undefined}, 'differs'],
    ['no payee', {}, {payee_id: undefined}, 'differs'],
    ['another rail', {}, {rail: 'standard_ach'}, 'differs'],
    ['no rail', {}, {rail: undefined}, 'differs'],
    ['another currency', {}, {currency_code: 'EUR'}, 'differs'],
    ['no currency', {}, {currency_code: undefined}, 'differs'],
    ['another reference', {}, {client_metadata: {note: 'November', remit_reference: 'INV-2'}}, 'differs'],
    ['another value', {}, {client_metadata: {note: 'December', remit_reference: 'INV-1'}}, 'differs'],
    ['no metadata', {}, {client_metadata: undefined}, 'differs'],
    ['metadata that is no object', {}, {client_metadata: 'x'}, 'differs'],
  ];
  for (const [what, row, changes, expected] of rows) {
    it(`with ${what} is ${expected}`, () =>
      assert.equal(compareEcho(record(changes), {...ROW, ...row}, 'payout'), expected));
  }

  it('of a payin is compared with its payer', () => {
    const {payee_id: payee, ...rest} = record();
    assert.equal(compareEcho({...rest, payer_id: payee}, ROW, 'payin'), 'same');
    assert.equal(compareEcho({...rest, payer_id: payeeId(2)}, ROW, 'payin'), 'other');
  });

  it('of a payin may have the currency of the destination account', () => {
    const {payee_id: payer_id, ...rest} = record({currency_code: 'EUR'});
    const payin = {...rest, payer_id};
    assert.equal(compareEcho(payin, ROW, 'payin'), 'same');
    assert.equal(otherPaymentIn(payin, ROW, 'payin', false), undefined);
    assert.equal(showsPaymentOf(payin, ROW, 'payin'), true);
    assert.equal(
      otherPaymentIn(record({currency_code: 'EUR'}), ROW, 'payout', false),
      'currency EUR instead of USD',
    );
  });

  it('compares ids that are not UUIDs letter by letter', () => {
    const row = {...ROW, party: 'usr_Ab'};
    assert.equal(compareEcho(record({payee_id: 'usr_Ab'}), row, 'payout'), 'same');
    assert.equal(compareEcho(record({payee_id: 'usr_aB'}), row, 'payout'), 'other');
    assert.equal(compareEcho(record({payee_id: 'USR_AB'}), {...ROW, party: 'usr_ab'}, 'payout'), 'other');
  });
});
