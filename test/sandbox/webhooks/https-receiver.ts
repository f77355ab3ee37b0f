import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import type {IncomingMessage, RequestListener} from 'node:http';
import {createServer, type Server} from 'node:https';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {loopbackCertificate} from '../../../src/webhooks/tls/local-authority.ts';

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: Buffer;
}

/** A real receiver on loopback over TLS, certified by a local authority of its own. */
export class HttpsReceiver {
  readonly received: Received[] = [];
  /** What it answers; 200 unless said. */
  answer: RequestListener = (_request, response) => response.writeHead(200).end('thanks');
  authorityFile = ''; // set by open
  readonly #folder = mkdtempSync(join(tmpdir(), 'remit-receiver-'));
  #server!: Server; // set by open
  #waiting: (() => void)[] = [];

  /** @param stateDir where its authority is; one of its own when left out */
  static async open(stateDir?: string): Promise<HttpsReceiver> {
    const at = new HttpsReceiver();
    const {certificate, key, authorityFile} = await loopbackCertificate(stateDir ?? at.#folder, Date.now());
    at.authorityFile = authorityFile;
    at.#server = createServer({cert: certificate, key}, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const {method = '', url = '', headers, rawHeaders} = request;
        at.received.push({method, path: url, headers, rawHeaders, body: Buffer.concat(chunks)});
        at.answer(request, response);
        for (const go of at.#waiting.splice(0)) go();
      });
    });
    at.#server.listen(0, '127.0.0.1');
    await once(at.#server, 'listening');
    return at;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = '/hook', host = 'localhost'): string {
    return `https://${host}:${this.port}${path}`;
  }

  /** Waits until so many requests have arrived. */
  async until(count: number): Promise<void> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
    rmSync(this.#folder, {recursive: true, force: true});
  }
}
