import type {Socket} from 'node:net';
import type {TLSSocket} from 'node:tls';

/** The minimum wait for a server that sends no session ticket. */
const SHORTEST_WAIT_MS = 250;

/**
 * Waits until the server has finished its part of the handshake. With TLS 1.3 a client is done before the server has
 * checked the client's certificate, so a refusal arrives after `secureConnect`, and a request sent by then would look
 * lost. The server's first session ticket shows that it accepts the client. A server that sends none gets as long as
 * connecting took, because its answer needs less time than that.
 *
 * @param elapsedMs how long connecting took
 * @throws the error that ended the connection; nothing was sent on it
 */
export async function serverFinished(socket: Socket, elapsedMs: number): Promise<void> {
  if (!isTls13(socket)) return;
  await new Promise<void>((resolve, reject) => {
    const end = (error?: Error) => {
      clearTimeout(timer);
      socket.off('session', onSession).off('error', end).off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onSession = () => setImmediate(end); // OpenSSL is still reading, and a write here would be lost
    const onClose = () => end(closed());
    const timer = setTimeout(() => end(), Math.max(SHORTEST_WAIT_MS, elapsedMs));
    socket.on('session', onSession).on('error', end).on('close', onClose);
  });
}

const closed = (): Error =>
  Object.assign(new Error('the connection was closed during the TLS handshake'), {code: 'ECONNRESET'});

const isTls13 = (socket: Socket): boolean =>
  'getProtocol' in socket && (socket as TLSSocket).getProtocol() === 'TLSv1.3';
