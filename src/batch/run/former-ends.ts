import type {Answer} from '../../client/answers/answer.ts';
import {isObject} from '../../narrow.ts';
import {capital} from '../../phrases.ts';
import {differsIn, isEnd, noteOfDifference} from '../answers/answers.ts';
import {bucketBefore, outcomeOf} from '../answers/outcome-of.ts';
import type {ReadVerdict} from '../answers/read-verdict.ts';
import type {RaisedRow} from '../journal/journal.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {
  DIFFERS_CODE,
  FORMER_CODE,
  FORMER_GONE_CODE,
  MAYBE_TWICE,
  NOT_RELEASED,
  type Outcome,
  REGISTRY_CODE,
} from '../model/outcome.ts';
import {type Kind, KINDS} from '../model/kinds.ts';
import {contentOf, type FormerRecord, leastGeneration} from '../registry/entry.ts';
import {bucketNow, outcomeOfOther} from '../registry/judge.ts';
import {mayHaveNewKey} from '../registry/survey.ts';
import type {RunParts} from '../send/run-parts.ts';

type Parts = Pick<RunParts, 'journal' | 'claims' | 'clock' | 'outcomes' | 'settings'>;

/** A row and what its former records have shown. */
export interface Case {
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
  /** The id of that record, if it is shown as created: it can be canceled. */
  openId?: string | undefined;
  /** The service reports that it has no such record: only a person can find out whether it has paid. */
  isGone?: boolean;
}

interface Settled {
  record: FormerRecord;
  status: string;
  answer: Answer;
}

/** A row that is left as it is in this run, and why. */
export interface LeftRow {
  reference: string;
  why: string;
  openId?: string | undefined;
  isGone?: boolean | undefined;
}

/** What becomes of a row whose former records were read. Sends nothing. */
export class FormerEnds {
  readonly #run: Parts;
  readonly #renewed: RaisedRow[] = [];
  /** Ids of records that are payments after all. */
  readonly #paid: string[] = [];
  /** Rows that are left as they are, by their numbers. */
  readonly left = new Map<number, LeftRow>();

  constructor(run: Parts) {
    this.#run = run;
  }

  /** All former records were read, and the row has no record of its own, or none of them has settled. */
  conclude(of: Case): 'ended' | 'left' | 'settled' {
    const {row, why} = of;
    const [settled] = of.settled;
    if (settled !== undefined) {
      this.#settledUnsent(of, settled);
      return 'settled';
    }
    if (why !== undefined) {
      this.leave(row, why, of);
      return 'left';
    }
    this.#renew(of);
    return 'ended';
  }

  /** The claim that follows raises the generation in the registry, once its journal has it. */
  #renew({row, formers}: Case): void {
    const {journal, claims} = this.#run;
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
  bothRead(of: Case, read: ReadVerdict, words: string): void {
    const {row} = of;
    const [settled] = of.settled;
    if (settled === undefined) return;
    const {record, status} = settled;
    const id = row.outcome?.id ?? null;
    const isDoubt = row.outcome?.state === 'in_doubt';
    if (read.is === 'moved' && read.state === 'accepted' && !isEnd(read.status)) {
      const message = `${MAYBE_TWICE}. Its record ${id} is ${read.status}, and ${settledText(record, status)}`;
      this.#record(
        row,
        outcomeOf(row, {state: 'accepted', status: read.status, code: DIFFERS_CODE, message}),
      );
    } else if (read.is === 'moved' || (read.is === 'open' && !isDoubt)) {
      this.#run.claims.paid(row.reference, record.id);
      this.#payment(of, settled, read.is === 'open' ? id : null);
    } else if (read.is === 'open') this.#doubt(row, record, status);
    else this.leave(row, `${settledText(record, status)}; its record ${id} ${shownAs(read, words)}`);
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

  leave(row: JournalRow, words: string, {openId, isGone}: Pick<Case, 'openId' | 'isGone'> = {}): void {
    const {n, reference} = row;
    const isStaged = (row.outcome?.id ?? null) !== null;
    const ways =
      openId !== undefined
        ? '; cancel it if it is not wanted'
        : isGone === true
          ? ', or the row is resolved'
          : '';
    const when = `${isStaged ? 'released' : 'sent'} only once that record is shown as failed or canceled again${ways}`;
    const why = `${isStaged ? NOT_RELEASED : ''}${words}: it may have paid this row, which is ${when}`;
    this.left.set(n, {reference, why, openId, isGone});
    // Until the run ends, so that no window covers the row: it is certainly not sent.
    if (!isStaged && bucketNow(this.#run.journal, row) !== 'in_doubt')
      this.#record(row, outcomeOf(row, {state: 'conflict', id: null, code: REGISTRY_CODE, message: why}));
  }

  /** At the end of the run: rows that were left say why, and the next run reads the records again. */
  explainLeft(): void {
    const {journal, outcomes} = this.#run;
    if (this.left.size === 0) return;
    outcomes.flush();
    const open = [...this.left.values()].find(({openId}) => openId !== undefined);
    const id = open?.openId;
    journal.setFact(
      'openFormer',
      open === undefined || id === undefined ? null : {reference: open.reference, id},
    );
    for (const left of this.left.values()) {
      const row = journal.rows.of(left.reference);
      const explained = row?.outcome === undefined ? undefined : explainedBy(row.outcome, left);
      if (row !== undefined && explained !== undefined) this.#record(row, outcomeOf(row, explained));
    }
  }

  /** Durable when it returns. */
  flush(): void {
    const {journal, clock, outcomes} = this.#run;
    if (this.#renewed.length > 0) journal.raiseGenerations(this.#renewed.splice(0), clock.now());
    outcomes.flush();
    for (const id of this.#paid.splice(0)) journal.withdrawEnded(id);
  }

  #record(row: JournalRow, outcome: Outcome): void {
    this.#run.outcomes.record(row, bucketBefore(row, isCovered(this.#run, row)), outcome);
  }
}

const isCovered = ({journal}: Parts, {n}: JournalRow): boolean => journal.coveredSince(n) !== undefined;

/** Undefined if the outcome says more than why the row was left. */
function explainedBy(outcome: Outcome, {why: message, isGone}: LeftRow): Outcome | undefined {
  const {state, code, http} = outcome;
  const ofFormer = isGone === true ? FORMER_GONE_CODE : FORMER_CODE;
  if (state === 'conflict') return {...outcome, state: 'not_sent', code: ofFormer, message};
  if (state === 'staged') return {...outcome, code: ofFormer, message};
  if (state === 'held') return {...outcome, code: ofFormer, message}; // its differences are a field of their own
  if (state === 'unapproved') return {...outcome, message};
  if (state !== 'in_doubt' || (code !== null && code !== FORMER_GONE_CODE)) return undefined;
  if (isGone === true) return {...outcome, code: FORMER_GONE_CODE, message};
  return http === null ? {...outcome, code: null, message} : undefined;
}

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
export function shownAs(read: ReadVerdict, words: string): string {
  if (read.is === 'open') return 'is now shown as created';
  if (read.is === 'moved') return `is now shown as ${read.status}`;
  if (read.is === 'not-found') return `is not found (${words})`;
  return read.is === 'unknown' && read.other !== undefined ? read.other : `could not be read (${words})`;
}
