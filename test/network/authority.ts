import {webcrypto} from 'node:crypto';
import {isIP} from 'node:net';
import {Integer, OctetString, Utf8String} from 'asn1js';
import {
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  Extension,
  GeneralName,
  GeneralNames,
} from 'pkijs';
import type {KeyPair} from '../../src/webhooks/tls/certificates.ts';
import '../../src/webhooks/tls/certificates.ts'; // sets up pkijs

const CURVE = {name: 'ECDSA', namedCurve: 'P-256'} as const;
const DAY_MS = 86_400_000;

export interface Request {
  /** The name of its subject. */
  name: string;
  hosts?: readonly string[];
  /** Signs itself when absent. */
  issuer?: KeyPair;
  isAuthority?: boolean;
  validFromDay?: number;
  validToDay?: number;
}

/** A certificate for any host or client: the authority of remit itself vouches for this machine alone. */
export async function certify(request: Request): Promise<KeyPair> {
  const {name, hosts = [], issuer, isAuthority = false, validFromDay = -1, validToDay = 30} = request;
  const keys = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);
  const certificate = new Certificate();
  certificate.version = 2;
  certificate.serialNumber = new Integer({value: Math.floor(Math.random() * 2 ** 30) + 1});
  certificate.notBefore.value = new Date(Date.now() + validFromDay * DAY_MS);
  certificate.notAfter.value = new Date(Date.now() + validToDay * DAY_MS);
  certificate.subject.typesAndValues.push(
    new AttributeTypeAndValue({type: '2.5.4.3', value: new Utf8String({value: name})}),
  );
  certificate.issuer =
    issuer === undefined ? certificate.subject : Certificate.fromBER(derOf(issuer.certificate)).subject;
  certificate.extensions = [
    extension('2.5.29.19', new BasicConstraints({cA: isAuthority})),
    ...(hosts.length === 0 ? [] : [extension('2.5.29.17', new GeneralNames({names: hosts.map(nameOf)}))]),
  ];
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  const signer =
    issuer === undefined
      ? keys.privateKey
      : await webcrypto.subtle.importKey('pkcs8', derOf(issuer.key), CURVE, false, ['sign']);
  await certificate.sign(signer, 'SHA-256');
  return {
    certificate: pem('CERTIFICATE', certificate.toSchema(true).toBER()),
    key: pem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
  };
}

const extension = (extnID: string, value: BasicConstraints | GeneralNames) =>
  new Extension({extnID, critical: false, extnValue: value.toSchema().toBER()});

function nameOf(host: string): GeneralName {
  if (isIP(host) === 0) return new GeneralName({type: 2, value: host});
  const bytes = isIP(host) === 4 ? host.split('.').map(Number) : [...Array<number>(15).fill(0), 1];
  return new GeneralName({type: 7, value: new OctetString({valueHex: Uint8Array.from(bytes).buffer})});
}

const pem = (label: string, der: ArrayBuffer): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`;

const derOf = (text: string): ArrayBuffer =>
  Uint8Array.from(Buffer.from(text.replace(/-----[^-]+-----/g, ''), 'base64')).buffer;
