import {isObject, type Json} from '../../../src/narrow.ts';
import type {Transport, TransportAnswer, TransportRequest} from '../../../src/client/transport/transport.ts';
import {Dialect} from '../../../src/service/dialect.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {orderOf} from '../../../src/service/paging.ts';
import {valueAt, withValue} from '../../../src/service/paths.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {RecordingClock} from '../../client/recording-clock.ts';
import {TestSandbox} from '../../sandbox/harness.ts';

const CONTRACT = new Dialect({});

/** A sandbox that differs as its service file describes, and refuses requests in any other form. */
export class DifferingService implements Transport {
  readonly sandbox: TestSandbox;
  readonly clock = new RecordingClock();
  readonly requests: TransportRequest[] = [];
  /** Compiled once: finding the operation of a request compiles all of them. */
  #dialect = CONTRACT;
  /** The code of the 404 for a path that does not exist. */
  codeOfNoRoute = 'ROUTE_UNKNOWN';
  /** The last change to each answer. */
  twist: (answer: TransportAnswer, request: TransportRequest) => TransportAnswer = (same) => same;

  private constructor(sandbox: TestSandbox) {
    this.sandbox = sandbox;
  }

  static async open(): Promise<DifferingService> {
    return new DifferingService(await TestSandbox.open());
  }

  /** Creates at least two records for each list. */
  async fill(): Promise<void> {
    const {sandbox} = this;
    for (const kind of ['payee', 'payer'] as const) {
      const {id, methodId} = await sandbox.ready(kind);
      await sandbox.party(kind);
      for (const amount of [12_550, 2000]) {
        sandbox.clock.pass(5000);
        const body = {amount_in_minor_units: amount, metadata: {a: 'b'}};
        await (kind === 'payee'
          ? sandbox.payout(id, body)
          : sandbox.payin(id, {...body, payment_method_id: methodId}));
      }
    }
    const [a, b] = await Promise.all(
      ['One', 'Two'].map(async (name) => sandbox.post('/api/subaccounts', {name, currency_code: 'USD'})),
    );
    await sandbox.post('/api/subaccounts/move', {
      ...{source_subaccount_id: a!.body.id, destination_subaccount_id: b!.body.id},
      ...{amount_in_minor_units: 5, currency_code: 'USD'},
    });
    const {body: accounts} = await sandbox.get('/api/treasury/accounts');
    const [one, two] = accounts.data as {id: string}[];
    await sandbox.post('/api/treasury/account-transfers', {
      ...{source_account_id: one!.id, destination_account_id: two!.id},
      ...{amount_in_minor_units: 700, currency_code: 'USD', rail: 'book'},
    });
    await sandbox.post('/api/webhooks/endpoints', {
      ...{url: 'https://example.com/hook', event_types: ['payout.settled']},
    });
  }

  get dialect(): ServiceFile {
    return this.#dialect.file;
  }

  set dialect(file: ServiceFile) {
    this.#dialect = new Dialect(file);
  }

  async send(request: TransportRequest): Promise<TransportAnswer> {
    this.requests.push(request);
    return this.twist(await this.#answer(request), request);
  }

  async close(): Promise<void> {}

  async #answer({method, path, headers, body}: TransportRequest): Promise<TransportAnswer> {
    const dialect = this.#dialect;
    const [route = '', search = ''] = path.split('?');
    const json: Json = body === undefined ? undefined : JSON.parse(body);
    const id = dialect.operationOnWire(method, route, json);
    if (id === undefined)
      return this.#refusal(answer(404, {error_code: this.codeOfNoRoute, message: 'no such path'}));
    const query = new URLSearchParams(search);
    const refused = this.#refuses(query);
    if (refused !== undefined)
      return this.#refusal(answer(400, {error_code: 'VALIDATION_ERROR', message: refused}));
    const read = dialect.requestFromWire(id, {method, path: route, query, body: json});
    if (CONTRACT.operationAt(read.method, read.path) !== id)
      return this.#refusal(answer(400, {error_code: 'VALIDATION_ERROR', message: 'the id is malformed'}));
    const text = read.body === undefined ? undefined : JSON.stringify(read.body);
    const {keys} = this.dialect;
    const key = headers[keys?.header?.toLowerCase() ?? 'idempotency-key'];
    const response = await this.sandbox.sandbox.fetch(
      new Request(`http://localhost${read.path}?${read.query.toString()}`, {
        method: read.method,
        headers: {
          'x-api-key': headers['x-api-key'] ?? '',
          ...(text === undefined ? {} : {'content-type': 'application/json'}),
          ...(key === undefined ? {} : {'idempotency-key': key}),
        },
        ...(text === undefined || read.method === 'GET' ? {} : {body: text}),
      }),
    );
    const answered = await response.text();
    const parsed: Json = answered === '' ? undefined : JSON.parse(answered);
    const own = answer(
      response.status,
      response.ok && parsed !== undefined ? dialect.answerToWire(id, parsed) : parsed,
      this.#headers(Object.fromEntries(response.headers)),
    );
    return response.ok ? own : this.#refusal(own);
  }

  /** Why a query is refused. Unknown parameters have no effect, but other values of page size and order are refused. */
  #refuses(query: URLSearchParams): string | undefined {
    const {max = 100} = this.dialect.paging ?? {};
    const order = orderOf(this.dialect.paging);
    const {limit = 'limit'} = this.dialect.paging ?? {};
    if (Number(query.get(limit) ?? 1) > max) return `${limit} may be at most ${max}`;
    const word = query.get(order.name ?? 'order');
    const words = [order.asc ?? 'asc', order.desc ?? 'desc'];
    if (word !== null && !words.includes(word)) return 'order is invalid';
    for (const name of [...query.keys()]) {
      const known = ['status', 'payee_id', 'payer_id', 'account_id', 'created_from', 'created_to'];
      const own = [limit, order.name ?? 'order', this.dialect.paging?.cursor ?? 'cursor', ...known];
      if (!own.includes(name)) query.delete(name);
    }
    return undefined;
  }

  #headers(headers: Record<string, string>): Record<string, string> {
    const {'x-request-id': id, ...others} = headers;
    const name = this.dialect.headers?.requestId;
    return {...others, [name ?? 'x-request-id']: id ?? 'req_1'};
  }

  #refusal(refused: TransportAnswer): TransportAnswer {
    const {errors = {}} = this.dialect;
    const body: Json = JSON.parse(refused.body.toString());
    if (!isObject(body)) return refused;
    const code = Object.entries(errors.codes ?? {}).find(([, own]) => own === body['error_code'])?.[0];
    let wire = withValue({}, (errors.code ?? 'error_code').split('.'), code ?? body['error_code']);
    wire = withValue(wire, (errors.message ?? 'message').split('.'), valueAt(body, ['message']));
    return {...refused, body: Buffer.from(JSON.stringify(wire))};
  }
}
