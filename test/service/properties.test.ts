import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {Codec} from '../../src/client/requests/codec.ts';
import {DEFAULT_TIMEOUTS} from '../../src/client/transport/transport.ts';
import {requestFieldsOf} from '../../src/contract/origin/field-origins.ts';
import type {OperationId} from '../../src/contract/operations/operations.ts';
import {RECORD_FIELDS} from '../../src/contract/operations/record-fields.ts';
import {RemitError} from '../../src/errors.ts';
import {checkService} from '../../src/service/file/parse.ts';
import type {ServiceFile} from '../../src/service/service-file.ts';
import {WireSide} from '../../src/service/wire-side.ts';
import type {Json, JsonValue} from '../../src/narrow.ts';

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const path = fc.array(name, {minLength: 1, maxLength: 3}).map((parts) => parts.join('.'));
const part = <T>(value: fc.Arbitrary<T>) => fc.option(value, {nil: undefined});
const FIELDS = [...new Set([...RECORD_FIELDS.payouts, ...requestFieldsOf('payouts.create')])];

/** Random service files for payouts, without those that the check refuses because they contradict themselves. */
const files: fc.Arbitrary<ServiceFile> = fc
  .record(
    {
      routes: part(
        name.map((word) => ({'payouts.create': `PUT /${word}/new`, 'payouts.get': `GET /${word}/{id}/show`})),
      ),
      prefixes: part(name.map((word) => ({api: `/${word}`}))),
      fields: part(
        fc.dictionary(fc.constantFrom(...FIELDS), path, {maxKeys: 6}).map((names) => ({payouts: names})),
      ),
      units: part(
        fc.record({
          'payouts.amount_in_minor_units': fc.constantFrom('minor', 'minor-text', 'major', 'major-number'),
          'payouts.amount_in_cents': fc.constant('minor'),
        }),
      ),
      envelopes: part(fc.record({record: path, list: path, next: path.map((at) => `page.${at}`)})),
      errors: part(
        fc.record({code: path.map((at) => `code.${at}`), message: path.map((at) => `words.${at}`)}),
      ),
      statuses: part(
        fc.uniqueArray(fc.stringMatching(/^[A-Z]{3,9}$/), {minLength: 3, maxLength: 3}).map(([a, b, c]) => ({
          payouts: {[a!]: 'created', [b!]: 'settled', [c!]: 'failed'},
        })),
      ),
      keys: part(
        fc.record({header: name.map((word) => `x-${word}-key`), format: fc.constantFrom('any', 'uuid')}),
      ),
      headers: part(name.map((word) => ({send: {[`x-${word}`]: word}}))),
    },
    {requiredKeys: []},
  )
  .map((file) => JSON.parse(JSON.stringify(file)) as ServiceFile)
  .filter((file) => {
    try {
      checkService(file, 'drawn');
      return areApart(file);
    } catch (error) {
      if (error instanceof RemitError) return false;
      throw error;
    }
  });

const listIn = ({list}: NonNullable<ServiceFile['envelopes']>) =>
  typeof list === 'object' ? list['payouts'] : list;

/** Whether no wire name is part of another one, or equals the name of a field that is not renamed. */
function areApart({fields, envelopes}: ServiceFile): boolean {
  const names = Object.entries(fields?.['payouts'] ?? {});
  const kept = FIELDS.filter((field) => !names.some(([from]) => from === field));
  const places = [...names.map(([, to]) => to), ...kept, 'warning', 'error_code', 'message', 'details'];
  const isWithin = (a: string, b: string) => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);
  const pages =
    envelopes === undefined
      ? []
      : [listIn(envelopes) ?? 'data', envelopes.next ?? 'next_cursor', 'data', 'has_more'];
  const apart = (all: readonly string[]) =>
    all.every((one, at) => all.every((other, then) => at === then || !isWithin(one, other)));
  return apart(names.map(([, to]) => to).concat(kept)) && apart(pages) && places.length > 0;
}

const payouts = fc.record(
  {
    payee_id: fc.uuid(),
    amount_in_minor_units: fc.integer({min: 1, max: 99_999_999_999}),
    currency_code: fc.constantFrom('USD', 'JPY', 'KWD'),
    rail: fc.constantFrom('wire', 'standard_ach'),
    metadata: fc.constant({remit_reference: 'R-1', note: 'n'}),
  },
  {noNullPrototype: true},
);

describe('any service file', () => {
  it('lets service and client read the canonical request and answer', () => {
    fc.assert(
      fc.property(files, payouts, fc.constantFrom('created', 'settled', 'failed'), (file, body, status) => {
        const [codec, side] = [new Codec(file), new WireSide(file)];
        const operation: OperationId = 'payouts.create';
        const request = {
          ...{method: 'POST', path: '/api/payouts', operation, timeouts: DEFAULT_TIMEOUTS},
          headers: {'x-api-key': 'test_k', 'content-type': 'application/json', 'idempotency-key': 'k-1'},
          body: JSON.stringify(body),
        };
        const wire = codec.encode(request);
        const read = side.read({...wire, body: JSON.parse(wire.body ?? '') as JsonValue});
        assert.ok('operation' in read, JSON.stringify([file, wire, read]));
        assert.equal(read.operation, operation);
        assert.deepEqual(
          [read.request.method, read.request.path, read.request.body],
          ['POST', '/api/payouts', body],
        );
        assert.equal(codec.encode(request).body, wire.body);
        assert.deepEqual(codec.encode(request).headers, wire.headers);

        const {metadata, ...echoed} = body;
        const record = {id: 'p-1', status, ...echoed, client_metadata: metadata};
        const answered = (id: OperationId, httpStatus: number, json: Json) =>
          codec.read(
            {operation: id},
            {
              status: httpStatus,
              headers: {},
              body: Buffer.from(JSON.stringify(side.answer(id, httpStatus, json))),
            },
            0,
          );
        assert.deepEqual(answered('payouts.create', 201, record).json, record);
        assert.deepEqual(answered('payouts.get', 200, record).json, record);
        const list = answered('payouts.list', 200, {data: [record], next_cursor: 'c'}).json as Record<
          string,
          unknown
        >;
        assert.deepEqual([list['data'], list['next_cursor']], [[record], 'c']);
        const {errorCode, message} = answered('payouts.create', 422, {
          error_code: 'INVALID_PAYMENT_DETAILS',
          message: 'no',
        });
        assert.deepEqual([errorCode, message], ['INVALID_PAYMENT_DETAILS', 'no']);
      }),
      {numRuns: 300},
    );
  });

  it('that is refused names a key of the file', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        try {
          checkService(JSON.parse(text), 'any');
        } catch (error) {
          assert.ok(error instanceof RemitError && error.code === 'SERVICE_FILE', text);
        }
      }),
    );
  });
});
