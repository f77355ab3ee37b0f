import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {connect, type Socket} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {ListenerProcess} from './listener-process.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\n';
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
const PIECE = Buffer.alloc(65_536, 0x61);

/** What one connection does; called again and again until it returns undefined, and not while its data is still being sent. */
type Attack = (turn: number) => string | Buffer | undefined;

/** One endless line of headers, a piece at a time. */
const endlessHeaders: Attack = (turn) => (turn === 0 ? `${HEAD}X-A: ` : PIECE);
const slowly =
  (start: string, rest: string): Attack =>
  (turn) =>
    turn === 0 ? start : rest[turn - 1];
const once =
  (text: string): Attack =>
  (turn) =>
    turn === 0 ? text : '';

const LARGE = Buffer.alloc(1_000_000, 0x61);
const largeBodies =
  (headers: () => string): Attack =>
  (turn) =>
    turn % 2 === 0 ? `${HEAD}${headers()}Content-Length: ${LARGE.length}\r\n\r\n` : LARGE;

/** By so much resident memory may grow. */
export const MOST_MB = 50;

const ATTACKS: Record<string, {connections: number; attack: Attack; againMs?: number}> = {
  'slow headers': {
    connections: 500,
    attack: slowly('POST / HTTP/1.1\r\n', 'Host: localhost\r\nX-Slow: '.repeat(50)),
  },
  'slow bodies': {connections: 500, attack: slowly(`${HEAD}Content-Length: 1000\r\n\r\n`, 'x'.repeat(900))},
  'large bodies that never end': {
    connections: 200,
    attack: (turn) => (turn === 0 ? `${HEAD}Content-Length: 1048576\r\n\r\n` : turn < 16 ? PIECE : ''),
  },
  'huge bodies': {
    connections: 100,
    attack: (turn) => (turn === 0 ? `${HEAD}Content-Length: 10000000000\r\n\r\n` : PIECE),
  },
  'endless chunks': {
    connections: 100,
    attack: (turn) =>
      turn === 0 ? CHUNKED : Buffer.concat([Buffer.from('10000\r\n'), PIECE, Buffer.from('\r\n')]),
  },
  'endless headers': {connections: 200, attack: endlessHeaders},
  'bad chunking': {connections: 500, attack: once(`${CHUNKED}zz\r\n{}\r\n`)},
  'a content-length that is too short': {
    connections: 500,
    attack: once(`${HEAD}Content-Length: 1\r\n\r\n{}{}{}`),
  },
  'a content-length that is too long': {
    connections: 500,
    attack: once(`${HEAD}Content-Length: 100\r\n\r\n{}`),
  },
  'ten thousand connections': {connections: 10_000, attack: once(''), againMs: 2000},
  'unsigned large bodies': {connections: 50, attack: largeBodies(() => '')},
  'large bodies with a wrong signature': {
    connections: 50,
    attack: largeBodies(
      () =>
        `X-Webhook-Timestamp: ${Math.floor(Date.now() / 1000)}\r\nX-Webhook-Signature: ${'ab'.repeat(32)}\r\n`,
    ),
  },
  'large bodies for another path': {
    connections: 50,
    attack: (turn) =>
      turn === 0 ? `${HEAD.replace('/', '/other')}Content-Length: 1000000000\r\n\r\n` : PIECE,
  },
  'a thousand requests in one packet': {
    connections: 50,
    attack: () => `${HEAD}Content-Length: 0\r\n\r\n`.repeat(1000),
  },
  'chunks of one byte': {
    connections: 200,
    attack: (turn) => (turn === 0 ? CHUNKED : turn === 1 ? '1\r\na\r\n'.repeat(10_000) : ''),
  },
};

/** Holds as many connections as the attack has; those that were closed are opened again. */
class Attackers {
  readonly #port: number;
  readonly #attack: Attack;
  /** A connection that was closed is opened again after this. */
  readonly #againMs: number;
  readonly #sockets = new Set<Socket>();
  #isOver = false;

  constructor(port: number, attack: Attack, againMs: number, connections: number) {
    this.#againMs = againMs;
    this.#port = port;
    this.#attack = attack;
    for (let count = 0; count < connections; count += 1) this.#open();
  }

  stop(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(): void {
    if (this.#isOver) return;
    const socket = connect(this.#port, '127.0.0.1');
    this.#sockets.add(socket);
    let turn = 0;
    const next = () => {
      const data = socket.destroyed || this.#isOver ? undefined : this.#attack(turn);
      turn += 1;
      if (data === undefined || data === '') return;
      const isDone = socket.write(data);
      if (!isDone) socket.once('drain', next);
      else setTimeout(next, data.length === 1 ? 20 : 0);
    };
    socket.on('connect', next).on('error', () => undefined);
    socket.resume().on('close', () => {
      this.#sockets.delete(socket);
      setTimeout(() => this.#open(), this.#againMs);
    });
  }
}

export interface Endured {
  attack: string;
  /** Good deliveries during the attack, and the longest time to answer one. */
  good: number;
  slowestMs: number;
  /** Growth of resident memory since before the first attack, at its highest. */
  grownMb: number;
}

/**
 * Runs each attack in turn against the built listener, while a good client posts. Asserts that it is always served.
 * @param share of the connections of each attack
 */
export async function endure(
  {share, ms}: {share: number; ms: number},
  onEndured: (endured: Endured) => void = () => {},
): Promise<Endured[]> {
  const state = mkdtempSync(join(tmpdir(), 'remit-hostile-'));
  const listener = await ListenerProcess.open(state);
  let attackers: Attackers | undefined;
  try {
    for (let count = 0; count < 150; count += 1)
      await Promise.all(Array.from({length: 64}, () => listener.post(undefined, 900))); // warms up
    const before = listener.residentBytes();
    const all: Endured[] = [];
    for (const [attack, {connections, attack: act, againMs = 50}] of Object.entries(ATTACKS)) {
      attackers = new Attackers(listener.port, act, againMs, Math.max(1, Math.ceil(connections * share)));
      const endured: Endured = {attack, good: 0, slowestMs: 0, grownMb: 0};
      const untilMs = performance.now() + ms;
      while (performance.now() < untilMs) {
        const sent = performance.now();
        assert.equal(await listener.post(), 200, `${attack}: a good client was not served`);
        endured.slowestMs = Math.max(endured.slowestMs, Math.round(performance.now() - sent));
        endured.good += 1;
        endured.grownMb = Math.max(endured.grownMb, (listener.residentBytes() - before) / 1_048_576);
        await wait(10);
      }
      attackers.stop();
      onEndured(endured);
      all.push(endured);
    }
    return all;
  } finally {
    attackers?.stop(); // or they would go on, and keep the run of tests from ending
    await listener.kill();
    rmSync(state, {recursive: true, force: true});
  }
}
