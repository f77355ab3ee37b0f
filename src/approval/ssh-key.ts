import {createHash, createPublicKey, type KeyObject, verify} from 'node:crypto';
import {RemitError} from '../errors.ts';
import {notValid, SshReader} from './ssh-reader.ts';

/** A public key that can verify. A key on a device also names its application. */
export interface SshPublicKey {
  type: SshKeyType;
  key: KeyObject;
  /** Absent for a key in a file or an agent. */
  application?: Buffer;
}

const CURVES = {
  nistp256: {crv: 'P-256', bytes: 32, hash: 'sha256'},
  nistp384: {crv: 'P-384', bytes: 48, hash: 'sha384'},
  nistp521: {crv: 'P-521', bytes: 66, hash: 'sha512'},
} as const;

/** What a key signs with, by its type. Anything else is refused. */
const SIGNED_AS = {
  'ssh-ed25519': 'ssh-ed25519',
  'sk-ssh-ed25519@openssh.com': 'sk-ssh-ed25519@openssh.com',
  'ecdsa-sha2-nistp256': 'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384': 'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521': 'ecdsa-sha2-nistp521',
  'ssh-rsa': 'rsa-sha2-512',
} as const;
export type SshKeyType = keyof typeof SIGNED_AS;
const isKnownType = (type: string): type is SshKeyType => Object.hasOwn(SIGNED_AS, type);
const LEAST_RSA_BITS = 2048;

/** `SHA256:…`, as ssh-keygen prints it. */
export const fingerprintOfKey = (blob: Buffer): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').slice(0, 43)}`;

/** @throws RemitError GUARD_APPROVAL for another type, or a key that is malformed or too short */
export function readPublicKey(blob: Buffer, what = 'the key'): SshPublicKey {
  const reader = new SshReader(blob, what);
  const type = reader.text();
  if (!isKnownType(type)) throw notValid(what, `keys of the type ${JSON.stringify(type)} are not supported`);
  try {
    return readKey(type, reader, what);
  } catch (cause) {
    throw cause instanceof RemitError ? cause : notValid(what, 'it is malformed');
  }
}

function readKey(type: SshKeyType, reader: SshReader, what: string): SshPublicKey {
  const url = (bytes: Buffer) => bytes.toString('base64url');
  const imported = (key: Record<string, string>) => createPublicKey({key, format: 'jwk'});
  if (type === 'ssh-rsa') {
    const [e, n] = [reader.number(), reader.number()];
    reader.end();
    if (n.length * 8 < LEAST_RSA_BITS) throw notValid(what, `it is shorter than ${LEAST_RSA_BITS} bits`);
    return {type, key: imported({kty: 'RSA', e: url(e), n: url(n)})};
  }
  if (type === 'ssh-ed25519' || type === 'sk-ssh-ed25519@openssh.com') {
    const x = reader.string();
    const application = type === 'ssh-ed25519' ? undefined : reader.string();
    reader.end();
    const key = imported({kty: 'OKP', crv: 'Ed25519', x: url(x)});
    return application === undefined ? {type, key} : {type, key, application};
  }
  const {crv, bytes} = curveOf(type);
  const name = reader.text();
  const point = reader.string();
  reader.end();
  if (`ecdsa-sha2-${name}` !== type || point[0] !== 4 || point.length !== 1 + 2 * bytes)
    throw notValid(what, 'it is malformed');
  const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)];
  return {type, key: imported({kty: 'EC', crv, x: url(x), y: url(y)})};
}

const curveOf = (type: SshKeyType) => CURVES[type.slice('ecdsa-sha2-'.length) as keyof typeof CURVES]; // of a known type

/** How a device was used for a signature. */
export interface DeviceUse {
  /** It was touched. */
  isPresent: boolean;
  /** Its PIN was entered, or a finger recognized. */
  isVerified: boolean;
}

/** @returns whether the signature holds, with the use of the device for a key on one; undefined if it does not hold */
export function verifyWithKey(
  {type, key, application}: SshPublicKey,
  signed: Buffer,
  signature: Buffer,
): {device?: DeviceUse} | undefined {
  const reader = new SshReader(signature, 'the signature');
  if (reader.text() !== SIGNED_AS[type]) return undefined;
  const raw = reader.string();
  if (application !== undefined) {
    const use = reader.take(5); // flags and counter
    reader.end();
    const [flags = 0] = use;
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
    const asked = Buffer.concat([digest(application), use, digest(signed)]);
    if (raw.length !== 64 || !verify(null, asked, key, raw)) return undefined;
    return {device: {isPresent: (flags & 1) !== 0, isVerified: (flags & 4) !== 0}};
  }
  reader.end();
  if (type === 'ssh-ed25519') return raw.length === 64 && verify(null, signed, key, raw) ? {} : undefined;
  if (type === 'ssh-rsa') return verify('sha512', signed, key, raw) ? {} : undefined;
  const {bytes, hash} = curveOf(type);
  const numbers = new SshReader(raw, 'the signature');
  const [r, s] = [numbers.number(), numbers.number()];
  numbers.end();
  if (r.length > bytes || s.length > bytes) return undefined;
  const padded = Buffer.concat([Buffer.alloc(bytes - r.length), r, Buffer.alloc(bytes - s.length), s]);
  return verify(hash, signed, {key, dsaEncoding: 'ieee-p1363'}, padded) ? {} : undefined;
}
