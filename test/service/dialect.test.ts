import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import type {OperationId} from '../../src/contract/operations/operations.ts';
import {ExactNumber, type Json, type JsonFields} from '../../src/narrow.ts';
import {Dialect, type PlainRequest} from '../../src/service/dialect.ts';
import type {ServiceFile} from '../../src/service/service-file.ts';

const request = (path: string, body?: Json, query = '', method = 'POST'): PlainRequest => ({
  ...{method, path, body},
  query: new URLSearchParams(query),
});
/** Returns what is sent for a canonical request, after checking that such a service reads the same request from it. */
function sent(file: ServiceFile, id: OperationId, canonical: PlainRequest) {
  const dialect = new Dialect(file);
  const wire = dialect.requestToWire(id, canonical);
  assert.equal(dialect.operationOnWire(wire.method, wire.path, wire.body), id);
  const read = dialect.requestFromWire(id, wire);
  assert.deepEqual(
    {...read, query: read.query.toString()},
    {...canonical, query: canonical.query.toString(), body: canonical.body ?? read.body},
  );
  return {
    line: `${wire.method} ${wire.path}${wire.query.size === 0 ? '' : `?${wire.query.toString()}`}`,
    body: wire.body,
  };
}
/** Returns what the service sends for a canonical answer, after checking that the client reads the same answer from it. */
function answered(file: ServiceFile, id: OperationId, canonical: Json) {
  const dialect = new Dialect(file);
  const wire = dialect.answerToWire(id, canonical);
  assert.deepEqual(dialect.answerFromWire(id, wire), canonical);
  return wire;
}

const BODY = {
  payee_id: 'p',
  amount_in_minor_units: 12_550,
  currency_code: 'USD',
  metadata: {remit_reference: 'R'},
};

describe('a request in another dialect', () => {
  it('belongs to the operation whose path has no parameter there', () => {
    const dialect = new Dialect({prefixes: {webhookEndpoints: '/api/webhooks'}});
    const at = (path: string) => dialect.operationOnWire('GET', path, undefined);
    assert.equal(at('/api/webhooks/event-types'), 'eventTypes.list');
    assert.equal(at('/api/webhooks/0192a000'), 'webhookEndpoints.get');
  });

  it('has another route, prefix, field names and unit', () => {
    const file: ServiceFile = {
      prefixes: {api: '/v1'},
      fields: {
        payouts: {amount_in_minor_units: 'amount.value', currency_code: 'amount.currency', metadata: 'tags'},
      },
      units: {'payouts.amount_in_minor_units': 'major'},
      metadata: {reference: 'ref'},
    };
    assert.deepEqual(sent(file, 'payouts.create', request('/api/payouts', BODY)), {
      line: 'POST /v1/payouts',
      body: {payee_id: 'p', tags: {ref: 'R'}, amount: {value: '125.50', currency: 'USD'}},
    });
  });

  it('keeps the order of plain names, and swaps names', () => {
    const file: ServiceFile = {fields: {payouts: {payee_id: 'currency_code', currency_code: 'payee_id'}}};
    const {body} = sent(file, 'payouts.create', request('/api/payouts', BODY));
    assert.equal(
      JSON.stringify(body),
      '{"currency_code":"p","amount_in_minor_units":12550,"payee_id":"USD","metadata":{"remit_reference":"R"}}',
    );
  });

  it('puts a parameter that its path does not contain into its query, under the name at this service', () => {
    const file: ServiceFile = {
      routes: {
        'payouts.get': 'GET /v1/payout',
        'moves.get': 'GET /v1/move',
        'payeePaymentMethods.list': 'GET /v1/methods',
      },
      fields: {
        payouts: {id: 'payout_no'},
        moves: {id: 'no', move_id: 'move.no'},
        payeePaymentMethods: {payee_id: 'owner'},
      },
    };
    const got = sent(file, 'payouts.get', request('/api/payouts/a%20b', undefined, '', 'GET'));
    assert.equal(got.line, 'GET /v1/payout?payout_no=a+b');
    const move = sent(file, 'moves.get', request('/api/subaccounts/move/m', undefined, '', 'GET'));
    assert.equal(move.line, 'GET /v1/move?move.no=m');
    const methods = request('/api/payees/p/payment-methods', undefined, 'limit=5', 'GET');
    assert.equal(sent(file, 'payeePaymentMethods.list', methods).line, 'GET /v1/methods?limit=5&owner=p');
  });

  it('has no body, or always the same one', () => {
    const file: ServiceFile = {
      routes: {'payouts.approve': 'PATCH /api/payouts/{id}'},
      bodies: {'payouts.approve': {state: 'approved'}, 'payouts.cancel': 'none'},
    };
    assert.deepEqual(sent(file, 'payouts.approve', request('/api/payouts/a/approve', {})), {
      line: 'PATCH /api/payouts/a',
      body: {state: 'approved'},
    });
    assert.deepEqual(sent(file, 'payouts.cancel', request('/api/payouts/a/cancel', {})).body, undefined);
  });

  it('has other names, values and limits in its query', () => {
    const file: ServiceFile = {
      paging: {max: 25, cursor: 'after', limit: 'size', order: {name: 'sort', asc: 'oldest', desc: 'newest'}},
      fields: {'payouts.list': {status: 'state', created_from: 'since'}},
      statuses: {payouts: {SENT: 'settled'}},
      units: {'payouts.created_from': 'seconds'},
    };
    const query = 'status=settled&created_from=2026-01-02T00%3A00%3A00.000Z&order=asc&limit=20&cursor=c';
    const {line} = sent(file, 'payouts.list', request('/api/payouts', undefined, query, 'GET'));
    assert.equal(line, 'GET /api/payouts?state=SENT&since=1767312000&sort=oldest&size=20&after=c');
    const capped = new Dialect(file).requestToWire(
      'payouts.list',
      request('/api/payouts', undefined, 'limit=100', 'GET'),
    );
    assert.equal(capped.query.toString(), 'size=25');
  });

  it('is refused if an amount has no exact form', () => {
    const dialect = new Dialect({units: {'payouts.amount_in_minor_units': 'major'}});
    const body = {payee_id: 'p', amount_in_minor_units: 12_550};
    assert.throws(
      () => dialect.requestToWire('payouts.create', request('/api/payouts', body)),
      /currency_code/,
    );
    assert.throws(() =>
      dialect.requestToWire('payouts.create', request('/api/payouts', {...body, currency_code: 'XXX'})),
    );
    const both = new Dialect({fields: {payouts: {metadata: 'payout_metadata'}}});
    const twice = {metadata: {}, payout_metadata: {}};
    assert.throws(() => both.requestToWire('payouts.create', request('/api/payouts', twice)), /both/);
  });
});

describe('an answer in another dialect', () => {
  const RECORD = {
    id: 'i',
    status: 'failed',
    amount_in_minor_units: 5,
    currency_code: 'USD',
    created_at: '2026-01-02T00:00:00.000Z',
  };

  it('has an envelope, other names, units and statuses', () => {
    const file: ServiceFile = {
      envelopes: {record: 'result.payout'},
      fields: {payouts: {id: 'key', amount_in_minor_units: 'amount', client_metadata: 'metadata'}},
      units: {'payouts.amount_in_minor_units': 'major-number', 'payouts.created_at': 'milliseconds'},
      statuses: {payouts: {RETURNED: 'failed'}},
    };
    assert.deepEqual(answered(file, 'payouts.get', {...RECORD, client_metadata: {a: 'b'}}), {
      result: {
        payout: {
          key: 'i',
          status: 'RETURNED',
          amount: 0.05,
          currency_code: 'USD',
          created_at: 1_767_312_000_000,
          metadata: {a: 'b'},
        },
      },
    });
  });

  it('is read with and without its envelope, and keeps a warning next to the record', () => {
    const dialect = new Dialect({envelopes: {record: 'data'}});
    assert.deepEqual(dialect.answerFromWire('payouts.create', RECORD), RECORD);
    assert.deepEqual(dialect.answerFromWire('payouts.create', {data: RECORD, warning: 'w'}), {
      ...RECORD,
      warning: 'w',
    });
    const move = {data: {...RECORD, status: 'CREATED'}, warning: 'w'};
    assert.deepEqual(dialect.answerFromWire('moves.approve', move), move);
    assert.deepEqual(answered({envelopes: {record: 'move'}}, 'moves.approve', move), {
      move: move.data,
      warning: 'w',
    });
  });

  it('to a move is read without an envelope, also if its id has another name', () => {
    const file: ServiceFile = {envelopes: {record: ''}, fields: {moves: {id: 'no'}}};
    const move = {data: {...RECORD, status: 'CREATED'}, warning: 'w'};
    const {id, ...rest} = move.data;
    assert.deepEqual(answered(file, 'moves.get', move), {no: id, ...rest, warning: 'w'});
  });

  it('to a list has items, cursor and flag in other places', () => {
    const file: ServiceFile = {
      envelopes: {list: 'items', next: 'page.next', more: 'page.more'},
      fields: {payouts: {id: 'key'}},
    };
    const dialect = new Dialect(file);
    assert.deepEqual(dialect.answerToWire('payouts.list', {data: [{id: 'a'}], next_cursor: 'c'}), {
      items: [{key: 'a'}],
      page: {next: 'c', more: true},
    });
    const read = (page: JsonFields) => dialect.answerFromWire('payouts.list', {items: [{key: 'a'}], page});
    assert.deepEqual(read({next: 'c', more: true}), {data: [{id: 'a'}], next_cursor: 'c', has_more: true});
    assert.deepEqual(read({next: 'a/b?c'}), {data: [{id: 'a'}], next_cursor: 'a/b?c'}, 'not an address');
    assert.deepEqual(read({next: 'c', more: false}), {data: [{id: 'a'}], next_cursor: null});
    assert.deepEqual(read({more: true}), {data: [{id: 'a'}], next_cursor: null, has_more: true});
    assert.deepEqual(read({next: 'https://api.example.com/p?cursor=d&limit=5'}), {
      data: [{id: 'a'}],
      next_cursor: 'd',
    });
    assert.deepEqual(dialect.answerFromWire('payouts.list', {data: []}), {data: []});
  });

  it('to a list has items in a place of its own, by resource or operation', () => {
    const list = {payouts: 'payouts', treasury: 'rows', 'treasury.accounts': 'accounts'};
    const dialect = new Dialect({envelopes: {list}});
    const places = [
      ['payouts.list', 'payouts'],
      ['treasury.accounts', 'accounts'],
      ['treasury.transactions', 'rows'],
      ['payees.list', 'data'],
    ] as const;
    for (const [id, place] of places) {
      const wire = dialect.answerToWire(id, {data: [{id: 'a'}], next_cursor: null});
      assert.deepEqual(wire, {[place]: [{id: 'a'}], next_cursor: null});
      assert.deepEqual(dialect.answerFromWire(id, wire), {data: [{id: 'a'}], next_cursor: null});
    }
    assert.deepEqual(dialect.pageFromWire({payouts: [1]}, '/api/payouts'), {data: [1]});
    assert.deepEqual(dialect.pageFromWire({data: [1]}, '/api/other'), {data: [1]});
  });

  it('to a list without an order is requested in the other order, if its service lists the oldest first', () => {
    const dialect = new Dialect({
      paging: {order: {name: 'sort', desc: 'newest', asc: 'oldest', default: 'asc'}},
    });
    const sent = (id: 'payouts.list' | 'eventTypes.list', query: Record<string, string>) =>
      dialect.requestToWire(id, {
        ...{method: 'GET', path: '', query: new URLSearchParams(query), body: undefined},
      }).query;
    assert.equal(String(sent('payouts.list', {})), 'sort=newest');
    assert.equal(String(sent('payouts.list', {order: 'asc'})), 'sort=oldest');
    assert.equal(String(sent('eventTypes.list', {})), '');
    const read = dialect.requestFromWire('payouts.list', {
      ...{method: 'GET', path: '/api/payouts', query: new URLSearchParams(), body: undefined},
    });
    assert.equal(String(read.query), 'order=asc');
  });

  it('to a list continues if `has_more` is true, also if only the cursor is in another place', () => {
    const dialect = new Dialect({envelopes: {list: 'items', next: 'page.next'}});
    const read = (rest: object) => dialect.answerFromWire('payouts.list', {items: [], ...rest});
    assert.deepEqual(read({has_more: true}), {data: [], next_cursor: null, has_more: true});
    assert.deepEqual(read({has_more: false, page: {next: 'c'}}), {data: [], next_cursor: 'c'});
  });

  it('has amounts beyond 2^53 with all digits', () => {
    for (const [amount, unit, digits] of [
      ['99999999999999999', 'minor-text', '99999999999999999'],
      [new ExactNumber('9007199254740993'), 'minor', '9007199254740993'],
      ['90071992547409.93', 'major', '9007199254740993'],
      [new ExactNumber('-90071992547409930.5'), 'major-number', '-9007199254740993050'],
    ] as const) {
      const dialect = new Dialect({units: {'payouts.amount_in_minor_units': unit}});
      const read = dialect.answerFromWire('payouts.get', {...RECORD, amount_in_minor_units: amount});
      assert.deepEqual(read, {...RECORD, amount_in_minor_units: new ExactNumber(digits)});
    }
  });

  for (const [amount, unit] of [
    ['1.005', 'major'],
    ['1e3', 'major'],
    ['', 'minor-text'],
    [1.5, 'minor'],
    [{}, 'major'],
    ['9'.repeat(41), 'minor-text'],
  ] as const)
    it(`has no amount if ${JSON.stringify(amount)} is not valid in ${unit}`, () => {
      const dialect = new Dialect({units: {'payouts.amount_in_minor_units': unit}});
      const rest = Object.fromEntries(
        Object.entries(RECORD).filter(([name]) => name !== 'amount_in_minor_units'),
      );
      assert.deepEqual(
        dialect.answerFromWire('payouts.get', {...RECORD, amount_in_minor_units: amount}),
        rest,
      );
    });

  it('has no amount if the currency is unknown', () => {
    const dialect = new Dialect({units: {'payouts.amount_in_minor_units': 'major'}});
    const read = dialect.answerFromWire('payouts.get', {
      id: 'i',
      amount_in_minor_units: '5.00',
      currency_code: 'ZZZ',
    });
    assert.deepEqual(read, {id: 'i', currency_code: 'ZZZ'});
  });

  it('has the amount that was sent, for any amount in any unit', () => {
    fc.assert(
      fc.property(
        fc.integer({min: 0, max: 99_999_999_999_999}),
        fc.constantFrom('USD', 'JPY', 'KWD'),
        fc.constantFrom('minor', 'minor-text', 'major', 'major-number'),
        (minor, currency, unit) => {
          const file: ServiceFile = {units: {'payouts.amount_in_minor_units': unit}};
          answered(file, 'payouts.get', {id: 'i', amount_in_minor_units: minor, currency_code: currency});
        },
      ),
    );
  });

  it('keep a signing secret that is next to the endpoint, not in it', () => {
    const json = {result: {id: 'e-1', url: 'https://example.com'}, secret: 'whsec_1', status: 'ok'};
    const read = new Dialect({envelopes: {record: 'result'}}).answerFromWire('webhookEndpoints.create', json);
    assert.deepEqual(read, {id: 'e-1', url: 'https://example.com', secret: 'whsec_1', status: 'ok'});
    const payout = new Dialect({envelopes: {record: 'result'}}).answerFromWire('payouts.create', json);
    assert.deepEqual(payout, {id: 'e-1', url: 'https://example.com'});
  });

  it('have the secret and the active flag of an endpoint where the service keeps them', () => {
    const file: ServiceFile = {
      webhooks: {secret: 'keys.signing', active: {field: 'state', on: 'enabled', off: 'disabled'}},
    };
    const endpoint = {id: 'e', url: 'https://e.example', is_active: true, signing_secret: 's'};
    assert.deepEqual(answered(file, 'webhookEndpoints.create', endpoint), {
      ...{id: 'e', url: 'https://e.example', state: 'enabled', keys: {signing: 's'}},
    });
    answered(file, 'webhookEndpoints.get', {...endpoint, is_active: false});
    assert.deepEqual(
      sent(file, 'webhookEndpoints.toggle', request('/api/webhooks/endpoints/e/toggle', {is_active: false})),
      {
        ...{line: 'POST /api/webhooks/endpoints/e/toggle', body: {state: 'disabled'}},
      },
    );
    assert.deepEqual(
      answered({webhooks: {active: 'enabled'}}, 'webhookEndpoints.get', {id: 'e', is_active: false}),
      {id: 'e', enabled: false},
    );
  });

  it('can have other names inside data, without an envelope setting', () => {
    const dialect = new Dialect({fields: {payouts: {id: 'payout_id', status: 'state'}}});
    const record = {id: 'i', status: 'created'};
    const wire = {payout_id: 'i', state: 'created'};
    assert.deepEqual(dialect.answerFromWire('payouts.get', {data: wire}), record);
    assert.deepEqual(dialect.answerFromWire('payouts.get', {...wire, data: {x: 1}}), {
      ...record,
      data: {x: 1},
    });
  });
});
