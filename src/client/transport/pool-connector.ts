import type {Socket} from 'node:net';
import type {buildConnector} from 'undici';
import {serverFinished} from '../../network/handshake.ts';
import type {Proxy} from '../../network/proxy.ts';
import {openTunnel} from '../../network/tunnel.ts';

export interface ConnectorOptions {
  proxy: Proxy | undefined;
  timeoutMs: number;
  ca: string | undefined;
  signal: AbortSignal;
}

/**
 * A connector for undici that uses the proxy, and returns a connection only once both sides have finished the TLS
 * handshake.
 */
export function connectTls(
  connect: buildConnector.connector,
  options: ConnectorOptions,
): buildConnector.connector {
  return (to, callback) => {
    open(connect, to, options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(forUndici(error as Error), null), // sockets and tunnels throw errors only
    );
  };
}

async function open(
  connect: buildConnector.connector,
  to: buildConnector.Options,
  {proxy, ...options}: ConnectorOptions,
): Promise<Socket> {
  const beganMs = performance.now();
  const httpSocket =
    proxy === undefined
      ? undefined
      : await openTunnel({...options, proxy, host: to.hostname, port: to.port || 443});
  const socket = await new Promise<Socket>((resolve, reject) => {
    connect(httpSocket === undefined ? to : {...to, httpSocket}, (error, opened) =>
      error === null ? resolve(opened) : reject(error),
    );
  });
  await serverFinished(socket, performance.now() - beganMs);
  return socket;
}

/** Otherwise undici would leave requests waiting after this code, and reconnect again and again. */
function forUndici(error: NodeJS.ErrnoException): Error {
  return error.code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    ? Object.assign(error, {code: 'HOSTNAME_MISMATCH'})
    : error;
}
