import type {TransferStatus} from '../../contract/lifecycle.ts';
import type {Output} from '../../contract/schemas/registry.ts';
import type {Queries, SqlRow} from '../../store/port/port.ts';
import type {Fate} from '../outcomes/magic.ts';
import {int, intOrNull, iso, json, text, textOrNull, word, wordOrNull} from '../base/rows.ts';

/** A payin or a payout as stored. The two share a lifecycle and differ in who pays whom. */
export interface Transfer {
  entityId: string;
  kind: TransferKind;
  id: string;
  /** Payer of a payin, payee of a payout. */
  partyId: string;
  methodId: string;
  subaccountId: string | null;
  status: TransferStatus;
  /** Minor units. */
  amount: number;
  currency: string;
  country: string;
  rail: string;
  /** Payment method and party at the time of creation, masked. */
  parties: Record<string, unknown>;
  clientMetadata: Record<string, string>;
  /** Set once processing began: what the answer shows of a payout, and why either kind failed. */
  details: Record<string, unknown> | null;
  /** What was requested for it, by scenario or magic value; null for the usual course. */
  fate: Fate | null;
  /** 09:00 of the scheduled day; null means immediately. */
  releaseMs: number | null;
  /** Attempts to start initiation that failed. */
  attempts: number;
  createdMs: number;
  updatedMs: number;
  statusMs: number;
  /** The key of its create; null without one, or once it is forgotten. */
  idempotencyKey: string | null;
  /** Hash of what the create asked for, with `strictIdempotency`. */
  bodyHash: string | null;
}

export type TransferKind = 'payin' | 'payout';

export function toTransfer(row: SqlRow): Transfer {
  return {
    entityId: text(row, 'entity_id'),
    kind: word<TransferKind>(row, 'kind'),
    id: text(row, 'id'),
    partyId: text(row, 'party_id'),
    methodId: text(row, 'method_id'),
    subaccountId: textOrNull(row, 'subaccount_id'),
    status: word<TransferStatus>(row, 'status'), // moved by LIFECYCLES only
    amount: int(row, 'amount'),
    currency: text(row, 'currency_code'),
    country: text(row, 'country_code'),
    rail: text(row, 'rail'),
    parties: json(row, 'parties'),
    clientMetadata: json(row, 'client_metadata'),
    details: row['details'] === null ? null : json(row, 'details'),
    fate: wordOrNull<Fate>(row, 'scenario'), // written from fateOf only
    releaseMs: intOrNull(row, 'release_ms'),
    attempts: int(row, 'attempts'),
    createdMs: int(row, 'created_ms'),
    updatedMs: int(row, 'updated_ms'),
    statusMs: int(row, 'status_ms'),
    idempotencyKey: textOrNull(row, 'idempotency_key'),
    bodyHash: textOrNull(row, 'body_hash'),
  };
}

/** The initial state of every transfer. */
export interface NewTransfer extends Transfer {
  status: 'created';
  currency: 'USD';
  country: 'US';
  details: null;
  attempts: 0;
}

/** Values that are the same in each row are part of the SQL: a value costs more to bind than to store. */
const INSERT = `
insert into transfers (entity_id, kind, id, party_id, method_id, subaccount_id, status, amount, currency_code,
  country_code, rail, parties, client_metadata, details, scenario, release_ms, attempts, created_ms, updated_ms,
  status_ms, idempotency_key, body_hash)
values (?, ?, ?, ?, ?, ?, 'created', ?, 'USD', 'US', ?, ?, ?, null, ?, ?, 0, ?, ?, ?, ?, ?)`;

/** PostgreSQL uses this one, and reports a taken key by itself. */
export const INSERT_UNLESS_TAKEN = `${INSERT} on conflict do nothing`;

/** The number of rows inserted: 0 if a unique index shows that the key is taken. */
export function insertTransfer(
  queries: Queries,
  transfer: NewTransfer,
  sql: typeof INSERT | typeof INSERT_UNLESS_TAKEN = INSERT,
): Promise<number> {
  return queries.run(sql, [
    transfer.entityId,
    transfer.kind,
    transfer.id,
    transfer.partyId,
    transfer.methodId,
    transfer.subaccountId,
    transfer.amount,
    transfer.rail,
    JSON.stringify(transfer.parties),
    JSON.stringify(transfer.clientMetadata),
    transfer.fate,
    transfer.releaseMs,
    transfer.createdMs,
    transfer.updatedMs,
    transfer.statusMs,
    transfer.idempotencyKey,
    transfer.bodyHash,
  ]);
}

export async function findTransfer(
  queries: Queries,
  key: {entityId: string; kind: TransferKind; id: string},
): Promise<Transfer | undefined> {
  const row = await queries.get('select * from transfers where entity_id = ? and kind = ? and id = ?', [
    key.entityId,
    key.kind,
    key.id,
  ]);
  return row && toTransfer(row);
}

/** Writes a step of a transfer, if its status is still `from`. */
export async function updateTransfer(
  queries: Queries,
  transfer: Transfer,
  from: TransferStatus,
): Promise<void> {
  const changed = await queries.run(
    `update transfers set status = ?, details = ?, attempts = ?, updated_ms = ?, status_ms = ?
     where entity_id = ? and kind = ? and id = ? and status = ?`,
    [
      transfer.status,
      transfer.details === null ? null : JSON.stringify(transfer.details),
      transfer.attempts,
      transfer.updatedMs,
      transfer.statusMs,
      transfer.entityId,
      transfer.kind,
      transfer.id,
      from,
    ],
  );
  if (changed !== 1)
    throw new Error(`${transfer.kind} ${transfer.id} moved away from ${from} within a transaction`);
}

const shared = (transfer: Transfer) => ({
  id: transfer.id,
  subaccount_id: transfer.subaccountId,
  status: transfer.status,
  amount_in_minor_units: transfer.amount,
  amount_in_cents: transfer.amount,
  currency_code: transfer.currency,
  country_code: transfer.country,
  rail: transfer.rail,
  client_metadata: transfer.clientMetadata,
  created_at: iso(transfer.createdMs),
  updated_at: iso(transfer.updatedMs),
});

// Assigned, not spread, which would cost each create up to three microseconds.

/** Interface document, "Payin response fields". */
export const toPayin = (transfer: Transfer): Output<'Payin'> =>
  Object.assign(shared(transfer), {
    payer_id: transfer.partyId,
    payin_metadata: payinMetadata(transfer),
    status_recorded_at: iso(transfer.statusMs),
  });

/** Assumption 58: payins have no `transfer_details`, so the reason of a failure is added to the masked details. */
function payinMetadata({parties, details}: Transfer): Transfer['parties'] {
  const failure = details?.['failure'];
  return failure === undefined ? parties : {...parties, failure};
}

/** Interface document, "Payout response fields". */
export const toPayout = (transfer: Transfer): Output<'Payout'> =>
  Object.assign(shared(transfer), {
    payee_id: transfer.partyId,
    payout_metadata: transfer.parties,
    transfer_details: transfer.details,
  });
