import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {isObject} from '../../../src/narrow.ts';
import type {TransportAnswer, TransportRequest} from '../../../src/client/transport/transport.ts';
import {BASE_URL, runCli, TEST_KEY} from '../run-cli.ts';
import {answer} from '../../client/transport/fake-transport.ts';

type Json = Readonly<Record<string, unknown>>;

export interface PagingOptions {
  readonly count?: number;
  /** Smallest page; the service refuses others. */
  readonly min?: number;
  /** Largest page; the service sends no more, whatever is requested. */
  readonly cap?: number;
  /** The service has pages of this size, whatever is requested. */
  readonly fixed?: number;
  readonly by?: 'page' | 'offset' | 'none';
  readonly envelope?: (items: readonly unknown[], all: number) => unknown;
  readonly link?: (page: number) => string;
  /** Records that are added after each request for a later page. */
  readonly growth?: number;
  readonly ignores?: readonly string[];
  /** Filters with which the service finds no records. */
  readonly findsNothingBy?: readonly string[];
  /** Transactions are those of another account. */
  readonly otherAccounts?: boolean;
  readonly statuses?: readonly string[];
  /** Oldest first, unless `order` is `desc` and not ignored. */
  readonly isAscending?: boolean;
}

const idOf = (kind: number, n: number) => `0192a000-0000-7000-8${kind}00-${String(n).padStart(12, '0')}`;
const at = (n: number) => new Date(Date.UTC(2026, 0, 31) - n * 60_000).toISOString();
const PAYEES = [1, 2].map((n) => ({id: idOf(1, n), name: `Payee ${n}`, type: 'business', created_at: at(n)}));
const ACCOUNTS = [1, 2].map((n) => ({id: idOf(2, n), label: `Account ${n}`, currency_code: 'USD'}));

/** A service with GETs alone that differs in its lists. */
export class PagingService {
  readonly requests: TransportRequest[] = [];
  readonly #options: PagingOptions;
  readonly #payouts: Json[];

  constructor(options: PagingOptions) {
    this.#options = options;
    this.#payouts = Array.from({length: options.count ?? 250}, (_, n) => this.#payout(n + 1));
  }

  #payout(n: number): Json {
    const statuses = this.#options.statuses ?? ['settled', 'created', 'approved', 'failed'];
    return {
      ...{id: idOf(0, n), payee_id: PAYEES[n % 2]?.id, status: statuses[n % statuses.length]},
      ...{amount_in_minor_units: 1000 + n, currency_code: 'USD', rail: 'standard_ach'},
      ...{client_metadata: {}, created_at: at(n), updated_at: at(n)},
    };
  }

  async close(): Promise<void> {}

  async send(request: TransportRequest): Promise<TransportAnswer> {
    this.requests.push(request);
    const {pathname, searchParams} = new URL(request.path, 'http://service');
    const lists: Record<string, readonly Json[]> = {
      '/api/payouts': this.#payouts,
      '/api/payees': PAYEES,
      '/api/treasury/accounts': ACCOUNTS,
      '/api/treasury/account-transfers': [],
    };
    const list = ['payins', 'payers', 'subaccounts', 'subaccounts/move', 'webhooks/endpoints'].some(
      (path) => pathname === `/api/${path}`,
    )
      ? []
      : lists[pathname];
    if (list !== undefined) return this.#page(list, searchParams);
    if (pathname === '/api/webhooks/event-types') return answer(200, {data: ['payout.settled']});
    if (pathname.endsWith('/transactions') && this.#options.otherAccounts === true)
      return answer(200, {
        data: [{...ACCOUNTS[0], id: idOf(4, 1), account_id: idOf(2, 9)}],
        next_cursor: null,
      });
    if (pathname.endsWith('/payment-methods') || pathname.endsWith('/transactions'))
      return answer(200, {data: [], next_cursor: null});
    if (pathname.endsWith('/balance'))
      return answer(200, {...BALANCE, account_id: ACCOUNTS[0]?.id, as_of: at(0)});
    const record = [...this.#payouts, ...PAYEES].find(({id}) => pathname.endsWith(`/${String(id)}`));
    return record === undefined
      ? answer(404, {error_code: 'NOT_FOUND', message: 'not found'})
      : answer(200, record);
  }

  #page(list: readonly Json[], query: URLSearchParams): TransportAnswer {
    const {cap = 100, fixed, by = 'page', ignores = [], isAscending = false, growth = 0} = this.#options;
    const valueOf = (name: string) => (ignores.includes(name) ? null : query.get(name));
    const {min = 1} = this.#options;
    if (Number(query.get('limit') ?? min) < min)
      return answer(400, {error_code: 'VALIDATION_ERROR', message: `limit must be at least ${min}`});
    const later = Number(query.get('page') ?? 1) > 1 || Number(query.get('offset') ?? 0) > 0;
    if (later && list === this.#payouts)
      for (let n = 0; n < growth; n++) this.#payouts.unshift(this.#payout(1000 + this.#payouts.length));
    let all = list.filter((record) =>
      ['status', 'payee_id'].every((name) => [null, record[name]].includes(valueOf(name))),
    );
    if (this.#options.findsNothingBy?.some((name) => query.has(name)) === true) all = [];
    const time = ({created_at: created}: Json) => Date.parse(String(created));
    const [from, to] = [valueOf('created_from'), valueOf('created_to')];
    if (from !== null) all = all.filter((record) => time(record) >= Date.parse(from));
    if (to !== null) all = all.filter((record) => time(record) <= Date.parse(to));
    const order = valueOf('order') ?? (isAscending ? 'asc' : 'desc');
    if (order === 'asc') all.reverse();
    const size = fixed ?? Math.min(cap, Number(query.get('limit') ?? cap));
    const page = Number(query.get('page') ?? 1);
    const start = by === 'page' ? (page - 1) * size : by === 'offset' ? Number(query.get('offset') ?? 0) : 0;
    const items = all.slice(start, start + size);
    const {envelope = (data) => ({data}), link} = this.#options;
    const isLinked = link !== undefined && start + size < all.length;
    return answer(200, envelope(items, all.length), isLinked ? {link: link(page + 1)} : {});
  }
}

const BALANCE = {
  ...{currency_code: 'USD', current_balance_in_minor_units: 5, available_balance_in_minor_units: 5},
};

/** The number of records in the JSON that a list printed. */
export const countIn = (json: unknown): number => (Array.isArray(json) ? json.filter(isObject).length : -1);

/** A user of such a service, with a folder for the service file. */
export function setUp(options: PagingOptions) {
  const home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
  const path = join(home, 'service.json');
  const env = {HOME: home, REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL};
  const run = (line: string, more: Record<string, string> = {}) =>
    runCli(line.split(' '), {service: new PagingService(options), env: {...env, ...more}});
  return {path, run, withFile: (line: string) => run(line, {REMIT_SERVICE_FILE: path})};
}
