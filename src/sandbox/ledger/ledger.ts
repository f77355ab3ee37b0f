import type {Queries, SqlRow} from '../../store/port/port.ts';
import type {SandboxContext} from '../world/context.ts';
import {big, word} from '../base/rows.ts';

/**
 * Double entry: each posting takes from one account what it adds to another, so an entity's balances always sum to
 * zero. `external` is all money outside the entity, and the only account that may be negative.
 * docs/internals/sandbox-ledger.md
 *
 * payout:           main or subaccount -> its reserved (approved) -> clearing (debited) -> external (settled)
 * payin:            external -> clearing (debited) -> main or subaccount (settled)
 * move:             subaccount -> subaccount
 * account transfer: treasury -> its reserved (approved) -> transit (initiated) -> treasury (settled)
 * inbound credit:   external -> treasury or subaccount
 */
const SHARED_ACCOUNTS = ['clearing', 'transit', 'external'] as const;
/** Accounts that an entity's money can be spent from: `main` is the first of its treasury accounts. */
export type FundsId = 'main' | `sub:${string}` | `treasury:${string}`;
/** Money in one of them that is promised to a payout or an account transfer and has not left yet. */
export type ReservedId = 'reserved' | `reserved:${string}`;
export type AccountId = FundsId | ReservedId | (typeof SHARED_ACCOUNTS)[number];

export const subaccountFunds = (subaccountId: string): FundsId => `sub:${subaccountId}`;
export const treasuryFunds = (accountId: string): FundsId => `treasury:${accountId}`;
export const reservedOf = (funds: FundsId): ReservedId =>
  funds === 'main' ? 'reserved' : `reserved:${funds}`;

export interface Posting {
  entityId: string;
  from: AccountId;
  to: AccountId;
  /** Positive, minor units. */
  amount: number;
  subject: string;
  subjectId: string;
  atMs: number;
}

/** Maximum balance of an account: 64-bit integers end at 9.2e18 in both databases. */
const BALANCE_MAX = 2n ** 62n;

/** The general accounts of an entity, and its main account. */
export async function openAccounts(queries: Queries, entityId: string): Promise<void> {
  for (const id of SHARED_ACCOUNTS) await openAccount(queries, entityId, id);
  await openFunds(queries, entityId, 'main');
}

/** An account that money can be spent from, and its reserved part. */
export async function openFunds(queries: Queries, entityId: string, funds: FundsId): Promise<void> {
  await openAccount(queries, entityId, funds);
  await openAccount(queries, entityId, reservedOf(funds));
}

async function openAccount(queries: Queries, entityId: string, id: AccountId): Promise<void> {
  await queries.run(
    `insert into ledger_accounts (entity_id, id, currency_code, balance) values (?, ?, 'USD', 0) on conflict do nothing`,
    [entityId, id],
  );
}

/** Moves money between two accounts; returns false, without a change, if `from` has too little. */
export async function post(queries: Queries, context: SandboxContext, posting: Posting): Promise<boolean> {
  const {entityId, from, to, amount} = posting;
  const floor = from === 'external' ? -BALANCE_MAX + BigInt(amount) : BigInt(amount);
  const taken = await queries.run(
    'update ledger_accounts set balance = balance - ? where entity_id = ? and id = ? and balance >= ?',
    [amount, entityId, from, floor],
  );
  if (taken === 0) return false;
  const given = await queries.run(
    'update ledger_accounts set balance = balance + ? where entity_id = ? and id = ?',
    [amount, entityId, to],
  );
  if (given !== 1) throw new Error(`the ledger has no account ${to}`);
  await queries.run(
    `insert into ledger_postings (id, entity_id, debit, credit, amount, subject, subject_id, at_ms)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      context.ids.next(posting.atMs),
      entityId,
      from,
      to,
      amount,
      posting.subject,
      posting.subjectId,
      posting.atMs,
    ],
  );
  return true;
}

/** All balances of an entity by account, in minor units. */
export async function balances(queries: Queries, entityId: string): Promise<Map<AccountId, bigint>> {
  const rows = await queries.all('select id, balance from ledger_accounts where entity_id = ? order by id', [
    entityId,
  ]);
  return new Map(rows.map((row) => [word<AccountId>(row, 'id'), big(row, 'balance')])); // written only by openAccount
}

/** The balance of an account in minor units; zero if the account does not exist. */
export async function balanceOf(queries: Queries, entityId: string, id: AccountId): Promise<bigint> {
  const row = await queries.get('select balance from ledger_accounts where entity_id = ? and id = ?', [
    entityId,
    id,
  ]);
  return row ? big(row, 'balance') : 0n;
}

/** A number as shown in an answer. JSON numbers are exact up to 2^53 - 1; larger ones are shown as that maximum. */
function shownMinor(amount: bigint): number {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(amount > most ? most : amount < -most ? -most : amount);
}

export const shownColumn = (row: SqlRow, column: string): number => shownMinor(big(row, column));
