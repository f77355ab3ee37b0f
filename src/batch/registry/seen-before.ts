import {existsSync} from 'node:fs';
import {type Clock, nextTurn} from '../../clock.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {foldReference} from '../model/identity.ts';
import type {Kind, Mode} from '../model/kinds.ts';
import {pagesOf} from '../model/pages.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {openRegistry, registryPath} from './database.ts';

/** Another batch of this state folder that has references of a plan, in any mode and at any address. */
export interface SeenBefore {
  batch: string;
  mode: Mode;
  base_url: string;
  namespace: string;
  rows: number;
  /** One of the references. */
  example: string;
}

const PAGE = 1000;

/**
 * Finds the references of a plan that other batches already have, starting with the batch that has most of them. It
 * works offline, so it covers every mode and address; the key of the run decides which of them count.
 * @throws RemitError LOCKED while a running batch has the registry, STATE or STATE_DAMAGED if it cannot be read
 */
export const seenBefore = (batch: OpenBatch, options: RegistryOptions): Promise<SeenBefore[]> =>
  inRegistry(batch, options, [], async (db) => {
    const {plan, journal} = batch;
    const found = new Map<string, SeenBefore>();
    for (const page of pagesOf((after, limit) => journal.rows.references(after, limit), PAGE)) {
      lookUp(db, page, plan, found);
      await nextTurn(); // the heartbeats of the locks must continue
    }
    return [...found.values()].sort((a, b) => b.rows - a.rows);
  });

export interface RegistryOptions {
  stateDir: string;
  clock: Clock;
}

/** Reads the registry while no run has it; returns `none` if it has nothing from other batches. */
export async function inRegistry<T>(
  {plan}: OpenBatch,
  {stateDir, clock}: RegistryOptions,
  none: T,
  work: (db: SqliteDatabase) => Promise<T>,
): Promise<T> {
  if (!existsSync(registryPath(stateDir))) return none;
  const {db, lock} = await openRegistry({
    ...{stateDir, clock, brief: true},
    purpose: `plan of batch ${plan.batchId}`,
  });
  try {
    return hasOthers(db, plan.journalId) ? await work(db) : none;
  } finally {
    db.close();
    await lock.release();
  }
}

const hasOthers = (db: SqliteDatabase, journalId: string): boolean =>
  db.prepare('select 1 from claimants where journal <> ? limit 1').get(journalId) !== undefined;

function lookUp(
  db: SqliteDatabase,
  rows: readonly {reference: string}[],
  {kind, journalId}: {kind: Kind; journalId: string},
  found: Map<string, SeenBefore>,
): void {
  const wanted = JSON.stringify(rows.map(({reference}) => [foldReference(reference), reference]));
  const hits = db
    .prepare<SeenBefore>(
      `select c.batch, s.mode, s.base_url, s.namespace, count(*) as rows, min(e.reference) as example
       from scopes s cross join json_each(?) j cross join entries e cross join claimants c
       where s.kind = ? and e.scope = s.id and e.fold = json_extract(j.value, '$[0]')
         and e.reference = json_extract(j.value, '$[1]') and c.id = e.claimant and c.journal <> ? and e.standing is null
       group by 1, 2, 3, 4`,
    )
    .all(wanted, kind, journalId);
  for (const hit of hits) {
    const key = JSON.stringify([hit.batch, hit.mode, hit.base_url, hit.namespace]);
    const known = found.get(key);
    if (known === undefined) found.set(key, hit);
    else known.rows += hit.rows;
  }
}
