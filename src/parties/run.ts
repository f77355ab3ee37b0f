import {hasFailed} from '../contract/lifecycle.ts';
import type {Clock} from '../clock.ts';
import {EXIT, RemitError} from '../errors.ts';
import {isObject, type Json} from '../narrow.ts';
import {isSameAccount} from './changed.ts';
import {findRecords} from './find-records.ts';
import type {ImportJournal, Recorded} from './journal.ts';
import {
  partyDifferences,
  differInWords,
  isMethodOf,
  methodDifferences,
  shownMethod,
  type ShownParty,
  shownParty,
} from './match.ts';
import {compareListed, readListed} from './listed.ts';
import type {PartyService, RowProblem, SendEnd} from './party-service.ts';
import type {PartyRow} from './row.ts';

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
  /** Why it is not known what became of the last request of a row. */
  readonly #doubts = new Map<string, string>();
  #unsentInARow = 0;
  #stopped: string | undefined;
  #finished = 0;
  /** Rows whose records the service had, although nothing was known of them here. */
  readonly #found = new Set<string>();

  constructor(run: RunParts) {
    this.#run = run;
  }

  get problems(): RowProblem[] {
    return [...this.#problems.values()];
  }

  /** Rows that this run has brought to their end, without those that were found. */
  get finished(): number {
    return this.#finished;
  }

  isFound({reference}: PartyRow): boolean {
    return this.#found.has(reference);
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
    await this.#lookAround();
    this.#dropRefusedAccounts();
    for (let round = 0; round < ROUNDS && this.#open().length > 0; round++) {
      if (round > 0) await this.#run.clock.sleep(LATE_MS, this.#run.signal);
      await this.#lookUp('sent');
      await this.#each((row) => this.#import(row));
      if (this.#stopped !== undefined) break;
    }
    await this.#lookUp('open');
    for (const row of this.#open()) {
      const isDoubt = this.#isInDoubt(row);
      this.#note(
        row,
        isDoubt ? 'in_doubt' : 'not_sent',
        isDoubt ? this.#doubtOf(row) : (this.#stopped ?? 'nothing was sent for it'),
      );
    }
    await this.#nameDuplicates();
  }

  /** Rows that are neither imported nor left to a person. */
  #open(): PartyRow[] {
    const isDone = (row: PartyRow) => (this.#of(row)?.method_id ?? null) !== null;
    return this.#run.rows.filter((row) => !this.isLeft(row) && !isDone(row));
  }

  /** Reads the list before anything is sent. Records of an earlier import may be gone: a sandbox was reset. */
  async #lookAround(): Promise<void> {
    const {rows, journal, service} = this.#run;
    const {missing, listed} = await readListed(this.#run);
    // A list may lag behind, so each is asked for by its id.
    const gone: PartyRow[] = [];
    for (const [id, row] of missing) if ((await service.party(id)) === undefined) gone.push(row);
    const recorded = rows.filter((row) => typeof this.#of(row)?.party_id === 'string').length;
    if (!this.#run.forgets && gone.length > 1 && gone.length === recorded) throw allGone(gone.length);
    for (const row of gone)
      if (this.#run.forgets) journal.forget(row.reference);
      else
        this.#note(
          row,
          'gone',
          `its record ${this.#of(row)?.party_id} is not at the service any more; to create it again, give the row another reference`,
        );
    await this.#takeListed(listed);
  }

  /** A row that was never sent from here has a record all the same: the import was begun in another state folder. */
  async #takeListed(listed: ReadonlyMap<PartyRow, readonly ShownParty[]>): Promise<void> {
    const isUnsent = (row: PartyRow) => (this.#of(row)?.party_id ?? null) === null && !this.#isInDoubt(row);
    if (![...listed.keys()].some(isUnsent)) return;
    await this.#each(async (row) => {
      const [first, ...others] = listed.get(row) ?? [];
      if (first === undefined || this.isLeft(row) || !isUnsent(row)) return;
      if (others.length > 0)
        this.#noteOthers(row, 'the service has several records of this reference', [first, ...others]);
      else await this.#take(row, first);
    });
  }

  async #take(row: PartyRow, party: ShownParty): Promise<void> {
    const {journal, service} = this.#run;
    const {differences, own} = await compareListed(row, party, service);
    if (differences.length > 0) return this.#noteDifferent(row, party.id, differences);
    journal.found(row, party.id);
    this.#found.add(row.reference);
    if (own !== undefined) journal.methodIs(row.reference, own);
  }

  /** The service could not verify an account, and the row has another one now. */
  #dropRefusedAccounts(): void {
    for (const row of this.#run.rows) {
      const recorded = this.#of(row);
      if (recorded !== undefined && hasFailed(recorded.verification) && !isSameAccount(recorded, row))
        this.#run.journal.dropMethod(row.reference);
    }
  }

  /**
   * Looks for what was sent without an answer, or for all that was sent: a service that is too busy may still have created
   * it. What is not found may be sent again.
   */
  async #lookUp(which: 'sent' | 'open'): Promise<void> {
    const {journal, service} = this.#run;
    const isLost = (id: string | null, sends: number, open: number) =>
      id === null && (which === 'sent' ? sends : open) > 0;
    const lost = this.#rowsWith((one) => isLost(one.party_id, one.party_sends, one.party_open));
    if (lost.length > 0) {
      const found = await findRecords(lost, this.#run);
      for (const [row, list] of found) {
        const own = list.find((party) => partyDifferences(party, row).length === 0);
        const [first] = list;
        if (own !== undefined) journal.partyIs(row.reference, own.id);
        else if (first !== undefined) this.#noteDifferent(row, first.id, partyDifferences(first, row));
      }
    }
    for (const row of this.#rowsWith((one) => isLost(one.method_id, one.method_sends, one.method_open))) {
      const partyId = this.#of(row)?.party_id ?? '';
      for await (const record of service.methods(partyId)) {
        const method = shownMethod(record);
        if (method === undefined || !isMethodOf(method, row)) continue;
        journal.methodIs(row.reference, method);
        this.#finish(row);
        break;
      }
    }
  }

  async #import(row: PartyRow): Promise<void> {
    const {journal, service} = this.#run;
    if (this.isLeft(row)) return;
    let id = this.#of(row)?.party_id ?? undefined;
    if (id === undefined) {
      journal.sendsParty(row);
      const end = await this.#sent(row, 'party', service.create(row));
      if (end.is !== 'done') return this.#notDone(row, 'party', end);
      id = await this.#created(row, end.record);
      if (id === undefined) return;
    }
    if (this.#of(row)?.method_id !== null) return;
    journal.sendsMethod(row);
    const end = await this.#sent(row, 'method', service.add(row, id));
    if (end.is !== 'done') return this.#notDone(row, 'method', end);
    this.#unsentInARow = 0;
    const method = shownMethod(end.record);
    if (method === undefined) return;
    const differences = methodDifferences(method, row, id);
    if (this.#isAnother(row, `bank account or card, ${method.id}`, method.id, differences)) return;
    // What does not show all of that is compared again when it is read.
    journal.methodIs(row.reference, {...method, isDefault: method.isDefault && isMethodOf(method, row)});
    this.#finish(row);
  }

  #finish(row: PartyRow): void {
    if (!this.isFound(row)) this.#finished++;
  }

  /**
   * Records what a create was answered with: a service that mixes up its answers must not give an account to another
   * party. The record of the row may exist beside it, and is looked for in the next run.
   * @returns the id; undefined if it is not that of the row
   */
  async #created(row: PartyRow, record: Json): Promise<string | undefined> {
    const {journal, service} = this.#run;
    let party = shownParty(record);
    if (party !== undefined && party.name === undefined) party = shownParty(await service.party(party.id));
    if (party === undefined) return undefined; // it is looked for
    const {id} = party;
    const differences = partyDifferences(party, row);
    if (this.#isAnother(row, `record, ${id}`, id, differences)) return undefined;
    journal.partyIs(row.reference, id);
    return id;
  }

  /** Notes a row whose request was answered with another record than its own. */
  #isAnother(row: PartyRow, what: string, id: string, differences: readonly string[]): boolean {
    if (differences.length === 0 && !this.#run.journal.isTaken(id, row.reference)) return false;
    const why =
      differences.length > 0
        ? `its ${differInWords(differences)}`
        : 'it was there before, or belongs to another row';
    this.#note(
      row,
      'other_record',
      `the service answered with another ${what}: ${why}. It was not used; the own one may exist, and the next run looks for it`,
    );
    return true;
  }

  /** A key that the service itself refuses has created nothing. */
  async #sent(row: PartyRow, what: 'party' | 'method', request: Promise<SendEnd>): Promise<SendEnd> {
    const {journal} = this.#run;
    try {
      const end = await request;
      if (end.reached !== 1) journal.reached(row.reference, what, end.reached);
      return end;
    } catch (error) {
      if (error instanceof RemitError && error.exitCode === EXIT.CREDENTIALS && isObject(error.body))
        journal.notTaken(row.reference, what);
      throw error;
    }
  }

  #notDone(row: PartyRow, what: 'party' | 'method', end: Exclude<SendEnd, {is: 'done'}>): void {
    if (end.is === 'unknown') {
      this.#doubts.set(row.reference, end.why);
      return; // it is looked for
    }
    this.#run.journal.notTaken(row.reference, what);
    if (end.is === 'unsent') {
      if (++this.#unsentInARow >= MOST_UNSENT) this.#stopped ??= end.why;
      return;
    }
    if (this.#isInDoubt(row)) return; // an earlier request may have created it
    const which = what === 'party' ? '' : 'its bank account or card was refused: ';
    this.#note(row, 'refused', which + end.why);
  }

  #isInDoubt(row: PartyRow): boolean {
    const {party_open: party = 0, method_open: method = 0} = this.#of(row) ?? {};
    return party + method > 0;
  }

  #doubtOf({reference}: PartyRow): string {
    const why = this.#doubts.get(reference);
    return why === undefined ? NO_ANSWER : `it may exist, although the service does not show it: ${why}`;
  }

  /** A record that was created after it had been looked for, beside the one that was created again. */
  async #nameDuplicates(): Promise<void> {
    const repeated = this.#rowsWith(({party_sends: sends, party_id: id}) => sends > 1 && id !== null);
    if (repeated.length > 0)
      for (const [row, list] of await findRecords(repeated, this.#run)) {
        const own = this.#of(row)?.party_id?.toLowerCase();
        this.#noteOthers(
          row,
          `there is another record of this reference beside ${own}`,
          list.filter(({id}) => id.toLowerCase() !== own),
        );
      }
    for (const row of this.#rowsWith(({method_sends: sends, method_id: id}) => sends > 1 && id !== null)) {
      const {party_id: partyId, method_id: own} = this.#of(row) ?? {};
      const others: {id: string}[] = [];
      for await (const record of this.#run.service.methods(partyId ?? '')) {
        const method = shownMethod(record);
        if (method === undefined || !isMethodOf(method, row)) continue;
        if (method.id.toLowerCase() !== own?.toLowerCase()) others.push(method);
      }
      this.#noteOthers(row, `its bank account or card was added more than once, beside ${own}`, others);
    }
  }

  #noteOthers(row: PartyRow, why: string, others: readonly {id: string}[]): void {
    if (others.length === 0) return;
    const ids = others.map(({id}) => id);
    this.#problems.set(row.reference, {row, is: 'duplicate', why: `${why}: ${ids.join(', ')}`, others: ids});
  }

  #noteDifferent(row: PartyRow, id: string, differences: readonly string[]): void {
    this.#note(
      row,
      'other_record',
      `the service has another record of this reference, ${id}: its ${differInWords(differences)}. Correct the row or the record, or give the row another reference`,
    );
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

  /** Leaves out those that are left to a person. */
  #rowsWith(passes: (recorded: Recorded) => boolean): PartyRow[] {
    return this.#run.rows.filter((row) => {
      const recorded = this.#of(row);
      return recorded !== undefined && !this.isLeft(row) && passes(recorded);
    });
  }

  #of({reference}: PartyRow): Recorded | undefined {
    return this.#run.journal.find(reference);
  }
}

const NO_ANSWER = 'it was sent without an answer, and the service does not show it';

/** Each company has its own payees, and a live key does not say whose it is. */
const allGone = (rows: number): RemitError =>
  new RemitError(
    'GUARD_BINDING',
    `none of the ${rows} records that were imported here before is at the service: the key is probably that of another company`,
    {hint: 'for each company, set REMIT_STATE_DIR to a folder of its own'},
  );
