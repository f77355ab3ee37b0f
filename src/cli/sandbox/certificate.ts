import {writeFileAtomic} from '../../store/files/atomic-file.ts';
import {loopbackCertificate} from '../../webhooks/tls/local-authority.ts';
import type {LocalContext} from '../core/context.ts';
import {makeFolder} from './recorded/place.ts';

/**
 * Writes a certificate for localhost, 127.0.0.1 and ::1 with its key, and reports their paths and that of the
 * authority.
 */
export async function makeCertificate(
  local: LocalContext,
  {certFile, keyFile}: {certFile: string; keyFile: string},
): Promise<{cert_file: string; key_file: string; authority_file: string}> {
  makeFolder(local.stateDir);
  const made = await loopbackCertificate(local.stateDir, local.clock.now());
  writeFileAtomic(keyFile, made.key);
  writeFileAtomic(certFile, made.certificate, {mode: 0o644});
  local.out.text(`Certificate for localhost, 127.0.0.1 and ::1: ${certFile}. Private key: ${keyFile}.`);
  local.out.text(`The sandbox trusts it. Other clients need the authority ${made.authorityFile}.`);
  return {cert_file: certFile, key_file: keyFile, authority_file: made.authorityFile};
}
