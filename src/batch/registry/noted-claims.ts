import {ownJson} from '../../narrow.ts';
import {jsonBytes} from '../../store/port/json-bytes.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {foldReference} from '../model/identity.ts';
import type {Claim} from './claim.ts';

/** Notes that are sorted in with one commit; SQLite sorts in memory. */
const NOTES_A_COMMIT = 4;

/** What happens to the entries when a note is sorted in. */
type Way = 'claim' | 'keep' | 'older' | 'free';

/** The owner of a note: ids of the registry, and milliseconds since the epoch. */
export interface Noter {
  scope: number;
  claimant: number;
  at: number;
}

/** One note, as rows for `entries`. */
const ENTER = `
  insert into entries (scope, fold, reference, claimant, generation, fingerprint, at, since, id, paid, content)
  select n.scope, coalesce(c.value ->> 6, c.value ->> 3), c.value ->> 3, n.claimant, c.value ->> 5, c.value ->> 4,
    n.at, c.value ->> 7, null, 0, (c.value ->> 0) || ' ' || (c.value ->> 1) || ' ' || (c.value ->> 2)
  from noted_claims n cross join json_each(n.claims) c where n.seq = ?
  on conflict (scope, fold, reference) do update set `;
/** The age of a key does not change when another batch claims its reference. */
const AGE = `min(coalesce(entries.since, excluded.since), coalesce(excluded.since, entries.since))`;
const IS_NEW_KEY = 'excluded.generation > entries.generation';
/**
 * An existing claim belongs to the same row, in an earlier run or generation, or it has ended or was freed. Only a
 * higher generation reopens an ended claim.
 */
const CLAIM = `${ENTER}
    id = case when ${IS_NEW_KEY} then null else entries.id end,
    paid = case when ${IS_NEW_KEY} then 0 else entries.paid end,
    since = case when ${IS_NEW_KEY} then excluded.since else ${AGE} end,
    standing = case when ${IS_NEW_KEY} or entries.standing = 'freed' then null else entries.standing end,
    claimant = excluded.claimant, generation = max(entries.generation, excluded.generation),
    fingerprint = excluded.fingerprint, content = excluded.content`;
/**
 * The batch that has the record has the claim: after a lost registry, another batch may have claimed the reference,
 * perhaps for another payment. A paid entry is not changed.
 */
const KEEP = `${ENTER}
    claimant = excluded.claimant, generation = excluded.generation, fingerprint = excluded.fingerprint, since = ${AGE},
    content = excluded.content,
    standing = case when ${IS_NEW_KEY} or entries.standing = 'freed' then null else entries.standing end
    where entries.paid = 0 and entries.claimant <> excluded.claimant and excluded.generation >= entries.generation`;
/** The key is older than the claim states, regardless of which batch has the claim and whether it is paid. */
const OLDER = `
  update entries set since = min(coalesce(entries.since, told.since), told.since)
  from (
    select n.scope, coalesce(c.value ->> 6, c.value ->> 3) as fold, c.value ->> 3 as reference, c.value ->> 7 as since
    from noted_claims n cross join json_each(n.claims) c where n.seq = ?
  ) told
  where entries.scope = told.scope and entries.fold = told.fold and entries.reference = told.reference`;
const STATEMENTS = {claim: CLAIM, keep: KEEP, older: OLDER};

/**
 * Claims that are not yet among the entries of a registry. Writing them one by one would cost a tenth of the time of
 * a row, and no lookup needs them while a run sends, because a registry has one owner at a time. So each window notes
 * its claims in one durable row, and they are sorted in before any lookup. A claim that is freed again is noted after
 * it.
 *
 * A claim is noted as [party, amount, currency, reference, fingerprint, generation], followed by its fold if that
 * differs from the reference, and by the time since which its key may be known, if given. A freed claim is noted as
 * the reference alone. Payments are noted elsewhere and sorted in after these notes. Claiming a reference again
 * removes its payment, so everything noted is sorted in before that.
 *
 * The index that finds payments made twice (Lookalikes) is filled at the same time, because its order is unrelated to
 * that of claims.
 */
export class NotedClaims {
  readonly #db: SqliteDatabase;
  #hasSome: boolean;

  constructor(db: SqliteDatabase) {
    this.#db = db;
    this.#hasSome = db.prepare('select 1 from noted_claims limit 1').get() !== undefined;
  }

  get hasSome(): boolean {
    return this.#hasSome;
  }

  /** Runs in the caller's transaction. */
  note(way: 'claim' | 'keep' | 'older', noter: Noter, rows: readonly Claim[]): void {
    const claims = rows.map(({party, amount, currency, reference, fingerprint, generation, outcome}) => {
      const folded = foldReference(reference);
      const fold = folded === reference ? null : folded;
      const since = outcome?.stagedAt ?? null;
      if (since !== null) return [party, amount, currency, reference, fingerprint, generation, fold, since];
      const claim = [party, amount, currency, reference, fingerprint, generation];
      return fold === null ? claim : [...claim, fold];
    });
    this.#add(way, noter, claims);
  }

  /** In the caller's transaction. */
  noteFreed(noter: Noter, references: readonly string[]): void {
    this.#add('free', noter, references);
  }

  #add(way: Way, {scope, claimant, at}: Noter, claims: readonly unknown[]): void {
    this.#db
      .prepare(
        'insert into noted_claims (scope, claimant, at, way, claims) values (?, ?, ?, ?, cast(? as text))',
      )
      .run(scope, claimant, at, way, jsonBytes(claims));
    this.#hasSome = true;
  }

  /** Sorts in some of the notes, the oldest first. */
  sortInSome(): void {
    this.#db.transaction(() => {
      const notes = this.#db
        .prepare<{seq: number; scope: number; claimant: number; way: Way | null}>(
          'select seq, scope, claimant, way from noted_claims order by seq limit ?',
        )
        .all(NOTES_A_COMMIT);
      const last = notes.at(-1)?.seq;
      this.#hasSome = last !== undefined;
      if (last === undefined) return;
      for (const {seq, scope, claimant, way} of notes) {
        if (way === 'free') this.#free(seq, scope, claimant);
        else if (way !== null) this.#db.prepare(STATEMENTS[way]).run(seq); // null: entered when it was noted
      }
      this.#db
        .prepare(
          `insert or replace into claims_by_content (party, amount, currency, scope, reference, at)
           select c.value ->> 0, c.value ->> 1, c.value ->> 2, n.scope, c.value ->> 3, n.at
           from (select * from noted_claims where seq <= ? and way is not 'free' and way is not 'older') n cross join json_each(n.claims) c
           order by 1, 2, 3`,
        )
        .run(last);
      this.#db.prepare('delete from noted_claims where seq <= ?').run(last);
    });
  }

  /** A generation above 0 is kept: the keys below it belong to records that have ended. */
  #free(seq: number, scope: number, claimant: number): void {
    const {claims} = this.#db
      .prepare<{claims: string}>('select claims from noted_claims where seq = ?')
      .one(seq);
    const claimed = `scope = ? and fold = ? and reference = ? and paid = 0 and standing is null and claimant in
      (select id from claimants where journal = (select journal from claimants where id = ?))`;
    const forget = this.#db.prepare(`delete from entries where generation = 0 and ${claimed}`);
    const free = this.#db.prepare(`update entries set standing = 'freed', id = null where ${claimed}`);
    for (const reference of ownJson<string[]>(claims)) {
      const entry = [scope, foldReference(reference), reference, claimant]; // as noted above
      forget.run(...entry);
      free.run(...entry);
    }
  }
}
