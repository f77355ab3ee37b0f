// What the steps of a delivery cost by themselves, in microseconds of processor time: `npm run bench:listen -- --layers`. Each figure is
// the least of many rounds, so that other work on the machine matters little. Without sockets, the disk and garbage collections.
import {deliveryText} from '../../src/cli/webhooks/listen/view.ts';
import {deliveryIds, type Delivery} from '../../src/webhooks/delivery/delivery.ts';
import {readJson} from '../../src/webhooks/verify/event.ts';
import {webhookDigest, webhookHmac} from '../../src/webhooks/verify/hmac.ts';
import {KnownEvents} from '../../src/webhooks/listen/known-events.ts';
import {parseHead} from '../../src/webhooks/http/request-head.ts';
import {WaitingJobs} from '../../src/webhooks/listen/waiting-jobs.ts';
import {readBody} from '../../src/webhooks/delivery/losses.ts';
import {encodeEntry} from '../../src/webhooks/record/entry.ts';
import {signatureHeaders, verifyWebhook} from '../../src/webhooks/verify/signature.ts';

const [ROUNDS, CALLS] = [25, 10_000];
const SECRET = 'whsec_0123456789abcdef';
const nowMs = Date.now();
const start = '{"id":"019b76da-a800-7000-8235-80d251bba0e9","type":"payout.settled","data":{"note":"';
const body = Buffer.from(`${start}${'x'.repeat(1021 - start.length)}"}}`);
const names = {Host: '127.0.0.1:4000', 'User-Agent': 'remit-bench', 'Content-Type': 'application/json'};
const sent = {...names, 'Content-Length': String(body.length), ...signatureHeaders(SECRET, body, nowMs)};
const head = `POST / HTTP/1.1\r\n${Object.entries(sent)
  .map(([name, value]) => `${name}: ${value}`)
  .join('\r\n')}`;
const {headers} = parseHead(head)!;
const nextId = deliveryIds();
const json = readJson(body);
const delivery: Delivery = {
  ...{id: nextId(nowMs), receivedAtMs: nowMs, path: '/', headers, body, verdict: 'verified', reason: null},
  ...{secret: '0a1b2c3d', eventId: '019b76da-a800-7000-8235-80d251bba0e9', eventType: 'payout.settled'},
  ...{attempt: 1, duplicateOf: null, filtered: false, targets: []},
};
const room = Buffer.alloc(4096);
const known = new KnownEvents([]);
const screen = {paint: (_: unknown, text: string) => text, columns: 80, isTerminal: false};
let jobs = new WaitingJobs();
let made = 0;

const STEPS: Record<string, () => unknown> = {
  'read the head': () => parseHead(head),
  verify: () => verifyWebhook({body, headers, secrets: [SECRET], nowMs}),
  '  of that the digest': () => webhookDigest(SECRET, '1770000000.', body),
  '  createHmac, for comparison': () => webhookHmac(SECRET, '1770000000.', body).digest('hex'),
  'parse the body': () => readJson(body),
  'find the event': () => known.arrive(`019b76da-a800-7000-${(made += 1)}`, body, delivery.id),
  'encode for the record': () =>
    encodeEntry({kind: 'delivery', delivery}, (bytes) => room.subarray(0, bytes)),
  'look for what JSON loses': () => readBody(body, json),
  'make its line': () => deliveryText(delivery, screen, json),
  'wait for a target': () => {
    if (jobs.length > 2000) jobs = new WaitingJobs();
    jobs.push({delivery, attempt: 1});
  },
};

for (const [name, step] of Object.entries(STEPS)) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    for (let call = 0; call < CALLS; call += 1) step();
    const {user, system} = process.cpuUsage(before);
    least = Math.min(least, (user + system) / CALLS);
  }
  console.log(`${name.padEnd(28)} ${least.toFixed(2).padStart(6)} µs`);
}
