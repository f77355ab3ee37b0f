import type {Journal} from '../journal/journal.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {pagesOf} from '../model/pages.ts';
import type {Halt} from './halt.ts';
import type {Outcomes} from './outcomes.ts';

const PAGE = 10_000;
const FIRST_SLOTS = 2 ** 10;
/** 16 MB. At three quarters of it, after 1.5 million ids, the set is emptied and begins again. */
const MOST_SLOTS = 2 ** 21;

/** The row that has a record; it is not looked up once the run is stopping for that reason. */
export type RecordOwner = JournalRow | 'not looked up';

/**
 * The ids of the records of a batch: a record pays one row. A service that returns the record of one row for another has
 * not paid both.
 */
export class RecordIds {
  readonly #parts: {journal: Journal; outcomes: Outcomes; halt: Halt};
  #seen: IdSet | undefined;
  /** Rows whose record is still being processed: the journal does not have it yet. */
  readonly #processed = new Map<string, JournalRow>();

  constructor(parts: {journal: Journal; outcomes: Outcomes; halt: Halt}) {
    this.#parts = parts;
  }

  /**
   * Notes that a create of the row returned this id, which happens once in a run.
   * @returns the row that already has it, if there is one
   */
  taken(row: JournalRow, id: string): RecordOwner | undefined {
    this.#seen ??= this.#known();
    if (!this.#seen.add(id.toLowerCase())) return undefined;
    const {journal, outcomes, halt} = this.#parts;
    if (halt.stop?.reason === 'collision') return 'not looked up';
    outcomes.flush();
    const owner = journal.rows.ofRecord(id) ?? this.#processed.get(id.toLowerCase()); // different ids may have one hash
    return owner === undefined || owner.n === row.n ? undefined : owner;
  }

  /** Another row of the batch that has this record. */
  ownerOf(row: JournalRow, id: string): JournalRow | undefined {
    const {journal, outcomes} = this.#parts;
    outcomes.flush();
    const owner = journal.rows.ofRecord(id);
    return owner === undefined || owner.n === row.n ? undefined : owner;
  }

  /** The record of the row is still being processed; `recorded` is called once the journal has it. */
  processing(row: JournalRow, id: string): void {
    this.#processed.set(id.toLowerCase(), row);
  }

  recorded(id: string): void {
    this.#processed.delete(id.toLowerCase());
  }

  /** The ids that earlier runs have recorded. */
  #known(): IdSet {
    const {rows} = this.#parts.journal;
    const seen = new IdSet();
    for (const page of pagesOf((after, limit) => rows.recordIds(after, limit), PAGE))
      for (const {id} of page) seen.add(id.toLowerCase());
    return seen;
  }
}

/** Texts by 64 bits of hash each, in a table without objects: a million of them take 16 MB. */
class IdSet {
  #slots = new Int32Array(FIRST_SLOTS * 2);
  #count = 0;

  /** @returns whether the text, or one with the same hash, was there */
  add(text: string): boolean {
    let [high, low] = [0x811c9dc5, 0x9e3779b9];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      high = Math.imul(high ^ code, 0x01000193);
      low = Math.imul(low ^ code, 0x85ebca6b) ^ (low >>> 15);
    }
    if (!this.#put(high | 1, low | 0)) return true; // no slot in use is zero
    this.#count++;
    if (this.#count * 4 > (this.#slots.length / 2) * 3) this.#grow();
    return false;
  }

  #put(high: number, low: number): boolean {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    for (let at = (low ^ (low >>> 16)) & mask; ; at = (at + 1) & mask) {
      const found = slots[at * 2];
      if (found === 0) {
        slots[at * 2] = high;
        slots[at * 2 + 1] = low;
        return true;
      }
      if (found === high && slots[at * 2 + 1] === low) return false;
    }
  }

  #grow(): void {
    const old = this.#slots;
    const isFull = old.length >= MOST_SLOTS * 2;
    this.#slots = new Int32Array(isFull ? FIRST_SLOTS * 2 : old.length * 2);
    if (isFull) this.#count = 0;
    else
      for (let at = 0; at < old.length; at += 2) if (old[at] !== 0) this.#put(old[at] ?? 0, old[at + 1] ?? 0);
  }
}
