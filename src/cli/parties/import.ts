import {hasFailed} from '../../contract/lifecycle.ts';
import {type InputFile, openInput} from '../../batch/input/csv-input.ts';
import {validateBody} from '../../client/requests/validate.ts';
import {type CommandBuilder, EXIT, type ExitCode, RemitError} from '../../errors.ts';
import {type ChangedRow, changedRows, isSameAccount} from '../../parties/changed.ts';
import {readPartyFile} from '../../parties/file.ts';
import {ImportJournal} from '../../parties/journal.ts';
import {shownParty} from '../../parties/match.ts';
import type {PartyService, RowProblem} from '../../parties/party-service.ts';
import type {ImportKind, PartyRow} from '../../parties/row.ts';
import {ImportRun} from '../../parties/run.ts';
import {followVerification} from '../../parties/verification.ts';
import {capital, counted} from '../../phrases.ts';
import {keyFingerprintOf} from '../../profiles/key.ts';
import type {Context} from '../core/context.ts';
import {DEFAULT_WAIT_MS} from '../input/durations.ts';
import {commandLine, type Typed} from '../line/command-line.ts';
import {keepHeapSmall} from '../runtime/memory.ts';
import {canAsk} from '../runtime/prompts.ts';
import {openStdin} from '../runtime/stdin.ts';
import {resultPath, writeIds} from './results.ts';
import {importOperations, partyServiceOf} from './service.ts';
import {type ImportResult, showImport, warnNoRail} from './show.ts';

export interface ImportRequest {
  context: Context;
  kind: ImportKind;
  /** `-` for standard input. */
  path: string;
  flags: {
    sheet?: string | undefined;
    out?: string | undefined;
    wait: boolean;
    timeout?: number | undefined;
    'dry-run': boolean;
  };
  typed: Typed;
}

interface ImportEnd {
  data: ImportResult;
  exitCode: ExitCode;
}

/** A file that was read and checked, and what is known of its rows. */
interface Opened {
  rows: readonly PartyRow[];
  journal: ImportJournal;
  /** Where the ids are written. */
  results: string;
  /** The rows that were imported before. */
  earlier: readonly PartyRow[];
}

/**
 * Imports a file of payees or payers: read and checked as a whole, confirmed, and created row by row, each once. The same
 * command continues an import that was interrupted.
 */
export async function importParties(request: ImportRequest): Promise<ImportEnd> {
  const {context, kind, path, flags} = request;
  const {profile, clock, stateDir, out} = context;
  keepHeapSmall();
  const input = openInput(path, path === '-' ? openStdin(context.runtime, 'CSV') : undefined);
  const results = resultPath(kind, input, flags.out);
  const rows = await readRows(request, input);
  const {mode, baseUrl, key} = profile;
  const keyPrint = mode === 'test' ? keyFingerprintOf(key) : '';
  const journal = await ImportJournal.open(stateDir, {kind, mode, baseUrl, keyPrint}, clock);
  try {
    const earlier = rows.filter((row) => isDone(journal, row));
    if (!flags['dry-run']) return await runImport(request, {rows, journal, results, earlier});
    refuseChanged(request, changedRows(rows, journal));
    const before = earlier.length === 0 ? '' : `; ${earlier.length} of them exist already`;
    out.text(
      `${fileName(request)} has ${counted(rows.length, kind)} and no errors${before}. Nothing was sent.`,
    );
    const data = {...resultOf(request, rows), already: earlier.length};
    return {data, exitCode: EXIT.OK};
  } finally {
    await journal.close();
  }
}

function readRows({context, kind, flags, typed}: ImportRequest, input: InputFile): Promise<PartyRow[]> {
  const operations = importOperations(kind);
  const ids = context.profile.service.ids?.format;
  return readPartyFile({
    ...{kind, input, sheet: flags.sheet, nowMs: context.clock.now()},
    retype: (add, without = []) => commandLine(typed.id, typed.argv, {add, without}),
    validate: [
      ({party}) => validateBody(operations.create, party, ids),
      ({method}) => validateBody(operations.add, method, ids),
    ],
    tell: (warning) => context.out.warn(warning),
  });
}

async function runImport(request: ImportRequest, opened: Opened): Promise<ImportEnd> {
  const {context, kind, flags} = request;
  const {rows, journal, results} = opened;
  const {out, clock, stop, profile} = context;
  const transport = await context.transportFor('pool');
  const service = partyServiceOf(kind, {
    ...{client: context.clientOn(transport), grants: context.grants},
    ...{signal: stop.signal, sanitizer: out.sanitizer},
  });
  const parts = {journal, service, clock, signal: stop.signal};
  const run = new ImportRun({
    ...{...parts, rows, forgets: profile.mode === 'test'},
    onProgress: (done) => out.progress(`${done} of ${counted(rows.length, kind)}`),
  });
  let isSending = false;
  try {
    refuseChanged(request, await stillChanged(changedRows(rows, journal), opened, service));
    await confirm(request, opened);
    await writeIds(results, idsOf(request, opened, run)); // before anything is sent, in case it cannot be written
    isSending = true;
    await run.run();
    const {pending, problems: unverified} = await followVerification({
      ...{...parts, rows: rows.filter((row) => !run.isLeft(row) && isDone(journal, row))},
      waits: flags.wait ? {timeoutMs: flags.timeout ?? DEFAULT_WAIT_MS} : undefined,
      onProgress: (open) => out.progress(`${open} not verified yet`),
    });
    await writeIds(results, idsOf(request, opened, run));
    out.endProgress();
    const problems = [...run.problems, ...unverified];
    const isOpen = pending > 0 || problems.some(({is}) => OPEN.has(is));
    const exist = rows.filter((row) => isDone(journal, row) && !run.isLeft(row));
    const found = exist.filter((row) => run.isFound(row)).length;
    const already = Math.max(0, exist.length - run.finished - found);
    const data = {
      ...resultOf(request, rows),
      ...{created: run.finished, found, already, pending, results},
      problems: problems.map(problemShown),
      next: isOpen ? againCommand(request, pending > 0) : null,
    };
    showImport(context, {...data, file: fileName(request)}, run.stopped);
    warnNoRail(
      context,
      kind,
      exist.filter(({reference}) => journal.find(reference)?.no_rail === 1),
    );
    return {data, exitCode: exitOf(problems, flags.wait && pending > 0)};
  } catch (error) {
    out.endProgress();
    throw isSending ? await withWhatExists(error, request, opened, run) : error;
  } finally {
    await transport.close();
  }
}

const idsOf = ({kind}: ImportRequest, {rows, journal}: Opened, run: ImportRun) => ({
  ...{kind, rows, journal},
  isGone: (row: PartyRow) => run.problems.some(({row: one, is}) => one === row && is === 'gone'),
});

/**
 * Confirms what is sent besides reads; nothing is if all rows exist and no account is made the default. A person is asked
 * with a test key too, as before a batch; a script states a live key only, as before any other create.
 */
async function confirm({context, kind, path, flags}: ImportRequest, {rows, earlier}: Opened): Promise<void> {
  const left = rows.length - earlier.length;
  const {profile, runtime} = context;
  const isTest = profile.mode === 'test';
  if (!isTest && left === 0 && !flags.wait) return;
  const {create, add, setDefault} = importOperations(kind);
  const [first] = rows;
  const operation =
    left > 0
      ? `import ${counted(left, kind)}`
      : `make the accounts of ${counted(rows.length, kind)} the default`;
  await context.guardWrite(
    {operation, party: ['file', path]},
    first === undefined ? [] : [{operation: create, body: first.party}],
    [add, setDefault],
  );
  if (!isTest || left === 0 || context.flags.yes === true || !canAsk(runtime)) return;
  if (!(await runtime.prompts.confirm(`${capital(operation)}?`, '--yes')))
    throw new RemitError('GUARD_CONFIRM', 'not confirmed; nothing was sent');
}

/** A payee or payer may have been changed at the service as well since. */
async function stillChanged(
  changed: readonly ChangedRow[],
  {journal}: Opened,
  service: PartyService,
): Promise<ChangedRow[]> {
  const left: ChangedRow[] = [];
  for (const one of changed) {
    const {what, column, value, partyId} = one;
    const shown =
      what === 'party' && partyId !== undefined ? shownParty(await service.party(partyId)) : undefined;
    if (what === 'party' && shown?.[column] === value) journal.updated(one.row.reference, column, value);
    else left.push(one);
  }
  return left;
}

/** What the same command may bring to its end. */
const OPEN: ReadonlySet<RowProblem['is']> = new Set(['in_doubt', 'not_sent', 'other_record']);

const resultOf = ({kind, path}: ImportRequest, rows: readonly PartyRow[]): ImportResult => ({
  ...{kind, file: path, rows: rows.length, created: 0, found: 0, already: 0, pending: 0},
  ...{problems: [], results: null, next: null},
});

const problemShown = ({row: {reference, place}, is, why, others = []}: RowProblem) => ({
  ...{reference, place, state: is, message: why, others: [...others]},
});

function exitOf(problems: readonly RowProblem[], isPending: boolean): ExitCode {
  const has = (state: RowProblem['is']) => problems.some(({is}) => is === state);
  if (has('in_doubt')) return EXIT.IN_DOUBT;
  if (has('not_sent')) return EXIT.UNAVAILABLE;
  if (problems.length > 0) return EXIT.PARTIAL;
  return isPending ? EXIT.TIMED_OUT : EXIT.OK;
}

function isDone(journal: ImportJournal, row: PartyRow): boolean {
  const recorded = journal.find(row.reference);
  if (recorded === undefined || recorded.method_id === null) return false;
  return !hasFailed(recorded.verification) || isSameAccount(recorded, row);
}

const fileName = ({path}: ImportRequest): string => (path === '-' ? 'standard input' : path);

/** The command that continues; standard input has to be given again. */
function againCommand({context, path, typed, flags}: ImportRequest, isPending: boolean): string {
  const again = context.commands.again(typed, {add: isPending && !flags.wait ? ['--wait'] : []});
  return path === '-' ? `${again} < FILE` : again;
}

/** What exists is in the journal and in the results; the same command continues. */
async function withWhatExists(
  error: unknown,
  request: ImportRequest,
  opened: Opened,
  run: ImportRun,
): Promise<unknown> {
  const {rows, journal, results} = opened;
  if (!(error instanceof RemitError)) return error;
  let where = `, with their ids in ${results}`;
  try {
    await writeIds(results, idsOf(request, opened, run));
  } catch {
    where = ''; // the reason is in the first error, or it is the first error
  }
  const imported = rows.filter((row) => isDone(journal, row)).length;
  return error.reworded(
    `${error.message}; imported so far: ${imported} of ${counted(rows.length, request.kind)}${where}`,
    `to continue, with the same file: ${againCommand(request, false)}`,
    {...error.details, imported, rows: rows.length, results},
  );
}

const SHOWN = 10;

/** @throws RemitError LOCAL_VALIDATION: one reference cannot be two payees */
function refuseChanged(request: ImportRequest, changed: readonly ChangedRow[]): void {
  const [first] = changed;
  if (first === undefined) return;
  const rows = new Set(changed.map(({row}) => row)).size;
  const what = rows === 1 ? 'a row differs' : `${rows} rows differ`;
  const more = changed.length > SHOWN ? `\n  and ${changed.length - SHOWN} more; -o json lists them` : '';
  const words = changed.map((one) => one.words);
  const ofRow = changed.filter(({row, what}) => row === first.row && what === first.what);
  const left = changed.length - ofRow.length;
  const others =
    left === 0
      ? ''
      : `; and ${left} more ${left === 1 ? 'difference' : 'differences'}, ${left === 1 ? 'which is' : 'each'} in the list above`;
  throw new RemitError(
    'LOCAL_VALIDATION',
    `${fileName(request)} was refused, and nothing was sent: ${what} from what was imported under the same reference:\n  ${words.slice(0, SHOWN).join('\n  ')}${more}`,
    {
      hint: (commands) =>
        `if it is another ${request.kind}, give it a reference of its own; ${changeHint(request, ofRow, commands)}${others}`,
      details: {changed: words},
    },
  );
}

/** What changes the record of one row. An email cannot be removed. */
function changeHint({kind}: ImportRequest, changed: readonly ChangedRow[], commands: CommandBuilder): string {
  const id = changed[0]?.partyId ?? 'ID';
  if (changed[0]?.what === 'account')
    return `to add the account: ${commands.write('payment-methods', 'add', `--${kind}`, id)}`;
  const flags = changed.flatMap(({column, value}) => (value === '' ? [] : [`--${column}`, value]));
  return flags.length === 0
    ? 'otherwise restore the cell'
    : `to change it at the service: ${commands.write(`${kind}s`, 'update', id, ...flags)}`;
}
