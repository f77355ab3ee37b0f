import {resolve} from 'node:path';
import type {Summary} from '../batch/standing/summary.ts';
import {mustBeObject, mustBeSignal, mustBeText} from '../arguments.ts';
import {RemitError, type ExitCode} from '../errors.ts';
import {runCommand, type CommandResult} from './run-command.ts';
import {rowsToCsv, type BatchRow} from './rows.ts';

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

/** A plan, as `payouts batch plan -o json` prints it. Nothing was sent. */
export interface BatchPlan {
  batch_id: string;
  plan_hash: string;
  /** Rows. */
  planned: number;
  /** By currency, in major units: `{USD: '1528.25'}`. */
  totals: Readonly<Record<string, string>>;
  largest: {reference: string; party: string; amount: string; currency: string};
  /** Rows that repeat the party, amount and currency of an earlier row. */
  soft_duplicates: {count: number};
  /** References that differ from an earlier one only in case or spaces. */
  similar_references: {count: number};
  warnings: readonly string[];
}

/** The figures that you expect. A run refuses if the plan has others. */
export interface Confirmation {
  count: number;
  /** By currency, in major units. */
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

/** How a run ended. */
export interface BatchRun {
  summary: Summary;
  /** 0: every row is paid. 8: some were refused. 12: some are in doubt. All: docs/reference/exit-codes.md. */
  exitCode: ExitCode;
}

/**
 * Batches from code. Each method runs one command of `remit payouts batch` in its own process, so the guards, the
 * journal, the registry of paid references and the lock are those of the command, and a batch that was begun here can
 * be continued there.
 *
 * @example
 * const batches = new Batches({baseUrl, key});
 * const plan = await batches.plan({id: 'november', rows});
 * const {summary} = await batches.run('november', {confirm: {count: 3, totals: {USD: '1528.25'}}});
 */
export class Batches {
  readonly #options: BatchesOptions;

  constructor(options: BatchesOptions) {
    mustBeObject(options, 'the options of Batches');
    this.#options = options;
  }

  /**
   * Checks the rows and stores them as a batch; the same rows again change nothing.
   * @throws {RemitError} CSV_INVALID with every error by row and column
   */
  async plan(planned: PlanOptions): Promise<BatchPlan> {
    mustBeObject(planned, 'the plan');
    const {id, rows, file, sheet} = planned;
    if (rows === undefined) mustBeText(file, 'the file of a plan without rows');
    mustBeText(id, 'the id of a batch');
    const inSheet = sheet === undefined ? [] : ['--sheet', sheet];
    const from = rows === undefined ? [resolve(file), ...inSheet] : ['-', ...AS_WRITTEN];
    const stdin = rows === undefined ? undefined : rowsToCsv(rows);
    return (await this.#run<BatchPlan>(['plan', ...from, '--batch-id', id], {stdin})).json;
  }

  /**
   * Sends a planned batch. Run again, it continues, and pays no row twice.
   * @throws {RemitError} GUARD_CONFIRM if the figures are others than planned; GUARD_LIVE; GUARD_DUPLICATES
   */
  run(id: string, options: RunOptions): Promise<BatchRun> {
    return this.#send('run', id, options);
  }

  /** Continues a batch that was stopped, interrupted or has rows in doubt. */
  resume(id: string, options: RunOptions): Promise<BatchRun> {
    return this.#send('resume', id, options);
  }

  /** The state of a batch, from its journal; nothing is sent. */
  async summary(id: string): Promise<Summary> {
    return (await this.#run<Summary>(['status', id])).json;
  }

  async #send(verb: 'run' | 'resume', id: string, options: RunOptions): Promise<BatchRun> {
    mustBeText(id, 'the id of a batch');
    mustBeObject(options, 'the options');
    const {confirm, live = false, accept = [], until, signal} = options;
    if (signal !== undefined) mustBeSignal(signal, 'signal');
    mustBeObject(confirm, 'confirm');
    mustBeObject(confirm.totals, 'confirm.totals');
    const args = [
      ...[verb, id, ...statedFigures(confirm)],
      ...['--out', resolve(this.#options.outDir ?? '.')],
      ...(live ? ['--live', '--yes'] : []),
      ...accept.flatMap((statement) => ['--accept', statement]),
      ...(until === undefined ? [] : ['--until', until]),
    ];
    const {json: summary, exitCode} = await this.#run<Summary>(args, {signal});
    return {summary, exitCode};
  }

  #run<T>(
    args: readonly string[],
    how: {stdin?: string | undefined; signal?: AbortSignal | undefined} = {},
  ): Promise<CommandResult<T>> {
    const {kind = 'payouts', stateDir, profile, program} = this.#options;
    const [verb = '', ...rest] = args;
    const chosen = profile === undefined ? [] : ['--profile', profile];
    const folder = stateDir === undefined ? [] : ['--state-dir', resolve(stateDir)];
    return runCommand<T>({
      args: [kind, 'batch', verb, ...rest, ...chosen, ...folder],
      env: this.#env(),
      program,
      ...how,
    });
  }

  #env(): Record<string, string> {
    if (this.#options.profile !== undefined) {
      const {configDir} = this.#options;
      return configDir === undefined ? {} : {REMIT_CONFIG_DIR: resolve(configDir)};
    }
    const {baseUrl, key, serviceFile} = this.#options;
    return {
      ...{REMIT_BASE_URL: baseUrl, REMIT_API_KEY: key},
      ...(serviceFile === undefined ? {} : {REMIT_SERVICE_FILE: resolve(serviceFile)}),
    };
  }
}

/** How the cells of rows from code are written; nothing is left to detection. */
const AS_WRITTEN = ['--amount-unit', 'major', '--number-format', '1234.56'];

/**
 * The flags that state what a run may send. Without a total the command would take a batch that was confirmed before
 * as confirmed.
 */
function statedFigures({count, totals}: Confirmation): string[] {
  const stated = Object.entries(totals);
  if (stated.length === 0)
    throw new RemitError('GUARD_CONFIRM', 'confirm.totals names no currency; nothing was sent', {
      hint: "state what you expect, such as {count: 3, totals: {USD: '1528.25'}}",
    });
  return [
    ...['--confirm-count', String(count)],
    ...stated.flatMap(([currency, total]) => ['--confirm-total', `${currency}=${total}`]),
  ];
}
