import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Summary} from '../batch/standing/summary.ts';
import {RemitError, type ExitCode} from '../errors.ts';
import {checkBatchesOptions, checkPlan, checkRun, mustBeId} from './option-checks.ts';
import {COMMAND_FOLDER, runCommand, type CommandResult} from './run-command.ts';
import {rowsToCsv} from './rows.ts';
import type {BatchesOptions, Confirmation, PlanOptions, RunOptions} from './options.ts';

/** A plan, as `payouts batch plan -o json` prints it. Nothing was sent. */
export interface BatchPlan {
  batch_id: string;
  plan_hash: string;
  /** Rows. */
  planned: number;
  /** Major units, by currency: `{USD: '1528.25'}`. */
  totals: Readonly<Record<string, string>>;
  largest: {reference: string; party: string; amount: string; currency: string};
  /** Rows that repeat the party, amount and currency of an earlier row. */
  soft_duplicates: {count: number};
  /** References that differ from an earlier one only in case or spaces. */
  similar_references: {count: number};
  warnings: readonly string[];
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

  /** @throws {RemitError} USAGE unless there is either a profile, or a base URL and a key */
  constructor(options: BatchesOptions) {
    this.#options = checkBatchesOptions(options);
  }

  /**
   * Checks the rows and stores them as a batch; the same rows again change nothing.
   * @throws {RemitError} CSV_INVALID with every error by row and column
   */
  async plan(planned: PlanOptions): Promise<BatchPlan> {
    checkPlan(planned);
    const {id, rows, file, sheet} = planned;
    const from = rows === undefined ? [resolve(file), ...flag('sheet', sheet)] : ['-', ...AS_WRITTEN];
    const stdin = rows === undefined ? undefined : rowsToCsv(rows);
    return (await this.#run<BatchPlan>(['plan', ...from, ...flag('batch-id', id)], {stdin})).json;
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
    mustBeId(id, 'the id of a batch');
    return (await this.#run<Summary>(['status', id])).json;
  }

  async #send(verb: 'run' | 'resume', id: string, options: RunOptions): Promise<BatchRun> {
    checkRun(id, options);
    if (verb === 'run' && existsSync(resolve(COMMAND_FOLDER, id)))
      throw new RemitError(
        'USAGE',
        `${id} is a file in ${COMMAND_FOLDER}, which run would pay; nothing was sent`,
        {
          hint: 'plan the rows under another id',
        },
      );
    const {confirm, live = false, accept = [], until, signal} = options;
    const args = [
      ...[verb, id, ...statedFigures(confirm)],
      ...flag('out', resolve(this.#options.outDir ?? '.')),
      ...(live ? ['--live', '--yes'] : []),
      ...accept.flatMap((statement) => flag('accept', statement)),
      ...flag('until', until),
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
    const folder = stateDir === undefined ? [] : flag('state-dir', resolve(stateDir));
    return runCommand<T>({
      args: [kind, 'batch', verb, ...rest, ...flag('profile', profile), ...folder],
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
    ...flag('confirm-count', String(count)),
    ...stated.flatMap(([currency, total]) => flag('confirm-total', `${currency}=${total}`)),
  ];
}

/** One word, so that a value such as `--live` is never read as a flag. */
const flag = (name: string, value: string | undefined): string[] =>
  value === undefined ? [] : [`--${name}=${value}`];
