import {ACCOUNT_TRANSFER_RAILS} from '../../contract/rails.ts';
import type {Queries, SqlValue} from '../../store/port/port.ts';
import {
  storedAccountTransfer,
  insertAccountTransfer,
  readAccountTransfer,
  toAccountTransfer,
  type AccountTransfer,
  type AccountTransferRail,
} from '../records/account-transfer.ts';
import {
  goesOnLater,
  initiateAccountTransfer,
  queueInitiation,
  stepAccountTransfer,
} from '../transfers/account-transfer-steps.ts';
import type {SandboxContext} from '../world/context.ts';
import type {HandlerCall, Handler} from './handler.ts';
import {balanceOf} from '../ledger/ledger.ts';
import {storedPage} from './paging.ts';
import {text} from '../base/rows.ts';
import {accountTransferScenarioOf} from '../outcomes/scenarios.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import {checkRailLimit} from '../transfers/admission.ts';
import {findAccount, fundsOfAccount} from '../ledger/treasury-account.ts';

const isRail = (rail: string): rail is AccountTransferRail =>
  ACCOUNT_TRANSFER_RAILS.some((one) => one === rail);

/**
 * Checks that both accounts are the entity's (404), and that pair, currency, rail and amount fit together (400:
 * interface document, "Errors").
 */
async function admit(
  queries: Queries,
  context: SandboxContext,
  {entity, body}: HandlerCall<'accountTransfers.create'>,
): Promise<AccountTransfer> {
  const [sourceId, destinationId] = [
    body.source_account_id.toLowerCase(),
    body.destination_account_id.toLowerCase(),
  ];
  const source = await findAccount(queries, entity.id, sourceId);
  const destination = await findAccount(queries, entity.id, destinationId);
  for (const account of [source, destination])
    if (text(account, 'currency_code') !== body.currency_code)
      throw invalid('currency_code', `is not that of treasury account ${text(account, 'id')}`);
  const {rail} = body;
  if (!isRail(rail)) throw invalid('rail', `is one of ${ACCOUNT_TRANSFER_RAILS.join(', ')}`);
  checkRailLimit(rail, body.amount_in_minor_units);
  const now = context.clock.now();
  return {
    entityId: entity.id,
    id: context.ids.next(now),
    sourceId,
    destinationId,
    amount: body.amount_in_minor_units,
    currency: body.currency_code,
    rail,
    status: 'created',
    autoApprove: body.auto_approve ?? false,
    description: body.description ?? null,
    scenario: accountTransferScenarioOf(body.description),
    failureReason: null,
    createdMs: now,
    updatedMs: now,
  };
}

async function approved(
  queries: Queries,
  context: SandboxContext,
  transfer: AccountTransfer,
): Promise<AccountTransfer> {
  const moved = await stepAccountTransfer(queries, context, transfer, {
    to: 'approved',
    atMs: context.clock.now(),
  });
  if (moved) return moved;
  throw insufficient(transfer);
}

const insufficient = ({sourceId}: AccountTransfer) =>
  invalid('amount_in_minor_units', `insufficient funds in treasury account ${sourceId}`);

/** Refuses before anything is written: a change that is undone may run again and would draw other ids. */
async function checkFunds(queries: Queries, transfer: AccountTransfer): Promise<void> {
  const source = fundsOfAccount(await findAccount(queries, transfer.entityId, transfer.sourceId));
  if ((await balanceOf(queries, transfer.entityId, source)) < BigInt(transfer.amount))
    throw insufficient(transfer);
}

/**
 * 201, or 202 if it was approved and initiation continues after the answer (interface document, "Account transfer").
 */
const create: Handler<'accountTransfers.create'> = (call, context) =>
  context.store.write(async (queries) => {
    const transfer = await admit(queries, context, call);
    if (transfer.autoApprove) await checkFunds(queries, transfer);
    await insertAccountTransfer(queries, transfer);
    if (!transfer.autoApprove) return {status: 201, body: toAccountTransfer(transfer)};
    const moved = await approved(queries, context, transfer);
    if (goesOnLater(context, call.entity, moved)) {
      await queueInitiation(queries, context, moved);
      return {status: 202, body: toAccountTransfer(moved)};
    }
    const initiated = await initiateAccountTransfer(queries, context, moved, context.clock.now());
    return {status: 201, body: toAccountTransfer(initiated)};
  });

/** `created` -> `approved`, "queued for initiation": the bank receives it after the answer. */
const approve: Handler<'accountTransfers.approve'> = ({entity, params}, context) =>
  context.store.write(async (queries) => {
    const transfer = await storedAccountTransfer(queries, entity.id, params.account_transfer_id);
    if (!transfer) throw new ServiceError('NOT_FOUND', `no account transfer ${params.account_transfer_id}`);
    if (transfer.status !== 'created')
      throw new ServiceError(
        'VALIDATION_ERROR',
        `an account transfer that is ${transfer.status} cannot be approved`,
      );
    const moved = await approved(queries, context, transfer);
    await queueInitiation(queries, context, moved);
    return {status: goesOnLater(context, entity, moved) ? 202 : 200, body: toAccountTransfer(moved)};
  });

/** Assumption 27. */
const list: Handler<'accountTransfers.list'> = ({entity, query}, {store}) => {
  const where: [string, SqlValue][] = [['entity_id = ?', entity.id]];
  if (query.status !== undefined) where.push(['status = ?', query.status]);
  const account = query.account_id?.toLowerCase();
  if (account !== undefined) where.push(['? in (source_id, destination_id)', account]);
  return storedPage(store, query, {
    ...{name: 'account-transfers', select: 'select * from account_transfers', where},
    toRecord: (row) => toAccountTransfer(readAccountTransfer(row)),
  });
};

export const accountTransferHandlers = {create, approve, list};
