import type {Queries, SqlRow} from '../../store/port/port.ts';
import {balances, reservedOf, subaccountFunds, type AccountId} from './ledger.ts';
import {big, text, textOrNull, word} from '../base/rows.ts';
import {fundsOfAccount} from './treasury-account.ts';

/** A sum of amounts in two parts: a thousand of the largest amounts would exceed 64 bits, where SQLite fails. */
export const SUM = 'sum(amount / 1000000000) as billions, sum(amount % 1000000000) as units';
export const sumOf = (row: SqlRow): bigint => big(row, 'billions') * 1_000_000_000n + big(row, 'units');

type Sums = Map<AccountId, bigint>;

const add = (sums: Sums, id: AccountId, amount: bigint) => sums.set(id, (sums.get(id) ?? 0n) + amount);

/**
 * Recomputes an entity's accounts from its postings, its records and the bank's lines; returns what disagrees, most
 * important first. Rows are counted, not walked, unless something is wrong: then the first wrong record is searched
 * for.
 */
export async function ledgerProblems(queries: Queries, entityId: string): Promise<string[]> {
  const held = await balances(queries, entityId);
  const problems = [
    ...balanceProblems(held),
    ...compare(held, await postedSums(queries, entityId), 'its postings sum to'),
  ];
  const promised = promiseProblems(held, await promisedSums(queries, entityId));
  if (promised.length > 0) problems.push(...promised, ...(await firstWrongTransfer(queries, entityId)));
  return [
    ...problems,
    ...(await moveProblems(queries, entityId)),
    ...(await treasuryProblems(queries, entityId, held)),
  ];
}

function balanceProblems(held: Sums): string[] {
  const sum = [...held.values()].reduce((total, amount) => total + amount, 0n);
  return [
    ...(sum === 0n ? [] : [`the balances sum to ${sum}, not to zero`]),
    ...[...held]
      .filter(([id, amount]) => id !== 'external' && amount < 0n)
      .map(([id, amount]) => `${id} is below zero: ${amount}`),
  ];
}

function compare(held: Sums, expected: Sums, because: string): string[] {
  const ids = [...new Set([...held.keys(), ...expected.keys()])].sort();
  return ids
    .filter((id) => (held.get(id) ?? 0n) !== (expected.get(id) ?? 0n))
    .map((id) => `${id} holds ${held.get(id) ?? 'nothing'}, but ${because} ${expected.get(id) ?? 0n}`);
}

/** The expected balance of each account, recomputed from the postings. */
async function postedSums(queries: Queries, entityId: string): Promise<Sums> {
  const sums: Sums = new Map();
  for (const [side, sign] of [
    ['debit', -1n],
    ['credit', 1n],
  ] as const)
    for (const row of await queries.all(
      `select ${side} as account, ${SUM} from ledger_postings where entity_id = ? group by ${side}`,
      [entityId],
    ))
      add(sums, word<AccountId>(row, 'account'), sign * sumOf(row)); // written only by post
  return sums;
}

/**
 * Reserved money belongs to records that are approved and have not left; clearing and transit money to those in
 * progress.
 */
async function promisedSums(queries: Queries, entityId: string): Promise<Sums> {
  const sums: Sums = new Map();
  const transfers = await queries.all(
    `select kind, status, subaccount_id, ${SUM} from transfers
     where entity_id = ? and status in ('approved', 'initiated', 'debited') group by kind, status, subaccount_id`,
    [entityId],
  );
  for (const row of transfers) {
    const subaccount = textOrNull(row, 'subaccount_id');
    const funds = subaccount === null ? 'main' : subaccountFunds(subaccount);
    if (text(row, 'status') === 'debited') add(sums, 'clearing', sumOf(row));
    else if (text(row, 'kind') === 'payout') add(sums, reservedOf(funds), sumOf(row));
  }
  const accountTransfers = await queries.all(
    `select account_transfers.status, ledger_id, ${SUM} from account_transfers join treasury_accounts
       on treasury_accounts.entity_id = account_transfers.entity_id and treasury_accounts.id = source_id
     where account_transfers.entity_id = ? and account_transfers.status in ('approved', 'initiated')
     group by account_transfers.status, ledger_id`,
    [entityId],
  );
  for (const row of accountTransfers)
    add(sums, text(row, 'status') === 'initiated' ? 'transit' : reservedOf(fundsOfAccount(row)), sumOf(row));
  return sums;
}

function promiseProblems(held: Sums, promised: Sums): string[] {
  const between = [...held].filter(
    ([id]) => id === 'clearing' || id === 'transit' || id.startsWith('reserved'),
  );
  return compare(new Map(between), promised, 'what is under way needs');
}

/** The first payin or payout whose postings do not match its status. */
async function firstWrongTransfer(queries: Queries, entityId: string): Promise<string[]> {
  const into = (side: string) =>
    `sum(case when ledger_postings.credit ${side} then ledger_postings.amount else 0 end)
       - sum(case when ledger_postings.debit ${side} then ledger_postings.amount else 0 end)`;
  const row = await queries.get(
    `select transfers.kind, transfers.id, transfers.status from transfers
       left join ledger_postings on ledger_postings.subject_id = transfers.id
     where transfers.entity_id = ?
     group by transfers.kind, transfers.id, transfers.status, transfers.amount
     having ${into("like 'reserved%'")} <> case when transfers.kind = 'payout'
         and transfers.status in ('approved', 'initiated') then transfers.amount else 0 end
       or ${into("= 'clearing'")} <> case when transfers.status = 'debited' then transfers.amount else 0 end
     order by transfers.id limit 1`,
    [entityId],
  );
  return row
    ? [`the first with other postings than its status asks for: ${text(row, 'kind')} ${text(row, 'id')}`]
    : [];
}

/** Every settled move has its posting, and every posting its settled move. */
async function moveProblems(queries: Queries, entityId: string): Promise<string[]> {
  const settled = await queries.all(
    `select source_id, destination_id, count(*) as records, ${SUM} from moves
     where entity_id = ? and status = 'SETTLED' group by source_id, destination_id`,
    [entityId],
  );
  const posted = await queries.all(
    `select debit, credit, count(*) as records, ${SUM} from ledger_postings
     where entity_id = ? and subject = 'move' group by debit, credit`,
    [entityId],
  );
  const line = (from: string, to: string, row: SqlRow) =>
    `${from} to ${to}: ${big(row, 'records')} of ${sumOf(row)}`;
  const told = settled.map((row) =>
    line(subaccountFunds(text(row, 'source_id')), subaccountFunds(text(row, 'destination_id')), row),
  );
  const found = posted.map((row) => line(text(row, 'debit'), text(row, 'credit'), row));
  return [
    ...told
      .filter((entry) => !found.includes(entry))
      .map((entry) => `settled moves ${entry} without matching postings`),
    ...found
      .filter((entry) => !told.includes(entry))
      .map((entry) => `postings of moves ${entry} without matching settled moves`),
  ];
}

/**
 * The balance of a treasury account is its opening balance plus the bank's lines since; the reported balance is
 * checked in the same way.
 */
async function treasuryProblems(queries: Queries, entityId: string, held: Sums): Promise<string[]> {
  const problems: string[] = [];
  const accounts = await queries.all('select * from treasury_accounts where entity_id = ? order by id', [
    entityId,
  ]);
  for (const account of accounts) {
    const id = text(account, 'id');
    const lines = await queries.all(
      `select direction, case when reported_ms is null then 0 else 1 end as reported, ${SUM}
       from bank_transactions where account_id = ? and status = 'posted' group by 1, 2`,
      [id],
    );
    const since = (rows: SqlRow[]) =>
      rows.reduce(
        (sum, row) => sum + (text(row, 'direction') === 'credit' ? sumOf(row) : -sumOf(row)),
        big(account, 'opening'),
      );
    const funds = fundsOfAccount(account);
    const booked = (held.get(funds) ?? 0n) + (held.get(reservedOf(funds)) ?? 0n);
    const [all, reported] = [since(lines), since(lines.filter((row) => big(row, 'reported') === 1n))];
    if (booked !== all)
      problems.push(`treasury account ${id} holds ${booked}, but the bank's lines lead to ${all}`);
    if (big(account, 'reported_current') !== reported)
      problems.push(
        `treasury account ${id} is reported at ${big(account, 'reported_current')}, its lines lead to ${reported}`,
      );
    const [current, available] = [big(account, 'reported_current'), big(account, 'reported_available')];
    if (available > current && current >= 0n)
      problems.push(`treasury account ${id} is reported to have ${available} available of ${current}`);
  }
  return problems;
}
