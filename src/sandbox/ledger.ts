import type {Queries} from '../store/port.ts';
import type {Context} from './context.ts';
import {big, text} from './rows.ts';

/**
 * Double entry: each posting takes from one account what it gives to another, so an entity's balances always sum to
 * zero. `external` stands for everybody else's money and alone may be negative.
 *
 *   payout: main -> reserved (approved) -> clearing (debited) -> external (settled)
 *   payin:  external -> clearing (debited) -> main (settled)
 */
export const ACCOUNTS = ['main', 'reserved', 'clearing', 'external'] as const;
export type AccountId = (typeof ACCOUNTS)[number];

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

/** Beyond this an account takes no more: 64-bit integers end at 9.2e18 in both databases. */
const BALANCE_MAX = 2n ** 62n;

export async function openAccounts(queries: Queries, entityId: string): Promise<void> {
  for (const id of ACCOUNTS)
    await queries.run(
      `insert into ledger_accounts (entity_id, id, currency_code, balance) values (?, ?, 'USD', 0) on conflict do nothing`,
      [entityId, id],
    );
}

/** Moves money between two accounts; false, and nothing changed, when `from` holds too little. */
export async function post(queries: Queries, context: Context, posting: Posting): Promise<boolean> {
  const {entityId, from, to, amount} = posting;
  const floor = from === 'external' ? -BALANCE_MAX + BigInt(amount) : BigInt(amount);
  const taken = await queries.run(
    'update ledger_accounts set balance = balance - ? where entity_id = ? and id = ? and balance >= ?',
    [amount, entityId, from, floor],
  );
  if (taken === 0) return false;
  await queries.run('update ledger_accounts set balance = balance + ? where entity_id = ? and id = ?', [
    amount,
    entityId,
    to,
  ]);
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

/** Balances by account, minor units. */
export async function balances(queries: Queries, entityId: string): Promise<Record<AccountId, bigint>> {
  const found: Record<AccountId, bigint> = {main: 0n, reserved: 0n, clearing: 0n, external: 0n};
  for (const row of await queries.all('select id, balance from ledger_accounts where entity_id = ?', [
    entityId,
  ]))
    found[text(row, 'id') as AccountId] = big(row, 'balance'); // ids are written by openAccounts only
  return found;
}
