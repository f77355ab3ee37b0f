import type {HeldRow} from '../model/held-row.ts';
import {existsSync} from 'node:fs';
import {type Clock, nextTurn} from '../../clock.ts';
import {readOpenPayments} from '../../doubts/open-payments.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {keysOf} from '../../narrow.ts';
import {batchIds} from '../journal/folder.ts';
import {foldReference} from '../model/identity.ts';
import type {Mode} from '../../contract/mode.ts';
import {type Kind, KINDS} from '../model/kinds.ts';
import {pagesOf} from '../model/pages.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {alikeIn, type SeenAlike} from './seen-alike.ts';
import {openRegistry, registryPath} from './database.ts';
import type {JournalName} from './journals.ts';
import {Entries} from './entries.ts';
import {isSamePayment} from './entry.ts';
import {othersIn} from './synchronise.ts';
import {storedScopeId} from './owners.ts';
import type {JournalCheck} from './rebuild.ts';

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

export interface SeenRows {
  /** Starting with the batch that has most of the references. */
  before: SeenBefore[];
  alike: SeenAlike[];
  /** By reference, at the service that was named; undefined without one, or if there are too many. */
  held?: ReadonlyMap<string, HeldRow> | undefined;
}

/** Nothing is known about a plan. */
export const UNSEEN: SeenRows = {before: [], alike: []};

const PAGE = 1000;
/** More references of other batches are not remembered. */
const MOST_HELD = 100_000;

/**
 * Finds the rows of a plan that other batches already have, by reference and, if wanted, by content. It works offline,
 * so it covers every mode and address; the key of the run decides which of them count.
 * @param seen.memoryDir the state folder of single commands, if it is another one
 * @throws RemitError LOCKED while a running batch has the registry, STATE or STATE_DAMAGED if it cannot be read
 */
export async function seenBefore(
  batch: OpenBatch,
  {
    stateDir,
    memoryDir = stateDir,
    clock,
    countsAlike,
    at,
    retype = (words) => words.join(' '),
    tell = () => undefined,
  }: {
    stateDir: string;
    memoryDir?: string;
    clock: Clock;
    countsAlike: boolean;
    at?: Place | undefined;
  } & Partial<Pick<JournalCheck, 'retype' | 'tell'>>,
): Promise<SeenRows> {
  const {batchId, journalId} = batch.plan;
  const folders = countsAlike ? [...new Set([memoryDir, stateDir])] : [];
  const openPayments = folders.flatMap((folder) => readOpenPayments(folder));
  const hasOpen = openPayments.some(({kind}) => kind === batch.plan.kind);
  if (!existsSync(registryPath(stateDir)) && !hasOpen && !hasOtherBatches(stateDir, batch.plan))
    return UNSEEN;
  const {db, lock} = await openRegistry({
    ...{stateDir, clock, brief: true},
    purpose: `plan of batch ${batchId}`,
    check: {own: batch, lostJournals: [], retype, tell},
  });
  try {
    if (!hasOthers(db, journalId) && !hasOpen) return UNSEEN;
    const before = await seenIn(db, batch);
    const held = at === undefined || before.length === 0 ? undefined : await heldIn(db, batch, at);
    const [now, exists] = [clock.now(), othersIn(stateDir, batch.plan)];
    return {before, held, alike: countsAlike ? await alikeIn(db, batch, {openPayments, exists, now}) : []};
  } finally {
    db.close();
    await lock.release();
  }
}

async function seenIn(db: SqliteDatabase, {plan, journal}: OpenBatch): Promise<SeenBefore[]> {
  const found = new Map<string, SeenBefore>();
  for (const page of pagesOf((after, limit) => journal.rows.references(after, limit), PAGE)) {
    lookUp(db, page, plan, found);
    await nextTurn(); // the heartbeats of the locks must continue
  }
  return [...found.values()].sort((a, b) => b.rows - a.rows);
}

/** The service of a run. */
interface Place {
  mode: Mode;
  baseUrl: string;
}

async function heldIn(
  db: SqliteDatabase,
  {plan, journal}: OpenBatch,
  {mode, baseUrl}: Place,
): Promise<ReadonlyMap<string, HeldRow> | undefined> {
  const {kind, namespace, journalId} = plan;
  const scope = storedScopeId(db, {mode, baseUrl, kind, namespace});
  const entries = new Entries(db, {mode, baseUrl, kind}, scope, journalId);
  const held = new Map<string, HeldRow>();
  for (const page of pagesOf((after) => journal.rows.after(after, PAGE), PAGE)) {
    for (const row of page) {
      const entry = entries.foreign(row.reference);
      if (entry === undefined) continue;
      held.set(row.reference, entry.paid && isSamePayment(entry, row) ? 'paid' : 'conflict');
      if (held.size > MOST_HELD) return undefined;
    }
    await nextTurn();
  }
  return held;
}

/** Without a registry, their journals show what they have claimed. */
const hasOtherBatches = (stateDir: string, {kind, batchId}: JournalName): boolean =>
  keysOf(KINDS).some((each) => batchIds(stateDir, each).some((other) => each !== kind || other !== batchId));

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
