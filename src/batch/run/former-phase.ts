import {isSameId} from '../../contract/ids.ts';
import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {nextTurn} from '../../clock.ts';
import {isObject} from '../../narrow.ts';
import {isEnd} from '../answers/answers.ts';
import {otherReferenceIn} from '../answers/echo.ts';
import type {ReadVerdict} from '../answers/read-verdict.ts';
import type {ExchangeResult} from '../answers/wire.ts';
import {wordsOf} from '../answers/words.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {foldReference} from '../model/identity.ts';
import type {Kind} from '../model/kinds.ts';
import {FORMER_CODE} from '../model/outcome.ts';
import {pagesOf} from '../model/pages.ts';
import type {FormerRecord} from '../registry/entry.ts';
import {bucketNow} from '../registry/judge.ts';
import type {WorkEnd} from '../send/dispatcher.ts';
import {dispatch, endPhase, type PhaseParts} from '../send/phase.ts';
import type {RunParts} from '../send/run-parts.ts';
import {type Case, FormerEnds, type LeftRow, shownAs} from './former-ends.ts';
import {readAgain, readJob, type ReadJob} from './read-again.ts';
import type {Releasable} from './release-job.ts';

type Parts = PhaseParts & Pick<RunParts, 'claims'>;

interface Job extends ReadJob {
  of: Case;
  /** Undefined for the row's own record, which is read if a former one has settled. */
  former: FormerRecord | undefined;
}

const PAGE = 256;
/** What was read longer ago is read again before a release. */
const FRESH_MS = 5 * 60_000;

/**
 * Reads the records of a reference that had failed or were canceled, before the reference is paid again: before a row is
 * created, and before a record that was staged for it is released. The answer that showed the end may have been wrong, or
 * old. A row is sent only if each of these records is shown as failed or canceled again. One that is settled is the
 * payment of the row. Otherwise the row is left as it is, and the next run reads the records again.
 */
export class FormerPhase {
  readonly #run: Parts;
  readonly #ends: FormerEnds;
  readonly #fresh = new Set<number>();
  #freshSince = -Infinity;

  constructor(run: Parts) {
    this.#run = run;
    this.#ends = new FormerEnds(run);
  }

  /** Rows that are left as they are in this run, by their numbers. */
  get left(): ReadonlyMap<number, LeftRow> {
    return this.#ends.left;
  }

  /** At the end of the run: rows that were left say why. */
  explainLeft(): void {
    this.#ends.explainLeft();
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
    const jobs = cases.flatMap((of) => of.formers.map((former) => readJob({of, former, id: former.id})));
    await dispatch<Job>(this.#run, {
      next: () => jobs.shift(),
      work: (job) => this.#work(job),
      abandon: () => undefined, // nothing is sent by a run that was stopped
    });
    endPhase(this.#run);
    for (const {row, isJudged} of cases) if (!isJudged) this.#ends.leave(row, UNREAD);
    this.#ends.flush();
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
    if (former === undefined) this.#ends.bothRead(of, found.read, wordsOf(found.end));
    else if (this.#ends.conclude(of) === 'ended') this.#fresh.add(of.row.n);
    return {again: false};
  }

  #note(of: Case, former: FormerRecord, read: ReadVerdict, end: ExchangeResult): void {
    const json = 'answer' in end ? end.answer.json : undefined;
    const shown = isObject(json) && 'status' in json ? otherReferenceIn(json, of.row) : undefined;
    // In another case it is still the reference of the row: no two rows differ only in that.
    const other = foldReference(String(shown)) === foldReference(of.row.reference) ? undefined : shown;
    const had = `record ${former.id} of batch ${former.batch} had failed or was canceled, and`;
    const isGone = read.is === 'not-found' && read.answer.errorCode !== undefined;
    // A service may change references, so that no read shows the end of the record itself.
    const isOtherEnd = other !== undefined && read.is === 'moved' && isEnd(read.status);
    if ((isGone || isOtherEnd) && this.#isStatedUnpaid(of, former.id)) return;
    // One of ours that was only not found is the record of the row once it is shown again: its key returns it.
    const isBack = former.isOurs && !this.#run.journal.former.hasEnded(former.id);
    if (isBack && read.is === 'open' && other === undefined) return;
    if (!isOtherEnd && (read.is === 'moved' || read.is === 'open'))
      this.#run.journal.withdrawStatement(former.id);
    if (other !== undefined) {
      of.why ??= `${had} ${isOtherEnd ? `is shown as ${read.status}, but with` : 'its answer has'} another reference`;
      of.isGone ||= isOtherEnd;
    } else if (read.is === 'moved' && isEnd(read.status)) return;
    else if (read.is === 'moved' && (isBack || hasSettled(read.status, this.#run.settings.kind)))
      of.settled.push({record: former, status: read.status, answer: read.answer});
    else {
      of.why ??= `${had} ${shownAs(read, wordsOf(end))}`;
      of.openId = read.is === 'open' ? former.id : undefined;
      of.isGone ||= isGone;
    }
  }

  /** A person has found out what has become of a record that the service does not find any more. */
  #isStatedUnpaid({row}: Case, id: string): boolean {
    const stated = this.#run.journal.fact('formersUnpaid')?.[row.reference] ?? [];
    return stated.some((each) => isSameId(each, id));
  }
}

const UNREAD = 'a record of this reference had failed or was canceled, and was not read again';

/** The id of a record is the same in upper and lower case. */
const isOwn = ({outcome}: JournalRow, id: string): boolean =>
  outcome !== undefined && outcome.id !== null && isSameId(outcome.id, id);

const hasSettled = (status: string, kind: Kind): boolean =>
  LIFECYCLES[kind].good.some((good) => good === status);
