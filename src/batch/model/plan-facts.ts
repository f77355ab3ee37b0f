import type {Kind} from './kinds.ts';

/** What stands between the fields of a file. */
export type Delimiter = ',' | ';' | '\t';

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

/** Facts of a plan, as they lie in its journal under `plan`. */
export interface Plan {
  journalId: string;
  kind: Kind;
  batchId: string;
  revision: number;
  namespace: string;
  plannedAt: number;
  file: {path: string; name: string; folder: string; sha256: string; bytes: number};
  /** The columns that are kept, as the file spells them. Ignored ones are stored nowhere. */
  header: string[];
  /** What each of them is: `payee_id`, `metadata.note`. Absent from a plan of an earlier version. */
  columns?: string[];
  /** Amounts of the file are in minor units. Absent from a plan of an earlier version. */
  minorAmounts?: boolean;
  /** False when its rows are told apart by their content; then one file only may run in its namespace. */
  hasReferences: boolean;
  delimiter: Delimiter;
  /** SHA-256 over kind, namespace and, in order, reference and content of every valid row. */
  planHash: string;
  /** Records left out because they have errors. */
  invalidRows: number;
  emptyRecords: number;
  warnings: string[];
  figures: PlanFigures;
}
