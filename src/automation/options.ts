import type {BatchRow} from './rows.ts';

/** Which service and key: a stored profile, or an address and a key. */
export type BatchesOptions = {
  /** Default `payouts`. */
  kind?: 'payouts' | 'payins' | undefined;
  /** Folder of the journals and of the registry of paid references; default: that of the command. */
  stateDir?: string | undefined;
  /** Folder of the result files; default: the current folder. */
  outDir?: string | undefined;
  /** @internal The program to run, with its first arguments; for tests. */
  program?: readonly string[] | undefined;
} & (StoredService | NamedService);

interface StoredService {
  /** A stored profile, with its caps. */
  profile: string;
  /** Folder of the profiles; default: that of the command. */
  configDir?: string | undefined;
  baseUrl?: never;
  key?: never;
}

interface NamedService {
  baseUrl: string;
  key: string;
  /** Path of a service file. */
  serviceFile?: string | undefined;
  profile?: never;
}

/** What is planned: exactly one of `rows` and `file`. */
export type PlanOptions = {
  /** The name of the batch: letters, digits, dots, dashes and underscores. */
  id: string;
} & (
  | {rows: readonly BatchRow[]; file?: never; sheet?: never}
  | {
      /** A CSV file or an Excel workbook (`.xlsx`). */
      file: string;
      /** Sheet of a workbook with several. */
      sheet?: string | undefined;
      rows?: never;
    }
);

/** The figures that you expect. A run refuses if the plan has others. */
export interface Confirmation {
  count: number;
  /** Major units, by currency. */
  totals: Readonly<Record<string, string>>;
}

export interface RunOptions {
  confirm: Confirmation;
  /** Required to use a live key. */
  live?: boolean | undefined;
  /** What a check would refuse, as `--accept` takes it: `duplicates=2`. */
  accept?: readonly string[] | undefined;
  /** Also waits until the accepted rows have this status. */
  until?: 'approved' | 'initiated' | 'debited' | 'settled' | undefined;
  /** Stops as Ctrl-C does: finishes what was sent, and sends nothing more. */
  signal?: AbortSignal | undefined;
}
