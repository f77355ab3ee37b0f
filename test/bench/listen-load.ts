// The load generator of `npm run bench:listen`, a process of its own: signs deliveries of 1 KB, each an event of its own, and sends
// them over keep-alive connections, each of which sends the next one when the last one was answered. Plain sockets, so that it
// costs less than what it measures.
import {connect, type Socket} from 'node:net';
import {signatureHeaders} from '../../src/webhooks/verify/signature.ts';

export interface Order {
  port: number;
  secret: string;
  connections: number;
  deliveries: number;
}
export interface Outcome {
  perSecond: number;
  /** 99th percentile of the answer time. */
  p99Ms: number;
}

const BODY_BYTES = 1024;
let made = 0;

process.on('message', (order: Order) => void run(order).then((outcome) => process.send!(outcome)));

function nextRequest({port, secret}: Order): Buffer {
  const start = `{"id":"${process.pid}-${(made += 1)}","type":"payout.settled","data":{"payout_id":"019b76da-a7ff-7000-9d0c-4f2f6a1b3c5d","note":"`;
  const body = Buffer.from(`${start}${'x'.repeat(BODY_BYTES - start.length - 3)}"}}`);
  const headers = {
    Host: `127.0.0.1:${port}`,
    'User-Agent': 'remit-bench',
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    ...signatureHeaders(secret, body, Date.now()),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

async function run(order: Order): Promise<Outcome> {
  const latencies: number[] = [];
  const sockets = await Promise.all(Array.from({length: order.connections}, () => open(order.port)));
  const began = performance.now();
  let left = order.deliveries;
  await Promise.all(
    sockets.map(async (socket) => {
      while (left > 0) {
        left -= 1;
        const request = nextRequest(order);
        const sent = performance.now();
        const status = await exchange(socket, request);
        latencies.push(performance.now() - sent);
        if (status !== '200') throw new Error(`answered ${status}`);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  latencies.sort((a, b) => a - b);
  return {perSecond: order.deliveries / seconds, p99Ms: latencies[Math.floor(latencies.length * 0.99)]!};
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({port, host: '127.0.0.1', noDelay: true}, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** The status of the answer. No answer has a body, so the end of the headers is the end of the answer. */
function exchange(socket: Socket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const stop = () => void socket.off('data', onData).off('close', onClose);
    const onData = (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (!answer.endsWith('\r\n\r\n')) return;
      stop();
      resolve(answer.slice(9, 12));
    };
    const onClose = () => {
      stop();
      reject(new Error('a connection was closed without an answer'));
    };
    socket.on('data', onData).on('close', onClose);
    socket.write(request);
  });
}
