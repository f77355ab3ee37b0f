import {createHmac} from 'node:crypto';
import type * as library from '../../src/webhooks/verify/signature.ts';

// npm run bench:verify: verifyWebhook on bodies in memory, against a bare createHmac over the same bytes. Pairs of runs, in
// alternating order, so that both meet the same machine; the median ratio counts. At least 0.8. The built library is measured.
const BUILT = new URL('../../dist/lib/webhooks.mjs', import.meta.url).href;
const {signWebhook, verifyWebhook} = (await import(BUILT)) as typeof library;
const CALLS = Number(process.argv[2] ?? 1_000_000);
const PAIRS = 9;
const BODY_BYTES = 1024;
const SECRET = 'whsec_5c7ab2f04d0ab5e3bd3d9a9f6ab6ffb1b8a6bfa4f6d6f5a1fe7c0a3c3d2e1f00';
const NOW_MS = 1_770_000_000_000;
const TIMESTAMP = String(NOW_MS / 1000);

const bodies = Array.from({length: 64}, (_, index) => Buffer.alloc(BODY_BYTES, 0x20 + index));
const deliveries = bodies.map((body) => ({
  body,
  headers: [
    'Host',
    'localhost:8080',
    'User-Agent',
    'remit-sandbox',
    'Content-Type',
    'application/json',
    'X-Webhook-Timestamp',
    TIMESTAMP,
    'X-Webhook-Signature',
    signWebhook(SECRET, TIMESTAMP, body),
  ],
  secrets: SECRET,
  nowMs: NOW_MS,
}));

function verify(calls: number): number {
  let accepted = 0;
  for (let call = 0; call < calls; call += 1) if (verifyWebhook(deliveries[call & 63]!).ok) accepted += 1;
  if (accepted !== calls) throw new Error('a valid delivery was refused');
  return accepted;
}

function bare(calls: number): number {
  let bytes = 0;
  for (let call = 0; call < calls; call += 1)
    bytes += createHmac('sha256', SECRET)
      .update(`${TIMESTAMP}.`)
      .update(bodies[call & 63]!)
      .digest().length;
  return bytes;
}

/** CPU time: other processes do not count. */
function secondsOf(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const {user, system} = process.cpuUsage(start);
  return (user + system) / 1e6;
}

const calls = Math.ceil(CALLS / PAIRS);
verify(20_000);
bare(20_000);
const ratios: number[] = [];
let total = 0;
for (let pair = 0; pair < PAIRS; pair += 1) {
  const order = pair % 2 === 0;
  const first = secondsOf(() => (order ? verify(calls) : bare(calls)));
  const second = secondsOf(() => (order ? bare(calls) : verify(calls)));
  const [verifySeconds, bareSeconds] = order ? [first, second] : [second, first];
  total += verifySeconds;
  ratios.push(bareSeconds / verifySeconds);
}
const median = [...ratios].sort((a, b) => a - b)[(PAIRS - 1) / 2]!;
console.log(`${calls * PAIRS} calls, ${Math.round((calls * PAIRS) / total)} a second`);
console.log(
  `of a bare createHmac loop: ${median.toFixed(3)} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
);
if (median < 0.8) process.exitCode = 1;
