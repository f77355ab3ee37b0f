import {setMaxListeners} from 'node:events';
import type {Sending, Speed} from '../batch/speed/speed.ts';
import {readRetryAfter} from '../client/answers/answer.ts';
import {meaningOf} from '../client/answers/verdict.ts';
import {type Transport, TransportFailure, type TransportRequest} from '../client/transport/transport.ts';
import type {Clock} from '../clock.ts';
import {RemitError} from '../errors.ts';
import {type ChunkAnswer, type ChunkRow, digestOf, packAnswers, SEND_MS, unpackRows} from './chunks.ts';
import type {TeamDatabase} from './connection.ts';
import {LEASE_MS, type LeaseHolder} from './lease.ts';

/** How often requests are fetched and answers are written, while there are any. */
const FETCH_MS = 40;
const IDLE_MS = 400;
const HEARTBEAT_MS = 1000;
/** A machine that cannot reach the service gets no requests for this long. */
const UNREACHABLE_MS = 5000;
/** Room for requests that wait in the database, beside those in flight. */
const TIMES_IN_FLIGHT = 12;
const LEAST_IN_FLIGHT = 16;

export interface JoinedOptions {
  db: TeamDatabase;
  /** Of the batch. */
  key: number;
  baseUrl: string;
  /** A name for this process, which no other has. */
  owner: string;
  holder: LeaseHolder;
  clock: Clock;
  speed: Speed;
  transport: Transport;
  /** The request of a row, from the copy of the batch on this machine, as it is sent; undefined for an unknown row. */
  build: (row: ChunkRow) => TransportRequest | undefined;
  /** Starts no further request. */
  drain: AbortSignal;
  /** Awaits no answer any more. */
  abort: AbortSignal;
  onProgress: (sent: number) => void;
}

interface Waiting extends ChunkRow {
  chunk: string;
  at: number;
  /** By the monotonic clock: it may not be sent after that. */
  sendBy: number;
  /** How long it may take. */
  longestMs: number;
}

interface Polled {
  is_held: 0 | 1;
  longest_ms: number;
  /** How long the service has asked for no requests; null if it has never. */
  closed_ms: number | null;
  id: string | null;
  rows: string | null;
  send_ms: number | null;
}

/**
 * A process that sends for the one that has the batch. It decides nothing: it builds each request from its own copy of the
 * row, compares it with what the other process would send, sends it, and writes back the answer. It starts no request
 * once the lease of the other process may have expired.
 */
export class JoinedSending {
  readonly #options: JoinedOptions;
  #queue: Waiting[] = [];
  readonly #answers = new Map<string, ChunkAnswer[]>();
  /** Chunks that were taken; one that comes back was answered before. */
  readonly #taken = new Set<string>();
  #recent: string[] = [];
  #inFlight = 0;
  #sent = 0;
  #matched = 0;
  #heardAt = -Infinity;
  #pausedUntil = -Infinity;
  #failure: RemitError | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: JoinedOptions) {
    this.#options = options;
    setMaxListeners(0, options.abort); // one for each request
  }

  /**
   * Sends until no process has the batch any more, or this one is stopped.
   * @throws RemitError if this machine cannot send the requests of this batch, or the database is away
   */
  async run(): Promise<void> {
    const {clock, drain} = this.#options;
    let lastWord = clock.monotonic();
    try {
      while (!drain.aborted && this.#failure === undefined) {
        try {
          if (!(await this.#exchange())) return;
          lastWord = clock.monotonic();
        } catch (error) {
          if (clock.monotonic() - lastWord > LEASE_MS) throw error;
        }
        this.#pump();
        const isBusy = this.#queue.length + this.#inFlight + this.#answers.size > 0;
        await clock.sleep(isBusy ? FETCH_MS : IDLE_MS, isBusy ? undefined : drain).catch(() => undefined);
      }
    } finally {
      await this.#end();
    }
  }

  async #end(): Promise<void> {
    const {clock} = this.#options;
    this.#handBack();
    while (this.#inFlight > 0) await clock.sleep(FETCH_MS);
    clearTimeout(this.#timer);
    await this.#exchange(true).catch(() => undefined); // without it, the other process waits for the answers in vain
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Writes answers, takes chunks and shows that this process is alive, in one statement.
   * @returns whether another process has the batch
   */
  async #exchange(isLast = false): Promise<boolean> {
    const {db, key, owner, holder, clock, baseUrl} = this.#options;
    const sentAt = clock.monotonic();
    const answers = [...this.#answers];
    this.#answers.clear();
    const mustTell = isLast || sentAt - this.#heardAt > HEARTBEAT_MS;
    let polled: Polled[];
    try {
      polled = await db.query<Polled>(EXCHANGE, [
        ...[key, owner, JSON.stringify(holder), isLast ? 0 : this.#depth, this.#sent, mustTell],
        ...[answers.map(([chunk]) => chunk), answers.map(([, list]) => packAnswers(list))],
        ...[this.#recent, isLast ? 0 : SEND_MS, baseUrl],
      ]);
    } catch (error) {
      for (const [chunk, list] of answers)
        this.#answers.set(chunk, [...list, ...(this.#answers.get(chunk) ?? [])]);
      throw error;
    }
    if (mustTell) this.#heardAt = sentAt;
    const [first] = polled;
    if (first === undefined || first.is_held === 0) return false;
    for (const {id, rows, send_ms: ms, longest_ms: longestMs} of polled)
      if (id !== null && rows !== null && !this.#taken.has(id)) {
        this.#taken.add(id);
        this.#recent = [...this.#recent.slice(-200), id];
        const sendBy = sentAt + (ms ?? 0);
        for (const [at, row] of unpackRows(rows).entries())
          this.#queue.push({...row, chunk: id, at, sendBy, longestMs});
      }
    if ((first.closed_ms ?? 0) > 0) this.#close(sentAt + (first.closed_ms ?? 0));
    return true;
  }

  get #depth(): number {
    if (this.#options.clock.monotonic() < this.#pausedUntil) return 0;
    return TIMES_IN_FLIGHT * Math.max(LEAST_IN_FLIGHT, this.#options.speed.limit());
  }

  #pump(): void {
    const {speed, clock} = this.#options;
    while (this.#queue.length > 0 && this.#inFlight < speed.limit()) {
      const now = clock.monotonic();
      const wait = speed.earliest(now) - now;
      if (wait > 0) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#pump(), wait);
        return;
      }
      const next = this.#queue.shift();
      if (next !== undefined) this.#launch(next, now);
    }
  }

  #launch(waiting: Waiting, now: number): void {
    const {speed, build} = this.#options;
    const request = now < waiting.sendBy ? build(waiting) : undefined;
    if (request === undefined) return this.#answer(waiting, {tookMs: 0});
    if (digestOf(request) !== waiting.digest) {
      this.#answer(waiting, {tookMs: 0});
      if (this.#matched === 0) this.#giveUp(otherRequests());
      return;
    }
    this.#matched++;
    const {timeouts} = request;
    request.signal = this.#options.abort;
    request.timeouts = {...timeouts, totalMs: Math.min(timeouts.totalMs, waiting.longestMs)};
    speed.sent(now, ++this.#inFlight);
    void this.#send(waiting, request, {at: now, inFlight: this.#inFlight}).finally(() => {
      this.#inFlight--;
      this.#pump();
    });
  }

  async #send(waiting: Waiting, request: TransportRequest, sending: Sending): Promise<void> {
    const {transport, speed, clock, onProgress} = this.#options;
    try {
      const answer = await transport.send(request);
      const now = clock.monotonic();
      const {status} = answer;
      const retryAfterMs = readRetryAfter(answer.headers, clock.now());
      const meaning = meaningOf({status});
      if (status === 401 || status === 403) {
        this.#answer(waiting, {tookMs: 0});
        this.#giveUp(refusedKey(status));
        return;
      }
      onProgress(++this.#sent);
      this.#answer(waiting, {tookMs: now - sending.at, answer});
      if (meaning === 'throttled' || retryAfterMs !== undefined) {
        speed.refused(now, sending, retryAfterMs);
        this.#close(now + (retryAfterMs ?? 0));
      } else if (meaning === 'success') speed.succeeded(now, sending);
      else if (meaning === 'failing') speed.failed(now);
      else speed.answered(now, sending);
    } catch (failure) {
      const now = clock.monotonic();
      if (failure instanceof TransportFailure && failure.sent) {
        speed.failed(now);
        const {why, status} = failure;
        // That this process was stopped does not stop the run.
        const kind = failure.kind === 'aborted' ? 'reset' : failure.kind;
        const told = new TransportFailure(kind, why, {sent: true, status});
        this.#answer(waiting, {tookMs: now - sending.at, failure: told});
        return;
      }
      this.#answer(waiting, {tookMs: 0});
      this.#pausedUntil = now + UNREACHABLE_MS; // the other process can perhaps reach the service
      this.#handBack();
      if (failure instanceof RemitError) this.#giveUp(failure);
    }
  }

  #answer({chunk, at}: Waiting, end: Omit<ChunkAnswer, 'at'>): void {
    const list = this.#answers.get(chunk);
    if (list === undefined) this.#answers.set(chunk, [{at, ...end}]);
    else list.push({at, ...end});
  }

  /**
   * Gives back what was not sent.
   * @param why the engine has to wait before it sends them; otherwise they may be sent at once
   */
  #handBack(why?: string): void {
    this.#heardAt = -Infinity; // there may be less room now
    for (const waiting of this.#queue.splice(0)) {
      const failure = why === undefined ? undefined : new TransportFailure('other', why, {sent: false});
      this.#answer(waiting, {tookMs: 0, ...(failure === undefined ? {} : {failure})});
    }
  }

  /** The service has asked this process or another one to wait. */
  #close(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#handBack('the service asked for fewer requests');
  }

  #giveUp(error: RemitError): void {
    this.#failure ??= error;
    this.#handBack();
  }
}

const EXCHANGE = `with lead as (select owner, gen, longest_ms, expires, not released and expires > clock_timestamp() as is_held,
      (select extract(epoch from closed_until - clock_timestamp()) * 1000 from @.gates where base_url = $11) as closed_ms
    from @.batches where key = $1),
  alive as (insert into @.senders (batch, owner, holder, depth, sent, at)
    select $1, $2, $3, $4, $5, clock_timestamp() from lead where $6 and is_held and $10 > 0
    on conflict (batch, owner) do update set depth = excluded.depth, sent = excluded.sent, at = excluded.at),
  gone as (delete from @.senders where batch = $1 and owner = $2 and $10 = 0),
  answered as (insert into @.answers (batch, chunk, text) select $1, x.chunk, x.text
    from unnest($7::text[], $8::text[]) as x(chunk, text) join @.chunks c on c.id = x.chunk),
  taken as (update @.chunks c set send_by = coalesce(send_by, least(expires, clock_timestamp() + $10 * interval '1 ms'))
    from lead where is_held and c.batch = $1 and c.sender = $2 and c.lease = lead.owner and c.gen = lead.gen
      and not c.id = any($9) and $10 > 0 and @safe
    returning c.id, c.rows, extract(epoch from send_by - clock_timestamp()) * 1000 as send_ms)
  select is_held, longest_ms, closed_ms, id, rows, send_ms from lead left join taken on true`;

const otherRequests = (): RemitError =>
  new RemitError(
    'GUARD_BINDING',
    'this machine would send other requests than the process that has the batch; nothing was sent from here',
    {hint: 'use the same version of remit, API key and service file on every machine'},
  );

const refusedKey = (status: number): RemitError =>
  new RemitError(
    status === 401 ? 'AUTHENTICATION_ERROR' : 'AUTHORIZATION_ERROR',
    `the service answered ${status} to the key of this machine`,
    {
      hint: 'the process that has the batch sends these rows itself; check the key of this machine',
    },
  );
