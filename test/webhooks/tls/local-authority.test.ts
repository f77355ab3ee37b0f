import assert from 'node:assert/strict';
import {X509Certificate} from 'node:crypto';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createServer, get} from 'node:https';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {OctetString} from 'asn1js';
import {type BasicConstraints, Certificate, type NameConstraints} from 'pkijs';
import {RemitError} from '../../../src/errors.ts';
import {issueCertificate, makeAuthority, type KeyPair} from '../../../src/webhooks/tls/certificates.ts';
import {authorityFiles, loopbackCertificate} from '../../../src/webhooks/tls/local-authority.ts';

const YEAR_MS = 365 * 86_400_000;

/** What a client that trusts `authority` says to a server with this certificate: a status, or why not. */
async function call(server: KeyPair, authority: string, host: string): Promise<number | string> {
  const listening = createServer({cert: server.certificate, key: server.key}, (_request, answer) =>
    answer.end(),
  );
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const {port} = listening.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      get({host, port, ca: authority, agent: false, family: 4}, ({statusCode}) => resolve(statusCode!)).on(
        'error',
        (error) => resolve(error.message),
      );
    });
  } finally {
    listening.close();
  }
}

describe('local authority', () => {
  let folder: string;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'remit-authority-'))));
  afterEach(() => rmSync(folder, {recursive: true, force: true}));

  it('is valid for localhost and loopback addresses, as a TLS client sees it', async () => {
    const server = await loopbackCertificate(folder, Date.now());
    const authority = readFileSync(server.authorityFile, 'utf8');
    assert.equal(await call(server, authority, 'localhost'), 200);
    assert.equal(await call(server, authority, '127.0.0.1'), 200);
  });

  it('is invalid for other names, even with its key', async () => {
    const authority = await makeAuthority({name: 'test', days: 1, nowMs: Date.now()});
    const server = await issueCertificate(authority, {
      hosts: ['receiver.example', '127.0.0.1'],
      days: 1,
      nowMs: Date.now(),
    });
    assert.match(String(await call(server, authority.certificate, '127.0.0.1')), /permitted subtree/);
  });

  it('signs certificates of servers for loopback, and no other authority', async () => {
    const {authorityFile, certificate} = await loopbackCertificate(folder, Date.now());
    const extension = (pem: string, id: string) => {
      const der = Uint8Array.from(new X509Certificate(pem).raw).buffer;
      return Certificate.fromBER(der).extensions!.find(({extnID}) => extnID === id)!.parsedValue as unknown;
    };
    const authority = readFileSync(authorityFile, 'utf8');
    const {cA, pathLenConstraint} = extension(authority, '2.5.29.19') as BasicConstraints;
    assert.deepEqual([cA, pathLenConstraint], [true, 0]);
    assert.equal((extension(certificate, '2.5.29.19') as BasicConstraints).cA, false);
    const {permittedSubtrees} = extension(authority, '2.5.29.30') as NameConstraints;
    assert.deepEqual(
      permittedSubtrees!.map(({base: {value}}) =>
        typeof value === 'string'
          ? value
          : Buffer.from((value as OctetString).valueBlock.valueHexView).toString('hex'),
      ),
      ['localhost', '7f000000ff000000', `${'00'.repeat(15)}01${'ff'.repeat(16)}`],
    );
  });

  it('is created once, and its key is readable only by its owner', async () => {
    const now = Date.now();
    await loopbackCertificate(folder, now);
    const {key, certificate} = authorityFiles(folder);
    const before = readFileSync(key, 'utf8');
    await loopbackCertificate(folder, now + YEAR_MS);
    assert.equal(readFileSync(key, 'utf8'), before);
    assert.ok(before.startsWith(readFileSync(certificate, 'utf8')));
    assert.equal(statSync(key).mode & 0o777, 0o600);
    assert.equal(statSync(certificate).mode & 0o777, 0o644, 'receivers of other users may read it');
    assert.equal(statSync(authorityFiles(folder).folder).mode & 0o777, 0o700);
  });

  it('is created only once, even by several processes at the same time', async () => {
    const made = await Promise.all(Array.from({length: 4}, () => loopbackCertificate(folder, Date.now())));
    const authority = new X509Certificate(readFileSync(authorityFiles(folder).certificate));
    for (const {certificate} of made) assert.ok(new X509Certificate(certificate).verify(authority.publicKey));
  });

  it('is created again shortly before it expires', async () => {
    const now = Date.now();
    await loopbackCertificate(folder, now);
    const before = readFileSync(authorityFiles(folder).certificate, 'utf8');
    const server = await loopbackCertificate(folder, now + 10 * YEAR_MS - 86_400_000);
    const after = readFileSync(authorityFiles(folder).certificate, 'utf8');
    assert.notEqual(after, before);
    assert.ok(new X509Certificate(server.certificate).verify(new X509Certificate(after).publicKey));
  });

  it('reports which file is damaged, and what to do', async () => {
    await loopbackCertificate(folder, Date.now());
    const {key} = authorityFiles(folder);
    for (const text of ['', 'no certificate', readFileSync(key, 'utf8').slice(0, -40)]) {
      writeFileSync(key, text);
      await assert.rejects(loopbackCertificate(folder, Date.now()), (error) => {
        assert.ok(error instanceof RemitError && error.code === 'STATE_DAMAGED');
        assert.ok(error.message.includes(key) && error.hint?.includes(key));
        return true;
      });
    }
  });

  it('is not replaced if it exists and cannot be read', async () => {
    const {key} = authorityFiles(folder);
    mkdirSync(key, {recursive: true});
    await assert.rejects(
      loopbackCertificate(folder, Date.now()),
      (error) =>
        error instanceof RemitError &&
        error.code === 'STATE' &&
        error.message.startsWith(`${key} cannot be read: EISDIR`),
    );
  });
});
