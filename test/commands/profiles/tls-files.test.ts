import assert from 'node:assert/strict';
import {generateKeyPairSync} from 'node:crypto';
import {chmodSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {before, beforeEach, describe, it} from 'mocha';
import type {NetworkSettings} from '../../../src/network/settings.ts';
import type {KeyPair} from '../../../src/webhooks/tls/certificates.ts';
import {runCli, scratch, TEST_KEY, type CliOptions} from '../../cli/run-cli.ts';
import {answer, FakeTransport} from '../../client/transport/fake-transport.ts';
import {certify} from '../../network/authority.ts';

const BASE_URL = 'https://api.example.com';

describe('the TLS files of a profile', () => {
  let pki: {ca: KeyPair; client: KeyPair; other: KeyPair};
  let home: string;
  before(async () => {
    const ca = await certify({name: 'authority', isAuthority: true});
    const client = await certify({name: 'client', issuer: ca});
    pki = {ca, client, other: await certify({name: 'other', issuer: ca})};
  });
  beforeEach(() => {
    home = scratch();
    mkdirSync(join(home, 'tls'), {mode: 0o700});
    write('ca.pem', pki.ca.certificate);
    write('cert.pem', pki.client.certificate);
    write('key.pem', pki.client.key);
    write('both.pem', pki.other.certificate + pki.other.key);
  });
  const file = (name: string) => join(home, 'tls', name);
  const write = (name: string, text: string) => writeFileSync(file(name), text, {mode: 0o600});
  const remit = (line: string, {env, ...options}: CliOptions = {}) =>
    runCli(line.split(' '), {cwd: home, ...options, env: {HOME: home, ...env}});
  const add = (flags: string) =>
    remit(`profiles add p --base-url ${BASE_URL} --key-stdin ${flags}`.trim(), {stdin: TEST_KEY});
  const stored = () =>
    (
      JSON.parse(readFileSync(join(home, '.config', 'remit', 'config.json'), 'utf8')) as {
        profiles: Record<string, {tls?: unknown}>;
      }
    ).profiles['p']?.tls;
  /** What a command would reach the service with. */
  const used = async (
    line: string,
    env: Record<string, string> = {},
  ): Promise<NetworkSettings | undefined> => {
    let network: NetworkSettings | undefined;
    const ran = await remit(line, {
      env,
      transport: async (_kind, _baseUrl, settings) => {
        network = {...settings};
        delete (network as {onUnsent?: unknown}).onUnsent;
        return new FakeTransport([answer(200, {data: [], next_cursor: null})]);
      },
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    return network;
  };
  const ALL = '--ca-file tls/ca.pem --client-cert tls/cert.pem --client-key tls/key.pem';

  it('are stored as absolute paths, shown, and used by every command', async () => {
    const added = await add(ALL);
    assert.equal(added.exitCode, 0, added.stderr);
    assert.deepEqual(stored(), {
      ...{ca_file: file('ca.pem'), client_cert: file('cert.pem'), client_key: file('key.pem')},
    });
    assert.match(added.stdout, new RegExp(`^CA file\t${file('ca.pem')}$`, 'm'));
    const {ca, cert, key, proxy} = (await used('payouts list')) ?? {};
    assert.deepEqual([ca, cert, key], [pki.ca.certificate, pki.client.certificate, pki.client.key]);
    assert.equal(proxy, undefined);
  });

  it('are changed and removed one by one; a new certificate brings its own key', async () => {
    await add(ALL);
    assert.equal((await remit('profiles set p --client-cert tls/both.pem')).exitCode, 0);
    assert.deepEqual(stored(), {ca_file: file('ca.pem'), client_cert: file('both.pem')});
    assert.equal((await used('payouts list'))?.key, pki.other.certificate + pki.other.key);
    assert.equal((await remit('profiles unset p --ca-file')).exitCode, 0);
    assert.deepEqual(stored(), {client_cert: file('both.pem')});
    assert.equal((await remit('profiles unset p --client-cert')).exitCode, 0);
    assert.equal(stored(), undefined);
  });

  it('do not stay when the profile is replaced', async () => {
    await add(ALL);
    assert.equal((await add('--replace')).exitCode, 0);
    assert.equal(stored(), undefined);
  });

  it('are replaced by the environment, unless the profile is named', async () => {
    await add(ALL);
    const env = {REMIT_CLIENT_CERT: file('both.pem')};
    const replaced = await used('payouts list', env);
    assert.deepEqual(
      [replaced?.ca, replaced?.cert],
      [pki.ca.certificate, pki.other.certificate + pki.other.key],
    );
    assert.equal((await used('payouts list -p p', env))?.cert, pki.client.certificate);
    const shown = await remit('whoami --json', {env});
    const {tls, from} = shown.json() as {tls: unknown; from: Record<string, string>};
    assert.deepEqual(tls, {ca_file: file('ca.pem'), client_cert: file('both.pem')});
    assert.deepEqual([from['ca_file'], from['client_cert']], ['profile p', 'REMIT_CLIENT_CERT']);
  });

  it('are not used with another base URL', async () => {
    await add(ALL);
    const env = {REMIT_BASE_URL: 'https://other.example.com', REMIT_API_KEY: TEST_KEY, REMIT_PROFILE: 'p'};
    assert.deepEqual(await used('payouts list', env), {proxy: undefined});
    assert.equal(
      (await used('payouts list', {...env, REMIT_CA_FILE: file('ca.pem')}))?.ca,
      pki.ca.certificate,
    );
  });

  describe('are refused', () => {
    const refused = async (flags: string, says: RegExp, hints?: RegExp) => {
      const ran = await add(`${flags} --json`);
      assert.equal(ran.exitCode, 13, ran.stderr);
      assert.match(ran.error().message, says);
      if (hints) assert.match(ran.error().hint ?? '', hints);
      assert.doesNotMatch(ran.stderr, /PRIVATE KEY-----\\n/);
      assert.throws(stored, 'nothing is stored');
    };

    it('when they do not exist, or hold something else', async () => {
      await refused('--ca-file tls/none.pem', /the CA file .*none\.pem cannot be read: ENOENT/);
      await refused('--ca-file tls/key.pem', /key\.pem contains no certificate in PEM format/);
      await refused('--client-cert tls/key.pem', /the client certificate .*key\.pem contains no certificate/);
      write('broken.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
      await refused('--ca-file tls/broken.pem', /broken\.pem contains a certificate that cannot be read/);
    });

    it('when other users can change them', async () => {
      chmodSync(file('ca.pem'), 0o666);
      await refused(
        '--ca-file tls/ca.pem',
        /refused to use the CA file: other users can change/,
        /^chmod go-w /,
      );
    });

    it('when the key is missing, is of another certificate, or needs a passphrase', async () => {
      await refused(
        '--client-cert tls/cert.pem',
        /contains no private key in PEM format/,
        /--client-key FILE/,
      );
      await refused(
        '--client-cert tls/cert.pem --client-key tls/both.pem',
        /both\.pem does not belong to the certificate in .*cert\.pem/,
      );
      const {privateKey} = generateKeyPairSync('ec', {namedCurve: 'P-256'});
      write(
        'locked.pem',
        privateKey.export({type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x'}).toString(),
      );
      await refused(
        '--client-cert tls/cert.pem --client-key tls/locked.pem',
        /locked\.pem is encrypted/,
        /openssl pkey/,
      );
    });

    it('when they are damaged in the config file', async () => {
      await add(ALL);
      const path = join(home, '.config', 'remit', 'config.json');
      writeFileSync(path, readFileSync(path, 'utf8').replace('ca_file', 'cafile'), {mode: 0o600});
      const ran = await remit('payouts list --json');
      assert.deepEqual([ran.exitCode, ran.error().code], [13, 'STATE_DAMAGED']);
      assert.match(ran.error().message, /whose tls settings/);
    });
  });
});

describe('the proxy of the environment', () => {
  const env = (changes: Record<string, string>) => ({
    ...{HOME: scratch(), REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
    ...changes,
  });
  const HTTPS_PROXY = 'http://jo:p%40ssword@proxy.example.com:3128';

  it('is shown by whoami without its password', async () => {
    const ran = await runCli(['whoami', '--json'], {env: env({HTTPS_PROXY})});
    assert.equal((ran.json() as {proxy: unknown}).proxy, 'http://proxy.example.com:3128');
    assert.doesNotMatch(ran.stdout + ran.stderr, /p%40ssword|p@ssword/);
    const direct = await runCli(['whoami', '--json'], {env: env({HTTPS_PROXY, NO_PROXY: 'example.com'})});
    assert.equal((direct.json() as {proxy: unknown}).proxy, null);
  });

  it('that cannot be used is refused before anything is sent, without its password', async () => {
    const ran = await runCli(['payouts', 'list', '--json'], {
      env: env({HTTPS_PROXY: 'socks5://jo:p%40ssword@proxy.example.com'}),
      transport: () => assert.fail('a transport is opened'),
    });
    assert.deepEqual([ran.exitCode, ran.error().code], [2, 'USAGE']);
    assert.match(ran.error().message, /^HTTPS_PROXY names a socks5 proxy/);
    assert.doesNotMatch(ran.stderr, /p%40ssword/);
  });

  it('never shows its password in an error or under --debug', async () => {
    const ran = await runCli(['payouts', 'list', '--json', '--debug'], {
      env: env({HTTPS_PROXY}),
      transport: async (_kind, _baseUrl, network) =>
        new FakeTransport([answer(502, {message: `p@ssword, ${JSON.stringify(network?.proxy)}`})]),
    });
    assert.equal(ran.exitCode, 7);
    assert.match(ran.stderr, /^\* through the proxy http:\/\/proxy\.example\.com:3128$/m);
    assert.doesNotMatch(ran.stderr, /p%40ssword|p@ssword|am86cEBzc3dvcmQ/);
  });
});
