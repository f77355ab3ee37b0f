import {nextTurn} from '../../clock.ts';
import {ownJson} from '../../narrow.ts';
import {jsonBytes} from '../../store/port/json-bytes.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {foldReference} from '../model/identity.ts';
import type {Claim} from './claim.ts';

/** Notes that are sorted in with one commit; SQLite sorts in memory. */
const NOTES_A_COMMIT = 8;

/** What happens to the entries when a note is sorted in. */
export type Way = 'claim' | 'keep' | 'older' | 'free' | 'paid' | 'unpaid' | 'found' | 'gone';

/** The owner of a note: ids of the registry, and milliseconds since the epoch. */
export interface Noter {
  scope: number;
  claimant: number;
  at: number;
}

/** A reference with the id of its record, and if that record has ended, the generation of its key. */
export type PaidLine = [reference: string, id: string | null, endedGeneration?: number];

/** A reference with the id of a record that is a payment after all, and its content, if it is known. */
export type FoundLine = [reference: string, id: string, content: string | null];

/** A reference with the id of a record that is not shown as paid any more. */
export type UnpaidLine = [reference: string, id: string];

/** A reference with the id of a record that is not found, and was stated unpaid. */
export type GoneLine = [reference: string, id: string];

/** One note, as rows for `entries`. */
const ENTER = `
  insert into entries (scope, fold, reference, claimant, generation, fingerprint, at, since, id, paid, content)
  select n.scope, coalesce(c.value ->> 6, c.value ->> 3), c.value ->> 3, n.claimant, c.value ->> 5, c.value ->> 4,
    n.at, c.value ->> 7, null, 0, (c.value ->> 0) || ' ' || (c.value ->> 1) || ' ' || (c.value ->> 2)
  from notes n cross join json_each(n.lines) c where n.seq = ?
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
    from notes n cross join json_each(n.lines) c where n.seq = ?
  ) told
  where entries.scope = told.scope and entries.fold = told.fold and entries.reference = told.reference`;
const STATEMENTS = {claim: CLAIM, keep: KEEP, older: OLDER};

const PAY =
  'update entries set paid = 1, id = ?, standing = null where scope = ? and fold = ? and reference = ?';
/** Another record is another payment and is not changed. The record of the entry has ended, whatever its generation. */
const END = `
  update entries set paid = 0, id = ?1, standing = 'ended'
  where scope = ?2 and fold = ?3 and reference = ?4 and (id = ?1 or (id is null and generation = ?5))`;
/** A record was shown as failed or canceled, or is not found: scope, reference, id, claimant. */
export const NOTE_END =
  'insert or ignore into ended_records (scope, reference, id, claimant) values (?, ?, ?, ?)';
/**
 * A record that had ended is a payment after all: of the batch that had made it, which may not have the claim any more. An
 * unknown content is another payment for every batch.
 */
const FIND = `
  update entries set paid = 1, id = ?1, standing = null, content = ?2, fingerprint = '',
    claimant = coalesce((select e.claimant from ended_records e
      where e.scope = ?3 and e.reference = ?5 and e.id = ?1), claimant)
  where scope = ?3 and fold = ?4 and reference = ?5`;
/** Another record is another payment and is not changed. */
const UNPAY =
  'update entries set paid = 0, standing = null where scope = ? and fold = ? and reference = ? and id = ?';
const FREED = `scope = ? and fold = ? and reference = ? and paid = 0 and standing is null and claimant in
  (select id from claimants where journal = (select journal from claimants where id = ?))`;
/** A generation above 0 is kept: the keys below it belong to records that have ended. */
const FORGET = `delete from entries where generation = 0 and ${FREED}`;
const FREE = `update entries set standing = 'freed', id = null where ${FREED}`;

/**
 * What happened to claims and is not yet written to the entries of the registry. Finding and updating entries one by
 * one would cost a fifth of the time of a row, and no lookup needs them while a run sends, because a registry has one
 * owner at a time. So what happens to a group of claims is noted in one durable row, and the notes are sorted in, in
 * their order, before any lookup.
 *
 * A claim is noted as [party, amount, currency, reference, fingerprint, generation], followed by its fold if that
 * differs from the reference, and by the time since which its key may be known, if given; a freed claim as the
 * reference alone; a payment as `PaidLine`, one that was found again as `FoundLine`, and what is no longer one as
 * `UnpaidLine`.
 *
 * The index that finds payments made twice (`claims_by_content`) is filled at the same time: its order is unrelated to
 * that of claims, so updating it row by row would cost one page of disk for each row sent.
 */
export class Notes {
  readonly #db: SqliteDatabase;
  #hasSome: boolean;

  constructor(db: SqliteDatabase) {
    this.#db = db;
    this.#hasSome = db.prepare('select 1 from notes limit 1').get() !== undefined;
  }

  /** Runs in the caller's transaction. */
  add(way: Way, {scope, claimant, at}: Noter, lines: readonly unknown[]): void {
    this.#db
      .prepare('insert into notes (scope, claimant, at, way, lines) values (?, ?, ?, ?, cast(? as text))')
      .run(scope, claimant, at, way, jsonBytes(lines));
    this.#hasSome = true;
  }

  sortIn(): void {
    while (this.#hasSome) this.sortInSome();
  }

  /** Some notes at a time, so that the heartbeat of the lock continues. */
  async sortInByTurns(): Promise<void> {
    for (; this.#hasSome; await nextTurn()) this.sortInSome();
  }

  /** Sorts in some of the notes, the oldest first. */
  sortInSome(): void {
    this.#db.transaction(() => {
      const notes = this.#db
        .prepare<{seq: number; way: Way}>('select seq, way from notes order by seq limit ?')
        .all(NOTES_A_COMMIT);
      const last = notes.at(-1)?.seq;
      this.#hasSome = last !== undefined;
      if (last === undefined) return;
      for (const {seq, way} of notes) {
        if (way === 'free') this.#free(seq);
        else if (way === 'paid') this.#pay(seq);
        else if (way === 'unpaid') this.#unpay(seq);
        else if (way === 'found') this.#find(seq);
        else if (way === 'gone') this.#gone(seq);
        else this.#db.prepare(STATEMENTS[way]).run(seq);
      }
      this.#db
        .prepare(
          `insert or replace into claims_by_content (party, amount, currency, scope, reference, at)
           select c.value ->> 0, c.value ->> 1, c.value ->> 2, n.scope, c.value ->> 3, n.at
           from (select * from notes where seq <= ? and way in ('claim', 'keep')) n cross join json_each(n.lines) c
           order by 1, 2, 3`,
        )
        .run(last);
      this.#db.prepare('delete from notes where seq <= ?').run(last);
    });
  }

  #free(seq: number): void {
    const {scope, claimant, lines} = this.#read<string>(seq);
    const [forget, free] = [this.#db.prepare(FORGET), this.#db.prepare(FREE)];
    for (const reference of lines) {
      const entry = [scope, foldReference(reference), reference, claimant];
      forget.run(...entry);
      free.run(...entry);
    }
  }

  #pay(seq: number): void {
    const {scope, claimant, lines} = this.#read<PaidLine>(seq);
    const [pay, end] = [this.#db.prepare(PAY), this.#db.prepare(END)];
    const noteEnd = this.#db.prepare(NOTE_END);
    for (const [reference, id, ended] of lines) {
      const entry = [id, scope, foldReference(reference), reference];
      if (ended === undefined) pay.run(...entry);
      else {
        end.run(...entry, ended);
        noteEnd.run(scope, reference, id, claimant);
      }
    }
  }

  #find(seq: number): void {
    const {scope, lines} = this.#read<FoundLine>(seq);
    const find = this.#db.prepare(FIND);
    for (const [reference, id, content] of lines)
      find.run(id, content, scope, foldReference(reference), reference);
  }

  #gone(seq: number): void {
    const {scope, claimant, lines} = this.#read<GoneLine>(seq);
    const noteEnd = this.#db.prepare(NOTE_END);
    for (const [reference, id] of lines) noteEnd.run(scope, reference, id, claimant);
  }

  #unpay(seq: number): void {
    const {scope, lines} = this.#read<UnpaidLine>(seq);
    const unpay = this.#db.prepare(UNPAY);
    for (const [reference, id] of lines) unpay.run(scope, foldReference(reference), reference, id);
  }

  #read<L>(seq: number): {scope: number; claimant: number; lines: L[]} {
    const note = this.#db
      .prepare<{scope: number; claimant: number; lines: string}>(
        'select scope, claimant, lines from notes where seq = ?',
      )
      .one(seq);
    return {...note, lines: ownJson<L[]>(note.lines)}; // as `Registry` noted them
  }
}

/** A claim as it is noted. */
export function claimLine({party, amount, currency, reference, fingerprint, generation, outcome}: Claim) {
  const folded = foldReference(reference);
  const fold = folded === reference ? null : folded;
  const since = outcome?.stagedAt ?? null;
  const claim = [party, amount, currency, reference, fingerprint, generation];
  if (since !== null) return [...claim, fold, since];
  return fold === null ? claim : [...claim, fold];
}
