import type {SqlRow} from '../../store/port.ts';
import type {RowContent} from '../model/identity.ts';
import type {Outcome, RowState} from '../model/outcome.ts';

/** A row of the plan with what is known of it. */
export interface JournalRow extends RowContent {
  n: number;
  reference: string;
  fingerprint: string;
  /** Part of the idempotency key; raised only by `retry`. */
  generation: number;
  outcome: Outcome | undefined;
  /** Newest window when the outcome was written; 0 without one. */
  outcomeWindow: number;
}

/** Of a row `r` of the plan, in the order of `FreshRow`. */
export const PLAN_COLUMNS =
  'r.n, r.reference, r.party, r.amount, r.currency, r.rail, r.method, r.subaccount, r.scheduled, r.metadata, r.fingerprint';
/** Beside its outcome `o` and its generation `g`. */
export const KNOWN_COLUMNS = `${PLAN_COLUMNS}, g.generation,
  o.state, o.id, o.status, o.staged_at, o.http, o.code, o.message, o.request_id, o.attempts, o.orphan, o.window_seq`;

/** The cells of `PLAN_COLUMNS`. */
export type FreshRow = [
  ...[n: number, reference: string, party: string, amount: number, currency: string, rail: string | null],
  ...[method: string | null, subaccount: string | null, scheduled: string | null, metadata: string | null],
  fingerprint: string,
];

/** A row of which nothing but the plan is known. */
export const freshRow = (cells: FreshRow): JournalRow => ({
  n: cells[0],
  reference: cells[1],
  fingerprint: cells[10],
  generation: 0,
  party: cells[2],
  amount: cells[3],
  currency: cells[4],
  rail: cells[5],
  method: cells[6],
  subaccount: cells[7],
  scheduled: cells[8],
  metadata: cells[9],
  outcomeWindow: 0,
  outcome: undefined,
});

/** A row as `KNOWN_COLUMNS` have it. */
export function toJournalRow(row: SqlRow): JournalRow {
  const text = (name: string) => row[name] as string | null;
  return {
    n: Number(row['n']),
    reference: row['reference'] as string,
    fingerprint: row['fingerprint'] as string,
    generation: Number(row['generation'] ?? 0),
    party: row['party'] as string,
    amount: Number(row['amount']),
    currency: row['currency'] as string,
    rail: text('rail'),
    method: text('method'),
    subaccount: text('subaccount'),
    scheduled: text('scheduled'),
    metadata: text('metadata'),
    outcomeWindow: Number(row['window_seq'] ?? 0),
    outcome:
      row['state'] === null || row['state'] === undefined
        ? undefined
        : {
            n: Number(row['n']),
            state: row['state'] as RowState,
            id: text('id'),
            status: text('status'),
            stagedAt: row['staged_at'] === null ? null : Number(row['staged_at']),
            http: row['http'] === null ? null : Number(row['http']),
            code: text('code'),
            message: text('message'),
            requestId: text('request_id'),
            attempts: Number(row['attempts']),
            orphan: text('orphan'),
          },
  };
}
