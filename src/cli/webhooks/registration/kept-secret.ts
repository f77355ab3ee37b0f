import {existsSync, rmSync} from 'node:fs';
import {resolve} from 'node:path';
import {secretFingerprint} from '../../../webhooks/verify/secrets.ts';
import type {Context} from '../../core/context.ts';
import {fingerprintIn, openSecretFile} from '../../input/secret-file.ts';
import {readSecretFile} from '../secrets.ts';
import {keptSecretFile, type NotedEndpoint} from './endpoint-note.ts';
import {hrefOf} from '../endpoints.ts';

/**
 * The secret that an earlier listener kept for its endpoint.
 * @returns undefined if that listener was killed before it had the secret, or is of an earlier version
 * @throws {RemitError} STATE if other users can read or change the file, or if it belongs to another user
 */
export function keptSecret({file, note: {fingerprint}}: NotedEndpoint): string | undefined {
  const path = keptSecretFile(file);
  if (!existsSync(path)) return undefined;
  const secret = readSecretFile(path).replace(/\n$/, '');
  if (secret === '') return undefined;
  // The secret is on disk before its fingerprint is.
  const isOther =
    fingerprint !== undefined && fingerprint !== '' && fingerprint !== secretFingerprint(secret);
  return isOther ? undefined : secret;
}

/**
 * Writes the secret of an endpoint that is used again to the file of --secret-file, unless the earlier listener wrote
 * it there. The file of the earlier listener goes, so that there is only one copy for the user.
 * @returns the file that is removed with the endpoint
 * @throws {RemitError} STATE if the file exists with other contents
 */
export function moveToFile(
  {runtime}: Pick<Context, 'runtime'>,
  {note}: NotedEndpoint,
  {secret, asked}: {secret: string; asked: string | undefined},
): string | undefined {
  const {secret_file: before} = note;
  if (asked === undefined) return before;
  const path = resolve(runtime.cwd, asked);
  const own = secretFingerprint(secret);
  if (path === before) {
    const found = fingerprintIn(path);
    if (found === own) return path;
    if (found === '') rmSync(path, {force: true}); // killed before it was written
  }
  const file = openSecretFile(path, runtime.cwd);
  try {
    file.keep(secret);
  } catch (error) {
    file.discard();
    throw error;
  }
  if (before !== undefined && before !== path && fingerprintIn(before) === own) rmSync(before, {force: true});
  return path;
}

/** The secrets of left endpoints with this URL. */
export const secretsInUse = (left: readonly NotedEndpoint[], url: string): string[] =>
  left.filter(({note}) => hrefOf(note.url) === hrefOf(url)).flatMap((noted) => keptSecret(noted) ?? []);
