import {randomBytes, webcrypto} from 'node:crypto';
import {isIP, isIPv4} from 'node:net';
import {BitString, Integer, OctetString, Utf8String} from 'asn1js';
import {
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  CryptoEngine,
  ExtKeyUsage,
  Extension,
  GeneralName,
  GeneralNames,
  GeneralSubtree,
  NameConstraints,
  setEngine,
} from 'pkijs';

// X.509 (RFC 5280) by pkijs. Import this file at first use: it takes about 80 ms to load.

/** A certificate and its private key, both as PEM. */
export interface KeyPair {
  certificate: string;
  key: string;
}

const CURVE = {name: 'ECDSA', namedCurve: 'P-256'} as const;
const DAY_MS = 86_400_000;

type SigningKey = webcrypto.CryptoKey;
type Constraint = {extension: string; critical: boolean; value: Encodable};
interface Encodable {
  toSchema(): {toBER(): ArrayBuffer};
}

setEngine('node', new CryptoEngine({name: 'node', crypto: webcrypto}));

/** Creates a new authority, which is valid only for `localhost` and loopback addresses. */
export async function makeAuthority(options: {name: string; days: number; nowMs: number}): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = blank(options.name, options);
  certificate.issuer = certificate.subject;
  extend(certificate, [
    {extension: '2.5.29.19', critical: true, value: new BasicConstraints({cA: true, pathLenConstraint: 0})},
    {extension: '2.5.29.15', critical: true, value: keyUsage(0x06, 1)}, // signs certificates and revocations
    {extension: '2.5.29.30', critical: true, value: loopbackOnly()},
  ]);
  return sign(certificate, keys, keys.privateKey);
}

/**
 * A server's certificate and key, signed by the authority.
 * @param hosts `localhost`, names below it, and loopback addresses
 */
export async function issueCertificate(
  authority: KeyPair,
  options: {hosts: readonly string[]; days: number; nowMs: number},
): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = blank(options.hosts[0] ?? 'localhost', options);
  certificate.issuer = Certificate.fromBER(fromPem(authority.certificate)).subject;
  extend(certificate, [
    {extension: '2.5.29.19', critical: true, value: new BasicConstraints({cA: false})},
    {extension: '2.5.29.15', critical: true, value: keyUsage(0x80, 7)}, // signs handshakes
    {extension: '2.5.29.37', critical: false, value: new ExtKeyUsage({keyPurposes: ['1.3.6.1.5.5.7.3.1']})},
    {extension: '2.5.29.17', critical: false, value: new GeneralNames({names: options.hosts.map(nameOf)})},
  ]);
  const signer = await webcrypto.subtle.importKey('pkcs8', fromPem(authority.key), CURVE, false, ['sign']);
  return sign(certificate, keys, signer);
}

const newKeys = () => webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify']);

function blank(name: string, {days, nowMs}: {days: number; nowMs: number}): Certificate {
  const certificate = new Certificate();
  certificate.version = 2; // X.509 v3
  // Positive and without a leading zero byte.
  certificate.serialNumber = new Integer({valueHex: buffer([0x01, ...randomBytes(15)])});
  certificate.notBefore.value = new Date(nowMs - 3_600_000); // clocks differ
  certificate.notAfter.value = new Date(nowMs + days * DAY_MS);
  certificate.subject.typesAndValues.push(
    new AttributeTypeAndValue({type: '2.5.4.3', value: new Utf8String({value: name})}),
  );
  return certificate;
}

function extend(certificate: Certificate, constraints: readonly Constraint[]): void {
  certificate.extensions = constraints.map(
    ({extension, critical, value}) =>
      new Extension({extnID: extension, critical, extnValue: value.toSchema().toBER()}),
  );
}

async function sign(
  certificate: Certificate,
  keys: webcrypto.CryptoKeyPair,
  signer: SigningKey,
): Promise<KeyPair> {
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  await certificate.sign(signer, 'SHA-256');
  return {
    certificate: toPem('CERTIFICATE', certificate.toSchema(true).toBER()),
    key: toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)),
  };
}

/** One byte of flags, of which the last `unused` bits are ignored. */
const keyUsage = (flags: number, unused: number): Encodable => ({
  toSchema: () => new BitString({valueHex: buffer([flags]), unusedBits: unused}),
});

/** RFC 5280, 4.2.1.10: verifiers refuse anything that this authority signs for other names. */
function loopbackOnly(): NameConstraints {
  const range = (bytes: readonly number[]) => new GeneralName({type: 7, value: octets(bytes)});
  const permitted = [
    new GeneralName({type: 2, value: 'localhost'}),
    range([127, 0, 0, 0, 255, 0, 0, 0]),
    range([...bytesOfLoopback6, ...Array<number>(16).fill(255)]),
  ];
  return new NameConstraints({permittedSubtrees: permitted.map((base) => new GeneralSubtree({base}))});
}

const bytesOfLoopback6 = [...Array<number>(15).fill(0), 1];

function nameOf(host: string): GeneralName {
  if (isIP(host) === 0) return new GeneralName({type: 2, value: host});
  return new GeneralName({
    type: 7,
    value: octets(isIPv4(host) ? host.split('.').map(Number) : bytesOfLoopback6),
  });
}

const buffer = (bytes: readonly number[]): ArrayBuffer => Uint8Array.from(bytes).buffer;
const octets = (bytes: readonly number[]) => new OctetString({valueHex: buffer(bytes)});

function toPem(label: string, der: ArrayBuffer): string {
  const lines = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

function fromPem(text: string): ArrayBuffer {
  const der = Buffer.from(text.replace(/-----[^-]+-----/g, ''), 'base64');
  return Uint8Array.from(der).buffer;
}
