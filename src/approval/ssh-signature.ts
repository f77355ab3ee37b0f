import {createHash} from 'node:crypto';
import {type DeviceUse, readPublicKey, type SshKeyType, verifyWithKey} from './ssh-key.ts';
import {fromBase64, notValid, SshReader, sshString} from './ssh-reader.ts';

/** Whose signature it is: the key that made it, and how. Whether that key counts is up to the policy. */
export interface SignedBy {
  /** The public key as SSH writes it. */
  blob: Buffer;
  type: SshKeyType;
  /** Only for a key on a device. */
  device?: DeviceUse;
}

const MAGIC = 'SSHSIG';
const HASH = 'sha512';
const [BEGIN, END] = ['-----BEGIN SSH SIGNATURE-----', '-----END SSH SIGNATURE-----'];

/**
 * The bytes of a signature file of ssh-keygen.
 * @throws RemitError GUARD_APPROVAL if it is not one
 */
export function unarmored(text: string): Buffer {
  const lines = text.trim().split(/\r?\n/);
  if (lines[0] !== BEGIN || lines.at(-1) !== END)
    throw notValid('the signature', 'it is not a signature file');
  return fromBase64(lines.slice(1, -1).join(''), 'the signature');
}

/**
 * Verifies a signature of `ssh-keygen -Y sign` (PROTOCOL.sshsig of OpenSSH) with node:crypto.
 * @throws RemitError GUARD_APPROVAL if it does not hold
 */
export function verifySshSignature(signature: Buffer, message: string | Buffer, namespace: string): SignedBy {
  const what = 'the signature';
  const reader = new SshReader(signature, what);
  if (reader.take(MAGIC.length).toString('latin1') !== MAGIC || reader.uint32() !== 1)
    throw notValid(what, 'it is not a version 1 SSH signature');
  const blob = reader.string();
  const space = reader.text();
  const reserved = reader.string();
  const hash = reader.text();
  const raw = reader.string();
  reader.end();
  if (space !== namespace) throw notValid(what, `it was made for ${JSON.stringify(space)}, not ${namespace}`);
  if (reserved.length > 0 || hash !== HASH) throw notValid(what, `it does not use ${HASH}`);
  const digest = createHash(HASH).update(message).digest();
  const signed = Buffer.concat([
    Buffer.from(MAGIC),
    ...[namespace, reserved, hash, digest].map((part) => sshString(part)),
  ]);
  const key = readPublicKey(blob);
  const verified = verifyWithKey(key, signed, raw);
  if (verified === undefined) throw notValid(what, 'it does not match the content');
  return {blob, type: key.type, ...verified};
}
