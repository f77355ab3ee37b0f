import {LIFECYCLES} from '../../contract/lifecycle.ts';
import type {Answer} from '../../client/answers/answer.ts';
import {isSameId} from '../../contract/ids.ts';
import {isObject} from '../../narrow.ts';
import {capital} from '../../phrases.ts';
import {nextTurn} from '../../clock.ts';
import {differsIn, isEnd, noteOfDifference} from '../answers/answers.ts';
import {otherReferenceIn} from '../answers/echo.ts';
import {bucketBefore, outcomeOf} from '../answers/outcome-of.ts';
import type {ReadVerdict} from '../answers/read-verdict.ts';
import type {ExchangeResult} from '../answers/wire.ts';
import {wordsOf} from '../answers/words.ts';
import type {RaisedRow} from '../journal/journal.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {
  DIFFERS_CODE,
  FORMER_CODE,
  MAYBE_TWICE,
  NOT_RELEASED,
  type Outcome,
  REGISTRY_CODE,
} from '../model/outcome.ts';
import {type Kind, KINDS} from '../model/kinds.ts';
import {pagesOf} from '../model/pages.ts';
import {contentOf, type FormerRecord, leastGeneration} from '../registry/entry.ts';
import {bucketNow, outcomeOfOther} from '../registry/judge.ts';
import {mayHaveNewKey} from '../registry/survey.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import {dispatch, endPhase, type PhaseParts} from '../send/phase.ts';
import type {RunParts} from '../send/run-parts.ts';
import {readAgain, readJob, type ReadJob} from './read-again.ts';
import type {Releasable} from './release-job.ts';

type Parts = PhaseParts & Pick<RunParts, 'claims'>;

/** A row and what its former records have shown. */
interface Case {
  row: JournalRow;
  formers: readonly FormerRecord[];
  /** Records that have not been read yet. */
  unread: number;
  /** The former records that are settled after all: more than one have paid more than once. */
  settled: Settled[];
  /** Whether it was decided what becomes of the row. */
  isJudged?: boolean;
  /** Why the row is not sent: a former record shows no end. */
  why?: string;
  /** That record can be canceled. */
  isOpen?: boolean;
}

interface Settled {
  record: FormerRecord;
  status: string;
  answer: Answer;
}

interface Job extends ReadJob {
  of: Case;
  /** Undefined for the row's own record, which is read if a former one has settled. */
  former: FormerRecord | undefined;
}

const PAGE = 256;
/** What was read longer ago is read again before a release. */
const FRESH_MS = 5 * 60_000;

/** A row that is left as it is in this run, and why. */
export interface LeftRow {
  reference: string;
  why: string;
}

/**
 * Reads the records of a reference that had failed or were canceled, before the reference is paid again: before a row is
 * created, and before a record that was staged for it is released. The answer that showed the end may have been wrong, or
 * old. A row is sent only if each of these records is shown as failed or canceled again. One that is settled is the
 * payment of the row. Otherwise the row is left as it is, and the next run reads the records again.
 */
export class FormerPhase {
  readonly #run: Parts;
  readonly #renewed: RaisedRow[] = [];
  /** Ids of records that are payments after all. */
  readonly #paid: string[] = [];
  readonly #fresh = new Set<number>();
  #freshSince = -Infinity;
  /** By the numbers of the rows. */
  readonly left = new Map<number, LeftRow>();

  constructor(run: Parts) {
    this.#run = run;
  }

  /** @param how.sendsDoubts rows in doubt are sent with approval, so their records are read too */
  async beforeCreates({sendsDoubts}: {sendsDoubts: boolean}): Promise<void> {
    const {journal} = this.#run;
    await this.#readAll(
      (after, limit) => journal.rows.unstaged(after, limit),
      (row) => sendsDoubts || row.outcome?.code === FORMER_CODE || bucketNow(journal, row) !== 'in_doubt',
    );
  }

  /** @param states states of the rows that are released */
  async beforeReleases(states: readonly Releasable[]): Promise<void> {
    const {journal, clock} = this.#run;
    const isFresh = clock.monotonic() - this.#freshSince < FRESH_MS;
    await this.#readAll(
      (after, limit) => journal.rows.releasable(states, after, limit),
      ({n}) => !isFresh || !this.#fresh.has(n),
    );
  }

  async #readAll<Row extends JournalRow>(
    rows: (after: number, limit: number) => Row[],
    isRead: (row: Row) => boolean,
  ): Promise<void> {
    const {claims, clock, halt, beforeWindow} = this.#run;
    if (!(await claims.hasEnded())) return;
    if (this.#freshSince === -Infinity) this.#freshSince = clock.monotonic();
    for (const page of pagesOf(rows, PAGE)) {
      const formers = claims.formerRecords(page);
      const cases = page.flatMap((row): Case[] => {
        const found = formers.get(row.reference)?.filter(({id}) => !isOwn(row, id)) ?? [];
        return found.length > 0 && isRead(row)
          ? [{row, formers: found, unread: found.length, settled: []}]
          : [];
      });
      if (cases.length > 0) {
        beforeWindow(); // the batch must still be ours
        await this.#readPage(cases);
      }
      if (halt.stop !== undefined) return;
      await nextTurn(); // the heartbeats of the locks must continue
    }
  }

  async #readPage(cases: readonly Case[]): Promise<void> {
    const {journal, clock, outcomes} = this.#run;
    const jobs = cases.flatMap((of) => of.formers.map((former) => readJob({of, former, id: former.id})));
    await dispatch<Job>(this.#run, {
      next: () => jobs.shift(),
      work: (job) => this.#work(job),
      abandon: () => undefined, // nothing is sent by a run that was stopped
    });
    endPhase(this.#run);
    for (const {row, isJudged} of cases) if (!isJudged) this.#leave(row, UNREAD);
    if (this.#renewed.length > 0) journal.raiseGenerations(this.#renewed.splice(0), clock.now());
    outcomes.flush();
    for (const id of this.#paid.splice(0)) journal.withdrawEnded(id);
  }

  async #work(job: Job): Promise<WorkEnd> {
    const {of, former, id} = job;
    const {kind} = this.#run.settings;
    // A former record may have other content: the row may have been corrected since.
    const row = former === undefined ? of.row : undefined;
    const found = await readAgain(this.#run, job, () => ({row, id, kind}), {mustRead: true});
    if (found.again) return found;
    if (found.read.is === 'aborted') return {again: false};
    if (former !== undefined) {
      this.#note(of, former, found.read, found.end);
      if (--of.unread > 0) return {again: false};
      const own = of.row.outcome?.id ?? null;
      if (of.settled.length > 0 && own !== null) {
        Object.assign(job, readJob({of, former: undefined, id: own}));
        return {again: true, afterMs: 0};
      }
    }
    of.isJudged = true;
    if (former === undefined) this.#bothRead(of, found.read, wordsOf(found.end));
    else this.#conclude(of);
    return {again: false};
  }

  #note(of: Case, former: FormerRecord, read: ReadVerdict, end: ExchangeResult): void {
    const json = 'answer' in end ? end.answer.json : undefined;
    const other = isObject(json) && 'status' in json ? otherReferenceIn(json, of.row) : undefined;
    const had = `record ${former.id} of batch ${former.batch} had failed or was canceled, and`;
    if (other !== undefined) of.why ??= `${had} its answer has another reference`;
    else if (read.is === 'moved' && isEnd(read.status)) return;
    else if (read.is === 'moved' && hasSettled(read.status, this.#run.settings.kind))
      of.settled.push({record: former, status: read.status, answer: read.answer});
    else {
      of.why ??= `${had} ${shownAs(read, wordsOf(end))}`;
      of.isOpen = read.is === 'open';
    }
  }

  #conclude(of: Case): void {
    const {row, why} = of;
    const [settled] = of.settled;
    if (settled !== undefined) this.#settledUnsent(of, settled);
    else if (why !== undefined) this.#leave(row, why, of.isOpen);
    else this.#renew(of);
  }

  /** The claim that follows raises the generation in the registry, once its journal has it. */
  #renew({row, formers}: Case): void {
    const {journal, claims} = this.#run;
    this.#fresh.add(row.n);
    if (!mayHaveNewKey(journal, row)) return;
    const entry = claims.ofOther(row.reference);
    const generation = leastGeneration(entry);
    if (generation <= row.generation) return;
    const former = formers.find(({id}) => id === entry?.id) ?? formers[0];
    const reason = `record ${former?.id} of batch ${former?.batch} has failed or was canceled; it has a new key`;
    this.#renewed.push({
      row: {...row, generation: generation - 1},
      formerId: former?.id ?? null,
      reason,
    });
  }

  /** Settled, and the row has no record of its own. */
  #settledUnsent(of: Case, {record, status, answer}: Settled): void {
    const {row} = of;
    const {journal, claims, clock, settings} = this.#run;
    if (bucketNow(journal, row) === 'in_doubt') {
      this.#doubt(row, record, status);
      return;
    }
    const entry = claims.ofOther(row.reference);
    if (entry === undefined) {
      claims.claim([row], clock.now()); // a retry that was stopped has not raised its generation yet
      claims.paid(row.reference, record.id);
      this.#payment(of, {record, status, answer});
      return;
    }
    const content = contentShown(answer, settings.kind);
    claims.found(row.reference, record.id, content);
    const found = {...entry, batch: record.batch, id: record.id, content, fingerprint: ''};
    this.#record(row, outcomeOfOther(row, {...found, standing: null, paid: true}));
  }

  /** A former record has settled, and the record of the row itself was read. */
  #bothRead(of: Case, read: ReadVerdict, words: string): void {
    const {row} = of;
    const [settled] = of.settled;
    if (settled === undefined) return;
    const {record, status} = settled;
    const id = row.outcome?.id ?? null;
    const isDoubt = row.outcome?.state === 'in_doubt';
    if (read.is === 'moved' && read.state === 'accepted') {
      const message = `${MAYBE_TWICE}. Its record ${id} is ${read.status}, and ${settledText(record, status)}`;
      this.#record(
        row,
        outcomeOf(row, {state: 'accepted', status: read.status, code: DIFFERS_CODE, message}),
      );
    } else if (read.is === 'moved' || (read.is === 'open' && !isDoubt)) {
      this.#run.claims.paid(row.reference, record.id);
      this.#payment(of, settled, read.is === 'open' ? id : null);
    } else if (read.is === 'open') this.#doubt(row, record, status);
    else this.#leave(row, `${settledText(record, status)}; its record ${id} ${shownAs(read, words)}`);
  }

  /** The former record is the payment of the row; the registry has the claim as ours. */
  #payment({row, settled}: Case, {record, status, answer}: Settled, orphan: string | null = null): void {
    const {kind, acceptDifferences} = this.#run.settings;
    const shown = settled.map((each) => settledText(each.record, each.status)).join('; ');
    const note =
      settled.length > 1
        ? {code: DIFFERS_CODE, message: `${MAYBE_TWICE}. ${capital(shown)}`}
        : noteOfDifference(row, differsIn(answer, row, kind), acceptDifferences);
    this.#paid.push(record.id);
    this.#record(
      row,
      outcomeOf(row, {
        ...{state: 'accepted', id: record.id, status, stagedAt: null},
        ...{code: null, message: `${shown}: it is the payment of this row`},
        ...note,
        orphan,
      }),
    );
  }

  /** The row may have been paid by a request that was not answered, besides the former record. */
  #doubt(row: JournalRow, record: FormerRecord, status: string): void {
    const id = row.outcome?.id ?? null;
    const own = id === null ? 'look for its own record' : `its own record ${id} was last shown as created`;
    const message = `${settledText(record, status)}; this row was sent too, and may be paid twice: ${own}, then resolve this row`;
    this.#record(row, outcomeOf(row, {state: 'in_doubt', code: FORMER_CODE, message}));
    this.left.set(row.n, {reference: row.reference, why: message});
  }

  #leave(row: JournalRow, words: string, mayBeCanceled = false): void {
    const {n, reference} = row;
    const isStaged = (row.outcome?.id ?? null) !== null;
    const when = `${isStaged ? 'released' : 'sent'} only once that record is shown as failed or canceled again${mayBeCanceled ? '; cancel it if it is not wanted' : ''}`;
    const why = `${isStaged ? NOT_RELEASED : ''}${words}: it may have paid this row, which is ${when}`;
    this.left.set(n, {reference, why});
    // Until the run ends, so that no window covers the row: it is certainly not sent.
    if (!isStaged && bucketNow(this.#run.journal, row) !== 'in_doubt')
      this.#record(row, outcomeOf(row, {state: 'conflict', id: null, code: REGISTRY_CODE, message: why}));
  }

  /** At the end of the run: rows that were left say why, and the next run reads the records again. */
  explainLeft(): void {
    const {journal, outcomes} = this.#run;
    if (this.left.size === 0) return;
    outcomes.flush();
    for (const {reference, why} of this.left.values()) {
      const row = journal.rows.of(reference);
      const explained = row?.outcome === undefined ? undefined : explainedBy(row.outcome, why);
      if (row !== undefined && explained !== undefined) this.#record(row, outcomeOf(row, explained));
    }
  }

  #record(row: JournalRow, outcome: Outcome): void {
    this.#run.outcomes.record(row, bucketBefore(row, isCovered(this.#run, row)), outcome);
  }
}

const UNREAD = 'a record of this reference had failed or was canceled, and was not read again';

const isCovered = ({journal}: Parts, {n}: JournalRow): boolean => journal.coveredSince(n) !== undefined;

/** Undefined if the outcome says more than why the row was left. */
function explainedBy(outcome: Outcome, message: string): Outcome | undefined {
  const {state, code, http} = outcome;
  if (state === 'conflict') return {...outcome, state: 'not_sent', code: null, message};
  if (state === 'staged') return {...outcome, code: FORMER_CODE, message};
  if (state === 'unapproved') return {...outcome, message};
  return state === 'in_doubt' && code === null && http === null ? {...outcome, message} : undefined;
}

/** The id of a record is the same in upper and lower case. */
const isOwn = ({outcome}: JournalRow, id: string): boolean =>
  outcome !== undefined && outcome.id !== null && isSameId(outcome.id, id);

/** As `contentOf`; null if the answer does not show it. */
function contentShown({json}: Answer, kind: Kind): string | null {
  if (!isObject(json)) return null;
  const {[KINDS[kind].party]: party, amount_in_minor_units: amount, currency_code: currency} = json;
  if (typeof party !== 'string' || typeof currency !== 'string' || !Number.isSafeInteger(amount)) return null;
  return contentOf({party, amount: Number(amount), currency});
}

const settledText = ({id, batch}: FormerRecord, status: string): string =>
  `record ${id} of batch ${batch} had failed or was canceled, and is now shown as ${status}`;

/** What a read has shown of a record that had ended, if not its end. */
function shownAs(read: ReadVerdict, words: string): string {
  if (read.is === 'open') return 'is now shown as created';
  if (read.is === 'moved') return `is now shown as ${read.status}`;
  if (read.is === 'not-found') return `is not found (${words})`;
  return read.is === 'unknown' && read.other !== undefined ? read.other : `could not be read (${words})`;
}

const hasSettled = (status: string, kind: Kind): boolean =>
  LIFECYCLES[kind].good.some((good) => good === status);
