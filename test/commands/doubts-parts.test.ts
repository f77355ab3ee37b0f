import assert from 'node:assert/strict';
import {mkdirSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {Context} from '../../src/cli/core/context.ts';
import {explained, leavesNoDoubt, shownBy} from '../../src/cli/doubts/outcome.ts';
import type {Payment} from '../../src/cli/doubts/payment.ts';
import {
  contentOf,
  isSamePayment,
  type OpenPayment,
  parsePayment,
  shownIn,
  writePayment,
} from '../../src/doubts/open-payment.ts';
import {readOpenPayments} from '../../src/doubts/open-payments.ts';
import {type ErrorCode, RemitError} from '../../src/errors.ts';
import {scratch} from '../cli/run-cli.ts';
import {METHOD_ID, PAYEE_ID, PAYER_ID, PAYOUT_ID} from './fixtures.ts';
import type {Json} from '../../src/narrow.ts';

const PAYMENT: OpenPayment = {
  ...{kind: 'payout', mode: 'test', baseUrl: 'http://127.0.0.1:4010', party: PAYEE_ID, source: null},
  ...{amountMinor: 12_500n, currency: 'USD', idempotencyKey: 'k-1', isOwnKey: true},
  ...{content: 'c0ffee', shown: {rail: 'standard_ach'}, recordId: null, secondId: null},
  ...{approves: true, mayBeApproved: false, acceptedMs: null, firstSentMs: 1_700_000_000_000},
  ...{keyFingerprint: 'f1', profile: null, sender: null},
};
const FIELDS = JSON.parse(writePayment(PAYMENT)) as Record<string, unknown>;
const parseWith = (changes: Record<string, unknown>) => parsePayment(JSON.stringify({...FIELDS, ...changes}));
/** What `JSON.stringify` leaves out. */
const ABSENT = undefined;

describe('parsePayment', () => {
  const holder = {
    ...{purpose: 'create', host: 'here', boot: 'b', namespace: null, pid: 7, startTime: '9'},
    ...{since: '2023-11-14T22:13:20.000Z', token: 't'},
  };
  const kinds = ['payout', 'payin', 'move', 'account transfer', 'bank transaction'] as const;
  const changes: Partial<OpenPayment>[] = [
    {},
    ...kinds.map((kind) => ({kind})),
    {mode: 'live'},
    {party: null, amountMinor: null},
    {source: PAYER_ID, recordId: PAYOUT_ID, secondId: METHOD_ID, profile: 'work'},
    {amountMinor: null, currency: null, idempotencyKey: null, isOwnKey: false},
    {amountMinor: -5n},
    {amountMinor: 10n ** 39n},
    {approves: false, mayBeApproved: true, acceptedMs: 1_700_000_000_001},
    {sender: holder},
  ];
  for (const change of changes)
    it(`reads what was written: ${Object.keys(change).join(', ')} ${Object.values(change).map(String).join(', ')}`, () => {
      const payment = {...PAYMENT, ...change};
      assert.deepEqual(parsePayment(writePayment(payment)), payment);
    });

  const text = [ABSENT, null, 1, true, {}];
  const textOrNull = [ABSENT, 1, false, {}];
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    kind: [...text, '', 'refund'],
    mode: [...text, '', 'production'],
    ...{baseUrl: text, content: text, keyFingerprint: text},
    ...{party: textOrNull, source: textOrNull, currency: textOrNull, idempotencyKey: textOrNull},
    ...{recordId: textOrNull, profile: textOrNull, secondId: [1, false, {}]},
    amountMinor: [...textOrNull, '', '-', 'ten', '1x', 'x1', '1.0', '+1', '0x1f', ' 1', '1'.repeat(41)],
    shown: [ABSENT, null, 'rail', 1, []],
    firstSentMs: [ABSENT, null, '1700000000000', {}],
    isOwnKey: [ABSENT, null, 'true', 1],
    approves: [ABSENT, null, 'true', 1],
    mayBeApproved: [null, 'true', 1],
    acceptedMs: ['1700000000000', true, {}],
  };
  for (const [field, values] of Object.entries(wrong))
    it(`refuses a wrong ${field}`, () => {
      for (const value of values)
        assert.equal(parseWith({[field]: value}), undefined, String(JSON.stringify(value)));
    });

  it('refuses text that is no JSON object', () => {
    for (const damaged of ['', '{', 'null', '[]', '"payout"', '1', writePayment(PAYMENT).slice(0, -3)])
      assert.equal(parsePayment(damaged), undefined, damaged);
  });

  it('reads an entry of an older version, which has fewer fields', () => {
    const older = {secondId: ABSENT, mayBeApproved: ABSENT, acceptedMs: ABSENT};
    assert.deepEqual(parseWith(older), {...PAYMENT, mayBeApproved: true});
    assert.deepEqual(parseWith({...older, approves: false}), {...PAYMENT, approves: false});
  });

  it('reads a damaged sender as none', () => {
    for (const sender of [ABSENT, {}, 'me', {...holder, pid: '7'}])
      assert.deepEqual(parseWith({sender}), PAYMENT);
  });
});

describe('isSamePayment', () => {
  const same = (a: Partial<OpenPayment>, b: Partial<OpenPayment> = {}) => [
    isSamePayment({...PAYMENT, ...a}, {...PAYMENT, ...b}),
    isSamePayment({...PAYMENT, ...b}, {...PAYMENT, ...a}),
  ];

  it('compares the service, the two ends, the amount and the currency', () => {
    assert.deepEqual(same({}), [true, true]);
    for (const other of [
      ...[{kind: 'payin'}, {mode: 'live'}, {baseUrl: 'http://127.0.0.1:4011'}, {party: PAYER_ID}],
      ...[{amountMinor: 12_501n}, {currency: 'EUR'}],
    ] as Partial<OpenPayment>[])
      assert.deepEqual(same(other), [false, false], Object.keys(other).join());
    assert.deepEqual(same({source: PAYER_ID}, {source: METHOD_ID}), [false, false]);
  });

  it('ignores everything else, and the case of a UUID', () => {
    const other = {idempotencyKey: 'k-2', content: 'other', approves: false, profile: 'work', firstSentMs: 1};
    assert.deepEqual(same(other), [true, true]);
    assert.deepEqual(same({party: PAYEE_ID.toUpperCase()}), [true, true]);
    assert.deepEqual(same({source: PAYER_ID.toUpperCase()}, {source: PAYER_ID}), [true, true]);
  });

  it('takes the names of this machine for one service, and the currency in any case', () => {
    for (const host of ['localhost', 'LOCALHOST', 'api.localhost', '[::1]', '127.0.0.1'])
      assert.deepEqual(same({baseUrl: `http://${host}:4010`}), [true, true], host);
    assert.deepEqual(same({baseUrl: 'http://localhost:4010/x'}), [false, false]);
    assert.deepEqual(same({baseUrl: 'https://localhost.example:4010'}), [false, false]);
    assert.deepEqual(same({currency: 'usd'}), [true, true]);
  });

  it('takes an unknown party, amount or currency for any', () => {
    assert.deepEqual(same({party: null}), [true, true]);
    assert.deepEqual(same({party: null, amountMinor: 1n}), [false, false]);
    assert.deepEqual(same({source: null}, {source: PAYER_ID}), [true, true]);
    assert.deepEqual(same({amountMinor: null}), [true, true]);
    assert.deepEqual(same({currency: null}), [true, true]);
    assert.deepEqual(same({amountMinor: null, currency: 'EUR'}), [false, false]);
    assert.deepEqual(same({amountMinor: 1n, currency: null}), [false, false]);
  });
});

describe('contentOf', () => {
  const body = {payee_id: PAYEE_ID, amount_in_minor_units: 12_500, metadata: {invoice: '17'}};

  it('depends on each field and value, and not on their order', () => {
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    assert.equal(contentOf(reversed), contentOf(body));
    assert.match(contentOf(body), /^[0-9a-f]{64}$/);
    for (const change of [
      ...[{payee_id: PAYER_ID}, {metadata: {invoice: '18'}}, {metadata: null}, {metadata: undefined}],
      ...[{description: 'rent'}, {amount_in_minor_units: '12500'}],
    ])
      assert.notEqual(contentOf({...body, ...change}), contentOf(body), JSON.stringify(change));
  });

  it('does not depend on the approval and on fields without a value', () => {
    for (const auto_approve of [true, false])
      assert.equal(contentOf({...body, auto_approve}), contentOf(body));
    assert.equal(contentOf({...body, rail: undefined}), contentOf(body));
  });
});

describe('shownIn', () => {
  it('has the fields that tell two payments apart, and no others', () => {
    const shown = {
      ...{rail: 'wire', scheduled_date: '2024-01-02', metadata: {a: '1'}, payout_metadata: {b: 2}},
      ...{subaccount_id: null, payment_method_id: METHOD_ID, description: 'rent'},
      override_default_payment_method_id: METHOD_ID,
    };
    const others = {payee_id: PAYEE_ID, account_number: '12345678', auto_approve: true};
    assert.deepEqual(shownIn({...shown, ...others}), shown);
    assert.deepEqual(Object.keys(shownIn({rail: undefined, description: ''})), ['description']);
  });
});

describe('readOpenPayments', () => {
  const stateWith = (files: Record<string, string>): [stateDir: string, folder: string] => {
    const stateDir = scratch();
    const folder = join(stateDir, 'in-doubt');
    mkdirSync(folder);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return [stateDir, folder];
  };
  const sentAt = (firstSentMs: number) => writePayment({...PAYMENT, firstSentMs});
  const [A, B, C] = ['aaaaaaaaaaaaaaaa.json', 'bbbbbbbbbbbbbbbb.json', 'cccccccccccccccc.json'] as const;

  it('reads the newest first, and ignores other files', () => {
    const others = ['notes.txt', `x${A}`, `${A}.tmp`, 'AAAAAAAAAAAAAAAA.json'];
    const [stateDir, folder] = stateWith({
      ...{[A]: sentAt(2), [B]: sentAt(3), [C]: sentAt(1)},
      ...Object.fromEntries(others.map((name) => [name, 'damaged'])),
    });
    assert.deepEqual(
      readOpenPayments(stateDir).map(({file, firstSentMs}) => [file, firstSentMs]),
      [
        [join(folder, B), 3],
        [join(folder, A), 2],
        [join(folder, C), 1],
      ],
    );
    assert.equal(readdirSync(folder).length, 7);
  });

  it('is empty without a folder', () => {
    assert.deepEqual(readOpenPayments(scratch()), []);
  });

  it('throws if the folder cannot be read', () => {
    const stateDir = scratch();
    writeFileSync(join(stateDir, 'in-doubt'), 'a file');
    assert.throws(() => readOpenPayments(stateDir), {name: 'RemitError', code: 'STATE'});
  });

  it('names a file that is damaged or cannot be read: by an error, or to the caller, who gets the others', () => {
    const [stateDir, folder] = stateWith({[A]: '{', [B]: sentAt(1)});
    const file = join(folder, A);
    assert.throws(() => readOpenPayments(stateDir), {code: 'STATE_DAMAGED', details: {file}});
    mkdirSync(join(folder, C));
    const reported: RemitError[] = [];
    const read = readOpenPayments(stateDir, (error) => reported.push(error));
    assert.deepEqual(
      read.map((one) => one.file),
      [join(folder, B)],
    );
    assert.deepEqual(reported.map(({code}) => code).sort(), ['STATE', 'STATE_DAMAGED']);
    assert.ok(reported.some(({message}) => message.includes(join(folder, C))));
  });
});

const failure = (code: ErrorCode, details?: Record<string, Json>, httpStatus?: number): RemitError =>
  new RemitError(code, 'it failed', {details, httpStatus});

describe('isCertain', () => {
  /** The same request again, without an approval, by a key that was made for it. */
  const AGAIN = {
    ...{mayHavePaid: false, isSameRequest: true, isSameAccount: true, isOwnKey: true},
    ...{recordId: null as string | null, secondId: null as string | null},
  };
  const documented: ErrorCode[] = [
    ...(['VALIDATION_ERROR', 'PAYER_NOT_FOUND', 'PAYMENT_METHOD_NOT_FOUND', 'NOT_FOUND'] as const),
    'INVALID_PAYMENT_DETAILS',
  ];
  const undocumented: ErrorCode[] = ['AUTHENTICATION_ERROR', 'REFUSED', 'RATE_LIMITED', 'UNAVAILABLE'];
  const stopped: ErrorCode[] = ['INTERRUPTED', 'TERMINATED'];

  it('is false for unexpected errors, bugs and doubts', () => {
    for (const repeated of [undefined, AGAIN])
      for (const error of [new Error('it failed'), 'text', undefined, failure('BUG'), failure('IN_DOUBT')])
        assert.equal(leavesNoDoubt(error, repeated), false, String(error));
  });

  it('is false if the error states that it may have taken effect', () => {
    for (const code of [...documented, ...undocumented, ...stopped])
      assert.equal(leavesNoDoubt(failure(code, {may_have_taken_effect: true}), undefined), false, code);
  });

  it('is true for any other error of the first request', () => {
    for (const code of [...documented, ...undocumented, 'KEY_REUSED', 'IDEMPOTENCY_KEY_CONFLICT'] as const)
      for (const details of [undefined, {}, {may_have_taken_effect: false}])
        assert.equal(leavesNoDoubt(failure(code, details), undefined), true, code);
  });

  it('is true for an interruption only if it states that nothing took effect', () => {
    for (const code of stopped)
      for (const [details, certain] of [
        [undefined, false],
        [{}, false],
        [{may_have_taken_effect: false}, true],
      ] as const)
        assert.equal(leavesNoDoubt(failure(code, details), undefined), certain, code);
  });

  it('is true for a documented refusal of a repetition, if it is the same and no approval was requested', () => {
    for (const code of documented) {
      assert.equal(leavesNoDoubt(failure(code), AGAIN), true, code);
      for (const change of [{mayHavePaid: true}, {isSameRequest: false}, {isSameAccount: false}])
        assert.equal(leavesNoDoubt(failure(code), {...AGAIN, ...change}), false, JSON.stringify(change));
    }
    for (const code of [...undocumented, ...stopped])
      assert.equal(leavesNoDoubt(failure(code, {may_have_taken_effect: false}), AGAIN), false, code);
  });

  it('is true for the record of another payment only under a key of the caller, without a record', () => {
    const ofCaller = {...AGAIN, isOwnKey: false};
    assert.equal(leavesNoDoubt(failure('KEY_REUSED'), ofCaller), true);
    for (const change of [{isOwnKey: true}, {recordId: PAYOUT_ID}, {isSameAccount: false}])
      assert.equal(leavesNoDoubt(failure('KEY_REUSED'), {...ofCaller, ...change}), false);
    assert.equal(leavesNoDoubt(failure('KEY_REUSED'), {...AGAIN, recordId: PAYOUT_ID}), false);
  });

  it('is true for a dead key if the request is the same or the record is named', () => {
    const certain = (change: Partial<typeof AGAIN>, details?: Record<string, Json>) =>
      leavesNoDoubt(failure('IDEMPOTENCY_KEY_CONFLICT', details), {...AGAIN, ...change});
    assert.equal(certain({}), true);
    assert.equal(certain({mayHavePaid: true}), true);
    assert.equal(certain({isSameRequest: false}), false);
    assert.equal(certain({isSameRequest: false}, {id: null}), false);
    assert.equal(certain({isSameRequest: false}, {id: PAYOUT_ID}), true);
    assert.equal(certain({isSameAccount: false}, {id: PAYOUT_ID}), false);
  });

  it('is true for a dead key after a known record only if it is the dead one', () => {
    const dead = (id: string | undefined, known: {recordId?: string; secondId?: string}) =>
      leavesNoDoubt(failure('IDEMPOTENCY_KEY_CONFLICT', {id}), {...AGAIN, ...known});
    assert.equal(dead(PAYOUT_ID, {recordId: PAYOUT_ID}), true);
    assert.equal(dead(METHOD_ID, {recordId: PAYOUT_ID}), false);
    assert.equal(dead(undefined, {recordId: PAYOUT_ID}), false);
    assert.equal(dead(METHOD_ID, {secondId: METHOD_ID}), false);
  });
});

describe('shownBy', () => {
  it('has the records that the error names', () => {
    const ids = {id: PAYOUT_ID, second_id: METHOD_ID};
    for (const [details, shown] of [
      [undefined, {}],
      [{id: null, second_id: 7}, {}],
      [{id: PAYOUT_ID}, {recordId: PAYOUT_ID}],
      [{second_id: METHOD_ID}, {secondId: METHOD_ID}],
      [ids, {recordId: PAYOUT_ID, secondId: METHOD_ID}],
    ] as const)
      assert.deepEqual(shownBy(failure('IN_DOUBT', details)), shown);
    assert.deepEqual(shownBy(failure('KEY_REUSED', ids)), {});
    assert.deepEqual(shownBy(Object.assign(new Error('it failed'), {details: ids})), {});
    assert.deepEqual(shownBy(undefined), {});
  });
});

describe('explained', () => {
  const payment: Payment = {
    ...{kind: 'payout', party: PAYEE_ID, source: null, amountMinor: 12_500n, currency: 'USD'},
    ...{body: {}, parties: `payee ${PAYEE_ID}`, accepts: [], typed: [] as never}, // only passed on
  };
  const write = (...words: string[]) => `remit ${words.join(' ')}`;
  // What the function uses of a context; its list fails.
  const context = {
    commands: {
      read: write,
      write,
      again: (_: unknown, {without}: {without: string[]}) => `again without ${without.join()}`,
    },
    ...{clock: {now: () => PAYMENT.firstSentMs}, profile: {service: {}}},
  } as unknown as Context;
  const of = (error: unknown, isSameRequest = true, file?: string) =>
    explained(context, payment, {error, isSameRequest, file}) as Promise<RemitError>;

  it('leaves an error alone that is no refusal of the key', async () => {
    const details = {second_id: METHOD_ID};
    for (const error of [
      ...[undefined, null, 'text', Object.assign(new Error('it failed'), {details})],
      ...[failure('NOT_FOUND', {}, 404), failure('IN_DOUBT'), failure('IN_DOUBT', {}, 503)],
      ...[failure('CONFLICT', {}, 409), failure('KEY_REUSED', {}, 409)],
      ...[failure('IN_DOUBT', {id: PAYOUT_ID}, 409), failure('KEY_REUSED', {id: PAYOUT_ID}, 200)],
    ])
      assert.equal(await of(error), error, String(error));
  });

  it('asks for a decision between two records, and names the file to delete', async () => {
    const error = failure('IN_DOUBT', {id: PAYOUT_ID, second_id: METHOD_ID});
    const told = await of(error, true, '/state/one.json');
    assert.equal(told.message, 'it failed, and delete /state/one.json');
    const list = `remit payouts list --payee ${PAYEE_ID}`;
    const [approve, cancel] = ['approve', 'cancel'].map((verb) => `remit payouts ${verb} ${METHOD_ID}`);
    assert.equal(told.hint, `${list}; if it was not paid: ${approve}; if it was: ${cancel}`);
    assert.equal((await of(error)).message, 'it failed');
  });

  it('advises a new key if the key is dead and the refusal is about this payment', async () => {
    for (const [details, isSameRequest] of [
      [{}, true],
      [{id: PAYOUT_ID}, true],
      [{id: PAYOUT_ID}, false],
    ] as const) {
      const told = await of(failure('IDEMPOTENCY_KEY_CONFLICT', details, 409), isSameRequest);
      assert.equal(told.hint, 'again without --idempotency-key,--accept');
      assert.match(told.message, /^it failed\. Check the earlier payout first/);
    }
  });

  it('turns other refusals of the key into a doubt, also if the list cannot be read', async () => {
    for (const [error, isSameRequest] of [
      [failure('IN_DOUBT', {idempotency_key: 'k-1'}, 409), true],
      [failure('IN_DOUBT', {idempotency_key: 'k-1'}, 409), false],
      [failure('IDEMPOTENCY_KEY_CONFLICT', {idempotency_key: 'k-1'}, 409), false],
    ] as const) {
      const told = await of(error, isSameRequest);
      assert.deepEqual([told.code, told.httpStatus], ['IN_DOUBT', 409]);
      assert.match(told.message, /^it failed\. Key k-1 may already have .* before you use another key$/);
      const next = `remit payouts list --payee ${PAYEE_ID}`;
      assert.equal(told.hint, next);
      const details = {idempotency_key: 'k-1', may_have_taken_effect: true, next, candidates: []};
      assert.deepEqual(told.details, details);
    }
    const unnamed = await of(failure('IN_DOUBT', {}, 409));
    assert.match(unnamed.message, /^it failed\. The key may already have made this payout/);
  });
});
