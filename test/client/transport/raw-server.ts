import {once} from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import {TEST_CERT, TEST_CERT_KEY} from './tls-fixture.ts';

/** A request as it came off the wire. */
export interface RawRequest {
  line: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: string;
  /** How many requests this socket brought, this one included. */
  nthOnSocket: number;
}

export interface RawServer {
  baseUrl: string;
  requests: RawRequest[];
  /** Bytes of requests that arrived, over all sockets. */
  bytes: number;
  /** Sockets ever accepted, and those open now. */
  accepted: number;
  open: Set<net.Socket>;
  close(): Promise<void>;
}

export interface Behaviour {
  onConnection?: (socket: net.Socket) => void;
  onRequest?: (socket: net.Socket, request: RawRequest) => void;
  tls?: boolean;
}

/** A server that does to the socket exactly what the test says, and what no HTTP library would do. */
export async function rawServer({
  onConnection,
  onRequest,
  tls: secure = false,
}: Behaviour): Promise<RawServer> {
  const accept = (socket: net.Socket) => {
    server.accepted++;
    server.open.add(socket);
    socket.on('close', () => server.open.delete(socket));
    socket.on('error', () => {}); // resets are what the tests are about
    onConnection?.(socket);
    if (onRequest) readRequests(socket, server, onRequest);
  };
  const listener = secure
    ? tls.createServer({cert: TEST_CERT, key: TEST_CERT_KEY}, accept)
    : net.createServer(accept);
  listener.on('tlsClientError', () => {});
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const {port} = listener.address() as net.AddressInfo;
  const server: RawServer = {
    baseUrl: `${secure ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests: [],
    bytes: 0,
    accepted: 0,
    open: new Set(),
    close: () => {
      for (const socket of server.open) socket.destroy();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
  return server;
}

function readRequests(
  socket: net.Socket,
  server: RawServer,
  onRequest: NonNullable<Behaviour['onRequest']>,
): void {
  let held = Buffer.alloc(0);
  let nthOnSocket = 0;
  socket.on('data', (chunk: Buffer) => {
    server.bytes += chunk.length;
    held = Buffer.concat([held, chunk]);
    for (;;) {
      const headEnd = held.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const [line = '', ...lines] = held.subarray(0, headEnd).toString('latin1').split('\r\n');
      const headers = Object.fromEntries(
        lines.map((text) => [
          text.slice(0, text.indexOf(':')).toLowerCase(),
          text.slice(text.indexOf(':') + 1).trim(),
        ]),
      );
      const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0);
      if (held.length < bodyEnd) return;
      const body = held.subarray(headEnd + 4, bodyEnd).toString('utf8');
      held = held.subarray(bodyEnd);
      const request = {line, headers, body, nthOnSocket: ++nthOnSocket};
      server.requests.push(request);
      onRequest(socket, request);
    }
  });
}

/** A whole answer with content-length, as bytes. */
export function answerBytes(status: number, body: string, headers: Record<string, string> = {}): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = Buffer.byteLength(body);
  return Buffer.from(
    `HTTP/1.1 ${status} Word\r\ncontent-type: application/json\r\n${lines.join('')}content-length: ${length}\r\n\r\n${body}`,
  );
}

/** Ends the connection with RST, so that the client sees a reset and not an end. */
export function reset(socket: net.Socket): void {
  if (socket instanceof tls.TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
