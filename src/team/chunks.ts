import {createHash} from 'node:crypto';
import {
  type FailureKind,
  type TransportAnswer,
  TransportFailure,
  type TransportRequest,
} from '../client/transport/transport.ts';
import {ownJson} from '../narrow.ts';

/** A process that has not written for this long gets nothing to send. */
export const SILENT_MS = 5000;
/** How long after it has taken a chunk a process may start the requests of it. */
export const SEND_MS = 10_000;

/**
 * Requests that the holder of a batch lets other processes send, and their answers. They are needed for seconds: after a
 * crash or a failover they are gone, and the requests are in doubt like others without an answer.
 */
export const CHUNK_TABLES = `
  create unlogged table @.senders (batch bigint not null, owner text not null, holder text not null, depth integer not null,
    sent bigint not null, at timestamptz not null, primary key (batch, owner));
  create unlogged table @.chunks (id text primary key, batch bigint not null, lease text not null, gen bigint not null,
    sender text not null, size integer not null, rows text not null, send_by timestamptz);
  create index chunks_of_batch on @.chunks (batch);
  create unlogged table @.answers (seq bigint generated always as identity primary key, batch bigint not null,
    chunk text not null, text text not null);
  create index answers_of_batch on @.answers (batch);
  -- Until when a service has asked not to be sent anything (Retry-After).
  create unlogged table @.gates (base_url text primary key, closed_until timestamptz not null);`;

/** A create that another process sends: it builds the request from its own copy of the row. */
export interface ChunkRow {
  reference: string;
  approve: boolean;
  /** Of the request, see `digestOf`. */
  digest: string;
}

export const packRows = (rows: readonly ChunkRow[]): string =>
  JSON.stringify(rows.map(({reference, approve, digest}) => [reference, approve ? 1 : 0, digest]));

export const unpackRows = (text: string): ChunkRow[] =>
  ownJson<[string, 0 | 1, string][]>(text).map(([reference, approve, digest]) => ({
    ...{reference, approve: approve === 1, digest},
  }));

/**
 * What two processes must agree on: everything of a request. The API key is part of it, because a key of another account
 * would pay a row a second time.
 */
export const digestOf = ({method, path, headers, body = ''}: TransportRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([method, path, Object.entries(headers).sort(), body]))
    .digest('base64url');

/** How the request of a row of a chunk has ended. Without an answer and a failure, it was certainly not sent. */
export interface ChunkAnswer {
  /** The row, by its place in the chunk. */
  at: number;
  answer?: TransportAnswer;
  failure?: TransportFailure;
  /** How long the service took. */
  tookMs: number;
}

/** Bodies are text, or base64 where they are none. */
interface PackedAnswer {
  at: number;
  ms: number;
  answer?: Omit<TransportAnswer, 'body'> & {text?: string; base64?: string};
  failure?: {kind: FailureKind; why: string; sent: boolean; status?: number | undefined};
}

export const packAnswers = (answers: readonly ChunkAnswer[]): string =>
  JSON.stringify(
    answers.map(({at, tookMs: ms, answer, failure}): PackedAnswer => {
      if (failure !== undefined) {
        const {kind, why, sent, status} = failure;
        return {at, ms, failure: {kind, why, sent, status}};
      }
      if (answer === undefined) return {at, ms};
      const {body, ...others} = answer;
      const text = body.toString('utf8');
      const packed = Buffer.from(text, 'utf8').equals(body) ? {text} : {base64: body.toString('base64')};
      return {at, ms, answer: {...others, ...packed}};
    }),
  );

export const unpackAnswers = (packed: string): ChunkAnswer[] =>
  ownJson<PackedAnswer[]>(packed).map(({at, ms: tookMs, answer, failure}): ChunkAnswer => {
    if (failure !== undefined)
      return {at, tookMs, failure: new TransportFailure(failure.kind, failure.why, failure)};
    if (answer === undefined) return {at, tookMs};
    const {text, base64, ...others} = answer;
    const body = base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64');
    return {at, tookMs, answer: {...others, body}};
  });
