import type {AccountTransferStatus} from '../../contract/lifecycle.ts';
import type {ACCOUNT_TRANSFER_RAILS} from '../../contract/rails.ts';
import type {Output} from '../../contract/schemas/registry.ts';
import type {Queries, SqlRow} from '../../store/port/port.ts';
import {int, iso, text, textOrNull, word, wordOrNull} from '../base/rows.ts';
import type {AccountTransferScenario} from '../outcomes/scenarios.ts';

export type AccountTransferRail = (typeof ACCOUNT_TRANSFER_RAILS)[number];

/** A transfer between two treasury accounts of one entity, as stored. */
export interface AccountTransfer {
  entityId: string;
  id: string;
  sourceId: string;
  destinationId: string;
  /** Minor units. */
  amount: number;
  currency: string;
  rail: AccountTransferRail;
  status: AccountTransferStatus;
  autoApprove: boolean;
  description: string | null;
  /** The scenario in its description; null for the usual course. */
  scenario: AccountTransferScenario | null;
  failureReason: string | null;
  createdMs: number;
  updatedMs: number;
}

export function readAccountTransfer(row: SqlRow): AccountTransfer {
  return {
    entityId: text(row, 'entity_id'),
    id: text(row, 'id'),
    sourceId: text(row, 'source_id'),
    destinationId: text(row, 'destination_id'),
    amount: int(row, 'amount'),
    currency: text(row, 'currency_code'),
    rail: word<AccountTransferRail>(row, 'rail'), // checked when it was created
    status: word<AccountTransferStatus>(row, 'status'), // moved by LIFECYCLES only
    autoApprove: int(row, 'auto_approve') === 1,
    description: textOrNull(row, 'description'),
    scenario: wordOrNull<AccountTransferScenario>(row, 'scenario'), // written from its description
    failureReason: textOrNull(row, 'failure_reason'),
    createdMs: int(row, 'created_ms'),
    updatedMs: int(row, 'updated_ms'),
  };
}

/** Assumption 24. */
export const toAccountTransfer = (transfer: AccountTransfer): Output<'AccountTransfer'> => ({
  id: transfer.id,
  source_account_id: transfer.sourceId,
  destination_account_id: transfer.destinationId,
  amount_in_minor_units: transfer.amount,
  currency_code: transfer.currency,
  rail: transfer.rail,
  status: transfer.status,
  auto_approve: transfer.autoApprove,
  description: transfer.description,
  ...(transfer.failureReason === null ? {} : {failure_reason: transfer.failureReason}),
  created_at: iso(transfer.createdMs),
  updated_at: iso(transfer.updatedMs),
});

export async function insertAccountTransfer(queries: Queries, transfer: AccountTransfer): Promise<void> {
  await queries.run(
    `insert into account_transfers (entity_id, id, source_id, destination_id, amount, currency_code, rail, status,
       auto_approve, description, scenario, failure_reason, created_ms, updated_ms)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[transfer.entityId, transfer.id, transfer.sourceId, transfer.destinationId, transfer.amount],
      ...[transfer.currency, transfer.rail, transfer.status, transfer.autoApprove ? 1 : 0],
      ...[transfer.description, transfer.scenario, transfer.failureReason],
      ...[transfer.createdMs, transfer.updatedMs],
    ],
  );
}

export async function storedAccountTransfer(
  queries: Queries,
  entityId: string,
  id: string,
): Promise<AccountTransfer | undefined> {
  const row = await queries.get('select * from account_transfers where entity_id = ? and id = ?', [
    entityId,
    id,
  ]);
  return row && readAccountTransfer(row);
}

/** Writes a change, provided that the status is still `from`. */
export async function updateAccountTransfer(
  queries: Queries,
  transfer: AccountTransfer,
  from: AccountTransferStatus,
): Promise<void> {
  const changed = await queries.run(
    `update account_transfers set status = ?, failure_reason = ?, updated_ms = ?
     where entity_id = ? and id = ? and status = ?`,
    [transfer.status, transfer.failureReason, transfer.updatedMs, transfer.entityId, transfer.id, from],
  );
  if (changed !== 1)
    throw new Error(`account transfer ${transfer.id} moved away from ${from} within a transaction`);
}
