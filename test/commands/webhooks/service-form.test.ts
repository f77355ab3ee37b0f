import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {SignatureForm} from '../../../src/contract/signature-form.ts';
import {isObject} from '../../../src/narrow.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {signatureHeaders, verifyWebhook} from '../../../src/webhooks/verify/signature.ts';
import {runCli, scratch} from '../../cli/run-cli.ts';
import {HOOK, WebhookWorld} from '../../sandbox/webhooks/world.ts';
import {STANDARD} from '../../webhooks/verify/standard-webhooks.ts';
import {body, Listening, SECRET} from './listening.ts';

const FORM: SignatureForm = {
  ...{signatureHeader: 'Acme-Signature', timestampPart: 't', signaturePrefix: 'v1='},
  ...{timestamp: 'milliseconds', signatureEncoding: 'base64', signed: 'v1:{timestamp}:{payload}'},
};

/** A folder with a service file, and an environment in which it is in force. */
function place(webhooks: SignatureForm = FORM) {
  const cwd = scratch();
  writeFileSync(join(cwd, 'service.json'), JSON.stringify({webhooks} satisfies ServiceFile));
  writeFileSync(join(cwd, 'body.json'), body(1));
  const service = {REMIT_API_KEY: 'test_key_0123456789', REMIT_BASE_URL: 'https://api.example.com'};
  const env = {
    ...{HOME: cwd, REMIT_WEBHOOK_SECRET: SECRET, REMIT_SERVICE_FILE: join(cwd, 'service.json')},
    ...service,
  };
  const run = (...argv: string[]) => runCli(['webhooks', ...argv], {cwd, env});
  return {cwd, env, run};
}

describe('a service that signs otherwise', () => {
  it('is what sign writes and verify reads', async () => {
    const {cwd, run} = place();
    const signed = await run('sign', '@body.json');
    assert.match(signed.stdout, /^Acme-Signature: t=\d{13},v1=[A-Za-z0-9+/]{43}=\n$/);
    writeFileSync(join(cwd, 'headers'), signed.stdout);
    const verified = await run('verify', '@body.json', '--headers', '@headers');
    assert.equal(verified.exitCode, 0, verified.stderr);
    assert.match(verified.stdout, /^verified/);
    writeFileSync(
      join(cwd, 'headers'),
      Object.entries(signatureHeaders(SECRET, body(1), Date.now()))
        .map(([name, value]) => `${name}: ${value}\n`)
        .join(''),
    );
    const documented = await run('verify', '@body.json', '--headers', '@headers');
    assert.equal(documented.exitCode, 14);
    assert.match(documented.stderr, /the timestamp header is missing/);
    const flags = await run('verify', '@body.json', '--signature', 'x', '--timestamp', '1');
    assert.equal(flags.exitCode, 2);
    assert.match(flags.stderr, /timestamp in Acme-Signature[\s\S]*--headers @FILE/);
  });

  it('has a format of timestamps that a flag replaces', async () => {
    const {cwd, run} = place({timestamp: 'iso8601'});
    const signed = await run('sign', '@body.json');
    assert.match(signed.stdout, /^X-Webhook-Timestamp: 20\d\d-/);
    writeFileSync(join(cwd, 'headers'), signed.stdout);
    const other = ['verify', '@body.json', '--headers', '@headers', '--timestamp-format', 'seconds'];
    assert.equal((await run(...other)).exitCode, 14);
    assert.equal((await run(...other.slice(0, 4))).exitCode, 0);
  });

  it('is verified by the listener, and refused when it signs as documented', async () => {
    const {env} = place();
    const at = await Listening.open(env, ['--no-record']);
    assert.equal(await at.post(body(1), signatureHeaders(SECRET, body(1), Date.now(), FORM)), 200);
    assert.equal(await at.post(body(2)), 401);
    await at.until(({type}) => type === 'rejected');
    await at.end();
    assert.deepEqual([at.of('event').length, at.of('rejected').length], [1, 1]);
  });

  it('is written and read with a signed id and a secret in base64, as in Standard Webhooks', async () => {
    const {cwd, env} = place(STANDARD);
    const secret = `whsec_${Buffer.from('a key of Standard Webhooks').toString('base64')}`;
    const run = (...argv: string[]) =>
      runCli(['webhooks', ...argv], {cwd, env: {...env, REMIT_WEBHOOK_SECRET: secret}});
    const signed = await run('sign', '@body.json');
    const {id} = JSON.parse(String(body(1))) as {id: string};
    assert.match(
      signed.stdout,
      new RegExp(
        `^webhook-id: ${id}\\nwebhook-timestamp: \\d{10}\\nwebhook-signature: v1,[A-Za-z0-9+/]{43}=\\n$`,
      ),
    );
    writeFileSync(join(cwd, 'headers'), signed.stdout);
    const verified = await run('verify', '@body.json', '--headers', '@headers');
    assert.equal(verified.exitCode, 0, verified.stderr);
    writeFileSync(join(cwd, 'headers'), signed.stdout.replace(/^webhook-id.*\n/, ''));
    const withoutId = await run('verify', '@body.json', '--headers', '@headers');
    assert.equal(withoutId.exitCode, 14);
    assert.match(withoutId.stderr, /the header with the id is missing/);
    const flags = await run('verify', '@body.json', '--signature', 'x', '--timestamp', '1');
    assert.equal(flags.exitCode, 2);
    assert.match(flags.stderr, /a signed id in webhook-id[\s\S]*--headers @FILE/);
    const other = await runCli(['webhooks', 'sign', '@body.json'], {
      ...{cwd, env: {...env, REMIT_WEBHOOK_SECRET: 'no base64!'}},
    });
    assert.equal(other.exitCode, 5);
    assert.match(other.stderr, /the signing secret is not base64/);
  });

  it('of Standard Webhooks is verified by the listener, and spoken by the sandbox', async () => {
    const secret = `whsec_${Buffer.from('a key of Standard Webhooks').toString('base64')}`;
    const {env} = place(STANDARD);
    const at = await Listening.open({...env, REMIT_WEBHOOK_SECRET: secret}, ['--no-record']);
    assert.equal(await at.post(body(1), signatureHeaders(secret, body(1), Date.now(), STANDARD)), 200);
    const forged = {...signatureHeaders(secret, body(2), Date.now(), STANDARD), 'webhook-id': 'msg_other'};
    assert.equal(await at.post(body(2), forged), 401);
    await at.end();
    const world = await WebhookWorld.open({service: {webhooks: STANDARD}});
    const made = await world.sandbox.post('/api/webhooks/endpoints', {
      url: HOOK,
      event_types: ['payout.settled'],
    });
    const payee = await world.sandbox.ready('payee');
    await world.sandbox.payout(payee.id, {auto_approve: true});
    await world.settle();
    const [post] = world.receiver.posts;
    assert.ok(post !== undefined);
    const verified = verifyWebhook({
      ...{body: Buffer.from(post.body), headers: post.headers, secrets: String(made.body.signing_secret)},
      ...{form: STANDARD, nowMs: world.clock.now(), toleranceSeconds: 60},
    });
    assert.equal(verified.ok, true, JSON.stringify([verified, post.headers]));
    await world.close();
  });

  it('is spoken by the sandbox, with its own ids', async () => {
    const world = await WebhookWorld.open({service: {webhooks: FORM, ids: {format: 'any'}}});
    const made = await world.sandbox.post('/api/webhooks/endpoints', {
      url: HOOK,
      event_types: ['payout.settled'],
    });
    const payee = await world.sandbox.ready('payee');
    const payout = await world.sandbox.payout(payee.id, {auto_approve: true});
    await world.settle();
    const [post] = world.receiver.posts;
    assert.ok(post !== undefined);
    const bytes = Buffer.from(post.body);
    const secrets = String(made.body.signing_secret);
    const verified = verifyWebhook({
      ...{body: bytes, headers: post.headers, secrets, form: FORM, nowMs: world.clock.now()},
      toleranceSeconds: 60,
    });
    assert.ok(verified.ok);
    const event: unknown = JSON.parse(post.body);
    assert.deepEqual(isObject(event) && event['data'], {payout_id: payout.body.id});
    assert.match(String(payout.body.id), /^id_[0-9a-f]{32}$/);
    await world.close();
  });
});
