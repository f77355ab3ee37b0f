import {request, type IncomingHttpHeaders} from 'node:http';
import {Sanitizer} from '../../../src/sanitize/sanitizer.ts';
import {DeliveryLog} from '../../../src/webhooks/inspector/delivery-log.ts';
import {InspectorServer, type InspectorOptions} from '../../../src/webhooks/inspector/server.ts';

export interface PageAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** An inspector of a test, and requests to it: with its token and its own origin unless a test sends others. */
export class PageClient {
  readonly log = new DeliveryLog();
  server!: InspectorServer; // set by open
  readonly replayed: {id: string; target: string; resign: boolean}[] = [];
  readonly bugs: unknown[] = [];

  static async open(options: Partial<InspectorOptions> = {}): Promise<PageClient> {
    const at = new PageClient();
    at.server = await InspectorServer.open({
      log: at.log,
      port: 0,
      secrets: () => [],
      canResign: true,
      defaultTarget: 'http://localhost:3000/hook',
      conceal: new Sanitizer(),
      replay: async ({delivery}, target, resign) => {
        at.replayed.push({id: delivery.id, target: target.href, resign});
        return {good: true, message: '200 in 1 ms.', response: ''};
      },
      onBug: (error) => at.bugs.push(error),
      ...options,
    });
    return at;
  }

  get token(): string {
    return /#open=([\w-]{32})$/.exec(this.server.url)![1]!;
  }
  get port(): number {
    return Number(new URL(this.server.url).port);
  }
  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.send(path, {headers: {'x-remit-token': this.token, ...headers}});
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.send(path, {
      method: 'POST',
      headers: {
        ...{'x-remit-token': this.token, origin: this.origin, 'content-type': 'application/json'},
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Exactly this: no header is added but for the Host, and the path is not normalised. */
  send(path: string, {method = 'GET', headers = {}, body}: Sent): Promise<PageAnswer> {
    return new Promise((resolve, reject) => {
      const sent = request({host: '127.0.0.1', port: this.port, path, method, headers, agent: false});
      sent.on('error', reject);
      sent.on('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => resolve({status: answer.statusCode!, headers: answer.headers, text}));
      });
      sent.end(body);
    });
  }

  /** Opens the stream of events; what it has sent so far. */
  async follow(): Promise<{text: () => string; status: number; close: () => void}> {
    return new Promise((resolve, reject) => {
      let text = '';
      const sent = request({
        ...{host: '127.0.0.1', port: this.port, path: '/events', agent: false},
        headers: {'x-remit-token': this.token},
      });
      sent.on('error', reject);
      sent.on('response', (answer) => {
        answer
          .setEncoding('utf8')
          .on('data', (chunk: string) => (text += chunk))
          .on('error', () => undefined);
        resolve({text: () => text, status: answer.statusCode!, close: () => sent.destroy()});
      });
      sent.end();
    });
  }

  async close(): Promise<void> {
    await this.server.close();
  }
}

/** The ids of the rows of a list, in order. */
export const rowIds = (html: string): string[] =>
  [...html.matchAll(/data-id="(dlv_[0-9a-f]{24})"/g)].map(([, id]) => id!);
