/**
 * The service of the benchmark, a process of its own: creates, and keeps nothing. Under `/v1` it speaks like the service
 * in `dialect.ts`. On bare sockets, so that it
 * costs a fraction of what a client costs and the client is what is measured. Arguments: latency of an answer in
 * milliseconds. Prints its port; ends when its stdin does.
 */
import {createServer, type Socket} from 'node:net';

const latencyMs = Number(process.argv[2] ?? 0);
const HEAD_END = Buffer.from('\r\n\r\n');
let created = 0;
let date = '';
let timestamp = '';
let seconds = 0;
const tick = () => {
  const now = new Date();
  date = now.toUTCString();
  timestamp = now.toISOString();
  seconds = Math.floor(now.getTime() / 1000);
};
setInterval(tick, 1000).unref();
tick();

/** The same key, the same id: what a release and a replay expect. */
function idOf(key: string): string {
  const hex = Buffer.from(key, 'base64url').toString('hex');
  return `018f3a00-${hex.slice(0, 4)}-7000-8000-${hex.slice(4, 16)}`;
}

function answerTo(head: string, body: string): string {
  const isDialect = head.startsWith('POST /v1/');
  const key = /(?:idempotency|x-request)-key: *([^\r]+)/i.exec(head)?.[1] ?? '';
  const {metadata, auto_approve: approve, ...fields} = JSON.parse(body) as Record<string, unknown>;
  created++;
  const same = {id: idOf(key), subaccount_id: null, rail: 'standard_ach', country_code: 'US', ...fields};
  const record = JSON.stringify(
    isDialect
      ? {
          result: {
            ...same,
            state: approve === true ? 'APPROVED' : 'NEW',
            metadata,
            created_at: seconds,
            updated_at: timestamp,
          },
        }
      : {
          ...same,
          status: approve === true ? 'approved' : 'created',
          client_metadata: metadata,
          created_at: timestamp,
          updated_at: timestamp,
        },
  );
  return (
    `HTTP/1.1 201 Created\r\ncontent-type: application/json; charset=utf-8\r\nx-request-id: req_${created}\r\n` +
    `date: ${date}\r\nconnection: keep-alive\r\nkeep-alive: timeout=60\r\n` +
    `content-length: ${Buffer.byteLength(record)}\r\n\r\n${record}`
  );
}

/** Answers every whole request in what has arrived; returns the rest. */
function serve(arrived: Buffer, socket: Socket): Buffer {
  for (;;) {
    const headEnd = arrived.indexOf(HEAD_END);
    if (headEnd < 0) return arrived;
    const head = arrived.toString('latin1', 0, headEnd);
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const end = headEnd + HEAD_END.length + length;
    if (arrived.length < end) return arrived;
    const answer = answerTo(head, arrived.toString('utf8', headEnd + HEAD_END.length, end));
    if (latencyMs > 0) setTimeout(() => socket.write(answer), latencyMs);
    else socket.write(answer);
    arrived = arrived.subarray(end);
  }
}

const server = createServer((socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    rest = serve(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), socket);
  });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', 4096, () => {
  const address = server.address();
  if (typeof address === 'object') process.stdout.write(`${address?.port}\n`);
});
process.stdin.resume().on('end', () => process.exit(0));
