import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import type {OperationId} from '../../../src/contract/operations/operations.ts';
import type {Report} from '../../../src/cli/doctor/report.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {BASE_URL, runCli} from '../run-cli.ts';
import {DifferingService} from './differing-service.ts';

/** Differences of a service, and the checks that find them. */
const DIFFERENCES: readonly (readonly [what: string, dialect: ServiceFile, checks: readonly string[]])[] = [
  ['another prefix', {prefixes: {api: '/v1'}}, ['prefixes.api']],
  ['another treasury prefix', {prefixes: {treasury: '/api/bank'}}, ['prefixes.treasury']],
  [
    'webhook endpoints elsewhere',
    {prefixes: {webhookEndpoints: '/api/webhooks'}},
    ['prefixes.webhookEndpoints'],
  ],
  [
    'another noun of a collection',
    {routes: {'payees.list': 'GET /api/recipients', 'payees.get': 'GET /api/recipients/{id}'}},
    ['routes.payees.list'],
  ],
  [
    'moves at their own path',
    {routes: {'moves.list': '/api/moves', 'moves.get': '/api/moves/{move_id}'}},
    ['routes.moves.list'],
  ],
  ['items', {envelopes: {list: 'items'}}, ['envelopes.list']],
  ['items in an object', {envelopes: {list: 'result.rows'}}, ['envelopes.list']],
  [
    'items of each list under its own name',
    {
      envelopes: {
        list: {
          ...{payouts: 'payouts', payins: 'payins', payees: 'payees', payers: 'payers'},
          ...{subaccounts: 'subaccounts', moves: 'moves', accountTransfers: 'transfers'},
          ...{webhookEndpoints: 'endpoints', payeePaymentMethods: 'methods', payerPaymentMethods: 'methods'},
          ...{'treasury.accounts': 'accounts', 'treasury.transactions': 'transactions'},
        },
      },
    },
    ['envelopes.list', 'envelopes.list', 'envelopes.list', 'envelopes.list'], // the last three need an id
  ],
  ['another cursor', {envelopes: {next: 'page.next', more: 'page.has_more'}}, ['envelopes.next']],
  ['another parameter of the cursor', {paging: {cursor: 'after'}}, ['envelopes.next']],
  ['another parameter of the page size', {paging: {limit: 'page_size'}}, ['paging.limit']],
  ['a smaller maximum page size', {paging: {max: 25}}, ['paging.max']],
  [
    'other values of the sort order',
    {paging: {order: {asc: 'oldest_first', desc: 'newest_first'}}},
    ['paging.order'],
  ],
  ['another parameter of the sort order', {paging: {order: {name: 'sort'}}}, ['paging.order']],
  ['records in an object', {envelopes: {record: 'result'}}, ['envelopes.record']],
  [
    'records under their own names',
    {envelopes: {record: {'payouts.get': 'payout', 'payees.get': 'payee'}}},
    ['envelopes.record'],
  ],
  ['another name of a field', {fields: {payouts: {payee_id: 'recipient_id'}}}, ['fields.payouts.payee_id']],
  [
    'names in camel case',
    {fields: {payouts: {payee_id: 'payeeId', currency_code: 'currencyCode', created_at: 'createdAt'}}},
    ['fields.payouts.payee_id', 'fields.payouts.currency_code', 'fields.payouts.created_at'],
  ],
  [
    'a field within an object',
    {fields: {payouts: {currency_code: 'money.currency_code'}}},
    ['fields.payouts.currency_code'],
  ],
  [
    'amounts in major units',
    {fields: {payouts: {amount_in_minor_units: 'amount'}}, units: {'payouts.amount_in_minor_units': 'major'}},
    ['fields.payouts.amount_in_minor_units'],
  ],
  [
    'amounts in cents',
    {
      fields: {payouts: {amount_in_minor_units: 'amount_minor'}},
      units: {'payouts.amount_in_minor_units': 'minor'},
    },
    ['fields.payouts.amount_in_minor_units'],
  ],
  [
    'amounts as numbers of major units',
    {units: {'payins.amount_in_minor_units': 'major-number'}},
    ['units.payins.amount_in_minor_units'],
  ],
  ['times in seconds', {units: {'payees.created_at': 'seconds'}}, ['units.payees.created_at']],
  ['times in milliseconds', {units: {'moves.created_at': 'milliseconds'}}, ['units.moves.created_at']],
  [
    'metadata under its plain name',
    {fields: {payins: {client_metadata: 'metadata'}}},
    ['fields.payins.client_metadata'],
  ],
  [
    'errors in an object',
    {errors: {code: 'fault.code', message: 'fault.text'}},
    ['errors.code', 'errors.message'],
  ],
  ['other error codes', {errors: {codes: {payout_missing: 'NOT_FOUND'}}}, ['errors.codes']],
  ['another header of the request id', {headers: {requestId: 'x-trace-id'}}, ['headers.requestId']],
];

/** Nouns that other services use for the same collections. */
const NOUNS = {
  payouts: ['payout', 'outgoing-payments', 'disbursements'],
  payins: ['payin', 'incoming-payments', 'collections'],
  subaccounts: ['sub-accounts', 'sub_accounts', 'virtual-accounts', 'virtual_accounts'],
  payees: ['payee', 'recipients', 'beneficiaries'],
  payers: ['payer', 'customers', 'debtors'],
};

describe('remit doctor, with a service that differs', () => {
  let service: DifferingService;
  before(async () => {
    service = await DifferingService.open();
    await service.fill();
  });
  after(() => service.sandbox.close());

  const doctor = (home: string, words: string[], more: Record<string, string> = {}) =>
    runCli(['doctor', ...words], {
      ...{service, clock: service.clock},
      env: {HOME: home, REMIT_API_KEY: service.sandbox.sandbox.testKey, REMIT_BASE_URL: BASE_URL, ...more},
    });

  for (const [what, dialect, checks] of DIFFERENCES)
    it(`finds ${what}, writes it, and finds no differences with the written file`, async () => {
      service.dialect = dialect;
      const home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
      const path = join(home, 'service.json');
      const ran = await doctor(home, ['--json', '--write', path]);
      assert.equal(ran.exitCode, 8, ran.stderr);
      const report = ran.json() as Report;
      const differing = report.checks.filter(({verdict}) => verdict === 'differs');
      assert.deepEqual(
        differing.map(({check, sure}) => [check, sure]).sort(),
        checks.map((check) => [check, true]).sort(),
      );
      assert.equal(report.written, path);
      assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), report.service);
      const again = await doctor(home, ['--json'], {REMIT_SERVICE_FILE: path});
      const left = (again.json() as Report).checks.filter(({verdict}) => verdict === 'differs');
      assert.deepEqual(left, []);
      assert.equal(again.exitCode, 0);
    });

  it('finds ids that are not UUIDs, and says so where they are', async () => {
    service.dialect = {};
    const idsOf = async () => {
      const ran = await doctor(mkdtempSync(join(tmpdir(), 'remit-doctor-')), ['--json']);
      return (ran.json() as Report).checks.find(({check}) => check === 'ids.payouts');
    };
    const usual = await idsOf();
    assert.deepEqual([usual?.verdict, usual?.evidence], ['holds', 'UUIDs']);
    service.twist = (answer) => ({
      ...answer,
      body: Buffer.from(answer.body.toString().replaceAll('"id":"', '"id":"po_')),
    });
    const other = await idsOf();
    service.twist = (same) => same;
    assert.deepEqual([other?.verdict, other?.write], ['differs', {ids: {format: 'any'}}]);
    assert.match(other?.evidence ?? '', /^ids are not UUIDs, such as "?po_/);
  });

  for (const at of [0, 1, 2, 3])
    it(`finds collections under other nouns: ${NOUNS.subaccounts[at]}`, async () => {
      const nouns = Object.entries(NOUNS).flatMap(([resource, words]) =>
        words[at] === undefined ? [] : [[resource, `GET /api/${words[at]}`] as const],
      );
      service.dialect = {
        routes: Object.fromEntries(
          nouns.flatMap(([resource, route]) => [
            [`${resource}.list`, route],
            [`${resource}.get`, `${route}/{id}`],
          ]),
        ),
      };
      const ran = await doctor(mkdtempSync(join(tmpdir(), 'remit-doctor-')), ['--json']);
      const {checks} = ran.json() as Report;
      for (const [resource, route] of nouns) {
        const id = `routes.${resource}.list`;
        const write = checks.find(({check}) => check === id)?.write;
        assert.equal(write?.routes?.[`${resource}.list` as OperationId], route);
      }
    });
});
