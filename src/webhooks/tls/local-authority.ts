import {X509Certificate} from 'node:crypto';
import {linkSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../../errors.ts';
import {codeOf, messageOf} from '../../narrow.ts';
import {writeFileAtomic} from '../../store/files/atomic-file.ts';
import {makeFolder} from '../../store/files/folder.ts';
import type {KeyPair} from './certificates.ts';

const AUTHORITY_DAYS = 3650;
/** No client requires a shorter lifetime: browsers accept at most 398 days. */
const SERVER_DAYS = 397;
const RENEW_BEFORE_MS = 30 * 86_400_000;

/** The authority of a state folder; its certificate is given to receivers and clients. */
export function authorityFiles(stateDir: string): {folder: string; certificate: string; key: string} {
  const folder = join(stateDir, 'tls');
  return {folder, certificate: join(folder, 'authority.pem'), key: join(folder, 'authority-key.pem')};
}

/** A server's certificate with everything needed to serve it, and the authority that signed it. */
export interface ServerCertificate extends KeyPair {
  authorityFile: string;
}

/**
 * A certificate for a receiver on this machine, signed by the local authority, which is created once and stored in
 * the state folder (its key as 0600). The sandbox trusts that authority on loopback; nothing else needs to.
 * @param hosts loopback only: the authority is valid for nothing else
 * @throws {RemitError} STATE if the folder cannot be written, STATE_DAMAGED if its contents cannot be read
 */
export async function loopbackCertificate(
  stateDir: string,
  nowMs: number,
  hosts: readonly string[] = ['localhost', '127.0.0.1', '::1'],
): Promise<ServerCertificate> {
  const {issueCertificate} = await import('./certificates.ts');
  const files = authorityFiles(stateDir);
  const authority = readAuthority(files.key, nowMs) ?? (await foundAuthority(stateDir, nowMs));
  writeIfOther(files.certificate, authority.certificate);
  const server = await issueCertificate(authority, {hosts, days: SERVER_DAYS, nowMs});
  return {...server, authorityFile: files.certificate};
}

/** Both parts of the pair in one file, so that no crash can leave a key without its certificate. */
function readAuthority(file: string, nowMs: number): KeyPair | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new RemitError('STATE', `${file} cannot be read: ${messageOf(error)}`, {cause: error});
  }
  const [certificate, key] = text.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----\n/g) ?? [];
  try {
    const until = Date.parse(new X509Certificate(certificate ?? '').validTo);
    if (certificate !== undefined && key !== undefined)
      return until - nowMs < RENEW_BEFORE_MS ? undefined : {certificate, key};
  } catch (error) {
    throw damaged(file, error);
  }
  throw damaged(file);
}

const damaged = (file: string, cause?: unknown) =>
  new RemitError('STATE_DAMAGED', `${file} does not contain the local authority`, {
    cause,
    hint: `rm ${file}, then start again: receivers get new certificates`,
  });

async function foundAuthority(stateDir: string, nowMs: number): Promise<KeyPair> {
  const {makeAuthority} = await import('./certificates.ts');
  const {folder, key: file} = authorityFiles(stateDir);
  makeFolder(folder);
  const made = await makeAuthority({name: 'Remit local authority', days: AUTHORITY_DAYS, nowMs});
  const draft = `${file}.${process.pid}`;
  writeFileAtomic(draft, made.certificate + made.key);
  try {
    if (readAuthority(file, nowMs) === undefined) rmSync(file, {force: true}); // absent, or about to expire
    linkSync(draft, file); // fails if another process was first
    return made;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return readAuthority(file, nowMs) ?? made;
  } finally {
    rmSync(draft, {force: true});
  }
}

function writeIfOther(file: string, text: string): void {
  try {
    if (readFileSync(file, 'utf8') === text) return;
  } catch {
    // Not there yet.
  }
  writeFileAtomic(file, text, {mode: 0o644});
}
