import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {stringify} from 'yaml';
import type {Report} from '../../../../src/cli/doctor/report.ts';
import type {ServiceFile} from '../../../../src/service/service-file.ts';
import {OpenApiDocument} from '../../../../src/cli/doctor/openapi/document.ts';
import {sampleOf} from '../../../../src/cli/doctor/openapi/sample.ts';
import {answer} from '../../../client/transport/fake-transport.ts';
import {BASE_URL, runCli, TEST_KEY} from '../../run-cli.ts';
import {readText} from '../../../repo/tree.ts';
import {DifferingService} from '../differing-service.ts';

const OWN = readText('docs/reference/openapi.json');

/** The document of a service with other names and paths, derived from ours. */
const OTHER = OWN.replaceAll('"/api/', '"/v1/')
  .replaceAll('/v1/payees', '/v1/recipients')
  .replaceAll('/payouts/{id}/approve', '/payouts/{payout_id}/release')
  .replaceAll('"data"', '"items"')
  .replaceAll('"next_cursor"', '"next_page"')
  .replaceAll('"payee_id"', '"recipient_id"')
  .replaceAll('"Idempotency-Key"', '"X-Idempotency-Key"')
  .replaceAll('"maximum": 100,', '"maximum": 50,')
  .replaceAll('"operationId": "', '"operationId": "op_')
  .replaceAll('"error_code"', '"fault_code"');

describe('remit doctor --openapi', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const doctor = async (source: string, words: string[] = []) => {
    const ran = await runCli(['doctor', '--openapi', source, '--json', ...words], {
      service: ({path, headers}) => {
        assert.equal(headers['x-api-key'], undefined, 'the key is not sent with the document');
        return path === '/openapi.json' ? answer(200, OWN) : answer(404, {});
      },
      env: {HOME: folder, REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
    });
    const isReport = ran.exitCode === 0 || ran.exitCode === 8;
    const report = isReport ? (ran.json() as Report) : undefined;
    const of = (verdict: string) =>
      report!.checks
        .filter((one) => one.verdict === verdict)
        .map(({check, evidence}) => `${check}: ${evidence}`);
    return {ran, report: report!, of};
  };

  it('finds no differences in the document of the sandbox', async () => {
    for (const source of [write('own.json', OWN), `${BASE_URL}/openapi.json`]) {
      const {ran, report, of} = await doctor(source);
      assert.deepEqual(of('differs'), []);
      assert.equal(ran.exitCode, 0);
      assert.deepEqual(report.service, {});
      const routes = report.checks.filter(({check}) => check.startsWith('routes.'));
      assert.deepEqual(
        routes.filter(({verdict}) => verdict !== 'holds').map(({check}) => check),
        [],
      );
    }
  });

  describe('of a service with other names and paths', () => {
    let service: DifferingService;
    before(async () => {
      service = await DifferingService.open();
      await service.fill();
    });
    after(() => service.sandbox.close());

    it('shows what it matched, and writes a file that the service can be read with', async () => {
      const path = join(folder, 'service.json');
      const {ran, report, of} = await doctor(write('other.json', OTHER), ['--write', path]);
      assert.equal(ran.exitCode, 8);
      const file = JSON.parse(readFileSync(path, 'utf8')) as ServiceFile;
      assert.equal(file.prefixes?.api, '/v1');
      assert.equal(file.routes?.['payees.list'], 'GET /v1/recipients');
      assert.equal(file.envelopes?.list, 'items');
      assert.equal(file.envelopes?.next, 'next_page');
      assert.equal(file.paging?.max, 50);
      assert.equal(file.fields?.['payouts']?.['payee_id'], 'recipient_id');
      assert.equal(file.keys?.header, 'X-Idempotency-Key');
      assert.equal(file.errors?.code, 'fault_code');
      const approve = report.checks.find(({check}) => check === 'routes.payouts.approve')!;
      assert.deepEqual(approve.write, {routes: {'payouts.approve': 'POST /v1/payouts/{id}/release'}});
      assert.equal(approve.sure, false, 'another word for approve is only a proposal');
      assert.match(approve.evidence, /\(other words\)/);
      assert.equal(of('differs').length > 5, true);
      service.dialect = {...file, keys: {header: 'X-Idempotency-Key'}};
      const again = await runCli(['doctor', '--json'], {
        ...{service, clock: service.clock},
        env: {
          HOME: folder,
          REMIT_API_KEY: service.sandbox.sandbox.testKey,
          REMIT_BASE_URL: BASE_URL,
          REMIT_SERVICE_FILE: path,
        },
      });
      const left = (again.json() as Report).checks.filter(({verdict}) => verdict === 'differs');
      assert.deepEqual(left, []);
    });

    it('reads YAML as well', async () => {
      const {report} = await doctor(write('other.yaml', stringify(JSON.parse(OTHER))));
      assert.equal(report.service.prefixes?.api, '/v1');
    });
  });

  it('refuses a broken document and says why', async () => {
    for (const [name, text, why] of [
      ['cut.json', OWN.slice(0, 5000), /neither JSON nor YAML/],
      ['two.json', '{"swagger": "2.0", "paths": {}}', /not an OpenAPI 3 document/],
      ['empty.json', '{"openapi": "3.1.0", "paths": {}}', /has no paths/],
    ] as const) {
      const {ran} = await doctor(write(name, text));
      assert.equal(ran.exitCode, 5, name);
      assert.match(ran.error().message, why);
    }
    const {ran} = await doctor(join(folder, 'absent.json'));
    assert.equal(ran.exitCode, 5);
    assert.equal((await doctor('http://example.com/openapi.json')).ran.exitCode, 5);
  });

  it('ignores references to missing schemas and to themselves', async () => {
    const odd = JSON.parse(OWN) as {components: {schemas: Record<string, unknown>}};
    odd.components.schemas['Payout'] = {$ref: '#/components/schemas/Payout'};
    odd.components.schemas['Payee'] = {$ref: '#/components/schemas/Absent'};
    odd.components.schemas['Payer'] = {
      type: 'object',
      properties: {self: {$ref: '#/components/schemas/Payer'}},
    };
    const {ran} = await doctor(write('odd.json', JSON.stringify(odd)));
    assert.ok([0, 8].includes(ran.exitCode), ran.stderr);
  });

  const names = (count: number) => Array.from({length: count}, (_, at) => `field_${at}`);
  const ref = (name: string) => ({$ref: `#/components/schemas/${name}`});
  const fieldsOf = (name: string, count = 40) => ({
    type: 'object',
    properties: Object.fromEntries(names(count).map((field) => [field, ref(name)])),
  });
  const levels = (schemaOf: (next: string) => unknown, deepest: unknown) => ({
    ...Object.fromEntries(names(30).map((_, at) => [at === 0 ? 'Payout' : `L${at}`, schemaOf(`L${at + 1}`)])),
    L30: deepest,
  });
  for (const [what, schemas] of [
    ['40 fields with itself', {Payout: fieldsOf('Payout')}],
    [
      'fields with one another',
      {Payout: fieldsOf('Payee'), Payee: fieldsOf('Payer'), Payer: fieldsOf('Payout')},
    ],
    ['40 fields with 40 fields, 30 times', levels((next) => fieldsOf(next), {type: 'string'})],
    ['itself in allOf', {Payout: {allOf: [ref('Payout')]}}],
    ['itself in allOf of another', {Payout: {allOf: [ref('Payee')]}, Payee: {allOf: [ref('Payout')]}}],
    ['the same schema twice in allOf, 30 times', levels((next) => ({allOf: [ref(next), ref(next)]}), {})],
    ['itself in oneOf', {Payout: {oneOf: [ref('Payout')]}}],
    ['itself in anyOf and allOf', {Payout: {anyOf: [{allOf: [ref('Payout')]}]}}],
    ['itself in its items', {Payout: {type: 'array', items: ref('Payout')}}],
  ] as const)
    it(`reads a schema that contains ${what}`, async () => {
      const odd = JSON.parse(OWN) as {components: {schemas: Record<string, unknown>}};
      Object.assign(odd.components.schemas, schemas);
      const {ran} = await doctor(write('cyclic.json', JSON.stringify(odd)));
      assert.ok([0, 8].includes(ran.exitCode), ran.stderr);
    });

  it('keeps the fields beside a schema within itself, and reads both records of a list', () => {
    const record = {
      type: 'object',
      properties: {large: ref('Large'), again: ref('Record'), id: {type: 'string'}},
    };
    const large = {type: 'object', properties: {...fieldsOf('L1').properties}};
    const document = new OpenApiDocument(
      {
        openapi: '3.1.0',
        paths: {'/a': {get: {}}},
        components: {schemas: {Record: record, Large: large, ...levels((next) => fieldsOf(next), {})}},
      },
      'test',
    );
    const list = sampleOf(document, {type: 'array', items: ref('Record')});
    assert.ok(Array.isArray(list));
    assert.deepEqual(
      list.map(({id, again}: {id: unknown; again: unknown}) => [id, again]),
      [
        ['0192a000-0000-7000-8000-000000000001', null],
        ['0192a000-0000-7000-8000-000000000002', null],
      ],
    );
    const choice = {oneOf: [ref('Choice'), {type: 'boolean'}]};
    const other = {openapi: '3.1.0', paths: {'/a': {get: {}}}, components: {schemas: {Choice: choice}}};
    assert.equal(sampleOf(new OpenApiDocument(other, 'test'), ref('Choice')), false);
  });

  it('takes the type of a value from a list of types, or from what its schema has', () => {
    const of = (schema: unknown) =>
      sampleOf(new OpenApiDocument({openapi: '3.1.0', paths: {'/a': {get: {}}}}, 'test'), schema);
    assert.equal(of({type: ['null', 'boolean']}), false);
    assert.equal(of({type: ['null', 'integer'], properties: {}}), 12_550);
    assert.deepEqual(of({properties: {live: {type: 'boolean'}}}), {live: false});
    assert.deepEqual(of({items: {type: 'boolean'}}), [false, false]);
    assert.equal(typeof of({}), 'string');
    assert.equal(typeof of({type: ['null']}), 'string');
  });
});
