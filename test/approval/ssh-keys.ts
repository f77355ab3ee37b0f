import {createHash, generateKeyPairSync, type KeyObject, sign} from 'node:crypto';
import {sshString} from '../../src/approval/ssh-reader.ts';

/** A key that signs as ssh-keygen does, made with node:crypto: nothing here needs a file, an agent or a device. */
export interface TestKey {
  blob: Buffer;
  /** Its line in a policy, without the name. */
  line: string;
  sign(message: string, namespace: string, use?: {flags?: number; counter?: number}): Buffer;
}

const sha = (hash: string, bytes: Buffer | string) => createHash(hash).update(bytes).digest();

/** The raw public key: the last 32 bytes of its DER form. */
const rawOf = (key: KeyObject) => key.export({type: 'spki', format: 'der'}).subarray(-32);

/** An ed25519 key, or one on a device that is touched (flags 1) and asks for a PIN (flags 4). */
export function testKey(type: 'ssh-ed25519' | 'sk-ssh-ed25519@openssh.com' = 'ssh-ed25519'): TestKey {
  const {publicKey, privateKey} = generateKeyPairSync('ed25519');
  const isDevice = type !== 'ssh-ed25519';
  const application = Buffer.from('ssh:');
  const parts = [type, rawOf(publicKey), ...(isDevice ? [application] : [])];
  const blob = Buffer.concat(parts.map((part) => sshString(part)));
  return {
    blob,
    line: `${type} ${blob.toString('base64')}`,
    sign(message, namespace, {flags = 1, counter = 7} = {}) {
      const head = [namespace, '', 'sha512'];
      const content = [...head, sha('sha512', message)].map((part) => sshString(part));
      const signed = Buffer.concat([Buffer.from('SSHSIG'), ...content]);
      const use = Buffer.alloc(5);
      use[0] = flags;
      use.writeUInt32BE(counter, 1);
      const asked = isDevice
        ? Buffer.concat([sha('sha256', application), use, sha('sha256', signed)])
        : signed;
      const raw = [sshString(type), sshString(sign(null, asked, privateKey)), ...(isDevice ? [use] : [])];
      const version = Buffer.from([0, 0, 0, 1]);
      const after = [...head, Buffer.concat(raw)].map((part) => sshString(part));
      return Buffer.concat([Buffer.from('SSHSIG'), version, sshString(blob), ...after]);
    },
  };
}

/** As ssh-keygen writes it to a file. */
export const armored = (signature: Buffer): string =>
  `-----BEGIN SSH SIGNATURE-----\n${signature.toString('base64').replace(/.{70}/g, '$&\n')}\n-----END SSH SIGNATURE-----\n`;
