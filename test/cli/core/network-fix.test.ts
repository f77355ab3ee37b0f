import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {Commands} from '../../../src/cli/line/command-line.ts';
import {withNextStep} from '../../../src/cli/core/next-step.ts';
import {RemitError} from '../../../src/errors.ts';
import type {Json} from '../../../src/narrow.ts';

const failed = {commandId: 'payouts:list', flags: {}, args: {}};
const hint = (
  details: Record<string, Json>,
  {
    profile = 'prod',
    own,
    status,
    baseUrl = 'https://api.example.com/v1',
  }: {profile?: string | null; own?: string; status?: number; baseUrl?: string} = {},
) =>
  withNextStep(new RemitError('UNAVAILABLE', 'no', {details, hint: own, httpStatus: status}), failed, {
    commands: new Commands({profile: profile ?? undefined, mode: 'test', named: false}),
    baseUrl,
  }).hint;

describe('the hint after a connection failed', () => {
  const rows: [string, string, string][] = [
    ['unknown-issuer', 'remit profiles set prod --ca-file FILE', 'REMIT_CA_FILE=FILE'],
    ['self-signed', 'remit profiles set prod --ca-file FILE', 'REMIT_CA_FILE=FILE'],
    [
      'client-certificate',
      'remit profiles set prod --client-cert FILE --client-key FILE',
      'REMIT_CLIENT_CERT=FILE REMIT_CLIENT_KEY=FILE',
    ],
    [
      'handshake-refused',
      'remit profiles set prod --client-cert FILE --client-key FILE',
      'REMIT_CLIENT_CERT=FILE REMIT_CLIENT_KEY=FILE',
    ],
    ['wrong-name', 'remit profiles set prod --base-url URL', 'REMIT_BASE_URL=URL'],
    ['plain-http', 'remit profiles set prod --base-url URL', 'REMIT_BASE_URL=URL'],
  ];
  for (const [reason, stored, environment] of rows)
    it(`sets what is missing in the profile, or without one in the environment (${reason})`, () => {
      assert.equal(hint({failure: 'tls', reason}), stored);
      assert.equal(hint({failure: 'tls', reason}, {profile: null}), environment);
    });

  it('names http:// for a port of this machine that does not answer with TLS', () => {
    const reason = {failure: 'tls', reason: 'plain-http'};
    const baseUrl = 'https://localhost:4510';
    assert.equal(hint(reason, {baseUrl}), 'remit profiles set prod --base-url http://localhost:4510');
    assert.equal(hint(reason, {baseUrl, profile: null}), 'REMIT_BASE_URL=http://localhost:4510');
  });

  it('shows the cause if it is not on this machine', () => {
    assert.match(hint({failure: 'tls', reason: 'expired'}) ?? '', /: date -u$/);
    assert.match(hint({failure: 'tls', reason: 'not-yet-valid'}) ?? '', /: date -u$/);
    assert.match(
      hint({failure: 'tls', reason: 'protocol-version'}) ?? '',
      /: openssl s_client -connect api\.example\.com:443$/,
    );
    assert.match(
      hint({failure: 'tls', reason: 'http2-only'}) ?? '',
      /: curl --http1\.1 -sv https:\/\/api\.example\.com\/v1$/,
    );
    assert.equal(hint({failure: 'dns'}), 'remit whoami -p prod');
  });

  it('names the variables of the proxy', () => {
    assert.equal(
      hint({failure: 'proxy', reason: 'proxy-credentials'}),
      'HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT',
    );
    for (const reason of ['proxy-denied', 'proxy-failed', 'proxy-unreachable'])
      assert.match(hint({failure: 'proxy', reason}) ?? '', /HTTPS_PROXY.* NO_PROXY=api\.example\.com$/);
  });

  it('is followed by the command that repeats a write', () => {
    const own = 'remit payouts create --idempotency-key k';
    assert.equal(
      hint({failure: 'tls', reason: 'self-signed'}, {own}),
      `remit profiles set prod --ca-file FILE; then ${own}`,
    );
    assert.equal(hint({failure: 'reset'}, {own}), own);
  });

  it('is the new base URL when the service redirects to another host', () => {
    const moved = (location: string) => hint({location}, {status: 308});
    assert.equal(
      moved('https://new.example.com/v1/api/payouts'),
      'remit profiles set prod --base-url https://new.example.com/v1',
    );
    for (const location of ['/login', 'https://api.example.com/login', 'http://new.example.com/', '::'])
      assert.equal(moved(location), undefined);
    for (const status of [302, 303, 307])
      assert.equal(hint({location: 'https://sign-in.example/'}, {status}), undefined, 'it has not moved');
  });
});
