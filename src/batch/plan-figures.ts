import {formatMajor} from '../money/amount.ts';
import {Totals} from '../money/totals.ts';
import type {SqliteDatabase} from '../store/port.ts';

/** What a person confirms: counts, sums, the largest row, and what looks paid twice. Amounts in major units. */
export interface PlanFigures {
  rows: number;
  /** `{USD: '1500.75'}` */
  totals: Record<string, string>;
  rails: {rail: string | null; currency: string; rows: number; total: string}[];
  /** Largest amount of each currency, in minor units. */
  maximaMinor: Record<string, string>;
  largest: {n: number; line: number; reference: string; party: string; currency: string; amount: string};
  /** Rows that repeat party, amount and currency of an earlier row. */
  softDuplicates: {
    count: number;
    examples: {references: string[]; party: string; currency: string; amount: string}[];
  };
  /** Rows whose reference differs from an earlier one only in case or spaces. */
  similarReferences: {count: number; examples: string[][]};
  firstScheduled: string | null;
  lastScheduled: string | null;
}

const EXAMPLES = 5;

/** Reads the figures of the valid rows of a plan; all sums exact. */
export function readFigures(db: SqliteDatabase): PlanFigures {
  const totals = new Totals();
  let rows = 0;
  const rails = db
    .prepare(
      `select rail, currency, count(*) as rows, sum(amount / 1000000) as high, sum(amount % 1000000) as low
       from rows group by rail, currency order by rail, currency`,
    )
    .all()
    .map((row) => {
      // Summed in two halves: a sum may pass 2^63 although no amount does.
      const sum = BigInt(row['high'] as number) * 1_000_000n + BigInt(row['low'] as number);
      const currency = row['currency'] as string;
      totals.add(currency, sum);
      rows += Number(row['rows']);
      return {
        rail: row['rail'] as string | null,
        currency,
        rows: Number(row['rows']),
        total: formatMajor(sum, currency),
      };
    });
  const scheduled = db.prepare('select min(scheduled) as first, max(scheduled) as last from rows').get()!;
  return {
    rows,
    totals: totals.toMajor(),
    rails,
    maximaMinor: Object.fromEntries(
      db
        .prepare('select currency, max(amount) as amount from rows group by currency')
        .all()
        .map((row) => [row['currency'] as string, String(row['amount'])]),
    ),
    largest: largestRow(db),
    softDuplicates: softDuplicates(db),
    similarReferences: similarReferences(db),
    firstScheduled: scheduled['first'] as string | null,
    lastScheduled: scheduled['last'] as string | null,
  };
}

function largestRow(db: SqliteDatabase): PlanFigures['largest'] {
  const row = db
    .prepare('select n, line, reference, party, currency, amount from rows order by amount desc, n limit 1')
    .get();
  if (row === undefined) return {n: 0, line: 0, reference: '', party: '', currency: '', amount: ''};
  const currency = row['currency'] as string;
  return {
    n: Number(row['n']),
    line: Number(row['line']),
    reference: row['reference'] as string,
    party: row['party'] as string,
    currency,
    amount: formatMajor(BigInt(row['amount'] as number), currency),
  };
}

function softDuplicates(db: SqliteDatabase): PlanFigures['softDuplicates'] {
  const groups =
    'select party, amount, currency, count(*) as copies, min(n) as first from rows group by party, amount, currency having count(*) > 1';
  const count = Number(
    db.prepare(`select coalesce(sum(copies - 1), 0) as count from (${groups})`).get()!['count'],
  );
  const examples = db
    .prepare(`${groups} order by first limit ${EXAMPLES}`)
    .all()
    .map((group) => ({
      references: db
        .prepare(
          'select reference from rows where party = ? and amount = ? and currency = ? order by n limit 4',
        )
        .all(group['party']!, group['amount']!, group['currency']!)
        .map((row) => row['reference'] as string),
      party: group['party'] as string,
      currency: group['currency'] as string,
      amount: formatMajor(BigInt(group['amount'] as number), group['currency'] as string),
    }));
  return {count, examples};
}

function similarReferences(db: SqliteDatabase): PlanFigures['similarReferences'] {
  const groups =
    'select fold, count(*) as copies, min(n) as first from rows group by fold having count(*) > 1';
  const count = Number(
    db.prepare(`select coalesce(sum(copies - 1), 0) as count from (${groups})`).get()!['count'],
  );
  const examples = db
    .prepare(`${groups} order by first limit ${EXAMPLES}`)
    .all()
    .map((group) =>
      db
        .prepare('select reference from rows where fold = ? order by n limit 4')
        .all(group['fold']!)
        .map((row) => row['reference'] as string),
    );
  return {count, examples};
}
