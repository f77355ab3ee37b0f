import type {Socket} from 'node:net';
import type {TLSSocket} from 'node:tls';
import {hostOf, lookupLocally} from '../../../network/local.ts';
import {parseProxy} from '../../../network/proxy.ts';
import {type NetworkSettings, tlsOptions} from '../../../network/settings.ts';
import {openTunnel} from '../../../network/tunnel.ts';

export interface PeerCertificate {
  readonly subject: string;
  readonly issuer: string;
  readonly validToMs: number;
  /** Protocol version, such as `TLSv1.3`. */
  readonly protocol: string;
}

const TIMEOUT_MS = 10_000;

/** Reads the certificate of the service over the same route as requests. Only the TLS handshake is sent. */
export async function peerCertificate(url: URL, network: NetworkSettings): Promise<PeerCertificate> {
  const tls = await import('node:tls');
  const {isIP} = await import('node:net');
  const host = hostOf(url);
  const port = Number(url.port || 443);
  const tunnel = await throughProxy(network, {host, port});
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      ...{host, port, lookup: lookupLocally, ALPNProtocols: ['http/1.1'], ...tlsOptions(network)},
      ...(isIP(host) === 0 ? {servername: host} : {}),
      ...(tunnel === undefined ? {} : {socket: tunnel}),
    });
    const end = (report: () => void) => {
      clearTimeout(late);
      socket.destroy();
      report();
    };
    const late = setTimeout(
      () => end(() => reject(new Error(`no handshake within ${TIMEOUT_MS} ms`))),
      TIMEOUT_MS,
    );
    socket.on('error', (error: Error) => end(() => reject(error)));
    socket.on('secureConnect', () => {
      const facts = factsOf(socket); // a destroyed socket has no certificate
      end(() => resolve(facts));
    });
  });
}

async function throughProxy(
  {proxy, ca}: NetworkSettings,
  target: {host: string; port: number},
): Promise<Socket | undefined> {
  if (proxy === undefined) return undefined;
  const parsed = typeof proxy === 'string' ? parseProxy(proxy, 'HTTPS_PROXY') : proxy;
  return openTunnel({proxy: parsed, ...target, timeoutMs: TIMEOUT_MS, ca});
}

function factsOf(socket: TLSSocket): PeerCertificate {
  const {subject, issuer, valid_to} = socket.getPeerCertificate();
  const name = ({CN, O}: {CN?: string | string[]; O?: string | string[]}) => String(CN ?? O ?? 'unnamed');
  return {
    subject: name(subject),
    issuer: name(issuer),
    validToMs: Date.parse(valid_to),
    protocol: socket.getProtocol() ?? 'TLS',
  };
}
