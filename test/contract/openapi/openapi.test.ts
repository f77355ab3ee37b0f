import assert from 'node:assert/strict';
import {before, describe, it} from 'mocha';
import {createConfig, lintFromString} from '@redocly/openapi-core';
import {openApiDocument} from '../../../src/contract/openapi/openapi.ts';
import {sandboxOpenApi} from '../../../src/sandbox/control/openapi.ts';
import {EVENT_TYPES} from '../../../src/contract/events.ts';
import {allOperations} from '../../../src/contract/operations/operations.ts';
import {readText} from '../../repo/tree.ts';

type Json = Record<string, unknown>;
type Responses = Record<string, {content?: Record<string, {schema: Json}>; $ref?: string}>;
interface PathOperation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Json[];
  requestBody?: {required: boolean};
  responses: Responses;
  'x-origin': Json;
}

let document: Json;
let paths: Record<string, Record<string, PathOperation>>;
let schemas: Record<string, Json>;

/** Findings of a linter that knows nothing of this project, with its recommended rules. */
async function lint(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // The document's own approve route puts /subaccounts/move beside /subaccounts/{id}; ids are UUIDs, never "move".
    rules: {'no-ambiguous-paths': 'off'},
  });
  const problems = await lintFromString({source, absoluteRef: 'openapi.json', config});
  return problems.map(({ruleId, message, location}) => `${ruleId}: ${message} at ${location[0]?.pointer}`);
}

describe('the OpenAPI document', () => {
  // Not at the top of the file: there mocha would report a field without an origin as a syntax error.
  before(() => {
    document = openApiDocument();
    paths = document['paths'] as typeof paths;
    schemas = (document['components'] as {schemas: typeof schemas}).schemas;
  });

  it('passes a linter that is not ours', async () => {
    assert.equal((await lint(JSON.stringify(document))).join('\n'), '');
  });

  it('is caught by that linter when it is wrong', async () => {
    const broken = structuredClone(document) as Json & {components: {schemas: Json}};
    delete broken.components.schemas['Payout'];
    broken['security'] = [{nothing: []}];
    const findings = await lint(JSON.stringify(broken));
    for (const rule of ['no-unresolved-refs', 'security-defined'])
      assert.ok(
        findings.some((finding) => finding.startsWith(rule)),
        rule,
      );
  });

  it('has every operation of the contract at its path, with its statuses, and no other', () => {
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== 'parameters')
        .map(([method, one]) => [
          one.operationId,
          `${method.toUpperCase()} ${path}`,
          Object.keys(one.responses).filter((status) => status < '300'),
          one['x-origin'],
          one.requestBody !== undefined,
        ]),
    );
    const declared = allOperations().map(({id, operation: {method, path, ok, origin, body}}) => [
      id,
      `${method} ${path}`,
      Object.keys(ok),
      origin,
      body !== undefined,
    ]);
    assert.deepEqual(described.sort(), declared.sort());
  });

  it('has the idempotency key where the contract has it, and pages of 1 to 100 items, 20 by default', () => {
    const withKey = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .filter(({parameters}) => JSON.stringify(parameters ?? []).includes('IdempotencyKey'));
    assert.deepEqual(
      withKey.map(({operationId}) => operationId),
      ['payins.create', 'payouts.create'],
    );
    const limit = paths['/api/payouts']!['get']!.parameters!.find(({name}) => name === 'limit');
    assert.deepEqual(limit?.['schema'], {type: 'integer', minimum: 1, maximum: 100, default: 20});
  });

  it('requires a warning of every 207', () => {
    const warned = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .filter(({responses}) => responses?.['207'] !== undefined);
    assert.ok(warned.length >= 4);
    for (const {operationId, responses} of warned)
      assert.match(JSON.stringify(responses['207']), /"required":\["warning"\]/, operationId);
  });

  it('refuses unknown fields in bodies and keeps answers open', () => {
    for (const branch of schemas['PayoutCreate']!['anyOf'] as Json[])
      assert.equal(branch['additionalProperties'], false);
    assert.equal('additionalProperties' in schemas['Payout']!, false);
  });

  it('requires an amount in a form that generators keep: a complete object for each way to state it', () => {
    for (const [name, party] of [
      ['PayoutCreate', 'payee_id'],
      ['PayinCreate', 'payer_id'],
    ] as const) {
      const {anyOf, description, ...rest} = schemas[name] as {anyOf: Json[]; description: string};
      assert.deepEqual(rest, {});
      assert.match(description, /At least one of amount_in_minor_units and amount_in_cents is required/);
      for (const [index, field] of ['amount_in_minor_units', 'amount_in_cents'].entries()) {
        const {type, required, properties} = anyOf[index] as {
          type: string;
          required: string[];
          properties: Json;
        };
        assert.deepEqual([type, required], ['object', [party, field]]);
        const {$ref} = properties[field] as {$ref?: string};
        assert.equal($ref, '#/components/schemas/AmountMinor', 'null is not enough');
        assert.ok('rail' in properties && 'scheduled_date' in properties);
      }
    }
  });

  it('describes every operation, in more words than its summary', () => {
    const all = Object.values(sandboxOpenApi()['paths'] as typeof paths).flatMap((item) =>
      Object.values(item),
    );
    const operations = all.filter(({operationId}) => operationId !== undefined);
    assert.ok(operations.length > 70);
    for (const {operationId, summary, description} of operations) {
      assert.match(description ?? '', /^[A-Z].{30,}\.$/s, operationId);
      assert.notEqual(description, summary, operationId);
    }
  });

  it('says the limits of metadata as JSON Schema', () => {
    const {description, ...limits} = schemas['Metadata']!;
    assert.match(String(description), /16384 bytes/);
    assert.deepEqual(limits, {
      type: 'object',
      maxProperties: 50,
      propertyNames: {type: 'string', minLength: 1, maxLength: 40},
      additionalProperties: {type: 'string', maxLength: 500},
    });
  });

  it('marks each field of a request as given or assumed', () => {
    const [{properties}] = schemas['PayoutCreate']!['anyOf'] as [{properties: Record<string, Json>}];
    assert.deepEqual(properties['metadata']!['x-origin'], {kind: 'assumed', row: 51});
    assert.deepEqual(properties['payee_id']!['x-origin'], {kind: 'given', section: 'Payout'});
    assert.match(JSON.stringify(schemas['PayerPaymentMethodAdd']), /"account_number":\{.{1,60}"x-origin"/);
  });

  it('has the six events of the interface document, signed', () => {
    const webhooks = document['webhooks'] as Record<string, {post: {parameters: Json[]; requestBody: Json}}>;
    assert.deepEqual(Object.keys(webhooks), Object.keys(EVENT_TYPES));
    assert.equal(Object.keys(webhooks).length, 6);
    for (const [type, {post}] of Object.entries(webhooks)) {
      assert.deepEqual(
        post.parameters.map(({name, required}) => [name, required]),
        [
          ['X-Webhook-Signature', true],
          ['X-Webhook-Timestamp', true],
        ],
      );
      assert.ok(JSON.stringify(post.requestBody).includes(JSON.stringify({const: type})), type);
    }
  });

  it('can name the server that it is served by', () => {
    assert.deepEqual(openApiDocument('http://127.0.0.1:4010')['servers'], [{url: 'http://127.0.0.1:4010'}]);
  });
});

describe('generated reference files', () => {
  it('are what the contract says now', async () => {
    const script: string = '../../../bin/generate.mjs'; // without types of its own: they are said here
    const {generatedFiles} = (await import(script)) as {
      generatedFiles: () => Promise<[path: string, text: string][]>;
    };
    for (const [path, text] of await generatedFiles())
      assert.ok(readText(path) === text, `${path} is stale: npm run generate, and commit it`);
  });
});
