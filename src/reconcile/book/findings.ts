import type {SqlValue} from '../../store/port/port.ts';
import {IS_COUNTED} from '../match/balances.ts';
import {countedDay, periodParams, periodPayments} from '../match/period.ts';
import type {AskedPeriod} from '../model/asked.ts';
import type {LineState, Match, PaymentState, PeriodState, Rule} from '../model/finding.ts';
import type {BankLine, LineText} from '../model/line.ts';
import type {ExpectedPayment} from '../model/payment.ts';
import {paymentTokens, tokensOf} from '../model/tokens.ts';
import {BookPart} from './book-part.ts';
import {LINE_COLUMNS, lineOfRow, type LineRow} from './line-row.ts';
import {PAYMENT_COLUMNS, paymentOfRow, type PaymentRow} from './stored-payments.ts';

/** A payment with what the last match found about it; in a period, at its end. */
export interface FoundPayment {
  payment: ExpectedPayment;
  state: PeriodState;
  /** Undefined if its line came after the period. */
  match: Match | undefined;
  /** The line that took its money back; `match` stays what it was. */
  returned: Match | undefined;
  /** It was sent before the period. */
  isCarried: boolean;
  /** Keys of lines, for a person to decide between; empty if there are more than a hundred. */
  candidates: string[];
  /** Banking days since the last one on which its line was expected; 0 if a line is matched, or none is due. */
  bankingDaysOpen: number;
}

/** A line with what the last match found about it. */
export interface FoundBankLine {
  line: BankLine;
  state: LineState;
  match: Match | undefined;
  /** Keys of payments; empty if there are more than a hundred. */
  candidates: string[];
  /** The line of the other source that is about the same money; only one of the two is counted in totals. */
  twin: string | undefined;
  /** The day on which it counts: that of the statement if both sources have it. */
  day: string;
  /** It is part of the sums; see `IS_COUNTED`. */
  isCounted: boolean;
}

export interface PaymentFilter {
  /** Outside a period. */
  state?: PaymentState;
  key?: string;
  batch?: string;
  within?: AskedPeriod;
}
export interface LineFilter {
  state?: LineState;
  key?: string;
  /** The id that the bank gave it. */
  id?: string;
  within?: AskedPeriod;
}

/** Rows read at a time. */
const PAGE = 500;

interface MatchRow {
  m: number;
  rule: Rule;
  state: PaymentState;
}

/** What the last match found, by the keys of payments or lines. */
export class Findings extends BookPart {
  *payments({state, key, batch, within}: PaymentFilter): Generator<FoundPayment> {
    type Row = PaymentRow & {
      state: PaymentState;
      m: number | null;
      returned: number | null;
      days_open: number;
    };
    const rows = this.#pages<Row>(
      `select ${PAYMENT_COLUMNS}, coalesce(f.state, 'expected') as state, f.m, f.returned, coalesce(f.days_open, 0) as days_open
       from payments q join payment_texts t on t.p = q.p left join found_payments f on f.p = q.p
       where q.scope = ?1 and q.key > ?2 and (?3 is null or coalesce(f.state, 'expected') = ?3)
         and (?4 is null or q.key = ?4) and (?5 is null or q.batch = ?5) order by q.key limit ${PAGE}`,
      [state ?? null, key ?? null, batch ?? null],
    );
    for (const row of rows) {
      const then = within === undefined ? {state: row.state, early: 0} : this.#stateIn(within, row.p);
      if (then === undefined) continue;
      yield {
        payment: paymentOfRow(row),
        state: then.state,
        isCarried: then.early === 1,
        match: then.state === 'booked_later' ? undefined : this.#match(row.m),
        returned: then.state === 'returned' ? this.#match(row.returned) : undefined,
        candidates: this.#keys(
          'select x.key from candidates c join lines x on x.l = c.l where c.p = ? order by x.key',
          row.p,
        ),
        bankingDaysOpen: row.days_open,
      };
    }
  }

  #stateIn(asked: AskedPeriod, p: number): {state: PeriodState; early: number} | undefined {
    return this.db
      .prepare<{state: PeriodState; early: number}>(`select state, early from ${periodPayments('q.p = ?5')}`)
      .get(...periodParams(this.scope, asked), p);
  }

  *lines({state, key, id, within}: LineFilter): Generator<FoundBankLine> {
    type Row = LineRow & {
      state: LineState;
      m: number | null;
      twin: string | null;
      counted: number;
      summed: number;
      at: string;
    };
    // A twin has the state of the line that it is about.
    const rows = this.#pages<Row>(
      `select ${LINE_COLUMNS}, coalesce(f.state, 'unexplained') as state, f.m, coalesce(w.twin, x.l) as counted, ${countedDay('x')} as at,
         ${IS_COUNTED} as summed,
         (select y.key from lines y where y.l = coalesce(w.twin, (select v.l from twins v where v.twin = x.l))) as twin
       from lines x join line_texts t on t.l = x.l left join twins w on w.l = x.l
       left join found_lines f on f.l = coalesce(w.twin, x.l)
       where x.scope = ?1 and x.key > ?2 and not (x.gone = 1 and x.pending = 1 and x.altered = 0)
         and (?3 is null or coalesce(f.state, 'unexplained') = ?3) and (?4 is null or x.key = ?4)
         and (?5 is null or x.id = ?5) and (?6 is null or (x.account in (select value from json_each(?6))
           and ${countedDay('x')} between ?7 and ?8))
       order by x.key limit ${PAGE}`,
      [
        ...[state ?? null, key ?? null, id ?? null],
        ...(within === undefined ? [null, '', ''] : periodParams(this.scope, within).slice(1)),
      ],
    );
    for (const row of rows)
      yield {
        line: lineOfRow(row),
        state: row.state,
        match: this.#match(row.m),
        candidates: this.#keys(
          'select q.key from candidates c join payments q on q.p = c.p where c.l = ? order by q.key',
          row.counted,
        ),
        ...{twin: row.twin ?? undefined, day: row.at, isCounted: row.summed === 1},
      };
  }

  /** In the order of their first lines. */
  *matches(): Generator<Match> {
    const rows = this.#pages<{key: string; m: number}>(
      `select x.key, f.m from lines x join found_lines f on f.l = x.l
       where x.scope = ?1 and x.key > ?2 and f.m is not null order by x.key limit ${PAGE}`,
      [],
    );
    for (const {key, m} of rows) {
      const match = this.#match(m);
      if (match?.lines[0] === key) yield match;
    }
  }

  *#pages<Row extends {key: string}>(sql: string, params: readonly SqlValue[]): Generator<Row> {
    const page = this.db.prepare<Row>(sql);
    for (let rows = page.all(this.scope, '', ...params); rows.length > 0;) {
      yield* rows;
      rows = page.all(this.scope, rows.at(-1)?.key ?? '', ...params);
    }
  }

  #keys(sql: string, of: number): string[] {
    return this.db
      .prepare<{key: string}>(sql)
      .all(of)
      .map(({key}) => key);
  }

  #match(m: number | null): Match | undefined {
    if (m === null) return undefined;
    const {rule, state} = this.db.prepare<MatchRow>('select m, rule, state from matches where m = ?').one(m);
    const lines = this.db
      .prepare<LineRow>(
        `select ${LINE_COLUMNS} from lines x join line_texts t on t.l = x.l
         where x.l = ?1 or x.l in (select l from found_lines where m = ?1 and m <> l) order by x.key`,
      )
      .all(m)
      .map(lineOfRow);
    const payments = this.#paymentsOf(m);
    const sum = (amounts: readonly {amount: bigint}[]) =>
      amounts.reduce((total, {amount}) => total + amount, 0n);
    const owed = state === 'returned' ? -sum(payments) : sum(payments);
    return {
      ...{rule, state, lines: lines.map(({key}) => key), payments: payments.map(({key}) => key)},
      proof: proofOf(rule, [...lines.flatMap(({texts}) => texts), ...this.#twinTexts(m)], payments),
      difference: sum(lines) - owed,
      returnCode: lines.find(({returnCode}) => returnCode !== undefined)?.returnCode,
    };
  }

  #paymentsOf(m: number): ExpectedPayment[] {
    return this.db
      .prepare<PaymentRow>(
        `select ${PAYMENT_COLUMNS} from payments q join payment_texts t on t.p = q.p where q.p in (
           select p from found_payments where m = ?1 union select p from found_payments where returned = ?1)
         order by q.key`,
      )
      .all(m)
      .map(paymentOfRow);
  }

  #twinTexts(m: number): LineText[] {
    return this.db
      .prepare<LineRow>(
        `select ${LINE_COLUMNS} from twins w join lines x on x.l = w.l join line_texts t on t.l = x.l
         where w.twin = ?1 or w.twin in (select l from found_lines where m = ?1 and m <> l) order by x.key`,
      )
      .all(m)
      .flatMap((row) => lineOfRow(row).texts);
  }
}

const PROVEN: readonly Rule[] = ['id', 'trace', 'return'];

/** The first text with a token of the payment, its id before its traces. */
function proofOf(
  rule: Rule,
  texts: readonly LineText[],
  payments: readonly ExpectedPayment[],
): Match['proof'] {
  const [payment] = payments;
  if (payment === undefined || !PROVEN.includes(rule)) return undefined;
  for (const {token} of paymentTokens(payment)) {
    const found = texts.find(({text}) => tokensOf(text).some((each) => each.token === token));
    if (found !== undefined) return {path: found.path, text: found.text, token};
  }
  return undefined;
}
