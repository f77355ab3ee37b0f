import {randomUUID} from 'node:crypto';
import type {Speed} from '../batch/speed/speed.ts';
import type {Codec} from '../client/requests/codec.ts';
import {
  type Transport,
  type TransportAnswer,
  TransportFailure,
  type TransportRequest,
} from '../client/transport/transport.ts';
import type {Clock} from '../clock.ts';
import {
  type ChunkAnswer,
  type ChunkRow,
  digestOf,
  packRows,
  SEND_MS,
  SILENT_MS,
  unpackAnswers,
} from './chunks.ts';
import type {TeamDatabase} from './connection.ts';
import type {LeaseHold} from './hold.ts';
import {SharedCodec, SharedSpeed} from './shared-speed.ts';

/** How often answers are fetched, while some are awaited. */
const FETCH_MS = 40;
const IDLE_MS = 500;
const SENDERS_EVERY_MS = 1000;
/** A chunk that its process has not taken by then is taken back. */
const TAKE_MS = 3000;
/** A process that has stopped writing, and may not start a request any more, has lost its answers. */
const LOST_MS = 10_000;
/** Rows of processes that have ended. */
const FORGET_MS = 60_000;

/** A request that another process sends. */
interface Handed extends ChunkRow {
  /** Undefined if it was certainly not sent. */
  end: (answer: ChunkAnswer | undefined) => void;
}

interface OpenChunk {
  id: string;
  sender: string;
  rows: Handed[];
  /** By the monotonic clock; undefined while the insert has no answer. */
  insertedAt: number | undefined;
  /** When it could not be taken back. */
  takenAt: number | undefined;
  /** The places of the requests without an end. */
  open: Set<number>;
}

interface OtherSender {
  depth: number;
  queue: Handed[];
  /** Requests in its queue and in its chunks. */
  open: number;
  silentMs: number;
}

/**
 * The transport of the process that has a batch, if other processes send for it. This one decides everything: its engine
 * hands a request to another process as it hands one to a socket, and waits for the answer. Only creates and their replays
 * are handed over, which carry a key.
 */
export class SharedSending implements Transport {
  readonly codec: SharedCodec;
  readonly speed: SharedSpeed;
  readonly #inner: Transport;
  readonly #db: TeamDatabase;
  readonly #hold: LeaseHold;
  readonly #clock: Clock;
  readonly #longestMs: number;
  readonly #senders = new Map<string, OtherSender>();
  readonly #chunks = new Map<string, OpenChunk>();
  /** Chunks whose requests have all ended, and the answers that were read. */
  #done: string[] = [];
  #seen: string[] = [];
  #own = 0;
  #readAt = -Infinity;
  #isClosed = false;
  /** Another process has sent for this one. */
  #isUsed = false;
  #watched: AbortSignal | undefined;
  readonly #wake = new AbortController();
  readonly #work: Promise<void>;

  constructor(options: {
    transport: Transport;
    /** A connection of its own: a lease is renewed without waiting for it. */
    db: TeamDatabase;
    hold: LeaseHold;
    clock: Clock;
    speed: Speed;
    service: Codec['service'];
    /** How long a request may take. */
    longestMs: number;
  }) {
    this.codec = new SharedCodec(options.service);
    this.speed = new SharedSpeed(options.speed, this.codec, () => this.#room());
    this.#inner = options.transport;
    this.#db = options.db;
    this.#hold = options.hold;
    this.#clock = options.clock;
    this.#longestMs = options.longestMs;
    this.#work = this.#loop();
  }

  async send(request: TransportRequest): Promise<TransportAnswer> {
    for (;;) {
      await this.#hold.admit(request);
      const sender = this.#freeSender();
      const row = sender === undefined ? undefined : this.codec.rowOf(request);
      if (sender === undefined || row === undefined) {
        this.#own++;
        try {
          return await this.#inner.send(request);
        } finally {
          this.#own--;
        }
      }
      const {answer, failure, tookMs} = (await this.#hand(sender, row, request)) ?? {};
      if (failure !== undefined) throw failure;
      if (answer === undefined) continue;
      this.codec.received(answer, tookMs ?? 0);
      return answer;
    }
  }

  /** Takes back what was not taken yet. If another process may still send something, releases of the next holder wait. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake.abort();
    await this.#work;
    const {key, owner, gen} = this.#hold.lease;
    try {
      if (this.#isUsed)
        await this.#db.query(
          `with gone as (delete from @.chunks where batch = $1 and (send_by is null or id = any($4))),
           answered as (delete from @.answers where batch = $1)
         update @.batches set release_after = greatest(release_after, clock_timestamp() + $5 * interval '1 ms')
         where key = $1 and owner = $2 and gen = $3 and $5 > 0`,
          [key, owner, gen, this.#done, this.#chunks.size === 0 ? 0 : SEND_MS + this.#longestMs],
        );
    } catch {
      // Then the lease can hardly be given back either, and releases wait because it is lost.
    }
    await this.#db.close();
    await this.#inner.close();
  }

  #room(): number {
    let room = 0;
    for (const {depth, silentMs} of this.#senders.values()) if (silentMs < SILENT_MS) room += depth;
    return room;
  }

  /** The process with the most room; undefined while this one has room itself. */
  #freeSender(): OtherSender | undefined {
    if (this.#isClosed || this.#own < this.speed.ownLimit) return undefined;
    let best: OtherSender | undefined;
    let most = 0;
    for (const sender of this.#senders.values()) {
      const free = sender.silentMs < SILENT_MS ? sender.depth - sender.open : 0;
      if (free > most) [best, most] = [sender, free];
    }
    return best;
  }

  #hand(
    sender: OtherSender,
    row: Omit<ChunkRow, 'digest'>,
    request: TransportRequest,
  ): Promise<ChunkAnswer | undefined> {
    return new Promise((resolve) => {
      const end = (answer: ChunkAnswer | undefined) => {
        sender.open--;
        resolve(answer?.answer === undefined && answer?.failure === undefined ? undefined : answer);
      };
      sender.open++;
      sender.queue.push({...row, digest: digestOf(request), end});
      this.#watch(request.signal);
    });
  }

  /** All requests of a run have the same signal. After it, nothing is awaited any more. */
  #watch(signal: AbortSignal | undefined): void {
    if (signal === this.#watched) return;
    this.#watched = signal;
    signal?.addEventListener('abort', () => this.#abort(), {once: true});
    if (signal?.aborted === true) this.#abort();
  }

  #abort(): void {
    const aborted = (sent: boolean): ChunkAnswer => ({
      ...{at: 0, tookMs: 0},
      failure: new TransportFailure('aborted', 'the request was given up', {sent}),
    });
    for (const {queue} of this.#senders.values()) for (const {end} of queue.splice(0)) end(aborted(false));
    for (const {rows, open} of this.#chunks.values())
      for (const at of open) {
        rows[at]?.end(aborted(true));
        open.delete(at);
      }
  }

  async #loop(): Promise<void> {
    while (!this.#isClosed) {
      try {
        if (this.#hold.isShared) this.#isUsed = true;
        if (this.#isUsed) await this.#step();
      } catch {
        await this.#pause(IDLE_MS); // an insert is repeated with the same id
      }
      await this.#pause(this.#room() > 0 || this.#chunks.size > 0 ? FETCH_MS : IDLE_MS);
    }
  }

  async #pause(ms: number): Promise<void> {
    await this.#clock.sleep(ms, this.#wake.signal).catch(() => undefined);
  }

  async #step(): Promise<void> {
    if (this.#clock.monotonic() - this.#readAt > SENDERS_EVERY_MS) await this.#readSenders();
    for (const [owner, {queue}] of this.#senders) {
      if (queue.length === 0) continue;
      const rows = queue.splice(0);
      const chunk = {
        id: randomUUID(),
        sender: owner,
        rows,
        insertedAt: undefined,
        takenAt: undefined,
        open: new Set(rows.keys()),
      };
      this.#chunks.set(chunk.id, chunk);
    }
    await this.#insert([...this.#chunks.values()].filter(({insertedAt}) => insertedAt === undefined));
    if (this.#chunks.size > 0) await this.#readAnswers();
  }

  /** In one statement, which does nothing without the lease. */
  async #insert(chunks: readonly OpenChunk[]): Promise<void> {
    if (chunks.length === 0) return;
    const {key, owner, gen} = this.#hold.lease;
    const inserted = await this.#db.query<{id: string}>(
      `insert into @.chunks (batch, lease, gen, id, sender, size, rows)
       select b.key, b.owner, b.gen, x.* from @.batches b,
         unnest($4::text[], $5::text[], $6::integer[], $7::text[]) as x(id, sender, size, rows)
       where b.key = $1 and b.owner = $2 and b.gen = $3 and not b.released and b.expires > clock_timestamp() and @safe
       on conflict (id) do update set id = excluded.id returning id`,
      [
        ...[key, owner, gen],
        ...[chunks.map(({id}) => id), chunks.map(({sender}) => sender)],
        ...[chunks.map(({rows}) => rows.length), chunks.map(({rows}) => packRows(rows))],
      ],
    );
    const now = this.#clock.monotonic();
    for (const chunk of chunks) {
      chunk.insertedAt = now;
      if (!inserted.some(({id}) => id === chunk.id)) this.#takeBack(chunk);
    }
  }

  async #readAnswers(): Promise<void> {
    const {key} = this.#hold.lease;
    const [done, seen] = [this.#done, this.#seen];
    const found = await this.#db.query<{seq: string; chunk: string; text: string}>(
      `with gone as (delete from @.chunks where id = any($2)), answered as (delete from @.answers where seq = any($3))
       select seq, chunk, text from @.answers where batch = $1 and not seq = any($3) order by seq limit 64`,
      [key, done, seen],
    );
    this.#done = this.#done.slice(done.length);
    this.#seen = found.map(({seq}) => seq);
    for (const {chunk: id, text} of found) {
      const chunk = this.#chunks.get(id);
      if (chunk !== undefined) for (const answer of unpackAnswers(text)) this.#end(chunk, answer.at, answer);
    }
  }

  #end(chunk: OpenChunk, at: number, answer: ChunkAnswer | undefined): void {
    if (!chunk.open.delete(at)) return;
    chunk.rows[at]?.end(answer);
    if (chunk.open.size > 0) return;
    this.#chunks.delete(chunk.id);
    this.#done.push(chunk.id);
  }

  #takeBack(chunk: OpenChunk): void {
    for (const at of [...chunk.open]) this.#end(chunk, at, undefined);
  }

  async #readSenders(): Promise<void> {
    const {key, owner} = this.#hold.lease;
    const found = await this.#db.query<{owner: string; depth: number; silent_ms: number}>(
      `with gone as (delete from @.senders where batch = $1 and at < clock_timestamp() - $3 * interval '1 ms'),
         former as (delete from @.chunks where batch = $1 and lease <> $2)
       select owner, depth, extract(epoch from clock_timestamp() - at) * 1000 as silent_ms from @.senders where batch = $1`,
      [key, owner, FORGET_MS],
    );
    this.#readAt = this.#clock.monotonic();
    for (const [name, sender] of this.#senders) {
      sender.silentMs = Infinity;
      if (sender.open === 0) this.#senders.delete(name);
    }
    for (const {owner: name, depth, silent_ms: silentMs} of found) {
      const known = this.#senders.get(name);
      if (known === undefined) this.#senders.set(name, {depth, silentMs, queue: [], open: 0});
      else Object.assign(known, {depth, silentMs});
    }
    for (const chunk of [...this.#chunks.values()]) await this.#judge(chunk);
  }

  /** Whether a chunk can still be answered. */
  async #judge(chunk: OpenChunk): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - (chunk.insertedAt ?? now) < TAKE_MS) return;
    const gone = await this.#db.query('delete from @.chunks where id = $1 and send_by is null returning id', [
      chunk.id,
    ]);
    if (gone.length > 0) return this.#takeBack(chunk);
    chunk.takenAt ??= now;
    const isSilent = (this.#senders.get(chunk.sender)?.silentMs ?? Infinity) > LOST_MS;
    if (now - chunk.takenAt < SEND_MS + (isSilent ? 0 : this.#longestMs + LOST_MS)) return;
    for (const at of [...chunk.open]) {
      const failure = new TransportFailure('timeout', 'the process that sent it has not answered', {
        sent: true,
      });
      this.#end(chunk, at, {at, tookMs: 0, failure});
    }
  }
}
