import assert from 'node:assert/strict';
import {once} from 'node:events';
import https from 'node:https';
import type {AddressInfo} from 'node:net';
import {after, before, describe, it} from 'mocha';
import {peerCertificate} from '../../../../src/cli/doctor/machine/certificate.ts';
import type {KeyPair} from '../../../../src/webhooks/tls/certificates.ts';
import {certify} from '../../../network/authority.ts';
import {forwardProxy} from '../../../network/forward-proxy.ts';

describe('the certificate that a service shows', () => {
  let server: https.Server;
  let authority: KeyPair;
  let port: number;
  before(async () => {
    authority = await certify({name: 'Test CA', isAuthority: true});
    const pair = await certify({name: 'api', hosts: ['localhost', 'api.example.com'], issuer: authority});
    server = https.createServer({key: pair.key, cert: pair.certificate}, (_request, response) =>
      response.end(),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port; // it listens
  });
  after(() => server.close());

  it('has its subject, issuer and end', async () => {
    const found = await peerCertificate(new URL(`https://localhost:${port}`), {ca: authority.certificate});
    assert.equal(found.subject, 'api');
    assert.equal(found.issuer, 'Test CA');
    const days = Math.round((found.validToMs - Date.now()) / 86_400_000);
    assert.ok(days === 29 || days === 30, String(days));
    assert.equal(found.protocol, 'TLSv1.3');
  });

  it('is read through a proxy as well', async () => {
    const proxy = await forwardProxy({hosts: {'api.example.com:443': port}});
    const network = {ca: authority.certificate, proxy: proxy.url};
    assert.equal((await peerCertificate(new URL('https://api.example.com'), network)).subject, 'api');
    assert.deepEqual(proxy.connects, ['api.example.com:443']);
    await proxy.close();
  });

  it('is refused where its authority is not trusted', async () => {
    await assert.rejects(peerCertificate(new URL(`https://localhost:${port}`), {}), {
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
  });
});
