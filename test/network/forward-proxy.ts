import {once} from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type {Duplex} from 'node:stream';
import type {KeyPair} from '../../src/webhooks/tls/certificates.ts';

export interface ProxyOptions {
  /** `host:port` as a client names it -> the port on this machine that it leads to. */
  hosts?: Readonly<Record<string, number>>;
  /** `user:password`, without which the proxy answers 407. */
  credentials?: string;
  /** Answers every CONNECT with this line, such as `403 Forbidden`. */
  answer?: string;
  /** Never answers. */
  isSilent?: boolean;
  /** Makes it an https proxy. */
  tls?: KeyPair;
}

export interface ForwardProxy {
  url: string;
  port: number;
  /** What each CONNECT asked for, and what each plain request asked for. */
  connects: string[];
  requests: {url: string; headers: http.IncomingHttpHeaders}[];
  /** Every byte that clients sent, inside tunnels as well. */
  seen: () => Buffer;
  close(): Promise<void>;
}

/** A forward proxy on this machine that keeps what it sees. */
export async function forwardProxy(options: ProxyOptions = {}): Promise<ForwardProxy> {
  const seen: Buffer[] = [];
  const sockets = new Set<Duplex>();
  const track = (socket: Duplex) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {}); // clients hang up
  };
  const server =
    options.tls === undefined
      ? http.createServer()
      : https.createServer({cert: options.tls.certificate, key: options.tls.key});
  server.on('connection', track);
  server.on('tlsClientError', () => {});
  const proxy: Omit<ForwardProxy, 'url' | 'port'> = {
    connects: [],
    requests: [],
    seen: () => Buffer.concat(seen),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const wanted =
    options.credentials === undefined
      ? undefined
      : `Basic ${Buffer.from(options.credentials).toString('base64')}`;
  server.on('connect', (request, client, head) => {
    track(client);
    const {url = '', headers} = request;
    proxy.connects.push(url);
    seen.push(Buffer.from(`CONNECT ${url}\n${JSON.stringify(headers)}\n`), head);
    if (options.isSilent) return;
    if (options.answer !== undefined) return void client.end(`HTTP/1.1 ${options.answer}\r\n\r\n`);
    if (wanted !== undefined && headers['proxy-authorization'] !== wanted)
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const port = options.hosts?.[url];
    if (port === undefined) return void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const server = net.connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.on('data', (chunk: Buffer) => seen.push(chunk));
      client.pipe(server).pipe(client);
    });
    track(server);
    server.on('close', () => client.destroy());
    client.on('close', () => server.destroy());
  });
  server.on('request', (request, response) => {
    proxy.requests.push({url: request.url ?? '', headers: request.headers});
    request.resume().on('end', () => response.end('through the proxy'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address() as net.AddressInfo;
  return {...proxy, port, url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`};
}
