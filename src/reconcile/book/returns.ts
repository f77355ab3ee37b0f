import type {SqliteDatabase} from '../../store/port/port.ts';

/** When and how a payment came back. */
export interface FoundReturn {
  code: string | undefined;
  day: string;
  line: string;
}

export function readReturns(
  db: SqliteDatabase,
  scope: number,
  recordIds: readonly string[],
): Map<string, FoundReturn> {
  const find = db.prepare<{code: string | null; day: string; line: string}>(
    `select x.return_code as code, x.day, x.key as line
     from payments q join found_payments f on f.p = q.p join lines x on x.l = f.returned
     where q.scope = ? and lower(q.record) = lower(?) and q.record is not null and f.state = 'returned' limit 1`,
  );
  const found = new Map<string, FoundReturn>();
  for (const id of recordIds) {
    const row = find.get(scope, id);
    if (row !== undefined) found.set(id, {...row, code: row.code ?? undefined});
  }
  return found;
}
