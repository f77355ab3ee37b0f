import type {Kind} from './kinds.ts';

/** Cell delimiter of a file. */
export type Delimiter = ',' | ';' | '\t';

/**
 * What the operator confirms: counts, totals, the largest row, and possible duplicates. Amounts are in major units.
 */
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

/** How many rows repeat an earlier one and are not in an example, for `… 12 more`. */
export const unlisted = (count: number, examples: readonly (readonly string[])[]): number =>
  count - examples.reduce((sum, references) => sum + references.length - 1, 0);

/** Facts of a plan, stored in its journal under `plan`. */
export interface Plan {
  journalId: string;
  kind: Kind;
  batchId: string;
  revision: number;
  namespace: string;
  plannedAt: number;
  file: {path: string; name: string; folder: string; sha256: string; bytes: number};
  /** The sheet, if the file is a workbook. */
  sheet?: string;
  /** The flags with which the file was read, as typed. Absent from plans of an earlier version. */
  readFlags?: readonly string[];
  /** The columns that are kept, as written in the file. Ignored columns are not stored. */
  header: string[];
  /** The field of each column: `payee_id`, `metadata.note`. Absent from plans of an earlier version. */
  columns?: string[];
  /** Amounts in the file are in minor units. Absent from plans of an earlier version. */
  minorAmounts?: boolean;
  /** False if rows are identified by their content; then only one file may run in the namespace. */
  hasReferences: boolean;
  delimiter: Delimiter;
  /** SHA-256 of the kind, the namespace and, in order, the reference and content of every valid row. */
  planHash: string;
  /** Records left out because they have errors. */
  invalidRows: number;
  emptyRecords: number;
  warnings: string[];
  figures: PlanFigures;
}
