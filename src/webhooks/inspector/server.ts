import {randomBytes} from 'node:crypto';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import {RemitError} from '../../errors.ts';
import {ICON, pageHeaders} from '../../html/page-frame.ts';
import {isObject, portOf} from '../../narrow.ts';
import {listenOn} from '../../network/listening.ts';
import {DELIVERY_ID, isCut} from '../delivery/delivery.ts';
import {parseTarget} from '../delivery/target.ts';
import {ChangeStream} from './change-stream.ts';
import {replayCurlCommand} from './curl.ts';
import type {DeliveryLog} from './delivery-log.ts';
import {type LoggedDelivery} from './delivery-log.ts';
import {detailView, type Conceal} from './detail-view.ts';
import {diagnoseLogged} from './diagnose-logged.ts';
import {readFilter} from './filter.ts';
import {listView} from './list-view.ts';
import {foreign, hasInspectorToken} from './request-guard.ts';
import {shellPage} from './shell/page.ts';
import {SHELL_SCRIPT} from './shell/script.ts';
import {SHELL_STYLE} from './shell/style.ts';
import type {SignatureForm} from '../../contract/signature-form.ts';
import type {WebhookSecret} from '../verify/secrets.ts';

/** What a replay shows on the page. */
export interface ReplayShown {
  good: boolean;
  message: string;
  /** The first characters of the answer. */
  response: string;
}

export interface InspectorOptions {
  log: DeliveryLog;
  /** 0 picks a free one. */
  port: number;
  /** Read each time: an endpoint that is registered later adds its own. */
  secrets: () => readonly WebhookSecret[];
  /** How the service signs, if not as documented. */
  form?: SignatureForm | undefined;
  canResign: boolean;
  /** The target of deliveries that were not forwarded before. */
  defaultTarget: string | undefined;
  conceal: Conceal;
  /** User errors are RemitErrors. */
  replay: (logged: LoggedDelivery, target: URL, resign: boolean) => Promise<ReplayShown>;
  onBug: (error: unknown) => void;
}

/** Deliveries on one page of the list. */
const PAGE_LENGTH = 100;
const REQUEST_BYTES_MAX = 8192;
const LIMITS = {headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000};
const HEADERS = pageHeaders({style: SHELL_STYLE, script: true});

interface Reply {
  status: number;
  type: string;
  text: string;
}
const reply = (status: number, type: string, text: string): Reply => ({status, type, text});
const refusal = (status: number, text: string): Reply => reply(status, 'text/plain', `${text}\n`);
const html = (text: string): Reply => reply(200, 'text/html', text);

/** Serves the inspector on loopback: an empty page to everyone, and the deliveries to those with the token. */
export class InspectorServer {
  readonly #options: InspectorOptions;
  readonly #server: Server;
  readonly #changes = new ChangeStream();
  readonly #token = randomBytes(24).toString('base64url');

  private constructor(options: InspectorOptions) {
    this.#options = options;
    this.#server = createServer(LIMITS, (request, response) => void this.#handle(request, response));
    this.#server.maxConnections = 200;
    options.log.onChange = (id) => this.#changes.changed(id);
  }

  /** @throws {RemitError} PORT_IN_USE, STATE */
  static async open(options: InspectorOptions): Promise<InspectorServer> {
    const inspector = new InspectorServer(options);
    await listenOn(inspector.#server, {
      ...{host: '127.0.0.1', port: options.port},
      hint: 'choose another port for the page, or omit it to pick a free one',
    });
    return inspector;
  }

  /** The address that opens the page. The part after `#` is not sent to any server. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}/#open=${this.#token}`;
  }

  get #port(): number {
    return portOf(this.#server);
  }

  async close(): Promise<void> {
    this.#options.log.onChange = () => {};
    this.#changes.close();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    try {
      const answer = await this.#route(request, response);
      if (answer !== undefined) send(response, answer);
    } catch (error) {
      this.#options.onBug(error);
      send(response, refusal(500, 'internal error'));
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<Reply | undefined> {
    const why = foreign(request, this.#port);
    if (why !== undefined) return refusal(403, why);
    const {method, url = ''} = request;
    const [path = '', search = ''] = url.split('?', 2);
    if (method !== 'GET' && method !== 'POST') return refusal(405, 'only GET and POST');
    const open = method === 'GET' ? this.#openPage(path) : undefined;
    if (open !== undefined) return open;
    if (!hasInspectorToken(request, this.#token)) return refusal(401, 'the token is missing or wrong');
    const query = new URLSearchParams(search);
    if (method === 'GET' && path === '/events') return this.#follow(response);
    if (method === 'GET' && path === '/deliveries') return this.#list(query);
    const [, id = '', action] = /^\/deliveries\/([^/]+)(?:\/(curl|replay))?$/.exec(path) ?? [];
    if (!DELIVERY_ID.test(id) || (method === 'POST') !== (action === 'replay'))
      return refusal(404, 'no such page');
    const logged = this.#options.log.get(id);
    if (logged === undefined) return refusal(404, 'this delivery is not in memory any more');
    if (action === 'replay') return this.#replay(logged, request);
    return action === 'curl' ? this.#curl(logged, query) : this.#detail(logged);
  }

  /** Pages without data. */
  #openPage(path: string): Reply | undefined {
    if (path === '/') return html(shellPage(this.#options.canResign));
    if (path === '/inspector.js') return reply(200, 'text/javascript', SHELL_SCRIPT);
    if (path === '/icon.svg' || path === '/favicon.ico') return reply(200, 'image/svg+xml', ICON);
    return undefined;
  }

  #follow(response: ServerResponse): Reply | undefined {
    response.writeHead(200, {...HEADERS, 'content-type': 'text/event-stream; charset=utf-8'});
    if (!this.#changes.add(response)) response.end();
    return undefined;
  }

  #list(query: URLSearchParams): Reply {
    const {log} = this.#options;
    const before = query.get('before') ?? undefined;
    return html(listView(log.list(readFilter(query), {before, limit: PAGE_LENGTH}), log).text);
  }

  #detail(logged: LoggedDelivery): Reply {
    const {log, secrets, form, conceal, defaultTarget} = this.#options;
    const [known] = logged.targets.keys();
    const diagnosis = diagnoseLogged(logged.delivery, secrets(), form);
    const attempts = log.ofEvent(logged.delivery.eventId);
    const target = known ?? defaultTarget ?? '';
    return html(detailView({logged, attempts, diagnosis, conceal, target}).text);
  }

  #curl({delivery}: LoggedDelivery, query: URLSearchParams): Reply {
    if (isCut(delivery)) return refusal(400, 'The body was not kept in full.');
    try {
      const target = parseTarget(query.get('target') || 'http://localhost:3000/');
      return reply(200, 'text/plain', replayCurlCommand(delivery, target.href));
    } catch (error) {
      return refusal(400, messageOf(error));
    }
  }

  async #replay(logged: LoggedDelivery, request: IncomingMessage): Promise<Reply> {
    const asked = await readReplay(request);
    if (asked === undefined) return refusal(400, 'a short JSON body {"target","resign"} is expected');
    let shown: ReplayShown;
    try {
      if (asked.target.trim() === '')
        throw new RemitError('USAGE', 'type the address to send it to, such as 3000/hook');
      shown = await this.#options.replay(logged, parseTarget(asked.target.trim()), asked.resign);
    } catch (error) {
      shown = {good: false, message: messageOf(error), response: ''};
    }
    return reply(200, 'application/json', JSON.stringify(shown));
  }
}

function send(response: ServerResponse, {status, type, text}: Reply): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    ...HEADERS,
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Undefined for anything that the page does not send. */
async function readReplay(request: IncomingMessage): Promise<{target: string; resign: boolean} | undefined> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > REQUEST_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  try {
    const asked: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const {target, resign} = isObject(asked) ? asked : {};
    return typeof target === 'string' && typeof resign === 'boolean' ? {target, resign} : undefined;
  } catch {
    return undefined;
  }
}

/** What went wrong, and what to do about it. @throws the error itself if it is a bug */
function messageOf(error: unknown): string {
  if (!(error instanceof RemitError)) throw error;
  return error.hint === undefined ? error.message : `${error.message}: ${error.hint}`;
}
