import {createServer, type IncomingHttpHeaders} from 'node:http';
import type {AddressInfo} from 'node:net';

/** One answer: a whole one, none (`lost`: the connection dies after the request was read), or half of one (`cut`). */
export type Scripted =
  {status: number; body?: unknown; headers?: Record<string, string>} | 'lost' | 'cut' | 'hang';

export interface Seen {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ScriptedServer {
  baseUrl: string;
  requests: Seen[];
  /** Resolves when the next request has been read. */
  nextRequest(): Promise<Seen>;
  close(): Promise<void>;
}

/** A real HTTP server on loopback that answers in order, the last answer for all that follow. */
export async function scriptedServer(script: readonly Scripted[]): Promise<ScriptedServer> {
  const requests: Seen[] = [];
  let waiting: ((seen: Seen) => void)[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const reply = script[Math.min(requests.length, script.length - 1)]!;
      const seen = {method: request.method!, path: request.url!, headers: request.headers, body};
      requests.push(seen);
      for (const resolve of waiting) resolve(seen);
      waiting = [];
      if (reply === 'hang') return;
      if (reply === 'lost') {
        request.socket.destroy();
        return;
      }
      if (reply === 'cut') {
        response.writeHead(201, {'content-type': 'application/json', 'content-length': '500'});
        response.write('{"id":"0192a000', () => request.socket.destroy());
        return;
      }
      const text = reply.body === undefined ? '' : JSON.stringify(reply.body);
      response.writeHead(reply.status, {
        'x-request-id': 'req_7',
        ...(text === '' ? {} : {'content-type': 'application/json'}),
        ...reply.headers,
      });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    nextRequest: () => new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
