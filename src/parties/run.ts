import type {Clock} from '../clock.ts';
import type {ImportJournal, Recorded} from './journal.ts';
import {isMethodOf, isPartyOf, type ShownParty, shownMethod, shownParty} from './match.ts';
import type {PartyRow} from './row.ts';

/** What became of a request. `unsent` is certain: nothing was created, and the same request may be sent again. */
export type SendEnd = {is: 'done'; record: unknown} | {is: 'refused' | 'unknown' | 'unsent'; why: string};

/** The requests of an import. A rejected promise ends it: the key was refused, or the run was interrupted. */
export interface PartyService {
  create(row: PartyRow): Promise<SendEnd>;
  add(row: PartyRow, partyId: string): Promise<SendEnd>;
  /** All payees or payers; rejects if the list may be cut. */
  parties(): AsyncIterable<unknown>;
  methods(partyId: string): AsyncIterable<unknown>;
  setDefault(partyId: string, methodId: string): Promise<SendEnd>;
}

/** A row that needs a person, and why. */
export interface RowProblem {
  row: PartyRow;
  is: 'refused' | 'in_doubt' | 'not_sent' | 'duplicate' | 'gone' | 'unverified';
  why: string;
  /** Ids of records beside the one that is recorded. */
  others?: readonly string[];
}

interface RunParts {
  rows: readonly PartyRow[];
  journal: ImportJournal;
  service: PartyService;
  clock: Clock;
  signal: AbortSignal;
  onProgress: (done: number) => void;
  /** A test key: what the sandbox has forgotten is created again. */
  forgets: boolean;
}

/** How often rows whose answers were lost are looked for and sent again. */
const ROUNDS = 5;
/** A request whose answer was lost may still be under way. */
const LATE_MS = 3_000;
const WORKERS = 6;
/** So many requests in a row that did not leave end the run. */
const MOST_UNSENT = 5;

/**
 * Creates the payees or payers of a file, each once. No idempotency key is documented for these requests, so one whose
 * answer was lost is looked for in the list before it is sent again, and once more at the end.
 */
export class ImportRun {
  readonly #run: RunParts;
  readonly #problems = new Map<string, RowProblem>();
  #unsentInARow = 0;
  #stopped: string | undefined;
  #created = 0;

  constructor(run: RunParts) {
    this.#run = run;
  }

  get problems(): RowProblem[] {
    return [...this.#problems.values()];
  }

  /** Rows whose record this run has created. */
  get created(): number {
    return this.#created;
  }

  /** Why not all rows were tried; undefined if they were. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  /** Whether a person has to look at a row first. */
  isLeft({reference}: PartyRow): boolean {
    return this.#problems.has(reference);
  }

  async run(): Promise<void> {
    await this.#checkRecorded();
    for (let round = 0; round < ROUNDS && this.#left().length > 0; round++) {
      if (round > 0) await this.#run.clock.sleep(LATE_MS, this.#run.signal);
      await this.#lookUp();
      await this.#each((row) => this.#import(row));
      if (this.#stopped !== undefined || this.#left().length === 0) break;
    }
    await this.#lookUp();
    for (const row of this.#left()) {
      const recorded = this.#of(row);
      const isDoubt = recorded !== undefined && isOpen(recorded);
      this.#note(
        row,
        isDoubt ? 'in_doubt' : 'not_sent',
        isDoubt ? NO_ANSWER : (this.#stopped ?? 'it was not sent'),
      );
    }
    await this.#nameDuplicates();
  }

  /** Rows that are neither imported nor left to a person. */
  #left(): PartyRow[] {
    const isLeft = (row: PartyRow) => (this.#of(row)?.method_id ?? null) === null;
    return this.#run.rows.filter((row) => !this.#problems.has(row.reference) && isLeft(row));
  }

  /** The records of an earlier import may be gone: a sandbox was reset. */
  async #checkRecorded(): Promise<void> {
    const recorded = this.#rowsWith(({party_id: id}) => id !== null);
    if (recorded.length === 0) return;
    const missing = new Map(recorded.map((row) => [this.#of(row)?.party_id?.toLowerCase(), row]));
    for await (const record of this.#run.service.parties())
      missing.delete(shownParty(record)?.id.toLowerCase());
    for (const row of missing.values())
      if (this.#run.forgets) this.#run.journal.forget(row.reference);
      else
        this.#note(
          row,
          'gone',
          `its record ${this.#of(row)?.party_id} is not in the list of the service any more`,
        );
  }

  /** Looks for what was sent without an answer. What is not found may be sent again. */
  async #lookUp(): Promise<void> {
    const {journal, service} = this.#run;
    const lost = this.#rowsWith((recorded) => recorded.party_open === 1);
    if (lost.length > 0) {
      const found = await this.#findAll(lost);
      for (const [row, [first]] of found) if (first !== undefined) journal.partyIs(row.reference, first.id);
    }
    for (const row of this.#rowsWith((recorded) => recorded.method_open === 1)) {
      const partyId = this.#of(row)?.party_id ?? '';
      for await (const record of service.methods(partyId)) {
        const method = shownMethod(record);
        if (method === undefined || !isMethodOf(method, row)) continue;
        journal.methodIs(row.reference, method);
        break;
      }
    }
  }

  /** The records of some rows, the oldest first. */
  async #findAll(rows: readonly PartyRow[]): Promise<Map<PartyRow, ShownParty[]>> {
    const found = new Map<PartyRow, ShownParty[]>(rows.map((row) => [row, []]));
    const byReference = new Map(rows.map((row) => [row.reference, row]));
    const byName = new Map<string, PartyRow[]>();
    for (const row of rows) byName.set(row.party.name, [...(byName.get(row.party.name) ?? []), row]);
    for await (const record of this.#run.service.parties()) {
      const party = shownParty(record);
      if (party === undefined) continue;
      const named = party.reference === undefined ? (byName.get(party.name) ?? []) : [];
      const row =
        byReference.get(party.reference ?? '') ?? named.find((one) => this.#isItsRecord(party, one));
      if (row !== undefined) found.get(row)?.push(party);
    }
    for (const list of found.values()) list.sort((a, b) => a.createdAt - b.createdAt);
    return found;
  }

  /** The service keeps no metadata of payees: a record made since, with the same name and email, that no other row has. */
  #isItsRecord(party: ShownParty, row: PartyRow): boolean {
    const since = this.#of(row)?.party_at ?? Infinity;
    return isPartyOf(party, row, since) && !this.#run.journal.isTaken(party.id, row.reference);
  }

  async #import(row: PartyRow): Promise<void> {
    const {journal, service, clock} = this.#run;
    if (this.#problems.has(row.reference)) return;
    let id = this.#of(row)?.party_id ?? undefined;
    if (id === undefined) {
      journal.sendsParty(row, clock.now());
      const end = await service.create(row);
      if (end.is !== 'done') return this.#notDone(row, 'party', end);
      id = shownParty(end.record)?.id;
      if (id === undefined) return; // it is looked for
      journal.partyIs(row.reference, id);
      this.#created++;
    }
    if (this.#of(row)?.method_id !== null) return;
    journal.sendsMethod(row, clock.now());
    const end = await service.add(row, id);
    if (end.is !== 'done') return this.#notDone(row, 'method', end);
    const method = shownMethod(end.record);
    if (method !== undefined) journal.methodIs(row.reference, method);
    this.#unsentInARow = 0;
  }

  #notDone(row: PartyRow, what: 'party' | 'method', end: Exclude<SendEnd, {is: 'done'}>): void {
    if (end.is === 'unknown') return; // it is looked for
    this.#run.journal.notTaken(row.reference, what);
    if (end.is === 'refused') {
      const which = what === 'party' ? '' : 'its bank account or card was refused: ';
      this.#note(row, 'refused', which + end.why);
    } else if (++this.#unsentInARow >= MOST_UNSENT) this.#stopped ??= end.why;
  }

  /** A record that was created after it had been looked for, beside the one that was created again. */
  async #nameDuplicates(): Promise<void> {
    const repeated = this.#rowsWith(({party_sends: sends}) => sends > 1);
    if (repeated.length > 0)
      for (const [row, list] of await this.#findAll(repeated)) {
        const own = this.#of(row)?.party_id?.toLowerCase();
        this.#noteOthers(
          row,
          `it exists more than once, beside ${own}`,
          list.filter(({id}) => id.toLowerCase() !== own),
        );
      }
    for (const row of this.#rowsWith(({method_sends: sends}) => sends > 1)) {
      const {party_id: partyId, method_id: own} = this.#of(row) ?? {};
      const others: {id: string}[] = [];
      for await (const record of this.#run.service.methods(partyId ?? '')) {
        const method = shownMethod(record);
        if (method !== undefined && isMethodOf(method, row) && method.id.toLowerCase() !== own?.toLowerCase())
          others.push(method);
      }
      this.#noteOthers(row, `its bank account or card exists more than once, beside ${own}`, others);
    }
  }

  #noteOthers(row: PartyRow, why: string, others: readonly {id: string}[]): void {
    if (others.length === 0) return;
    const ids = others.map(({id}) => id);
    this.#problems.set(row.reference, {row, is: 'duplicate', why: `${why}: ${ids.join(', ')}`, others: ids});
  }

  #note(row: PartyRow, is: RowProblem['is'], why: string): void {
    this.#problems.set(row.reference, {row, is, why});
  }

  /** Some rows at a time, in the order of the file. */
  async #each(work: (row: PartyRow) => Promise<void>): Promise<void> {
    const rows = this.#run.rows.values();
    let done = 0;
    const worker = async () => {
      for (const row of rows) {
        if (this.#stopped !== undefined) return;
        this.#run.signal.throwIfAborted();
        await work(row);
        this.#run.onProgress(++done);
      }
    };
    // Each ends its request before the error of one of them is passed on.
    const ends = await Promise.allSettled(Array.from({length: WORKERS}, worker));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  #rowsWith(passes: (recorded: Recorded) => boolean): PartyRow[] {
    return this.#run.rows.filter((row) => {
      const recorded = this.#of(row);
      return recorded !== undefined && passes(recorded);
    });
  }

  #of({reference}: PartyRow): Recorded | undefined {
    return this.#run.journal.find(reference);
  }
}

const NO_ANSWER = 'it was sent without an answer, and the service does not show it';

const isOpen = ({party_open: party, method_open: method}: Recorded): boolean => party === 1 || method === 1;
