import {nextTurn} from '../../clock.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import type {Mode} from '../model/kinds.ts';
import {pagesOf} from '../model/pages.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {Entries} from './entries.ts';

/** How many rows of a plan would need an acknowledgement at one service because of other batches. */
export interface SeenAlike {
  mode: Mode;
  base_url: string;
  /** Rows like a payment of the last thirty days: same party, amount and currency. */
  alike: number;
  /** References that differ from one of another batch only in case or spaces. */
  similar: number;
}

/** How long a payment counts as a look-alike of a later one. */
export const ALIKE_MS = 30 * 24 * 3_600_000;
const PAGE = 1000;

/**
 * Predicts what `surveyBatch` will count as look-alikes, for each service at which the namespace of a plan was used.
 */
export async function alikeIn(
  db: SqliteDatabase,
  {plan, journal}: OpenBatch,
  now: number,
): Promise<SeenAlike[]> {
  const scopes = db
    .prepare<{id: number; mode: Mode; base_url: string}>(
      'select id, mode, base_url from scopes where kind = ? and namespace = ?',
    )
    .all(plan.kind, plan.namespace)
    .map(({id, mode, base_url}) => ({
      entries: new Entries(db, id, plan.journalId),
      seen: {mode, base_url, alike: 0, similar: 0},
    }));
  for (const page of pagesOf((after, limit) => journal.rows.untouched(after, limit), PAGE)) {
    for (const {entries, seen} of scopes)
      for (const row of page) {
        if (entries.foreign(row.reference) !== undefined) continue; // it is skipped, or a conflict
        if (entries.alike(row, now - ALIKE_MS) !== undefined) seen.alike++;
        if (entries.similar(row.reference).length > 0) seen.similar++;
      }
    await nextTurn(); // the heartbeats of the locks must continue
  }
  return scopes.map(({seen}) => seen).filter(({alike, similar}) => alike + similar > 0);
}
