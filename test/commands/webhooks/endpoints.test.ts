import assert from 'node:assert/strict';
import {existsSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {BASE_URL, LIVE_KEY, runCli, scratch, TEST_KEY} from '../../cli/run-cli.ts';
import {answer, lost} from '../../client/transport/fake-transport.ts';
import {page} from '../fixtures.ts';

const ID = '0192a000-0000-7000-8000-000000000041';
const SECRET = 'whsec_0123456789abcdef0123456789abcdef';
const URL_ = 'https://example.com/hooks';
const CREATE = `webhooks endpoints create --url ${URL_} --event-types payout.settled,payin.failed`.split(' ');

const endpoint = (changes: Record<string, unknown> = {}) => ({
  id: ID,
  url: URL_,
  event_types: ['payout.settled', 'payin.failed'],
  is_active: true,
  description: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ...changes,
});
const created = answer(201, endpoint({signing_secret: SECRET}));

describe('webhooks endpoints create', () => {
  it('sends the fields of the contract, and shows the secret once', async () => {
    const text = await runCli(CREATE, {service: [created]});
    assert.equal(text.exitCode, 0, text.stderr);
    assert.deepEqual(JSON.parse(text.requests[0]!.body!), {
      url: URL_,
      event_types: ['payout.settled', 'payin.failed'],
    });
    assert.match(text.stdout, new RegExp(`^Signing secret\t${SECRET}$`, 'm'));
    assert.doesNotMatch(text.stderr, new RegExp(SECRET));
    const json = await runCli([...CREATE, '--json', '--debug'], {service: [created]});
    assert.equal((json.json() as {signing_secret: string}).signing_secret, SECRET);
    assert.doesNotMatch(json.stderr, new RegExp(SECRET), 'not even among the redacted HTTP');
  });

  it('exits 8 and names the event types that the endpoint did not get', async () => {
    const fewer = answer(201, endpoint({signing_secret: SECRET, event_types: ['payout.settled']}));
    for (const extra of [[], ['--secret-file', join(scratch(), 'hook.secret')]]) {
      const ran = await runCli([...CREATE, ...extra], {service: [fewer]});
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(
        ran.stderr,
        new RegExp(`^Warning: webhook endpoint ${ID} is not as requested: .*event_types`, 'm'),
      );
      assert.match(ran.stderr, new RegExp(`^Hint: remit webhooks endpoints get ${ID}$`, 'm'));
    }
    const reordered = answer(
      201,
      endpoint({signing_secret: SECRET, event_types: ['payin.failed', 'payout.settled']}),
    );
    assert.equal((await runCli(CREATE, {service: [reordered]})).exitCode, 0);
  });

  it('writes the secret to a new file of mode 0600 instead', async () => {
    const cwd = scratch();
    for (const json of [[], ['--json'], ['-o', 'id']]) {
      const name = `hook${json.join('')}.secret`;
      const ran = await runCli([...CREATE, '--secret-file', name, ...json], {cwd, service: [created]});
      assert.equal(ran.exitCode, 0, ran.stderr);
      const path = join(cwd, name);
      assert.equal(readFileSync(path, 'utf8'), `${SECRET}\n`);
      if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600);
      assert.doesNotMatch(ran.stdout + ran.stderr, new RegExp(SECRET));
    }
  });

  it('sends nothing when the file exists or cannot be made', async () => {
    const cwd = scratch();
    writeFileSync(join(cwd, 'taken'), 'mine');
    for (const file of ['taken', 'no/such/folder']) {
      const ran = await runCli([...CREATE, '--secret-file', file], {cwd, service: [created]});
      assert.equal(ran.exitCode, 13);
      assert.deepEqual(ran.requests, []);
    }
    assert.equal(readFileSync(join(cwd, 'taken'), 'utf8'), 'mine');
  });

  it('leaves no empty file behind when the service refuses, or names no record', async () => {
    const cwd = scratch();
    const nothing = await runCli([...CREATE, '--secret-file', 's'], {cwd, service: [answer(201, {})]});
    assert.equal(nothing.exitCode, 12);
    assert.equal(existsSync(join(cwd, 's')), false);
    const refusal = {error_code: 'VALIDATION_ERROR', message: 'the URL is private'};
    const ran = await runCli([...CREATE, '--secret-file', 's'], {cwd, service: [answer(400, refusal)]});
    assert.equal(ran.exitCode, 5);
    assert.equal(existsSync(join(cwd, 's')), false);
  });

  it('sends nothing where the output would swallow the secret', async () => {
    for (const form of [
      ['-o', 'id'],
      ['--fields', 'id,url'],
      ['--query', 'id'],
    ]) {
      const ran = await runCli([...CREATE, ...form], {service: [created]});
      assert.equal(ran.exitCode, 2, form.join(' '));
      assert.match(ran.stderr, /--secret-file FILE/);
      assert.deepEqual(ran.requests, []);
    }
  });

  it('warns when the service sends no secret', async () => {
    const ran = await runCli(CREATE, {service: [answer(201, endpoint())]});
    assert.equal(ran.exitCode, 8);
    assert.match(ran.stderr, /contains no signing secret/);
  });

  for (const [field, body] of [
    ['secret', endpoint({secret: SECRET})],
    ['key', endpoint({key: SECRET})],
    ['signingSecret', endpoint({signingSecret: SECRET})],
    ['signing_secret', {data: endpoint({signing_secret: SECRET})}],
    ['value under keys', endpoint({keys: [{'signing-key': SECRET}]})],
    ['secret', {data: endpoint(), secret: SECRET}],
  ] as const)
    it(`finds a secret that is sent as ${field} in ${Object.keys(body).at(-1)}`, async () => {
      const cwd = scratch();
      const service = [answer(201, {...body, note: `signs with ${SECRET}`})];
      const file = await runCli([...CREATE, '--secret-file', 's', '--debug'], {cwd, service});
      assert.equal(file.exitCode, 0, file.stderr);
      assert.equal(readFileSync(join(cwd, 's'), 'utf8'), `${SECRET}\n`);
      assert.doesNotMatch(file.stdout + file.stderr, new RegExp(SECRET));
      const shown = await runCli([...CREATE, '--json'], {service});
      assert.equal(shown.stdout.split(SECRET).length, 2, 'shown once');
      assert.doesNotMatch(shown.stderr, new RegExp(SECRET));
    });

  for (const secret of ['hunter2', 'test_zyxwvutsrqpo9876'])
    it(`takes the signing secret ${secret}, whatever its form`, async () => {
      const cwd = scratch();
      const service = [answer(201, endpoint({signing_secret: secret}))];
      const file = await runCli([...CREATE, '--secret-file', 's'], {cwd, service});
      assert.equal(file.exitCode, 0, file.stderr);
      assert.equal(readFileSync(join(cwd, 's'), 'utf8'), `${secret}\n`);
      const shown = await runCli([...CREATE, '--json'], {service});
      assert.equal((shown.json() as {signing_secret: string}).signing_secret, secret);
    });

  it('never prints or keeps a secret that it does not find', async () => {
    const cwd = scratch();
    for (const form of [[], ['--json'], ['-o', 'csv']]) {
      const ran = await runCli([...CREATE, '--secret-file', 's', ...form], {
        cwd,
        service: [answer(201, endpoint({hmac: 'abcdefgh12345678'}))],
      });
      assert.equal(ran.exitCode, 8);
      assert.match(ran.stderr, /these fields are not shown, because one of them may contain it: hmac/);
      assert.doesNotMatch(ran.stdout + ran.stderr, /abcdefgh12345678/);
      assert.equal(existsSync(join(cwd, 's')), false);
    }
  });

  it('takes no API key for a secret', async () => {
    const ran = await runCli(CREATE, {service: [answer(201, endpoint({signing_secret: TEST_KEY}))]});
    assert.equal(ran.exitCode, 8);
    assert.doesNotMatch(ran.stdout + ran.stderr, new RegExp(TEST_KEY));
  });

  for (const [flags, says] of [
    [['--url', 'http://example.com/'], /url: must be an https URL/],
    [['--event-types', 'Payout Settled'], /event_types\.0/],
    [['--event-types', ','], /event_types/],
  ] as const)
    it(`refuses ${flags.join(' ')} before anything is sent`, async () => {
      const given = CREATE.filter((word, at) => word !== flags[0] && CREATE[at - 1] !== flags[0]);
      const ran = await runCli([...given, ...flags]);
      assert.equal(ran.exitCode, 5, ran.stderr);
      assert.match(ran.stderr, says);
      assert.deepEqual(ran.requests, []);
    });

  it('subscribes to an event type that is not in the contract', async () => {
    const other = answer(201, endpoint({signing_secret: SECRET, event_types: ['move.settled']}));
    const ran = await runCli([...CREATE.slice(0, -1), 'move.settled'], {service: [other]});
    assert.equal(ran.exitCode, 0);
  });

  it('is in doubt after a lost answer: sent once, exit 12, and the list settles it', async () => {
    const ran = await runCli([...CREATE, '--json'], {service: [lost()]});
    assert.equal(ran.exitCode, 12);
    assert.equal(ran.requests.length, 1);
    assert.match(ran.error().hint ?? '', /remit webhooks endpoints list --limit 5$/);
  });

  it('needs --live with a live key, as every write here', async () => {
    const env = {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL};
    const endpoints = ['webhooks', 'endpoints'];
    for (const argv of [
      CREATE,
      [...endpoints, 'update', ID, '--description', 'x'],
      [...endpoints, 'delete', ID],
      [...endpoints, 'enable', ID],
      [...endpoints, 'disable', ID],
    ]) {
      const ran = await runCli(argv, {env});
      assert.equal(ran.exitCode, 11, argv.join(' '));
      assert.deepEqual(ran.requests, []);
      const dry = await runCli([...argv, '--dry-run'], {env});
      assert.equal(dry.exitCode, 0, dry.stderr);
      assert.deepEqual(dry.requests, []);
    }
  });
});

describe('webhooks endpoints', () => {
  it('are listed and shown', async () => {
    const many = await runCli(['webhooks', 'endpoints', 'list'], {service: [page([endpoint()])]});
    assert.match(many.stdout, new RegExp(`^${ID}\t${URL_}\tyes\tpayout\\.settled, payin\\.failed`, 'm'));
    const one = await runCli(['webhooks', 'endpoints', 'get', ID], {
      service: [answer(200, endpoint({is_active: false}))],
    });
    assert.match(one.stdout, /^Active\tno$/m);
    assert.equal(one.requests[0]!.path, `/api/webhooks/endpoints/${ID}`);
  });

  it('are changed by what is named, and by nothing else', async () => {
    const ran = await runCli(['webhooks', 'endpoints', 'update', ID, '--event-types', 'payin.settled'], {
      service: [answer(200, endpoint({event_types: ['payin.settled']}))],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(
      ran.requests.map(({method, path, body}) => [method, path, body]),
      [['PATCH', `/api/webhooks/endpoints/${ID}`, '{"event_types":["payin.settled"]}']],
    );
    const nothing = await runCli(['webhooks', 'endpoints', 'update', ID]);
    assert.equal(nothing.exitCode, 2);
  });

  it('may still have the old values after 202, but not after 200', async () => {
    for (const [argv, changes] of [
      [CREATE, {signing_secret: SECRET, event_types: ['payout.settled']}],
      [['webhooks', 'endpoints', 'update', ID, '--description', 'new'], {description: 'old'}],
    ] as const)
      for (const [status, exitCode] of [
        [200, 8],
        [202, 0],
      ] as const) {
        const ran = await runCli([...argv], {service: [answer(status, endpoint(changes))]});
        assert.equal(ran.exitCode, exitCode, ran.stderr);
        assert.equal(ran.stderr.includes('is not as requested'), exitCode === 8);
      }
  });

  it('are switched by value, so that a repetition does not flip them back', async () => {
    for (const [verb, is_active] of [
      ['enable', true],
      ['disable', false],
    ] as const) {
      const ran = await runCli(['webhooks', 'endpoints', verb, ID], {
        service: [answer(200, endpoint({is_active}))],
      });
      assert.equal(ran.exitCode, 0);
      assert.deepEqual(
        ran.requests.map(({method, path, body}) => [method, path, body]),
        [['POST', `/api/webhooks/endpoints/${ID}/toggle`, JSON.stringify({is_active})]],
      );
    }
  });

  it('are a partial success when the service flipped them the other way', async () => {
    const ran = await runCli(['webhooks', 'endpoints', 'disable', ID], {service: [answer(200, endpoint())]});
    assert.equal(ran.exitCode, 8);
    assert.match(ran.stderr, /is not as requested: is_active is true, requested false/);
  });

  it('are deleted', async () => {
    const ran = await runCli(['webhooks', 'endpoints', 'delete', ID, '--json'], {service: [answer(204)]});
    assert.equal(ran.exitCode, 0);
    assert.deepEqual(ran.json(), {id: ID, deleted: true});
    assert.equal(ran.requests[0]!.method, 'DELETE');
  });

  for (const [status, body, says] of [
    [
      202,
      undefined,
      /endpoint \S+ may still exist: the service answered 202, so it may not have deleted it yet/,
    ],
    [202, {id: ID}, /may still exist: the service answered 202/],
    [207, {warning: 'not deleted: deliveries wait for it'}, /not deleted: deliveries wait for it/],
    [207, {id: ID}, /the service answered 207 without a warning/],
  ] as const)
    it(`may not be deleted after a ${status} ${JSON.stringify(body)}`, async () => {
      const line = ['webhooks', 'endpoints', 'delete', ID];
      const ran = await runCli([...line, '--json'], {service: [answer(status, body)]});
      assert.deepEqual([ran.exitCode, ran.json()], [8, {id: ID, deleted: null}], ran.stderr);
      assert.match(ran.stderr, says);
      assert.match(ran.stderr, new RegExp(`^Hint: remit webhooks endpoints get ${ID}$`, 'm'));
      const text = await runCli(line, {service: [answer(status, body)]});
      assert.doesNotMatch(text.stdout, /Deleted/);
    });
});

describe('webhooks event-types', () => {
  const expected = [{type: 'payout.settled'}, {type: 'payin.failed'}];
  for (const [shape, body] of Object.entries({
    'as assumed': {data: [{type: 'payout.settled'}, {type: 'payin.failed'}]},
    'as names': {data: ['payout.settled', 'payin.failed']},
    'as a bare list': ['payout.settled', 'payin.failed'],
    'under event_types': {event_types: ['payout.settled', 'payin.failed']},
  }))
    it(`are read ${shape}`, async () => {
      const ran = await runCli(['webhooks', 'event-types', '--json'], {service: [answer(200, body)]});
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.deepEqual(ran.json(), expected);
      assert.equal(ran.requests[0]!.path, '/api/webhooks/event-types');
    });

  it('that are no list at all are an answer that cannot be used', async () => {
    const ran = await runCli(['webhooks', 'event-types'], {service: [answer(200, {nothing: 1})]});
    assert.equal(ran.exitCode, 7);
  });
});
