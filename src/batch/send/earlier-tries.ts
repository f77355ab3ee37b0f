import type {SentWith} from '../journal/facts.ts';
import type {Journal} from '../journal/journal.ts';
import {idIn, isOtherId, isReadable} from '../answers/answers.ts';
import type {KnownRecords} from './known-records.ts';

/**
 * Whether a refusal in this run also covers a try of an earlier run. It does only if that try was made without
 * approval and with the same API key, or if the service still shows a record made with that key. Another key may
 * belong to another account.
 */
export class EarlierTries {
  readonly #journal: Journal;
  readonly #records: KnownRecords;
  readonly #entries: readonly SentWith[];
  readonly #key: string;
  readonly #readBack = new Map<SentWith, Promise<boolean>>();

  /** @param options.sentWith how requests of the batch were sent, including this run */
  constructor(options: {
    journal: Journal;
    records: KnownRecords;
    sentWith: readonly SentWith[];
    key: string;
  }) {
    this.#journal = options.journal;
    this.#records = options.records;
    this.#entries = options.sentWith;
    this.#key = options.key;
  }

  /** @param firstDoubt when the service may first have accepted the row */
  async isSameService(firstDoubt: number): Promise<boolean> {
    const since = this.#since(firstDoubt);
    if (since === undefined || since.some(({isDirect}) => isDirect)) return false;
    for (const entry of since) if (entry.key !== this.#key && !(await this.#wasReadBack(entry))) return false;
    return true;
  }

  /** How requests may have been sent since a given time; undefined if unknown. */
  #since(at: number): readonly SentWith[] | undefined {
    const isOrdered = this.#entries.every((entry, i) => entry.at >= (this.#entries[i - 1]?.at ?? entry.at));
    const first = this.#entries.findLastIndex((entry) => entry.at <= at);
    if (first < 0) return undefined;
    return this.#entries.slice(isOrdered ? first : 0);
  }

  #wasReadBack(entry: SentWith): Promise<boolean> {
    let found = this.#readBack.get(entry);
    if (found === undefined) this.#readBack.set(entry, (found = this.#read(entry)));
    return found;
  }

  /** Fetches a record that was created while this entry applied. */
  async #read(entry: SentWith): Promise<boolean> {
    const until = this.#entries[this.#entries.indexOf(entry) + 1]?.at ?? Infinity;
    const row = this.#journal.rows.recordMadeBetween(entry.at, until);
    if (entry.key === '' || row === undefined) return false;
    const {id} = row.outcome;
    const answer = await this.#records.read(row, id);
    if (answer === undefined) return false;
    return isReadable(answer, false) && !isOtherId(idIn(answer), id);
  }
}

/** Adds to the journal how this run sends. */
export function noteRun(journal: Journal, now: SentWith): readonly SentWith[] {
  const entries = journal.fact('sentWith') ?? unknownBefore(journal);
  const last = entries.at(-1);
  if (last !== undefined && last.key === now.key && last.isDirect === now.isDirect) return entries;
  const noted = [...entries, now];
  journal.setFact('sentWith', noted);
  return noted;
}

/** A journal of an earlier version, without these entries. */
const unknownBefore = (journal: Journal): SentWith[] =>
  journal.windows(['stage', 'direct']).length === 0 ? [] : [{at: 0, key: '', isDirect: true}];
