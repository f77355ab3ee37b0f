import type {Delimiter} from '../model/plan-facts.ts';
import type {KindFacts} from '../model/kinds.ts';
import type {ColumnMap} from './columns.ts';
import type {CellRole} from './cell-text.ts';
import type {InputFacts} from './csv-input.ts';

/** One record of a file. */
export interface InputRecord {
  /** 1 for the first record after the header; empty records have no number. */
  row: number;
  /** The physical line of a CSV on which it begins, or the row of a sheet. */
  line: number;
  cells: string[];
  /** Absent in a CSV, where every cell is text. */
  typed?: TypedCells;
}

/** What the cells of a sheet show beyond their text. */
export interface TypedCells {
  faults: readonly CellFault[];
  /** The amount is a number, not text, so it has one reading. `hasDecimals`: it is shown with decimals. */
  amount: {hasDecimals: boolean} | undefined;
}

/** Why a cell of a sheet cannot be read. */
export interface CellFault {
  /** Position in the header; -1 for a cell outside the table. */
  index: number;
  code: string;
  message: string;
  value: string;
}

/** How the cells of a batch file are read. */
export interface SourceRules {
  kind: KindFacts;
  /** Currency of rows that do not name one. */
  currency: string | undefined;
}

/** The records of a file, whatever its format. */
export interface RecordSource {
  /** Known once the header was read. */
  readonly delimiter: Delimiter;
  /** The sheet that is read, if the file is a workbook. */
  readonly sheet: SheetPlace | undefined;
  /** The header comes first; `begin` is called before the records after it are asked for. */
  read(): AsyncGenerator<{header: readonly string[]} | {records: InputRecord[]}>;
  begin(map: ColumnMap, rules: SourceRules): void;
  /** What the column of each header contains, in a file that is no batch. Other columns are ignored. */
  beginWith(roles: ReadonlyMap<number, CellRole>): void;
  /** Called after the last record. */
  end(): SourceEnd;
  close(): void;
}

export interface SourceEnd {
  facts: InputFacts;
  emptyRecords: number;
  /** Records in rows that the sheet does not show. */
  hiddenRecords: {count: number; lines: readonly number[]};
  warnings: string[];
}

/** Where the cells of a sheet are. */
export interface SheetPlace {
  /** The name as it is written before a cell: `Payouts`, `'Nov 2026'`. */
  quoted: string;
  name: string;
  /** The workbook has other sheets as well. */
  isOneOfSeveral: boolean;
  /** Letters of a column, by header. */
  lettersOf(header: string): string | undefined;
}
