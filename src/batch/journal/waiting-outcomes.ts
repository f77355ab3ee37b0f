import {BulkInsert} from '../../store/port/bulk-insert.ts';
import type {SqliteDatabase, SqlValue} from '../../store/port/port.ts';
import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import {cleanMessage, type Outcome} from '../model/outcome.ts';

const HEAD = `insert or replace into outcomes
  (n, state, id, status, staged_at, http, code, message, request_id, attempts, orphan, at, window_seq)`;

interface Waiting {
  outcome: Outcome;
  at: number;
}

/** Outcomes that wait for the next commit of a journal. */
export class WaitingOutcomes {
  readonly #waiting: Waiting[] = [];
  readonly #any: BulkInsert;
  readonly #plain: BulkInsert;

  readonly #sanitizer: Sanitizer;
  #lastStatus: string | null = null;

  constructor(db: SqliteDatabase, sanitizer: Sanitizer) {
    this.#sanitizer = sanitizer;
    this.#any = new BulkInsert(db, {head: HEAD, row: '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, $1)'});
    this.#plain = new BulkInsert(db, {
      head: HEAD,
      row: '(?, $1, ?, $2, $6 + ?, $3, null, null, ?, $4, null, $6 + ?, $5)',
    });
  }

  get count(): number {
    return this.#waiting.length;
  }

  /**
   * Texts of the service are stored without secrets and terminal control characters. An id is stored unchanged,
   * because it is sent back; an id that cannot be shown was never accepted.
   */
  add(outcome: Outcome, at: number): void {
    const {status, code, message, requestId} = outcome;
    const token = (text: string | null) => (text === null ? null : this.#sanitizer.token(text));
    const clean = {
      status: this.#cleanStatus(status),
      code: token(code),
      message: cleanMessage(this.#sanitizer, outcome),
      requestId: token(requestId),
    };
    const isClean =
      clean.status === status &&
      clean.code === code &&
      clean.message === message &&
      clean.requestId === requestId;
    this.#waiting.push({outcome: isClean ? outcome : {...outcome, ...clean}, at});
  }

  /** Most rows of a run have the same status as the previous row. */
  #cleanStatus(status: string | null): string | null {
    if (status === null || status === this.#lastStatus) return status;
    const clean = this.#sanitizer.token(status);
    if (clean === status) this.#lastStatus = status;
    return clean;
  }

  /**
   * Writes outcomes in the caller's transaction. Binding a value costs as much as storing one, and most rows of most
   * runs succeed, so values that neighbours share are bound once. The order is never changed: of two outcomes of a
   * row, the later one counts.
   */
  write(windowSeq: number): void {
    for (const {first, run} of runsOf(this.#waiting, canShare)) {
      const {outcome, at} = first;
      if (isWithoutWords(outcome))
        this.#plain.run(plainValues(run, at), [...commonValues(outcome), windowSeq, at]);
      else this.#any.run(allValues(run), [windowSeq]);
    }
    this.#waiting.length = 0;
  }
}

const isWithoutWords = ({code, message, orphan}: Outcome): boolean =>
  code === null && message === null && orphan === null;

const isLike = (a: Outcome, b: Outcome): boolean =>
  a.state === b.state &&
  a.status === b.status &&
  a.http === b.http &&
  a.attempts === b.attempts &&
  isWithoutWords(a);

const canShare = ({outcome}: Waiting, {outcome: first}: Waiting): boolean =>
  isWithoutWords(first) ? isLike(outcome, first) : !isWithoutWords(outcome);

const commonValues = ({state, status, http, attempts}: Outcome): SqlValue[] => [
  state,
  status,
  http,
  attempts,
];

/** Times relative to `since`: the driver binds small numbers in half the time of large ones. */
function plainValues(run: readonly Waiting[], since: number): SqlValue[] {
  const values: SqlValue[] = [];
  for (const {outcome: o, at} of run)
    values.push(o.n, o.id, o.stagedAt === null ? null : o.stagedAt - since, o.requestId, at - since);
  return values;
}

function allValues(run: readonly Waiting[]): SqlValue[] {
  const values: SqlValue[] = [];
  for (const {outcome: o, at} of run) {
    values.push(o.n, o.state, o.id, o.status, o.stagedAt, o.http, o.code, o.message, o.requestId);
    values.push(o.attempts, o.orphan, at);
  }
  return values;
}

/** Splits items into runs of equal neighbours, in order, so that each run can be written together. */
function* runsOf<T>(
  items: readonly T[],
  isLike: (item: T, first: T) => boolean,
): Generator<{first: T; run: T[]}> {
  for (let from = 0, first = items[0]; first !== undefined; first = items[from]) {
    let end = from + 1;
    for (let item = items[end]; item !== undefined && isLike(item, first); item = items[end]) end++;
    yield {first, run: items.slice(from, end)};
    from = end;
  }
}
