import type {SqliteDatabase} from '../../store/port/port.ts';
import type {BankLine} from '../model/line.ts';

/** When and how a payment came back. */
export interface FoundReturn {
  code: string | undefined;
  day: string;
  line: string;
  /** Of its row. */
  batch: string | undefined;
}

/** A line in the other direction that names a payment, and about which nobody has decided. */
export interface MaybeReturn {
  payment: string;
  line: string;
}

/** Payments that are shown for a line that may be their return. */
const MOST_SHOWN = 100;

/** Keys of payments with the opposite amount of a line that have not come back, the latest before the line first. */
export function readOpposites(db: SqliteDatabase, scope: number, line: BankLine): string[] {
  const amount = -line.amount;
  if (BigInt.asIntN(64, amount) !== amount) return [];
  return db
    .prepare<{key: string}>(
      `select q.key from payments q left join found_payments f on f.p = q.p
       where q.scope = ?1 and q.currency = ?2 and q.amount = ?3 and q.kind <> 'transfer'
         and (q.account is null or q.account = ?4) and q.day <= date(?5, '+1 day')
         and coalesce(f.state, '') <> 'returned' order by q.day desc, q.key limit ${MOST_SHOWN}`,
    )
    .all(scope, line.currency, amount, line.account, line.bookingDay)
    .map(({key}) => key);
}

export function readReturns(
  db: SqliteDatabase,
  scope: number,
  recordIds: readonly string[],
): Map<string, FoundReturn> {
  const find = db.prepare<{code: string | null; day: string; line: string; batch: string | null}>(
    `select x.return_code as code, x.day, x.key as line, q.batch
     from payments q join found_payments f on f.p = q.p join lines x on x.l = f.returned
     where q.scope = ? and lower(q.record) = lower(?) and q.record is not null and f.state = 'returned' limit 1`,
  );
  const found = new Map<string, FoundReturn>();
  for (const id of recordIds) {
    const row = find.get(scope, id);
    if (row !== undefined)
      found.set(id, {...row, code: row.code ?? undefined, batch: row.batch ?? undefined});
  }
  return found;
}

/** By payment and line; `found_lines` has no match for a line that a rule or a person has explained. */
export const readMaybeReturns = (db: SqliteDatabase, scope: number): MaybeReturn[] =>
  db
    .prepare<MaybeReturn>(
      `select q.key as payment, x.key as line
       from candidates c join lines x on x.l = c.l join payments q on q.p = c.p join found_lines f on f.l = c.l
       left join found_payments g on g.p = c.p
       where q.scope = ? and q.record is not null and q.kind <> 'transfer' and (x.amount = 0 or (x.amount < 0) <> (q.amount < 0))
         and f.m is null and f.state <> 'ignored' and coalesce(g.state, '') <> 'returned' order by q.key, x.key`,
    )
    .all(scope);
