import {nextTurn} from '../../clock.ts';
import {must} from '../../narrow.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {foldReference} from '../model/identity.ts';
import type {Mode} from '../model/kinds.ts';
import {pagesOf} from '../model/pages.ts';
import type {UntouchedRow} from '../journal/rows/rows.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {inRegistry, type RegistryOptions} from './seen-before.ts';

/** How many rows of a plan would need an acknowledgement at one service because of other batches. */
export interface SeenAlike {
  mode: Mode;
  base_url: string;
  /** Rows like a payment of the last thirty days: same party, amount and currency. */
  alike: number;
  /** References that differ from one of another batch only in case or spaces. */
  similar: number;
}

const ALIKE_MS = 30 * 24 * 3_600_000;
const PAGE = 1000;

/**
 * Predicts what `surveyBatch` will count as look-alikes, for each service at which the namespace of a plan was used.
 * It works offline; the key of the run decides which service counts.
 * @throws RemitError like `seenBefore`
 */
export const seenAlike = (batch: OpenBatch, options: RegistryOptions): Promise<SeenAlike[]> =>
  inRegistry(batch, options, [], async (db) => {
    const {plan, journal} = batch;
    const scopes = db
      .prepare<{id: number; mode: Mode; base_url: string}>(
        'select id, mode, base_url from scopes where kind = ? and namespace = ?',
      )
      .all(plan.kind, plan.namespace)
      .map(({id, mode, base_url}) => ({
        finder: new Finder(db, id, plan.journalId, options.clock.now() - ALIKE_MS),
        seen: {mode, base_url, alike: 0, similar: 0},
      }));
    for (const page of pagesOf((after, limit) => journal.rows.untouched(after, limit), PAGE)) {
      for (const {finder, seen} of scopes) finder.count(page, seen);
      await nextTurn(); // the heartbeats of the locks must continue
    }
    return scopes.map(({seen}) => seen).filter(({alike, similar}) => alike + similar > 0);
  });

/** Compares pages of rows with the entries of other batches in one scope. */
class Finder {
  readonly #alike;
  readonly #foreign;
  readonly #similar;
  readonly #scope: number;
  readonly #journalId: string;
  readonly #since: number;

  constructor(db: SqliteDatabase, scope: number, journalId: string, since: number) {
    this.#scope = scope;
    this.#journalId = journalId;
    this.#since = since;
    this.#alike = db.prepare<{at: number; reference: string}>(
      `select j.key as at, k.reference from json_each(?) j cross join claims_by_content k
       where k.party = json_extract(j.value, '$[0]') and k.amount = json_extract(j.value, '$[1]')
         and k.currency = json_extract(j.value, '$[2]') and k.scope = ? and k.at >= ?
         and k.reference <> json_extract(j.value, '$[3]')`,
    );
    this.#similar = db.prepare<{at: number}>(
      `select distinct j.key as at from json_each(?) j cross join entries e cross join claimants c
       where e.scope = ? and e.fold = json_extract(j.value, '$[0]') and e.reference <> json_extract(j.value, '$[1]')
         and c.id = e.claimant and c.journal <> ? and e.standing is null`,
    );
    this.#foreign = db.prepare(
      `select 1 from entries e join claimants c on c.id = e.claimant
       where e.scope = ? and e.fold = ? and e.reference = ? and c.journal <> ? and e.standing is null`,
    );
  }

  count(rows: readonly UntouchedRow[], seen: SeenAlike): void {
    const contents = rows.map(({party, amount, currency, reference}) => [party, amount, currency, reference]);
    const referenceAt = (at: number) => must(rows[at], 'row that was looked up').reference;
    const alike = new Set<number>();
    for (const {at, reference} of this.#alike.all(JSON.stringify(contents), this.#scope, this.#since))
      if (!alike.has(at) && this.#isForeign(reference) && !this.#isForeign(referenceAt(at))) alike.add(at);
    seen.alike += alike.size;
    const names = rows.map(({reference}) => [foldReference(reference), reference]);
    for (const {at} of this.#similar.all(JSON.stringify(names), this.#scope, this.#journalId))
      if (!this.#isForeign(referenceAt(at))) seen.similar++;
  }

  #isForeign(reference: string): boolean {
    const found = this.#foreign.get(this.#scope, foldReference(reference), reference, this.#journalId);
    return found !== undefined;
  }
}
