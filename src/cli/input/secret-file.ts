import {closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync} from 'node:fs';
import {resolve} from 'node:path';
import {RemitError} from '../../errors.ts';
import {codeOf, messageOf, must} from '../../narrow.ts';
import {secretFingerprint} from '../../webhooks/verify/secrets.ts';

/** A file that is created, empty and readable only by its owner, before the secret that it is for exists. */
export interface SecretFile {
  readonly path: string;
  /** Writes the secret and a newline, and waits for the disk. */
  keep(secret: string): void;
  /** Removes the empty file again. */
  discard(): void;
}

/**
 * Creates the file for a secret that is shown only once, so that a wrong path is noticed before anything is lost.
 * @throws RemitError STATE if it exists or cannot be created
 */
export function openSecretFile(path: string, cwd: string): SecretFile {
  const full = resolve(cwd, path);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(full, 'wx', 0o600);
  } catch (cause) {
    const exists = codeOf(cause) === 'EEXIST';
    throw new RemitError(
      'STATE',
      `the secret file ${full} ${exists ? 'already exists, and is not overwritten' : `cannot be created: ${messageOf(cause)}`}`,
      {cause},
    );
  }
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  return {
    path: full,
    keep: (secret) => {
      const open = must(descriptor, 'open file: the secret was kept or discarded before');
      writeSync(open, `${secret}\n`);
      fsyncSync(open);
      close();
    },
    discard: () => {
      close();
      rmSync(full, {force: true});
    },
  };
}

/** The fingerprint of the secret in a file; empty for an empty file, undefined if it cannot be read. */
export function fingerprintIn(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/\n$/, '');
  } catch {
    return undefined;
  }
  return text === '' ? '' : secretFingerprint(text);
}
