import {readFileSync} from 'node:fs';
import type {SecureContext} from 'node:tls';

/**
 * The certificates that receivers may use: those of the system and of NODE_EXTRA_CA_CERTS; on loopback also the local
 * authority's, read again until it exists, because a receiver may create it later. Built once: it costs about 20 ms.
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
  // This list replaces Node's own, including the file that the environment adds.
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
