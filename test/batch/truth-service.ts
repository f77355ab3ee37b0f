import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {randomUUID} from 'node:crypto';
import {
  TransportFailure,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from '../../src/client/transport/transport.ts';

/** What the service does with one request: answer by the rules, or misbehave in a named way. */
export type Fault =
  | 'lost-before' // nothing happens, the connection breaks
  | 'lost-after' // it happens, the answer is lost
  | 'cut' // it happens, half of the answer arrives
  | 'not-json' // it happens, the answer cannot be read
  | '503-before'
  | '503-after'
  | '500-after'
  | '409-other'
  | '429'
  | {status: number; body?: unknown; headers?: Record<string, string>};

export interface TruthRecord {
  id: string;
  key: string;
  status: string;
  body: Record<string, unknown>;
  /** How often it went from created to approved: money moved this often. */
  approvals: number;
  createdAt: number;
}

export interface SeenRequest {
  n: number;
  method: string;
  path: string;
  key: string | undefined;
  body: string;
  at: number;
}

export const isStage = ({method, body}: SeenRequest): boolean =>
  method === 'POST' && body.includes('"auto_approve":false');
export const isRelease = ({method, body}: SeenRequest): boolean =>
  method === 'POST' && body.includes('"auto_approve":true');
/** Whether it is a create of row `INV-n`. */
export const isOf = ({body}: SeenRequest, n: number): boolean => body.includes(`"INV-${n}"`);

/**
 * The service as the batch sees it, keeping the truth: one record a key, each approval counted. Faults are chosen per
 * request by a function, so that a test decides or a seed does. It speaks over a fake transport or over real HTTP.
 */
export class TruthService {
  readonly records = new Map<string, TruthRecord>();
  readonly byId = new Map<string, TruthRecord>();
  readonly requests: SeenRequest[] = [];
  /** Keep request bodies only when a test looks at them; a long run would fill memory. */
  keepRequests = true;
  posts = 0;
  fault: (request: SeenRequest) => Fault | undefined = () => undefined;
  /** Refuses a create by its body before anything is recorded. */
  refuse: (
    body: Record<string, unknown>,
  ) => {status: number; error_code?: string; message?: string} | undefined = () => undefined;
  /** 207 instead of an approval. */
  approvalFails: (body: Record<string, unknown>) => boolean = () => false;
  /** Changes what is answered about a record, not the record. */
  distort: (record: Record<string, unknown>, request: SeenRequest) => Record<string, unknown> = (record) =>
    record;
  /** Over HTTP, what an answer takes. */
  latencyMs = 0;
  /** The id of each new record. */
  newId: () => string = randomUUID;
  /** What time it is for the service. */
  now: () => number = Date.now;
  /** How long a key is remembered after its record was made. */
  keyLifeMs = Infinity;
  #n = 0;

  get paid(): TruthRecord[] {
    return [...this.byId.values()].filter((record) => record.approvals > 0);
  }

  forgetKeys(): void {
    this.records.clear();
  }

  /** Acts on one request; the fault says what the caller gets to see of it. */
  act(request: Omit<SeenRequest, 'n' | 'at'>): {
    status: number;
    body: string;
    headers: Record<string, string>;
    fault: Fault | undefined;
  } {
    const seen: SeenRequest = {...request, n: ++this.#n, at: this.now()};
    if (request.method === 'POST') this.posts++;
    if (this.keepRequests) this.requests.push(seen);
    const fault = this.fault(seen);
    const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => ({
      status,
      body: body === undefined ? '' : JSON.stringify(body),
      headers: {
        ...{'content-type': 'application/json', 'x-request-id': `req_${seen.n}`},
        ...{date: new Date(seen.at).toUTCString(), ...headers},
      },
      fault,
    });
    if (typeof fault === 'object') return answer(fault.status, fault.body, fault.headers);
    if (fault === 'lost-before') return answer(0, undefined);
    if (fault === '503-before') return answer(503, {error_code: 'SERVICE_UNAVAILABLE', message: 'away'});
    if (fault === '429') return answer(429, {error_code: 'RATE_LIMITED', message: 'slow down'});
    if (fault === '409-other') return answer(409, {error_code: 'CONCURRENT', message: 'the key is in use'});
    const done = this.#obey(seen);
    if (fault === '503-after')
      return answer(503, {error_code: 'SERVICE_UNAVAILABLE', message: 'initiation failed'});
    if (fault === '500-after') return answer(500, undefined);
    return answer(done.status, done.body);
  }

  #obey(request: SeenRequest): {status: number; body: unknown} {
    const {method, path} = request;
    const approve = /^\/api\/pay(?:outs|ins)\/([^/?]+)\/approve$/.exec(path);
    if (approve !== null && method === 'POST') return this.#approve(approve[1]!, request);
    const cancel = /^\/api\/pay(?:outs|ins)\/([^/?]+)\/cancel$/.exec(path);
    if (cancel !== null && method === 'POST') return this.#cancel(cancel[1]!, request);
    if (method === 'GET' && /^\/api\/pay(?:outs|ins)\?/.test(path)) return this.#list(request);
    const match = /^\/api\/(payouts|payins)(?:\/([^/?]+))?$/.exec(path);
    if (match === null) return {status: 404, body: {error_code: 'NOT_FOUND', message: 'no such route'}};
    if (method === 'GET') {
      const record = this.byId.get(match[2] ?? '');
      if (record === undefined)
        return {status: 404, body: {error_code: 'NOT_FOUND', message: 'no such record'}};
      return {status: 200, body: this.#shown(record, request)};
    }
    return this.#create(request);
  }

  /** One page, newest first. */
  #list(request: SeenRequest): {status: number; body: unknown} {
    const query = new URL(request.path, 'https://api.test').searchParams;
    const isAsked = ({body}: TruthRecord) =>
      ['payee_id', 'payer_id'].every((name) => !query.has(name) || query.get(name) === body[name]);
    const found = [...this.byId.values()].reverse().filter(isAsked);
    const data = found
      .slice(0, Number(query.get('limit') ?? 20))
      .map((record) => this.#shown(record, request));
    return {status: 200, body: {data, next_cursor: null}};
  }

  #approve(id: string, request: SeenRequest): {status: number; body: unknown} {
    const record = this.byId.get(id);
    if (record === undefined)
      return {status: 404, body: {error_code: 'NOT_FOUND', message: 'no such record'}};
    if (record.status !== 'created')
      return {status: 400, body: {error_code: 'VALIDATION_ERROR', message: `it is ${record.status}`}};
    if (this.approvalFails(record.body))
      return {status: 422, body: {error_code: 'INVALID_PAYMENT_DETAILS', message: 'insufficient funds'}};
    record.status = 'approved';
    record.approvals++;
    return {status: 200, body: this.#shown(record, request)};
  }

  #cancel(id: string, request: SeenRequest): {status: number; body: unknown} {
    const record = this.byId.get(id);
    if (record === undefined)
      return {status: 404, body: {error_code: 'NOT_FOUND', message: 'no such record'}};
    if (record.status !== 'created')
      return {status: 400, body: {error_code: 'VALIDATION_ERROR', message: `it is ${record.status}`}};
    record.status = 'canceled';
    return {status: 200, body: this.#shown(record, request)};
  }

  #create(request: SeenRequest): {status: number; body: unknown} {
    const {auto_approve: approve, ...body} = JSON.parse(request.body) as Record<string, unknown>;
    const key = request.key ?? randomUUID();
    let record = this.records.get(key);
    if (record !== undefined && this.now() - record.createdAt > this.keyLifeMs) record = undefined;
    const isNew = record === undefined;
    if (record === undefined) {
      const refusal = this.refuse(body);
      if (refusal)
        return {
          status: refusal.status,
          body: {error_code: refusal.error_code, message: refusal.message ?? 'refused'},
        };
      record = {id: this.newId(), key, status: 'created', body, approvals: 0, createdAt: this.now()};
      this.records.set(key, record);
      this.byId.set(record.id, record);
    }
    if (record.status === 'failed' || record.status === 'canceled')
      return {status: 409, body: {error_code: 'IDEMPOTENCY_KEY_CONFLICT', message: 'a new key is required'}};
    if (approve === true && record.status === 'created') {
      if (this.approvalFails(body))
        return {
          status: 207,
          body: {...this.#shown(record, request), warning: 'approval failed: insufficient funds'},
        };
      record.status = 'approved';
      record.approvals++;
      return {status: 201, body: this.#shown(record, request)};
    }
    return {status: isNew ? 201 : 200, body: this.#shown(record, request)};
  }

  #shown(record: TruthRecord, request: SeenRequest): Record<string, unknown> {
    const {metadata, ...fields} = record.body;
    return this.distort(
      {
        id: record.id,
        subaccount_id: null,
        rail: 'standard_ach',
        currency_code: 'USD',
        country_code: 'US',
        ...fields,
        status: record.status,
        client_metadata: metadata,
        created_at: new Date(record.createdAt).toISOString(),
        updated_at: new Date(record.createdAt).toISOString(),
      },
      request,
    );
  }

  /** The service behind the transport interface: no sockets, no waiting. */
  transport(): Transport {
    return {
      send: async (request: TransportRequest): Promise<TransportAnswer> => {
        const {status, body, headers, fault} = this.act({
          method: request.method,
          path: request.path,
          key: request.headers['idempotency-key'],
          body: request.body ?? '',
        });
        if (fault === 'lost-before' || fault === 'lost-after')
          throw new TransportFailure('reset', 'the connection was closed without an answer', {sent: true});
        if (fault === 'cut')
          throw new TransportFailure('cut', 'the answer was truncated', {sent: true, status});
        return {status, headers, body: Buffer.from(fault === 'not-json' ? '<html>' : body)};
      },
      close: async () => undefined,
    };
  }

  /** The service on a loopback port, with faults made of real broken sockets. */
  async listen(): Promise<{baseUrl: string; close: () => Promise<void>}> {
    const server = createServer((request, response) => void this.#serve(request, response));
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const {port} = server.address() as AddressInfo;
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      close: () =>
        new Promise((resolve) => {
          server.closeAllConnections();
          server.close(() => resolve());
        }),
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the client was killed while it sent: half a request does nothing
    }
    if (this.latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, this.latencyMs));
    const {status, body, headers, fault} = this.act({
      method: request.method!,
      path: request.url!,
      key: request.headers['idempotency-key'] as string | undefined,
      body: Buffer.concat(chunks).toString(),
    });
    if (fault === 'lost-before' || fault === 'lost-after') {
      request.socket.destroy();
      return;
    }
    const text = fault === 'not-json' ? '<html>' : body;
    response.writeHead(status, {...headers, 'content-length': Buffer.byteLength(text)});
    if (fault === 'cut') {
      response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
      return;
    }
    response.end(text);
  }
}
