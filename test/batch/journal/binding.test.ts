import assert from 'node:assert/strict';
import {isCredentialHeader} from '../../../src/service/credential-headers.ts';
import {checkBinding} from '../../../src/batch/journal/binding.ts';
import {RemitError} from '../../../src/errors.ts';
import type {Bench, RunArguments} from '../harness.ts';
import {planned} from '../planned.ts';
import {spoken} from '../../service/spoken.ts';
import type {SeenRequest, TruthService} from '../truth-service.ts';

const isBound =
  (words: RegExp) =>
  (error: unknown): boolean =>
    error instanceof RemitError &&
    error.code === 'GUARD_BINDING' &&
    error.exitCode === 11 &&
    words.test(error.message);

describe('the binding of a batch', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(async () => ({bench, service} = await planned(3)));
  afterEach(() => bench.remove());

  const refuses = async (given: RunArguments, words: RegExp) => {
    const before = service.requests.length;
    await assert.rejects(bench.run(service, given), isBound(words));
    assert.equal(service.requests.length, before, 'nothing is sent');
  };

  it('is to a mode, an address and a test key, once something was accepted', async () => {
    await bench.run(service, {path: 'stage-only'});
    await refuses({mode: 'live', key: 'live_key'}, /another mode/);
    await refuses({baseUrl: 'https://other.test'}, /another base URL/);
    await refuses({key: 'test_other'}, /another test key/);
    assert.equal((await bench.run(service)).accepted, 3);
  });

  describe('to an address that was wrong', () => {
    const runAgain = 'remit payouts batch run payouts.csv --batch-id b1-2';
    const hint = (batchId = 'b1') =>
      bench.inJournal(({journal, plan}) => {
        try {
          const to = {mode: 'test', keyFingerprint: '', runAgain} as const;
          checkBinding(journal, plan, {...to, baseUrl: 'https://right.test'});
        } catch (error) {
          return (error as RemitError).hint;
        }
        return assert.fail('it is not bound');
      }, batchId);

    it('names the run at the right address if no row was accepted', async () => {
      service.fault = () => ({status: 404, body: {message: 'no route'}});
      await bench.run(service);
      assert.match(
        (await hint())!,
        /no row was accepted at https:\/\/api\.test.*run payouts\.csv --batch-id b1-2$/,
      );
    });

    it('names no run if another batch has paid its rows there', async () => {
      await bench.run(service);
      await bench.plan(bench.payouts(3), {batchId: 'b2'});
      await bench.run(service, {batchId: 'b2'});
      assert.match(
        (await hint('b2'))!,
        /^another batch has paid 3 rows of it at https:\/\/api\.test, so another address would pay/,
      );
    });

    it('reports rows sent there if nothing readable came back', async () => {
      service.fault = () => 'not-json';
      await bench.run(service);
      assert.match((await hint())!, /nothing there answered as the service does.*--batch-id b1-2$/);
    });

    it('names no run if records were created there', async () => {
      await bench.run(service, {path: 'stage-only'});
      assert.match(
        (await hint())!,
        /it has records at https:\/\/api\.test, so another address would pay.*; use the key and base URL/,
      );
    });
  });

  it('is kept by a command with the profile of the last run, if another one is active', async () => {
    await bench.run(service, {path: 'stage-only'});
    const hint = (profileInForce: string | undefined, lastRunWith: string | null) =>
      bench.inJournal(({journal, plan}) => {
        journal.setFact('typedProfile', lastRunWith);
        const to = {
          mode: 'test',
          baseUrl: 'https://api.test',
          keyFingerprint: 'other',
        } as const;
        const withProfile = (profile: string) => `remit payouts batch resume b1 -p ${profile}`;
        try {
          checkBinding(journal, plan, {...to, withProfile, profileInForce});
        } catch (error) {
          return (error as RemitError).hint!;
        }
        return assert.fail('it is not bound');
      });
    assert.equal(
      await hint('other', 'acme'),
      'use the profile that the batch was last run with: remit payouts batch resume b1 -p acme',
    );
    for (const [profileInForce, lastRunWith] of [
      ['acme', 'acme'],
      [undefined, null],
    ] as const)
      assert.match(
        await hint(profileInForce, lastRunWith),
        /^use the test key that the batch was started with/,
      );
  });

  it('does not hold a live key, which may be rotated', async () => {
    await bench.run(service, {path: 'stage-only', mode: 'live', key: 'live_one'});
    assert.equal((await bench.run(service, {mode: 'live', key: 'live_two'})).accepted, 3);
  });

  it('begins, for a test key, with the first success: a key that never worked does not bind', async () => {
    service.fault = () => ({status: 401, body: {error_code: 'AUTHENTICATION_ERROR', message: 'no'}});
    const refused = await bench.run(service, {key: 'test_former'});
    assert.deepEqual([refused.stopped_because?.reason, refused.not_sent], ['credentials', 3]);
    await refuses({key: 'test_key', baseUrl: 'https://other.test'}, /another base URL/);
    service.fault = () => undefined;
    await bench.run(service, {key: 'test_key', path: 'stage-only'});
    await refuses({key: 'test_former'}, /another test key/);
    assert.equal((await bench.run(service, {key: 'test_key'})).accepted, 3);
  });

  for (const [title, file, words] of [
    [
      'another header',
      {keys: {header: 'x-key'}},
      /another form of idempotency keys.*default.*x-key, any, any length/,
    ],
    ['another format', {keys: {format: 'uuid'}}, /another form of idempotency keys/],
    ['a shorter key', {keys: {maxLength: 36}}, /another form of idempotency keys/],
    ['another metadata key', {metadata: {reference: 'ref'}}, /another metadata key of the reference/],
    ['another metadata field', {fields: {payouts: {metadata: 'tags'}}}, /another name of the metadata field/],
  ] as const)
    it(`is to what makes a key and a body: a service file with ${title} is refused in mid-batch`, async () => {
      await bench.run(service, {path: 'stage-only'});
      await refuses({service: file}, words);
      assert.equal((await bench.run(service)).accepted, 3);
    });

  const MAJOR = {
    fields: {payouts: {amount_in_minor_units: 'amount'}},
    units: {'payouts.amount_in_minor_units': 'major'},
  } as const;

  for (const [title, key, file] of [
    ['another unit', 'units.payouts.amount_in_minor_units', {units: MAJOR.units}],
    ['another name of the amount', 'fields.payouts.amount_in_minor_units', MAJOR],
    [
      'another name of the amount in creates',
      'fields.payouts.amount_in_minor_units',
      {fields: {'payouts.create': {amount_in_minor_units: 'cents'}}},
    ],
    [
      'another name of the currency',
      'fields.payouts.currency_code',
      {fields: {payouts: {currency_code: 'currency'}}},
    ],
    ['another route', 'routes.payouts.create', {routes: {'payouts.create': 'POST /v1/payouts'}}],
    ['another prefix', 'routes.payouts.create', {prefixes: {api: '/v1'}}],
  ] as const)
    it(`is to what is sent: a service file with ${title} is refused in mid-batch, with its key`, async () => {
      await bench.run(service, {path: 'stage-only'});
      const bound = new RegExp(`bound to ${key} of the service file, which was not set.* and is .* now`);
      for (const path of ['release', 'stage-and-release'] as const)
        await refuses({service: file, path}, bound);
      assert.equal((await bench.run(service)).accepted, 3);
    });

  describe('to the headers that a service file adds', () => {
    const ACME = {headers: {send: {'X-Tenant': 'acme'}}} as const;

    for (const [title, file, since] of [
      ['another value', {headers: {send: {'X-Tenant': 'globex'}}}, 'changed'],
      ['none', {}, 'been removed'],
      ['one more', {headers: {send: {'X-Tenant': 'acme', 'x-region': 'eu'}}}, 'been added'],
    ] as const)
      it(`refuses ${title} in mid-batch, and shows no value`, async () => {
        await bench.run(service, {service: ACME, path: 'stage-only'});
        const name = since === 'been added' ? 'x-region' : 'x-tenant';
        const words = new RegExp(
          `bound to headers\\.send\\.${name} of the service file, which has ${since} since`,
        );
        for (const path of ['release', 'stage-and-release'] as const)
          await refuses({service: file, path}, words);
        await assert.rejects(bench.run(service, {service: file}), (error: RemitError) => {
          assert.doesNotMatch(JSON.stringify([error.message, error.hint, error.details]), /acme|globex/);
          assert.match(
            error.hint!,
            /set headers\.send\.\S+ back.*cancel the batch with remit payouts batch cancel b1/,
          );
          return true;
        });
        assert.equal((await bench.run(service, {service: ACME})).accepted, 3);
      });

    it('does not depend on the case or the order of their names', async () => {
      const two = (send: Record<string, string>) => ({service: {headers: {send}}});
      await bench.run(service, {...two({'X-Tenant': 'acme', 'x-region': 'eu'}), path: 'stage-only'});
      assert.equal((await bench.run(service, two({'x-region': 'eu', 'x-tenant': 'acme'}))).accepted, 3);
    });

    it('is to the name alone of a credential, which may be rotated', async () => {
      const gateway = (name: string, value: string) => ({service: {headers: {send: {[name]: value}}}});
      await bench.run(service, {...gateway('x-gateway-token', 'one'), path: 'stage-only'});
      await refuses(gateway('x-other-token', 'one'), /bound to headers\.send\.x-gateway-token/);
      assert.equal((await bench.run(service, gateway('x-gateway-token', 'two'))).accepted, 3);
    });

    it('includes the value of a header that only sounds like a credential, because it may choose who pays', async () => {
      for (const name of ['x-tenant-key', 'x-auth-tenant', 'x-session-region'])
        assert.ok(!isCredentialHeader(name), name);
      const tenant = (value: string) => ({service: {headers: {send: {'x-tenant-key': value}}}});
      await bench.run(service, {...tenant('acme'), path: 'stage-only'});
      await refuses(tenant('other'), /bound to headers\.send\.x-tenant-key/);
    });

    it('stores no value', async () => {
      await bench.run(service, {service: ACME, path: 'stage-only'});
      const stored = await bench.inJournal(({journal}) => Promise.resolve(journal.fact('binding')));
      assert.deepEqual(Object.keys(stored?.headers ?? {}), ['x-tenant']);
      assert.doesNotMatch(JSON.stringify(stored), /acme/);
    });

    it('begins with the next run of a batch of an earlier version, which has stored none', async () => {
      await bench.run(service, {service: ACME, path: 'stage-only'});
      await bench.inJournal(({journal}) => {
        const former = {...journal.fact('binding')!};
        delete former.headers;
        journal.setFact('binding', former);
        return Promise.resolve();
      });
      const other = {headers: {send: {'x-tenant': 'globex'}}} as const;
      await bench.run(service, {service: other, path: 'stage-only'});
      await refuses({service: ACME}, /headers\.send\.x-tenant/);
      assert.equal((await bench.run(service, {service: other})).accepted, 3);
    });

    it('ends when nothing is left to send', async () => {
      await bench.run(service, {service: ACME});
      assert.equal((await bench.run(service)).posts, 0);
    });
  });

  it('is to a unit that was set before: its removal is refused as well, with the way out', async () => {
    const transport = spoken(service.transport(), MAJOR);
    await bench.run(service, {service: MAJOR, transport, path: 'stage-only'});
    await assert.rejects(bench.run(service), (error: RemitError) => {
      assert.match(
        error.message,
        /fields\.payouts\.amount_in_minor_units .*was amount .* is not set now; nothing/,
      );
      assert.match(error.hint!, /set it back, cancel the batch with remit payouts batch cancel b1/);
      return true;
    });
    const minor = {...MAJOR, units: {'payouts.amount_in_minor_units': 'minor'}} as const;
    await refuses({service: minor}, /units\.payouts\.amount_in_minor_units .*was major .* is not set now/);
    const {canceled} = await bench.run(service, {service: MAJOR, transport, path: 'cancel'});
    assert.deepEqual([canceled, service.paid.length], [3, 0]);
  });

  it('to what is sent ends when nothing is left to send', async () => {
    await bench.run(service);
    const {accepted, posts} = await bench.run(service, {service: MAJOR});
    assert.deepEqual([accepted, posts], [3, 0]);
  });

  it('allows a route to be corrected until the service has answered', async () => {
    service.fault = ({path}) => (path === '/api/payouts' ? 'not-json' : undefined);
    assert.ok((await bench.run(service)).in_doubt > 0);
    service.fault = () => undefined;
    const file = {routes: {'payouts.create': 'PUT /v1/payouts'}} as const;
    const right = {service: file, transport: spoken(service.transport(), file)};
    await bench.run(service, {...right, path: 'stage-only'});
    await refuses({}, /bound to routes\.payouts\.create .*was PUT \/v1\/payouts/);
    assert.equal((await bench.run(service, right)).accepted, 3);
    assert.equal(service.paid.length, 3);
  });

  it('allows the rest of a service file to be corrected', async () => {
    await bench.run(service, {path: 'stage-only'});
    const file = {
      routes: {'payouts.get': 'GET /v1/payout'},
      fields: {payouts: {client_metadata: 'labels', created_at: 'at'}},
      statuses: {payouts: {NEW: 'created'}},
    } as const;
    const given = {service: file, transport: spoken(service.transport(), file)};
    assert.equal((await bench.run(service, given)).accepted, 3);
  });

  it('allows a service file to be corrected while no row may have been accepted', async () => {
    service.fault = () => ({status: 400, body: {message: 'the idempotency key must be a UUID'}});
    assert.equal((await bench.run(service)).not_sent, 3);
    service.fault = () => undefined;
    const uuids = {service: {keys: {format: 'uuid'}}} as const;
    await bench.run(service, {...uuids, path: 'stage-only'});
    await refuses({}, /another form of idempotency keys/);
    assert.equal((await bench.run(service, uuids)).accepted, 3);
    assert.match(service.paid[0]!.key, /^[0-9a-f-]{14}8/);
  });

  it('is not made by rows that another batch has paid', async () => {
    await bench.run(service, {key: 'test_one'});
    await bench.plan(bench.payouts(3), {batchId: 'b2'});
    for (const key of ['test_one', 'test_two'])
      assert.equal((await bench.run(service, {batchId: 'b2', key})).already_paid, 3);
  });

  it('applies as soon as one row may have been accepted, even without a success', async () => {
    const lost = (request: SeenRequest) => (request.n <= 8 ? ('lost-after' as const) : undefined);
    service.fault = (request) => lost(request) ?? {status: 401, body: {error_code: 'AUTHENTICATION_ERROR'}};
    const doubtful = await bench.run(service, {key: 'test_former'});
    assert.ok(doubtful.in_doubt > 0);
    await refuses({key: 'test_key'}, /another test key/);
  });
});
