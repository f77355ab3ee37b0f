import {openInput} from '../../batch/input/csv-input.ts';
import {validateBody} from '../../client/requests/validate.ts';
import {EXIT, type ExitCode, RemitError} from '../../errors.ts';
import {changedRows} from '../../parties/changed.ts';
import {readPartyFile} from '../../parties/file.ts';
import {ImportJournal} from '../../parties/journal.ts';
import type {ImportKind, PartyRow} from '../../parties/row.ts';
import {ImportRun, type RowProblem} from '../../parties/run.ts';
import {followVerification} from '../../parties/verification.ts';
import {counted} from '../../phrases.ts';
import {keyFingerprintOf} from '../../profiles/key.ts';
import type {Context} from '../core/context.ts';
import {DEFAULT_WAIT_MS} from '../input/durations.ts';
import {commandLine, type Typed} from '../line/command-line.ts';
import {keepHeapSmall} from '../runtime/memory.ts';
import {openStdin} from '../runtime/stdin.ts';
import {resultPath, writeIds} from './results.ts';
import {importOperations, partyServiceOf} from './service.ts';
import {type ImportResult, showImport} from './show.ts';

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
  const results = resultPath(kind, path, flags.out);
  const rows = await readRows(request);
  const {mode, baseUrl, key} = profile;
  const keyPrint = mode === 'test' ? keyFingerprintOf(key) : '';
  const journal = await ImportJournal.open(stateDir, {kind, mode, baseUrl, keyPrint}, clock);
  try {
    const changed = changedRows(rows, journal);
    if (changed.length > 0) throw changedSince(request, changed);
    const earlier = rows.filter((row) => isDone(journal, row));
    if (!flags['dry-run']) return await runImport(request, {rows, journal, results, earlier});
    const before = earlier.length === 0 ? '' : `; ${earlier.length} of them exist already`;
    out.text(`${path} has ${counted(rows.length, kind)} and no errors${before}. Nothing was sent.`);
    return {data: resultOf(request, {rows, earlier}), exitCode: EXIT.OK};
  } finally {
    await journal.close();
  }
}

function readRows({context, kind, path, flags, typed}: ImportRequest): Promise<PartyRow[]> {
  const operations = importOperations(kind);
  const ids = context.profile.service.ids?.format;
  return readPartyFile({
    ...{kind, sheet: flags.sheet},
    input: openInput(path, path === '-' ? openStdin(context.runtime, 'CSV') : undefined),
    retype: (add, without = []) => commandLine(typed.id, typed.argv, {add, without}),
    validate: async ({party, method}) => {
      await validateBody(operations.create, party, ids);
      await validateBody(operations.add, method, ids);
    },
  });
}

async function runImport(request: ImportRequest, opened: Opened): Promise<ImportEnd> {
  const {context, kind, flags, typed} = request;
  const {rows, journal, results, earlier} = opened;
  const {out, clock, stop, profile} = context;
  if (rows.length > earlier.length) await confirm(request, opened);
  const transport = await context.transportFor('pool');
  const service = partyServiceOf(kind, {
    ...{
      client: context.clientOn(transport),
      grants: context.grants,
      signal: stop.signal,
      sanitizer: out.sanitizer,
    },
  });
  const parts = {journal, service, clock, signal: stop.signal};
  const run = new ImportRun({
    ...{...parts, rows, forgets: profile.mode === 'test'},
    onProgress: (done) => out.progress(`${done} of ${counted(rows.length, kind)}`),
  });
  try {
    await run.run();
    const followed = await followVerification({
      ...{...parts, rows: (flags.wait ? rows : earlier).filter((row) => !run.isLeft(row))},
      timeoutMs: flags.wait ? (flags.timeout ?? DEFAULT_WAIT_MS) : 0,
      onProgress: (pending) => out.progress(`${pending} not verified yet`),
    });
    await writeIds(results, {kind, rows, journal});
    out.endProgress();
    const isPending = flags.wait && !followed.isDone;
    const problems = [...run.problems, ...followed.problems];
    const isOpen = isPending || problems.some(({is}) => is === 'in_doubt' || is === 'not_sent');
    const data = {
      ...resultOf(request, opened),
      ...{created: run.created, results, problems: problems.map(problemShown)},
      next: isOpen ? context.commands.again(typed) : null,
    };
    showImport(context, data, {stopped: run.stopped, isPending});
    return {data, exitCode: exitOf(problems, isPending)};
  } catch (error) {
    out.endProgress();
    throw await withWhatExists(error, request, opened);
  } finally {
    await transport.close();
  }
}

async function confirm({context, kind, path}: ImportRequest, {rows, earlier}: Opened): Promise<void> {
  const {create, add, setDefault} = importOperations(kind);
  const [first] = rows;
  await context.guardWrite(
    {operation: `import ${counted(rows.length - earlier.length, kind)}`, party: ['file', path]},
    first === undefined ? [] : [{operation: create, body: first.party}],
    [add, setDefault],
  );
}

const resultOf = (
  {kind, path}: ImportRequest,
  {rows, earlier}: Pick<Opened, 'rows' | 'earlier'>,
): ImportResult => ({
  ...{kind, file: path, rows: rows.length, created: 0, already: earlier.length},
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

const isDone = (journal: ImportJournal, {reference}: PartyRow): boolean =>
  (journal.find(reference)?.method_id ?? null) !== null;

/** What exists is in the journal and in the results; the same command continues. */
async function withWhatExists(
  error: unknown,
  {kind, context: {commands}, typed}: ImportRequest,
  {rows, journal, results}: Opened,
): Promise<unknown> {
  if (!(error instanceof RemitError)) return error;
  await writeIds(results, {kind, rows, journal});
  const imported = rows.filter((row) => isDone(journal, row)).length;
  return error.reworded(
    `${error.message}; ${imported} of ${counted(rows.length, kind)} are imported, with their ids in ${results}`,
    `to continue, with the same file: ${commands.again(typed)}`,
    {...error.details, imported, rows: rows.length, results},
  );
}

const SHOWN = 10;

function changedSince({kind, path}: ImportRequest, changed: readonly string[]): RemitError {
  const what = changed.length === 1 ? 'a row differs' : `${changed.length} rows differ`;
  const more = changed.length > SHOWN ? `\n  and ${changed.length - SHOWN} more; -o json lists them` : '';
  return new RemitError(
    'LOCAL_VALIDATION',
    `${path} was refused, and nothing was sent: ${what} from what was imported under the same reference:\n  ${changed.slice(0, SHOWN).join('\n  ')}${more}`,
    {
      hint: (commands) =>
        `if it is another ${kind}, give it a reference of its own; to change a name: ${commands.read(`${kind}s`, 'update', 'ID', '--name', 'NAME')}`,
      details: {changed: [...changed]},
    },
  );
}
