import {readApprovalFile} from '../../approval/approval-files.ts';
import type {Policy, PolicyKey} from '../../approval/policy.ts';
import {unarmored} from '../../approval/ssh-signature.ts';
import {RemitError} from '../../errors.ts';
import {codeOf} from '../../narrow.ts';
import {shellWord} from '../../shell-word.ts';
import type {OutStream} from '../../output/sink.ts';

/**
 * Whose key this is in the policy.
 * @param file the private key, or the public one if the private one is in an agent or on a device
 * @throws RemitError GUARD_APPROVAL
 */
export function personOf(file: string, policy: Policy): PolicyKey {
  const publicFile = file.endsWith('.pub') ? file : `${file}.pub`;
  const [, base64 = ''] = readApprovalFile(publicFile).trim().split(/\s+/);
  const key = policy.keys.get(base64);
  if (key !== undefined) return key;
  throw new RemitError('GUARD_APPROVAL', `the key ${publicFile} is not in the policy`, {
    hint: (commands) =>
      `use a key that the policy lists: ${commands.read('payouts', 'batch', 'policy', 'show')}`,
  });
}

/** ssh-keygen says what it does; the rest of what it prints is for the person at the key. */
const NOISE = /^(?:Signing data on standard input|Write SSH signature.*)\r?\n/gm;

/**
 * Signs with ssh-keygen, so that keys of an agent or on a device work.
 * @throws RemitError GUARD_APPROVAL if it does not sign
 */
export async function signWithKey(
  file: string,
  {namespace, text, stderr}: {namespace: string; text: string; stderr: OutStream},
): Promise<Buffer> {
  const {spawn} = await import('node:child_process');
  const failed = (what: string, cause?: unknown) =>
    new RemitError('GUARD_APPROVAL', `ssh-keygen ${what}; nothing was signed`, {
      cause,
      hint: `try it by hand: echo test | ssh-keygen -Y sign -n ${namespace} -f ${shellWord(file)}`,
    });
  return new Promise((resolve, reject) => {
    const child = spawn('ssh-keygen', ['-Y', 'sign', '-n', namespace, '-f', file]);
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      const shown = chunk.replace(NOISE, '');
      if (shown !== '') stderr.write(shown);
    });
    child.stdin.on('error', () => undefined); // the exit code says why it did not read
    child.on('error', (error) =>
      reject(failed(codeOf(error) === 'ENOENT' ? 'is not installed' : 'could not be started', error)),
    );
    child.on('close', (code) => {
      if (code !== 0) return reject(failed(`ended with exit code ${code}`));
      try {
        resolve(unarmored(out));
      } catch (error) {
        reject(failed('wrote no signature', error));
      }
    });
    child.stdin.end(text);
  });
}
