import type {Sanitizer} from '../../../sanitize/sanitizer.ts';
import type {SqliteDatabase} from '../../../store/port/port.ts';
import {cleanMessage, DIFFERS_CODE, NOT_RELEASED, type RowState} from '../../model/outcome.ts';
import {STATE} from './row-state.ts';

/** A row that needs attention. */
export interface Attention {
  reference: string;
  state: RowState | 'failed';
  code: string | null;
  message: string | null;
  party: string;
  /** The status of its record as last seen. */
  status: string | null;
}

/** States of rows that need attention, the most urgent first. */
const URGENCY = 'collision accepted dead_key conflict unapproved held rejected not_sent staged';

/**
 * Rows with a requested record whose state needs attention, the most urgent first, at most `limit`.
 * @param doubts number of rows in doubt, including those that a killed run left without an outcome
 */
export function readAttention(
  db: SqliteDatabase,
  sanitizer: Sanitizer,
  {limit, doubts}: {limit: number; doubts: number},
): Attention[] {
  const doubtful = doubts === 0 ? [] : rowsInDoubt(db, limit);
  const others = otherRows(db, limit - doubtful.length);
  const named = new Set(doubtful.map(({reference}) => reference)); // as it was before the killed run, too
  const all = [...doubtful, ...others.filter((row) => !named.has(row.reference))];
  return all.map((row) => ({
    ...row,
    code: row.code === null ? null : sanitizer.token(row.code),
    message: cleanMessage(sanitizer, row),
  }));
}

const rowsInDoubt = (db: SqliteDatabase, limit: number): Attention[] =>
  db
    .prepare<Attention>(
      `select r.reference, 'in_doubt' as state, o.code, o.message, r.party, o.status
             from rows r left join outcomes o on o.n = r.n where ${STATE} = 'in_doubt' order by r.n limit ?`,
    )
    .all(limit);

const otherRows = (db: SqliteDatabase, limit: number): Attention[] =>
  db
    .prepare<Attention>(
      `select r.reference, case when o.state = 'accepted' and o.status = 'failed' then 'failed' else o.state end as state,
         o.code, o.message, r.party, o.status
       from outcomes o join rows r on r.n = o.n
       where o.state not in ('accepted', 'staged', 'already_paid', 'in_doubt')
         or (o.state = 'staged' and o.message like '${NOT_RELEASED}%')
         or (o.state = 'accepted' and (o.status = 'failed' or o.code = '${DIFFERS_CODE}'))
       order by instr('${URGENCY}', o.state), o.n limit ?`,
    )
    .all(limit);
