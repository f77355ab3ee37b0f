import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, describe, it} from 'mocha';
import type {Report} from '../../../src/cli/doctor/report.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import type {SandboxService} from '../../commands/sandbox-service.ts';
import {BASE_URL, runCli} from '../run-cli.ts';
import {filledSandbox} from './filled-sandbox.ts';

/** Services with differences that hide each other. The sandbox refuses every request in another form. */
const DIALECTS: readonly (readonly [what: string, dialect: ServiceFile])[] = [
  [
    'another prefix, ids, statuses and amounts',
    {
      prefixes: {api: '/v1'},
      ids: {format: 'any'},
      fields: {
        payouts: {
          id: 'payout_id',
          status: 'state',
          amount_in_minor_units: 'amount',
          currency_code: 'currency',
        },
        payees: {id: 'payee_id'},
      },
      units: {'payouts.amount_in_minor_units': 'major', 'payouts.created_at': 'seconds'},
      envelopes: {record: 'result', list: 'items', next: 'page.next', more: 'page.has_more'},
      errors: {code: 'fault.kind', message: 'fault.text'},
      headers: {requestId: 'x-trace-id'},
    },
  ],
  [
    'a small page of another name, and other words of order',
    {
      paging: {
        ...{max: 2, limit: 'page_size', cursor: 'after'},
        order: {name: 'sort', asc: 'oldest', desc: 'newest'},
      },
      envelopes: {list: 'results', next: 'after', more: 'has_more'},
      fields: {payins: {payer_id: 'customer_id', rail: 'network', client_metadata: 'tags'}},
    },
  ],
  [
    'other nouns and other error codes',
    {
      prefixes: {treasury: '/bank', webhookEndpoints: '/api/webhooks'},
      routes: {
        'payees.list': 'GET /api/recipients',
        'payees.get': 'GET /api/recipients/{id}',
        'moves.list': 'GET /api/moves',
        'moves.get': 'GET /api/moves/{move_id}',
      },
      fields: {moves: {source_subaccount_id: 'from_id', destination_subaccount_id: 'to_id'}},
      units: {'moves.amount_in_minor_units': 'major-number', 'payees.created_at': 'milliseconds'},
      errors: {code: 'reason', codes: {gone: 'NOT_FOUND'}},
      webhooks: {active: 'enabled'},
    },
  ],
];

describe('remit doctor --write, with differences that hide each other', function () {
  let service: SandboxService | undefined;
  afterEach(async () => {
    await service?.sandbox.close();
    service = undefined;
  });

  for (const [what, dialect] of DIALECTS)
    it(`writes a complete file in one run: ${what}`, async () => {
      service = await filledSandbox(dialect);
      const home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
      const env = {HOME: home, REMIT_API_KEY: service.testKey, REMIT_BASE_URL: BASE_URL};
      const path = join(home, 'service.json');
      const {clock} = service;
      const remit = (words: string[], more: Record<string, string> = {}) =>
        runCli(words, {service: service!, clock, env: {...env, ...more}});
      const ran = await remit(['doctor', '--json', '--write', path]);
      assert.equal(ran.exitCode, 8, ran.stderr);
      const {checks} = ran.json() as Report;
      const open = checks.filter(({verdict, sure}) => verdict === 'differs' && sure !== true);
      assert.deepEqual(open, []);
      const again = await remit(['doctor', '--json'], {REMIT_SERVICE_FILE: path});
      const left = (again.json() as Report).checks.filter(({verdict}) => verdict === 'differs');
      assert.deepEqual(left, [], readFileSync(path, 'utf8'));
      assert.equal(again.exitCode, 0);
      for (const line of ['payouts list --all --order asc', 'payees list', 'moves list', 'transfers list']) {
        const listed = await remit(line.split(' '), {REMIT_SERVICE_FILE: path});
        assert.equal(listed.exitCode, 0, `${line}: ${listed.stderr}`);
      }
    });
});
