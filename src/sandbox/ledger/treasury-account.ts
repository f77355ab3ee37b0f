import type {Output} from '../../contract/schemas/registry.ts';
import type {Queries, SqlRow} from '../../store/port/port.ts';
import type {BankDialect} from '../base/bank-dialect.ts';
import type {SandboxContext} from '../world/context.ts';
import {balanceOf, openFunds, post, reservedOf, shownColumn, treasuryFunds, type FundsId} from './ledger.ts';
import {int, iso, text, word} from '../base/rows.ts';
import {ServiceError} from '../base/service-error.ts';

/** $1,000,000.00 in the second treasury account of each entity. */
export const RESERVE_BALANCE_MINOR = 100_000_000;

export function toTreasuryAccount(row: SqlRow): Output<'TreasuryAccount'> {
  return {
    id: text(row, 'id'),
    label: text(row, 'label'),
    currency_code: text(row, 'currency_code'),
    type: text(row, 'type'),
    status: text(row, 'status'),
  };
}

/** The ledger account of a treasury account. */
export const fundsOfAccount = (row: SqlRow): FundsId => word<FundsId>(row, 'ledger_id'); // written by openTreasuryAccount

const noAccount = (id: string): ServiceError => new ServiceError('NOT_FOUND', `no treasury account ${id}`);

/** @throws {ServiceError} if the entity has no such account. */
export async function findAccount(queries: Queries, entityId: string, id: string): Promise<SqlRow> {
  const row = await queries.get('select * from treasury_accounts where entity_id = ? and id = ?', [
    entityId,
    id,
  ]);
  if (!row) throw noAccount(id);
  return row;
}

/** The latest reported balance (assumption 20). @throws {ServiceError} NOT_FOUND if none was reported yet. */
export function toBalance(row: SqlRow): Output<'TreasuryBalance'> {
  if (row['reported_ms'] === null)
    throw new ServiceError('NOT_FOUND', `no balance of treasury account ${text(row, 'id')} was reported yet`);
  return {
    account_id: text(row, 'id'),
    currency_code: text(row, 'currency_code'),
    current_balance_in_minor_units: shownColumn(row, 'reported_current'),
    available_balance_in_minor_units: shownColumn(row, 'reported_available'),
    as_of: iso(int(row, 'reported_ms')),
  };
}

export interface NewAccount {
  entityId: string;
  label: string;
  /** The main account, which payouts and payins without a subaccount use. */
  main?: boolean;
  /** `SIM` accepts simulated credits. */
  type?: string;
  /** Paid in from outside, in minor units. */
  funding: number;
  /** False for an account whose first balance the bank has yet to report. */
  reported?: boolean;
}

/**
 * Creates a treasury account, as onboarding does. The current balance of its ledger account becomes its opening
 * balance.
 * @returns its id
 */
export async function openTreasuryAccount(
  queries: Queries,
  context: SandboxContext,
  account: NewAccount,
): Promise<string> {
  const {entityId, label, main = false, type = 'SIM', funding, reported = true} = account;
  const now = context.clock.now();
  const id = context.ids.next(now);
  const funds = main ? 'main' : treasuryFunds(id);
  await openFunds(queries, entityId, funds);
  const deposit = {entityId, amount: funding, subject: 'funding', subjectId: id, atMs: now};
  if (funding > 0 && !(await post(queries, context, {...deposit, from: 'external', to: funds})))
    throw new RangeError('a treasury account cannot hold that much');
  const available = await balanceOf(queries, entityId, funds);
  const opening = available + (await balanceOf(queries, entityId, reservedOf(funds)));
  await queries.run(
    `insert into treasury_accounts (entity_id, id, ledger_id, label, currency_code, type, status, opening,
       reported_current, reported_available, reported_ms, created_ms, bank_dialect)
     values (?, ?, ?, ?, 'USD', ?, 'active', ?, ?, ?, ?, ?, ?)`,
    [
      ...[entityId, id, funds, label, type, opening, opening, available, reported ? now : null, now],
      context.rules.bankDialect ?? 'id',
    ],
  );
  return id;
}

/** How the bank reports one account. */
export interface AccountDialect {
  account_id: string;
  dialect: BankDialect;
}

/** Changes the dialect of one treasury account, or of all of both entities. @throws {ServiceError} NOT_FOUND */
export async function setDialect(
  queries: Queries,
  dialect: BankDialect,
  accountId?: string,
): Promise<AccountDialect[]> {
  const [where, params] = accountId === undefined ? ['', []] : [' where id = ?', [accountId]];
  await queries.run(`update treasury_accounts set bank_dialect = ?${where}`, [dialect, ...params]);
  const rows = await queries.all(`select id from treasury_accounts${where} order by id`, params);
  if (accountId !== undefined && rows.length === 0) throw noAccount(accountId);
  return rows.map((row) => ({account_id: text(row, 'id'), dialect}));
}

/** The two accounts of every entity, unless it has them: the main one, and another with its own money. */
export async function foundTreasury(
  queries: Queries,
  context: SandboxContext,
  entityId: string,
  mainFunding: number,
): Promise<void> {
  const known = await queries.get('select id from treasury_accounts where entity_id = ? limit 1', [entityId]);
  if (known) return;
  await openTreasuryAccount(queries, context, {
    entityId,
    label: 'Operating',
    main: true,
    funding: mainFunding,
  });
  await openTreasuryAccount(queries, context, {entityId, label: 'Reserve', funding: RESERVE_BALANCE_MINOR});
}
