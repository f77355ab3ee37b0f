import {readFileSync} from 'node:fs';
import type {SecureContext} from 'node:tls';

/**
 * Which certificates receivers may show: those of the system and of NODE_EXTRA_CA_CERTS; on loopback the local authority's
 * as well, read again until it exists, since a receiver may make it later. Made once: it costs some 20 ms.
 * @param authorityFile its certificate in PEM
 */
export function receiverTrust(
  authorityFile: string | undefined,
): (loopback: boolean) => Promise<SecureContext> {
  let everywhere: Promise<SecureContext> | undefined;
  let onLoopback: {pem: string; context: Promise<SecureContext>} | undefined;
  return (loopback) => {
    const pem = loopback && authorityFile !== undefined ? readIfThere(authorityFile) : undefined;
    if (pem === undefined) return (everywhere ??= contextOf([]));
    if (onLoopback?.pem !== pem) onLoopback = {pem, context: contextOf([pem])};
    return onLoopback.context;
  };
}

async function contextOf(more: readonly string[]): Promise<SecureContext> {
  const {createSecureContext, rootCertificates} = await import('node:tls');
  // This list replaces Node's own, and with it the file that the environment adds.
  const extra = process.env['NODE_EXTRA_CA_CERTS'];
  const ofEnvironment = extra === undefined || extra === '' ? undefined : readIfThere(extra);
  return createSecureContext({
    ca: [...rootCertificates, ...(ofEnvironment === undefined ? [] : [ofEnvironment]), ...more],
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
