import type {Journal} from '../journal/journal.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {pagesOf} from '../model/pages.ts';
import type {Halt} from './halt.ts';
import type {Outcomes} from './outcomes.ts';

const PAGE = 10_000;
const FEWEST_SLOTS = 2 ** 10;
/** 8 MB. At three quarters of it, after 1.5 million ids, the set is emptied and begins again. */
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
    const {journal, outcomes} = this.#parts;
    const {rows} = journal;
    const planned = Object.values(outcomes.standing.tally).reduce((sum, {count}) => sum + count, 0);
    const seen = new IdSet(planned);
    for (const page of pagesOf((after, limit) => rows.recordIds(after, limit), PAGE))
      for (const {id} of page) seen.add(id.toLowerCase());
    return seen;
  }
}

/**
 * Texts by a hash of each, in a table without objects that has its final size from the start: a million of them take 8 MB.
 * The place in the table and what is stored there are from two hashes, so that about one text of a billion seems known.
 */
class IdSet {
  readonly #slots: Int32Array;
  #count = 0;

  constructor(expected: number) {
    const slots = 2 ** Math.ceil(Math.log2((expected * 4) / 3 + 1));
    this.#slots = new Int32Array(Math.min(Math.max(slots, FEWEST_SLOTS), MOST_SLOTS));
  }

  /** @returns whether the text, or one with the same hashes, was there */
  add(text: string): boolean {
    let [stored, place] = [0x811c9dc5, 0x9e3779b9];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      stored = Math.imul(stored ^ code, 0x01000193);
      place = Math.imul(place ^ code, 0x85ebca6b) ^ (place >>> 15);
    }
    stored |= 1; // no slot in use is zero
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = (place ^ (place >>> 16)) & mask;
    for (; slots[at] !== 0; at = (at + 1) & mask) if (slots[at] === stored) return true;
    slots[at] = stored;
    if (++this.#count * 4 > slots.length * 3) {
      slots.fill(0);
      this.#count = 0;
    }
    return false;
  }
}
