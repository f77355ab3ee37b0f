import {withLoopback} from '../../network/local.ts';
import {jsonBytes} from '../../store/port/json-bytes.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {foldReference} from '../model/identity.ts';
import type {Mode} from '../../contract/mode.ts';
import type {Kind} from '../model/kinds.ts';
import type {AnsweredRecord, ClaimHolder} from './claim.ts';
import type {EarlierPayment, Paying} from './earlier-payments.ts';
import {type FormerRecord, type Entry, ENTRY, type StoredEntry, toEntry} from './entry.ts';

/** The service at which the payments of a registry are compared. */
interface ServiceScope {
  mode: Mode;
  baseUrl: string;
  kind: Kind;
}

/** A valid claim of a reference in another scope. */
export interface EntryElsewhere extends Entry {
  namespace: string;
  baseUrl: string;
  /** Whether that is the address of our scope, so that the two are payments of one service. */
  isHere: boolean;
}

/** A row of any batch that has a record. */
export interface RecordedEntry {
  id: string;
  reference: string;
  batch: string;
  standing: Entry['standing'];
  isOurScope: boolean;
}

/** The payments among claims in other scopes that were made at our address, each with its record. */
export const paymentsIn = (entries: readonly EntryElsewhere[]): (EntryElsewhere & {id: string})[] =>
  entries.flatMap((entry) =>
    entry.isHere && entry.paid && entry.id !== null ? {...entry, id: entry.id} : [],
  );

/** No scope has this id, so nothing is found in it. */
const NO_SCOPE = -1;
const ALIKE_PAGE = 16;
const ENTRIES = 'entries e join claimants c on c.id = e.claimant';

/** References with their folds, as JSON for a query. */
const foldedBytes = (rows: readonly {reference: string}[]): Uint8Array =>
  jsonBytes(rows.map(({reference}) => [foldReference(reference), reference]));

/** The entries of a registry, as one batch looks them up. All notes must be sorted in before. */
export class Entries {
  readonly #db: SqliteDatabase;
  readonly #place: ServiceScope;
  readonly #scope: number;
  readonly #journalId: string;

  /** @param scope undefined if nothing was ever claimed in the namespace */
  constructor(db: SqliteDatabase, place: ServiceScope, scope: number | undefined, journalId: string) {
    this.#db = db;
    this.#place = {...place, baseUrl: withLoopback(place.baseUrl)};
    this.#scope = scope ?? NO_SCOPE;
    this.#journalId = journalId;
  }

  get isEmpty(): boolean {
    return this.#db.prepare('select 1 from entries limit 1').get() === undefined;
  }

  /** The entry of exactly this reference in our scope. */
  find(reference: string): Entry | undefined {
    return this.#findIn(this.#scope, reference);
  }

  #findIn(scope: number, reference: string): Entry | undefined {
    const stored = this.#db
      .prepare<StoredEntry>(
        `select ${ENTRY} from ${ENTRIES} where e.scope = ? and e.fold = ? and e.reference = ?`,
      )
      .get(scope, foldReference(reference), reference);
    return stored === undefined ? undefined : toEntry(stored);
  }

  /**
   * References of our scope that other batches have claimed since a given time and that differ from this one only in
   * case or spaces.
   */
  similar(reference: string, since = 0): string[] {
    return this.#db
      .prepare<{reference: string}>(
        `select e.reference from ${ENTRIES}
       where e.scope = ? and e.fold = ? and e.reference <> ? and c.journal <> ? and e.at >= ? and e.standing is null`,
      )
      .all(this.#scope, foldReference(reference), reference, this.#journalId, since)
      .map((row) => row.reference);
  }

  /** The same reference of the same mode and kind in other scopes: namespaces, and in live mode other addresses. */
  elsewhere(reference: string): EntryElsewhere[] {
    return this.#db
      .prepare<StoredEntry & {namespace: string; baseUrl: string}>(
        // CROSS JOIN fixes the order of the joins: a few scopes first, then one lookup by key in each.
        `select ${ENTRY}, s.namespace, s.base_url as baseUrl
       from scopes own cross join scopes s cross join entries e cross join claimants c
       where c.id = e.claimant and own.id = ? and s.id <> own.id and s.mode = own.mode and s.kind = own.kind
         and (s.base_url = own.base_url or own.mode = 'live') and e.scope = s.id and e.fold = ? and e.reference = ?
         and e.standing is null`,
      )
      .all(this.#scope, foldReference(reference), reference)
      .map(({namespace, baseUrl, ...stored}) => ({
        ...toEntry(stored),
        ...{namespace, baseUrl, isHere: baseUrl === this.#place.baseUrl},
      }));
  }

  /**
   * A valid claim of another batch, in any namespace, for the same party, amount and currency, since a given time. The
   * claim of the same reference in our scope is the row itself.
   */
  alike(row: Paying, since: number): EarlierPayment | undefined {
    const {party, amount, currency} = row;
    const {mode, baseUrl, kind} = this.#place;
    let [scope, reference] = [-1, ''];
    for (;;) {
      const page = this.#db
        .prepare<{scope: number; reference: string; at: number; namespace: string}>(
          `select a.scope, a.reference, a.at, s.namespace from claims_by_content a cross join scopes s
         where a.party = ? and a.amount = ? and a.currency = ? and (a.scope, a.reference) > (?, ?) and a.at >= ?
           and s.id = a.scope and s.mode = ? and s.base_url = ? and s.kind = ?
         order by a.scope, a.reference limit ${ALIKE_PAGE}`,
        )
        .all(party, amount, currency, scope, reference, since, mode, baseUrl, kind);
      for (const found of page) {
        const isItself = found.scope === this.#scope && found.reference === row.reference;
        const entry = isItself ? undefined : this.#foreignIn(found.scope, found.reference);
        if (entry === undefined) continue;
        const {batch, id} = entry;
        return {
          ...{batch, namespace: found.namespace, reference: found.reference, id},
          at: new Date(found.at).toISOString(),
        };
      }
      const last = page.at(-1);
      if (last === undefined || page.length < ALIKE_PAGE) return undefined;
      ({scope, reference} = last);
    }
  }

  /** Whether another batch has claimed anything since a given time. */
  haveNewer(since: number): boolean {
    return (
      this.#db
        .prepare(
          'select 1 from entries where at >= ? and claimant in (select id from claimants where journal <> ?) limit 1',
        )
        .get(since, this.#journalId) !== undefined
    );
  }

  /**
   * Numbers of rows that may have a similar reference or an equal payment since a given time, in one query for a page:
   * `similar` and `alike` decide about each of them.
   */
  newer(rows: readonly {row: Paying & {n: number}; since: number}[]): ReadonlySet<number> {
    const wanted = rows.map(({row: {n, reference, party, amount, currency}, since}) => [
      ...[n, reference, foldReference(reference), party, amount, currency, since],
    ]);
    const found = this.#db
      .prepare<{n: number}>(
        `select j.value ->> 0 as n from json_each(cast(?1 as text)) j where
           exists (select 1 from claims_by_content a where a.party = j.value ->> 3 and a.amount = j.value ->> 4
             and a.currency = j.value ->> 5 and a.at >= j.value ->> 6
             and not (a.scope = ?2 and a.reference = j.value ->> 1))
           or exists (select 1 from entries e where e.scope = ?2 and e.fold = j.value ->> 2
             and e.reference <> j.value ->> 1 and e.at >= j.value ->> 6)`,
      )
      .all(jsonBytes(wanted), this.#scope);
    return new Set(found.map(({n}) => n));
  }

  /**
   * Rows of any batch of the same service, mode and kind that have one of these records, ended ones too. Upper and lower
   * case are the same here: two records are then taken for one, and a payment is refused rather than recorded twice.
   */
  withRecords(ids: readonly string[]): RecordedEntry[] {
    return this.#db
      .prepare<Omit<RecordedEntry, 'isOurScope'> & {scope: number}>(
        `select e.id, e.reference, c.batch, e.standing, e.scope
       from entries e cross join claimants c cross join scopes s cross join scopes own
       where lower(e.id) in (select lower(value) from json_each(?)) and c.id = e.claimant and s.id = e.scope
         and own.id = ? and s.mode = own.mode and s.kind = own.kind and s.base_url = own.base_url`,
      )
      .all(JSON.stringify(ids), this.#scope)
      .map(({scope, ...found}) => ({...found, isOurScope: scope === this.#scope}));
  }

  /** The valid claim of another batch. */
  foreign(reference: string): Entry | undefined {
    return this.#foreignIn(this.#scope, reference);
  }

  #foreignIn(scope: number, reference: string): Entry | undefined {
    const entry = this.#findIn(scope, reference);
    return entry?.standing === null && entry.journal !== this.#journalId ? entry : undefined;
  }

  /** Whether any record has ended. */
  hasEnded(): boolean {
    const isAny = this.#db.prepare('select 1 from ended_records where scope = ? limit 1');
    return isAny.get(this.#scope) !== undefined;
  }

  /** The records of these references that had ended when they were last read, by reference. */
  formerRecords(rows: readonly {reference: string}[]): ReadonlyMap<string, readonly FormerRecord[]> {
    const found = this.#db
      .prepare<Omit<FormerRecord, 'isOurs'> & {reference: string; journal: string}>(
        `select e.reference, e.id, c.batch, c.journal from json_each(cast(? as text)) j cross join ended_records e
         cross join claimants c
       where e.scope = ? and e.reference = j.value and c.id = e.claimant`,
      )
      .all(jsonBytes(rows.map(({reference}) => reference)), this.#scope);
    const byReference = new Map<string, FormerRecord[]>();
    for (const {reference, id, batch, journal} of found) {
      const known = byReference.get(reference);
      const record = {id, batch, isOurs: journal === this.#journalId};
      if (known === undefined) byReference.set(reference, [record]);
      else known.push(record);
    }
    return byReference;
  }

  /** The claim of another batch, also if it has ended or was freed. */
  ofOther(reference: string): Entry | undefined {
    const entry = this.find(reference);
    return entry?.journal === this.#journalId ? undefined : entry;
  }

  /** Whether another batch has ever claimed anything. */
  haveOthers(): boolean {
    return (
      this.#db.prepare('select 1 from claimants where journal <> ? limit 1').get(this.#journalId) !==
      undefined
    );
  }

  /**
   * The row of another batch that has the record; or that has its reference, is for the same payment, and has no other
   * record. A reference alone proves nothing: a service may cut or change references.
   */
  holderOf({id, own, reference, content}: AnsweredRecord): ClaimHolder | undefined {
    const byId = this.#db
      .prepare<ClaimHolder>(
        `select e.reference, c.batch from entries e cross join claimants c cross join scopes s cross join scopes own
       where lower(e.id) = lower(?) and c.id = e.claimant and c.journal <> ? and s.id = e.scope and own.id = ?
         and not (s.id = own.id and e.reference = ?) and s.mode = own.mode and s.kind = own.kind and s.base_url = own.base_url limit 1`,
      )
      .get(id, this.#journalId, this.#scope, own);
    if (byId !== undefined || reference === undefined) return byId;
    return this.#db
      .prepare<ClaimHolder>(
        `select e.reference, c.batch from scopes own cross join scopes s cross join entries e cross join claimants c
       where own.id = ? and s.mode = own.mode and s.kind = own.kind and s.base_url = own.base_url
         and e.scope = s.id and e.fold = ? and e.reference = ? and e.id is null
         and (e.content is null or e.content = ?) and c.id = e.claimant and c.journal <> ? limit 1`,
      )
      .get(this.#scope, foldReference(reference), reference, content, this.#journalId);
  }

  /** The valid claims of our journal among these references: whether each is paid. */
  areOursPaid(rows: readonly {reference: string}[]): ReadonlyMap<string, boolean> {
    const found = this.#db
      .prepare<{reference: string; paid: 0 | 1}>(
        `select e.reference, e.paid from json_each(cast(? as text)) j cross join entries e cross join claimants c
       where e.scope = ? and e.fold = j.value ->> 0 and e.reference = j.value ->> 1 and e.standing is null
         and c.id = e.claimant and c.journal = ?`,
      )
      .all(foldedBytes(rows), this.#scope, this.#journalId);
    return new Map(found.map(({reference, paid}) => [reference, paid === 1]));
  }

  /** Withdraws a wrong statement: the claim stays ours and is no longer a payment. */
  unpaid(reference: string): void {
    this.#db
      .prepare(
        `update entries set paid = 0, id = null where scope = ? and fold = ? and reference = ?
         and claimant in (select id from claimants where journal = ?)`,
      )
      .run(this.#scope, foldReference(reference), reference, this.#journalId);
  }
}
