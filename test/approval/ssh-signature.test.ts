import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {APPROVAL_NAMESPACE} from '../../src/approval/policy.ts';
import {fingerprintOfKey} from '../../src/approval/ssh-key.ts';
import {unarmored, verifySshSignature} from '../../src/approval/ssh-signature.ts';
import {armored, testKey} from './ssh-keys.ts';

const MESSAGE = 'pay 2 rows, 350.00 USD\n';
const refused = {code: 'GUARD_APPROVAL', exitCode: 11};

describe('SSH signatures', () => {
  const folder = () => mkdtempSync(join(tmpdir(), 'remit-ssh-'));

  const keygen = (input: string, ...args: string[]) =>
    execFileSync('ssh-keygen', args, {input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe']});

  for (const [type, bits] of [
    ['ed25519', '256'],
    ['ecdsa', '256'],
    ['ecdsa', '384'],
    ['ecdsa', '521'],
    ['rsa', '3072'],
  ] as const)
    it(`holds if ssh-keygen made it with a key ${type} ${bits}, and with no byte changed`, () => {
      const key = join(folder(), 'key');
      keygen('', '-q', '-t', type, '-b', bits, '-N', '', '-f', key);
      const signature = unarmored(keygen(MESSAGE, '-Y', 'sign', '-f', key, '-n', APPROVAL_NAMESPACE));
      const {blob, device} = verifySshSignature(signature, MESSAGE, APPROVAL_NAMESPACE);
      assert.equal(device, undefined);
      assert.ok(keygen('', '-l', '-f', `${key}.pub`).includes(fingerprintOfKey(blob)));
      assert.throws(() => verifySshSignature(signature, `${MESSAGE} `, APPROVAL_NAMESPACE), refused);
      assert.throws(() => verifySshSignature(signature, MESSAGE, 'file'), refused);
      for (let at = 0; at < signature.length; at++)
        for (const bit of [1, 128]) {
          const changed = Buffer.from(signature);
          changed[at] = (changed[at] ?? 0) ^ bit;
          let by: Buffer | undefined;
          try {
            by = verifySshSignature(changed, MESSAGE, APPROVAL_NAMESPACE).blob;
          } catch (error) {
            assert.equal((error as {code?: string}).code, 'GUARD_APPROVAL', String(error));
          }
          assert.equal(by, undefined, `bit ${bit} of byte ${at}`);
        }
    });

  it('holds for ssh-keygen if it was made as here, for a key in a file and on a device', () => {
    for (const type of ['ssh-ed25519', 'sk-ssh-ed25519@openssh.com'] as const) {
      const key = testKey(type);
      const at = folder();
      const [signers, signature] = [join(at, 'signers'), join(at, 'sig')];
      writeFileSync(signers, `anna ${key.line}\n`);
      const made = key.sign(MESSAGE, APPROVAL_NAMESPACE);
      writeFileSync(signature, armored(made));
      const verified = [
        '-Y',
        'verify',
        '-f',
        signers,
        '-I',
        'anna',
        '-n',
        APPROVAL_NAMESPACE,
        '-s',
        signature,
      ];
      assert.match(keygen(MESSAGE, ...verified), /Good/);
      assert.deepEqual(unarmored(readFileSync(signature, 'utf8')), made);
      assert.equal(verifySshSignature(made, MESSAGE, APPROVAL_NAMESPACE).type, type);
    }
  });

  it('tells whether the device was touched, and whether it asked for a PIN', () => {
    const key = testKey('sk-ssh-ed25519@openssh.com');
    for (const [flags, isPresent, isVerified] of [
      [0, false, false],
      [1, true, false],
      [5, true, true],
      [4, false, true],
    ] as const) {
      const {device} = verifySshSignature(key.sign(MESSAGE, 'a', {flags}), MESSAGE, 'a');
      assert.deepEqual(device, {isPresent, isVerified});
    }
    const touched = key.sign(MESSAGE, 'a', {flags: 0});
    touched[touched.length - 5] = 1; // says that it was touched
    assert.throws(() => verifySshSignature(touched, MESSAGE, 'a'), refused);
  });

  it('is refused with bytes after it, in other forms of base64, and with other hashes', () => {
    const made = testKey().sign(MESSAGE, 'a');
    assert.throws(() => verifySshSignature(Buffer.concat([made, Buffer.of(0)]), MESSAGE, 'a'), refused);
    for (let length = 0; length < made.length; length++)
      assert.throws(() => verifySshSignature(made.subarray(0, length), MESSAGE, 'a'), refused);
    assert.throws(() => unarmored(armored(made).replace('\n-----END', '=\n-----END')), refused);
    assert.throws(() => unarmored('hello'), refused);
    const key = join(folder(), 'key');
    keygen('', '-q', '-t', 'ed25519', '-N', '', '-f', key);
    const other = keygen(MESSAGE, '-Y', 'sign', '-f', key, '-n', 'a', '-O', 'hashalg=sha256');
    assert.throws(() => verifySshSignature(unarmored(other), MESSAGE, 'a'), refused);
  });
});
