import type {Clock} from '../../clock.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {Taken} from '../journal/rows/row-state.ts';
import type {Journal, Phase} from '../journal/journal.ts';
import type {Claims, OtherPayment} from '../registry/claim.ts';
import type {BeforeWindow} from '../send/run-parts.ts';
import {MAX_IN_FLIGHT} from '../speed/speed.ts';

/** Rows in the smallest window. */
const LEAST_ROWS = 16;
/** Rows in a window for each request that may be in flight. */
const TIMES_IN_FLIGHT = 4;
/**
 * A crash leaves the rows of the open window in doubt, and each window costs a sync, so only a fast run opens larger
 * ones.
 */
const MOST_ROWS = 8192;
/** A window that was used up faster than this was too small for the speed of the run. */
const SHORT_MS = 100;
const LONG_MS = 400;
/** Rows read at a time. In the driver's form, a page takes ten times the memory. */
const PAGE_ROWS = 256;

/** Which rows without an outcome a window covered before this phase began, and since when. */
class Coverage {
  readonly #windows: readonly {first: number; last: number; at: number}[];
  readonly #top: number;

  constructor(windows: readonly {first: number; last: number; at: number}[]) {
    this.#windows = windows;
    this.#top = windows.reduce((top, window) => Math.max(top, window.last), 0);
  }

  since({n, outcome}: JournalRow): number | undefined {
    if (outcome !== undefined || n > this.#top) return undefined;
    return this.#windows.find((window) => window.first <= n && n <= window.last)?.at;
  }
}

/** A row of a phase. `coveredSince` is set if an earlier run may have sent it and left no outcome. */
export interface SourceRow<Row extends JournalRow = JournalRow> {
  row: Row;
  coveredSince: number | undefined;
  /** For a release: another batch has paid the reference, with this record or another one. */
  paidByOther?: OtherPayment | undefined;
  /** Its key was used for other content by a try that was never answered. */
  isKeyUsed?: boolean;
}

export interface RowSourceOptions<Row extends JournalRow> {
  journal: Journal;
  claims: Claims;
  phase: Phase;
  clock: Clock;
  beforeWindow: BeforeWindow;
  /** The states of the rows that `page` returns. */
  takes: readonly Taken[];
  /** Rows of the phase after a row number, in order. */
  page: (after: number, limit: number) => Row[];
  /** Rows in doubt that are not handed out, by their numbers. */
  left?: ReadonlyMap<number, unknown>;
  /** How many requests may be in flight now. */
  inFlight: () => number;
  /** Rows in the first window, instead of a number derived from `inFlight`. */
  windowRows: number | undefined;
}

/**
 * Hands out the rows of a phase in file order, one window at a time. A window is committed before its first row is
 * handed out. When a run stops, `untouched` returns the rows that were not handed out.
 */
export class RowSource<Row extends JournalRow = JournalRow> {
  readonly #options: RowSourceOptions<Row>;
  readonly #coverage: Coverage;
  #page: Row[] = [];
  #others: ReadonlyMap<string, OtherPayment> = new Map();
  #keysUsed: ReadonlySet<string> = new Set();
  #at = 0;
  #after = 0;
  #done = false;
  /** Grows while windows are used up fast. */
  #size = 0;
  #openedAt = Infinity;

  constructor(options: RowSourceOptions<Row>) {
    this.#options = options;
    this.#coverage = new Coverage(
      options.phase === 'release' ? [] : options.journal.windows(['stage', 'direct']),
    );
  }

  next(): SourceRow<Row> | undefined {
    const row = this.#at < this.#page.length ? this.#page[this.#at] : this.#load();
    if (row === undefined) return undefined;
    this.#at++;
    return {
      row,
      coveredSince: this.#coverage.since(row),
      paidByOther: this.#others.get(row.reference),
      isKeyUsed: this.#keysUsed.has(row.reference),
    };
  }

  /** Rows of the open window that were not handed out. */
  untouched(): SourceRow<Row>[] {
    return this.#page.slice(this.#at).map((row) => ({row, coveredSince: this.#coverage.since(row)}));
  }

  /** Opens the next window, and gives its first row. */
  #load(): Row | undefined {
    if (this.#done) return undefined;
    const {journal, claims, phase, clock, beforeWindow, takes} = this.#options;
    const rows = this.#read();
    const first = rows[0];
    if (first === undefined) return undefined;
    this.#page = rows;
    this.#at = 0;
    beforeWindow({phase, rows});
    // Staged rows were claimed when they were staged; a registry that was lost since then does not have the claims.
    if (phase === 'release') {
      this.#others = claims.paidByOthers(rows);
      claims.keep(rows, clock.now());
    } else {
      this.#keysUsed = claims.usedForOtherContent(rows);
      claims.claim(rows, clock.now());
    }
    journal.openWindow({
      ...{phase, first: first.n, last: this.#after, takes, at: clock.now()},
      claims: claims.mark,
    });
    this.#openedAt = clock.monotonic();
    return first;
  }

  #read(): Row[] {
    const size = this.#nextSize();
    const rows: Row[] = [];
    while (!this.#done && rows.length < size) {
      const limit = Math.min(PAGE_ROWS, size - rows.length);
      const page = this.#options.page(this.#after, limit);
      this.#done = page.length < limit;
      this.#after = page.at(-1)?.n ?? this.#after;
      rows.push(...page.filter(({n}) => this.#options.left?.has(n) !== true));
    }
    return rows;
  }

  #nextSize(): number {
    const {windowRows, inFlight, clock} = this.#options;
    const least = windowRows ?? Math.max(LEAST_ROWS, TIMES_IN_FLIGHT * Math.min(inFlight(), MAX_IN_FLIGHT));
    const lasted = clock.monotonic() - this.#openedAt;
    if (lasted >= 0 && lasted < SHORT_MS) this.#size *= 2;
    else if (lasted > LONG_MS) this.#size >>= 1;
    return (this.#size = Math.min(Math.max(this.#size, least), Math.max(MOST_ROWS, least)));
  }
}
