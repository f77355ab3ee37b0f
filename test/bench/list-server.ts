/**
 * The service of the list benchmark, a process of its own: pages of made-up payouts that cost it next to nothing, so that
 * the client is what is measured. Arguments: number of records. Prints its port; ends when its stdin does.
 * `GET /tenths` shows how many milliseconds each tenth of the last list took.
 */
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';

const records = Number(process.argv[2]);
const PAGE = 100;
const pages = Math.ceil(records / PAGE);
/** Different pages; after them they repeat, with other cursors. */
const DIFFERENT = 50;

const STATUSES = ['settled', 'settled', 'settled', 'initiated', 'failed', 'created', 'approved', 'canceled'];
const RAILS = ['standard_ach', 'same_day_ach', 'rtp', 'wire'];
const hex = (n: number, digits: number) => n.toString(16).padStart(digits, '0');

function payout(n: number): object {
  const status = STATUSES[n % STATUSES.length];
  const createdAt = new Date(Date.UTC(2026, 10, 23) - n * 61_000).toISOString();
  return {
    id: `0192a0${hex(n % 100, 2)}-${hex(n % 7919, 4)}-7000-8000-${hex(n * 48_271, 12)}`,
    payee_id: `0192b000-0000-7000-8000-${hex(n % 200, 12)}`,
    subaccount_id: null,
    payment_method_id: `0192c000-0000-7000-8000-${hex(n % 300, 12)}`,
    amount_in_minor_units: 10_000 + ((n * 7919) % 1_000_000),
    currency_code: n % 9 === 0 ? 'EUR' : 'USD',
    country_code: 'US',
    rail: RAILS[n % RAILS.length],
    status,
    description: `Invoice INV-${n}, ${n % 3 === 0 ? 'November rent' : 'services rendered'}`,
    client_metadata: {reference: `INV-${n}`, department: `D${n % 12}`},
    scheduled_for: null,
    failure_reason: status === 'failed' ? 'R03 no account or unable to locate account' : null,
    created_at: createdAt,
    updated_at: createdAt,
  };
}

const bodies = Array.from({length: DIFFERENT}, (_, page) => {
  const data = Array.from({length: PAGE}, (_, i) => payout(page * PAGE + i));
  return Buffer.from(`{"data":${JSON.stringify(data)},"next_cursor":`);
});
const head = {'content-type': 'application/json; charset=utf-8'};

let tenths: number[] = [];
let began = 0;
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://host');
  if (url.pathname === '/tenths') {
    response.end(JSON.stringify(tenths));
    return;
  }
  const page = Number(url.searchParams.get('cursor') ?? 0);
  const now = performance.now();
  if (page === 0) [tenths, began] = [[], now];
  const tenth = Math.floor((page * 10) / pages);
  tenths[tenth] = now - began;
  const next = page + 1 < pages ? `"${page + 1}"}` : 'null}';
  const body = Buffer.concat([bodies[page % DIFFERENT]!, Buffer.from(next)]);
  response.writeHead(200, {...head, 'content-length': body.length});
  response.end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.resume().on('end', () => process.exit());
