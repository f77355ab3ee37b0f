import assert from 'node:assert/strict';
import fc from 'fast-check';
import {readAnswer, readRetryAfter} from '../../../src/client/answers/answer.ts';
import {answer} from '../transport/fake-transport.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const read = (status: number, body?: unknown, headers: Record<string, string> = {}) =>
  readAnswer(answer(status, body, headers), NOW);

describe('reading an answer', () => {
  it('keeps the JSON unchanged', () => {
    assert.deepEqual(read(201, {id: 'p', new_field: [1]}).json, {id: 'p', new_field: [1]});
  });

  it('takes JSON with a byte order mark and of any content type', () => {
    assert.deepEqual(read(200, '\ufeff{"a":1}', {'content-type': 'text/html'}).json, {a: 1});
  });

  for (const body of ['', '<html>', '{"a":', 'undefined', '\u0000']) {
    it(`finds no JSON in ${JSON.stringify(body)}`, () => assert.equal(read(200, body).json, undefined));
  }

  it('tells no body from a body that is not JSON', () => {
    assert.equal(read(204).empty, true);
    assert.equal(read(200, '<html>').empty, undefined);
  });

  it('describes what came if it cannot be read', () => {
    const deep = `{"id":"p1","status":"approved","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const nested = read(201, deep);
    assert.equal(nested.json, undefined);
    assert.deepEqual(nested.unreadable, {
      ...{what: 'JSON nested more than 200 levels deep', bytes: deep.length},
      ...{id: 'p1', status: 'approved'},
    });
    const html = read(200, '<html>', {'content-type': 'text/html; charset=utf-8'});
    assert.deepEqual(html.unreadable, {what: 'text/html', bytes: 6});
    assert.equal(read(200, '{"a":', {'content-type': 'application/json'}).unreadable?.what, 'broken JSON');
    assert.equal(read(204).unreadable, undefined);
  });

  it('reads JSON of 200 levels', () => {
    const atTheLimit = `${'['.repeat(200)}"${'x'.repeat(500)}"${']'.repeat(200)}`;
    assert.notEqual(read(200, atTheLimit).json, undefined);
    assert.equal(read(200, `[${atTheLimit}]`).json, undefined);
  });

  const shapes: [string, unknown, {errorCode?: string; message?: string}][] = [
    [
      'the documented one',
      {error_code: 'VALIDATION_ERROR', message: 'no'},
      {errorCode: 'VALIDATION_ERROR', message: 'no'},
    ],
    ['code and title', {code: 'NOT_FOUND', title: 'gone'}, {errorCode: 'NOT_FOUND', message: 'gone'}],
    ['a nested error', {error: {code: 'X_1', message: 'no'}}, {errorCode: 'X_1', message: 'no'}],
    [
      'a nested error by type',
      {error: {type: 'card_error', detail: 'no'}},
      {errorCode: 'card_error', message: 'no'},
    ],
    ['problem+json', {type: 'about:blank', title: 'Bad', detail: 'worse'}, {message: 'Bad: worse'}],
    [
      'problem+json with errors',
      {title: 'Bad request.', errors: [{detail: 'must be positive', pointer: '#/amount'}]},
      {message: 'Bad request: amount: must be positive'},
    ],
    [
      'a list of errors',
      {
        errors: [
          {code: 'BAD_AMOUNT', field: 'amount', message: 'too large'},
          {source: {pointer: '/data/payee_id'}, detail: 'unknown'},
          'and a word',
          {title: 'a fourth'},
          {title: 'a fifth'},
        ],
      },
      {
        errorCode: 'BAD_AMOUNT',
        message: 'amount: too large; data.payee_id: unknown; and a word (and 2 more)',
      },
    ],
    [
      'errors by field',
      {errors: {amount: ['is required', 'is no number'], rail: 'unknown'}},
      {message: 'amount: is required; amount: is no number; rail: unknown'},
    ],
    [
      'a list in detail',
      {detail: [{loc: ['body', 'amount'], msg: 'field required', type: 'missing'}]},
      {errorCode: 'missing', message: 'amount: field required'},
    ],
    ['nested errors', {error: {code: 400, errors: [{message: 'no such payee'}]}}, {message: 'no such payee'}],
    [
      'words that repeat the message',
      {message: 'no such payee', errors: [{message: 'no such payee'}]},
      {message: 'no such payee'},
    ],
    ['errors without words', {message: 'no', errors: [1, null, {}, []]}, {message: 'no'}],
    ['errors that are no list', {message: 'no', errors: 3}, {message: 'no'}],
    [
      'OAuth',
      {error: 'invalid_client', error_description: 'unknown client'},
      {errorCode: 'invalid_client', message: 'unknown client'},
    ],
    ['problem+json with a URL', {type: 'https://x/y', detail: 'worse'}, {message: 'worse'}],
    [
      'an error as a word',
      {error: 'invalid_request', message: 'no'},
      {errorCode: 'invalid_request', message: 'no'},
    ],
    ['an error as a sentence', {error: 'it did not work'}, {message: 'it did not work'}],
    [
      'the documented one before others',
      {error_code: 'A', code: 'B', error: {code: 'C'}, type: 'D'},
      {errorCode: 'A'},
    ],
    ['a number as code', {code: 404, message: 'no'}, {message: 'no'}],
    ['nothing of use', {error_code: null, message: ''}, {}],
    ['a list', [{error_code: 'A'}], {}],
    ['a word', '"no"', {}],
  ];
  for (const [name, body, expected] of shapes) {
    it(`reads an error of the shape: ${name}`, () => {
      const {errorCode, message} = read(400, body);
      assert.deepEqual({errorCode, message}, {errorCode: undefined, message: undefined, ...expected});
    });
  }

  it('reads details of an error from every place where they may be', () => {
    const details = [{field: 'a', issue: 'b'}];
    for (const body of [{details}, {error: {details}}, {errors: details}])
      assert.deepEqual(read(400, body).details, details);
  });

  it('takes no field of a record for an error code', () => {
    const {errorCode, message} = read(201, {type: 'bank_account', code: 'x', message: 'y'});
    assert.deepEqual([errorCode, message], [undefined, undefined]);
  });

  it('reads the warning of a success, text or not', () => {
    assert.equal(read(207, {warning: 'not approved'}).warning, 'not approved');
    assert.equal(read(207, {warning: {code: 1}}).warning, '{"code":1}');
    assert.equal(read(201, {warning: null}).warning, undefined);
  });

  it('reads the request id by either name', () => {
    assert.equal(read(200, '', {'x-request-id': 'a', 'request-id': 'b'}).requestId, 'a');
    assert.equal(read(200, '', {'request-id': 'b'}).requestId, 'b');
  });

  it('never throws, whatever arrives', () => {
    const anything = fc.oneof(
      fc.json(),
      fc.string(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
    );
    fc.assert(
      fc.property(
        fc.integer({min: 100, max: 999}),
        anything,
        fc.dictionary(fc.constantFrom('retry-after', 'date', 'x-request-id'), fc.string()),
        (status, body, headers) => {
          assert.equal(read(status, body, headers).status, status);
        },
      ),
    );
  });
});

describe('an error body with a status of success', () => {
  it('is neither a record nor a confirmation', () => {
    for (const body of [
      {error_code: 'VALIDATION_ERROR', message: 'no'},
      {error: {code: 'X', message: 'no'}},
      {error: 'no', status: 400},
      {success: false, errors: [{code: 'X'}]},
      {success: false, message: 'declined'},
      {ok: false},
      {id: 'a', success: false, error: 'declined'},
      {data: null, error: {code: 'DECLINED', message: 'no'}},
      {data: null, error: true, message: 'no'},
      {data: null, error_code: 5001, message: 'no'},
      {data: [], error: {code: 'PARTIAL'}, next_cursor: null},
      {data: {id: 'a', status: 'approved'}, error: 'late'},
      {result: null, errors: {amount: ['too large']}, request_id: 'r'},
      {status: 'error', message: 'no'},
      {status: 'fail', data: {}},
      {type: 'about:blank', title: 'no', status: 422},
      {code: 'NOT_FOUND', message: 'no'},
    ]) {
      const {json, unreadable} = read(200, body);
      assert.equal(json, undefined, JSON.stringify(body));
      assert.match(unreadable!.what, /^JSON of an error/);
    }
    assert.equal(read(201, {error_code: 'X'}).unreadable?.what, 'JSON of an error (X)');
  });

  it('is reported with its words, and with the record that it names', () => {
    const answer = read(200, {data: {id: 'a', status: 'created'}, error: {code: 'X', message: 'no'}});
    assert.deepEqual(
      [answer.message, answer.unreadable?.id, answer.unreadable?.status],
      ['no', 'a', 'created'],
    );
  });

  it('is not mistaken for one that has a record of its own, or no error', () => {
    for (const body of [
      {id: 'a', error_code: 'X'},
      {id: 7, status: 'failed', error: {code: 'R01', message: 'no funds'}},
      {payout_id: 'a', status: 'failed', errors: ['no funds']},
      {result: {id: 'a'}, error: {code: '0', message: 'OK'}},
      {data: {id: 'a'}, error: null, errors: [], error_code: 0, success: true, ok: true},
      {data: {id: 'a'}, error: {code: null, message: ''}},
      {code: 200, message: 'success', data: {id: 'a'}},
      {status: 'approved', message: 'done'},
      {status: 'failed', message: 'no funds'},
      {status: 'approved', error: null, errors: [], error_code: ''},
      {data: []},
      {},
    ])
      assert.deepEqual(read(200, body).json, body);
    const partial = {data: {id: 'a'}, error: 'late'};
    assert.deepEqual(read(207, partial).json, partial);
  });
});

describe('Retry-After', () => {
  const ms = (text: string, date?: string) => readRetryAfter({'retry-after': text, ...(date && {date})}, NOW);

  it('is seconds', () => {
    fc.assert(
      fc.property(fc.nat({max: 1e9}), (seconds) => assert.equal(ms(String(seconds)), seconds * 1000)),
    );
    assert.equal(ms(' 2.5 '), 2500);
  });

  it('sent twice means the longer one', () => assert.equal(ms('3, 7'), 7000));
  it('stays finite', () => assert.equal(ms('9'.repeat(400)), Number.MAX_SAFE_INTEGER));

  it('is a date, measured against the Date of the answer', () => {
    assert.equal(ms('Fri, 02 Jan 2026 03:04:35 GMT'), 30_000);
    assert.equal(ms('Fri, 02 Jan 2026 03:04:35 GMT', 'Fri, 02 Jan 2026 03:04:33 GMT'), 2_000);
    assert.equal(ms('Fri, 02 Jan 2026 03:04:00 GMT'), 0);
  });

  it('round-trips every date that HTTP can write', () => {
    fc.assert(
      fc.property(fc.integer({min: 0, max: 1e9}), (seconds) =>
        assert.equal(ms(new Date(NOW + seconds * 1000).toUTCString()), seconds * 1000),
      ),
    );
  });

  for (const text of [
    '',
    'soon',
    '-5',
    '1e3',
    '0x10',
    'Infinity',
    '2026-01-02',
    'Fri, 02 Foo 2026 03:04:35 GMT',
    '5 s',
    'NaN',
  ]) {
    it(`is not read from ${JSON.stringify(text)}`, () => assert.equal(ms(text), undefined));
  }
});
