import type {KeyObject, X509Certificate} from 'node:crypto';
import {RemitError} from '../errors.ts';
import {messageOf} from '../narrow.ts';
import type {TlsFiles} from './profile.ts';
import {exposure, readSmallFile, refuseForeign} from './trusted-file.ts';

/** The contents of the files; PEM. */
export interface TlsTexts {
  ca?: string;
  cert?: string;
  key?: string;
}

/**
 * Reads and checks the files: as with a key file, no other user may be able to change them.
 * @throws RemitError STATE naming the file and the problem; USAGE for a key without a certificate
 */
export function readTlsFiles({ca_file, client_cert, client_key}: TlsFiles): TlsTexts {
  return {
    ...(ca_file === undefined ? {} : {ca: readAuthorities(ca_file)}),
    ...readPair(client_cert, client_key),
  };
}

/** A warning if other users can read the client key. */
export function tlsExposure({client_cert, client_key = client_cert}: TlsFiles): string | undefined {
  return client_key === undefined ? undefined : exposure(client_key, KEY);
}

function readAuthorities(path: string): string {
  const text = readPem(path, 'the CA file');
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw unusable('the CA file', path, 'contains no certificate in PEM format');
  for (const certificate of certificates) parse(certificate, 'the CA file', path);
  return text;
}

function readPair(certPath: string | undefined, keyPath = certPath): {cert?: string; key?: string} {
  if (certPath === undefined || keyPath === undefined) {
    if (keyPath === undefined) return {};
    throw new RemitError('USAGE', 'a client key needs a client certificate', {
      hint: 'name both: --client-cert FILE --client-key FILE',
    });
  }
  const cert = readPem(certPath, CERT);
  const [first] = cert.match(CERTIFICATE) ?? [];
  if (first === undefined) throw unusable(CERT, certPath, 'contains no certificate in PEM format');
  const certificate = parse(first, CERT, certPath);
  const key = readPem(keyPath, KEY);
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key))
    throw unusable(KEY, keyPath, 'contains no private key in PEM format', 'name its file: --client-key FILE');
  if (!certificate.checkPrivateKey(privateKey(key, keyPath)))
    throw unusable(KEY, keyPath, `does not belong to the certificate in ${certPath}`);
  return {cert, key};
}

const CERT = 'the client certificate';
const KEY = 'the client key';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function readPem(path: string, what: string): string {
  let file: ReturnType<typeof readSmallFile>;
  try {
    file = readSmallFile(path);
  } catch (error) {
    throw unusable(what, path, `cannot be read: ${messageOf(error)}`, undefined, error);
  }
  refuseForeign(path, file.stats, what, what === KEY);
  return file.text;
}

/** node:crypto is loaded here, because few commands need it before they send something. */
const crypto = () => process.getBuiltinModule('node:crypto');

function parse(pem: string, what: string, path: string): X509Certificate {
  try {
    return new (crypto().X509Certificate)(pem);
  } catch (error) {
    throw unusable(what, path, 'contains a certificate that cannot be read', undefined, error);
  }
}

function privateKey(pem: string, path: string): KeyObject {
  if (/^(-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED)/m.test(pem))
    throw unusable(KEY, path, 'is encrypted, and remit cannot prompt for its passphrase', DECRYPT);
  try {
    return crypto().createPrivateKey(pem);
  } catch (error) {
    throw unusable(KEY, path, 'cannot be read as a private key', undefined, error);
  }
}

const DECRYPT = 'write a copy that only you can read: (umask 077; openssl pkey -in FILE -out COPY)';

const unusable = (what: string, path: string, why: string, hint?: string, cause?: unknown): RemitError =>
  new RemitError('STATE', `${what} ${path} ${why}`, {hint, cause});
