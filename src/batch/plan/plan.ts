import {createHash, randomUUID} from 'node:crypto';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {nextTurn} from '../../clock.ts';
import {must} from '../../narrow.ts';
import {migrate} from '../../store/port/migrate.ts';
import {openSqlite} from '../../store/sqlite/sqlite.ts';
import {cellsAt, type ColumnMap, headerAt} from '../input/columns.ts';
import {type InputFacts, type InputFile, openInput} from '../input/csv-input.ts';
import {locator} from '../input/locate.ts';
import type {SheetPlace} from '../input/record.ts';
import {openSource} from '../input/source.ts';
import {Draft, PAGE} from '../journal/draft.ts';
import {batchFolder, makeFolder} from '../journal/folder.ts';
import {DEFAULT_NAMESPACE, deriveBatchId} from '../model/identity.ts';
import {groupsOf, type IssueGroup} from '../input/issue-groups.ts';
import type {Issue} from '../model/issue.ts';
import {pagesOf} from '../model/pages.ts';
import {Journal} from '../journal/journal.ts';
import {JOURNAL_MIGRATIONS} from '../journal/schema.ts';
import {type Kind, KINDS} from '../model/kinds.ts';
import {Buckets} from './buckets.ts';
import {findDuplicates} from './duplicates.ts';
import {FigureSums} from './figures.ts';
import {checkNames, nameByContent} from './names.ts';
import {putInPlace} from './publish.ts';
import {loadRecords, type ReadOptions} from './records.ts';
import {bare, checkEnd, type FileErrors, invalidFile, noValidRow} from './refusals.ts';
import type {RevisionFacts} from './revision.ts';
import type {Plan} from '../model/plan-facts.ts';

export interface PlanRequest extends ReadOptions {
  /** A path of a CSV or workbook, or `-` for a CSV from standard input. */
  file: string;
  /** Name of the sheet, for a workbook with several. */
  sheet?: string | undefined;
  /** The flags that say how to read it, as typed: a command that reads the file again repeats them. */
  readFlags?: readonly string[];
  stateDir: string;
  batchId?: string | undefined;
  /** Plan the rows without errors and leave the others out. */
  validOnly?: boolean;
  /** Without this, a pipe that does not end with a newline is refused. */
  allowCutInput?: boolean;
  stdin?: NodeJS.ReadableStream;
  /** Called before the plan is stored; if it throws, nothing is stored. */
  beforeKept?: ((plan: Plan) => Promise<void>) | undefined;
}

export interface PlannedBatch {
  plan: Plan;
  /** False if the same plan already existed. */
  fresh: boolean;
  /** Errors of the rows that were left out, the first ten thousand. */
  errors: Issue[];
  /** All errors, grouped by cause. */
  groups: IssueGroup[];
  /** What an edited file changes in a batch that has already run. */
  revision: RevisionFacts | undefined;
}

const SHOWN_ISSUES = 10_000;

/**
 * Reads a CSV or a sheet to its end and writes the plan of a batch. It works offline: nothing is sent. Every error of the file
 * is found in one pass, and memory does not grow with the file. An existing plan with the same content and id is left
 * unchanged.
 *
 * @throws RemitError CSV_INVALID with `details.errors` (the first ten thousand) and `details.error_groups` if the
 *   file has errors and `validOnly` is not set, or has no valid row; STATE if the plan cannot be written; LOCKED if
 *   the batch is running.
 */
export async function planBatch(options: PlanRequest): Promise<PlannedBatch> {
  const input = openInput(options.file, options.stdin, [KINDS[options.kind].topic, 'batch', 'template']);
  if (options.batchId !== undefined) batchFolder(options.stateDir, options.kind, options.batchId); // refuses an invalid id early
  const root = join(options.stateDir, 'batches', options.kind);
  const workshop = join(root, `.planning-${randomUUID()}`);
  makeFolder(workshop);
  try {
    const {plan, found} = await writePlan(options, input, join(workshop, 'journal.db'));
    await options.beforeKept?.(plan);
    const place = batchFolder(options.stateDir, options.kind, plan.batchId);
    const {errors, groups} = found;
    return {...(await putInPlace(plan, workshop, place, options.clock)), errors, groups};
  } finally {
    removeLitter(workshop);
  }
}

/** A plan that is looked at and not kept. */
export interface DraftPlan {
  plan: Plan;
  journal: Journal;
}

/**
 * Reads a file like `planBatch`, hands its rows over, and keeps nothing of it.
 * @throws RemitError as `planBatch`
 */
export async function withoutKeeping<T>(
  options: PlanRequest,
  use: (draft: DraftPlan) => Promise<T>,
): Promise<T> {
  const input = openInput(options.file, options.stdin, [KINDS[options.kind].topic, 'batch', 'template']);
  const workshop = mkdtempSync(join(tmpdir(), 'remit-draft-')); // the state folder may be read-only
  try {
    const file = join(workshop, 'journal.db');
    const {plan} = await writePlan(options, input, file);
    const db = await openSqlite(file, {durability: 'full'});
    try {
      return await use({plan, journal: new Journal(db)});
    } finally {
      db.close();
    }
  } finally {
    removeLitter(workshop);
  }
}

/**
 * Removes leftover files of a plan, which do no harm: a failure to delete them must not fail the plan or hide its
 * error.
 */
function removeLitter(folder: string): void {
  try {
    rmSync(folder, {recursive: true, force: true});
  } catch {
    // its name says what it is
  }
}

/**
 * A file of this size gets a journal with large pages, which need fewer calls for the same rows. For a small file
 * they would only waste space.
 */
const LARGE_BYTES = 1024 * 1024;

async function writePlan(
  options: PlanRequest,
  input: InputFile,
  file: string,
): Promise<{plan: Plan; found: FileErrors}> {
  const isLarge = (input.bytes ?? 0) > LARGE_BYTES;
  const db = await openSqlite(file, {durability: 'full', pageBytes: isLarge ? 16_384 : 4096});
  try {
    migrate(db, JOURNAL_MIGRATIONS);
    const draft = new Draft(db);
    const checked = await checkFile(options, input, draft, join(dirname(file), 'texts'));
    const {read, found, sheet, alike, similar, warnings} = checked;
    const {facts} = read;
    const namespace = options.namespace ?? DEFAULT_NAMESPACE;
    const {sums, planHash} = await readRows(draft, options.kind, namespace);
    const figures = sums.figures(draft, {alike, similar});
    if (figures.rows === 0) throw noValidRow(input, found);
    const plan: Plan = {
      journalId: randomUUID(),
      kind: options.kind,
      batchId: options.batchId ?? derivedId(input, facts, sheet),
      revision: 1,
      namespace,
      plannedAt: options.clock.now(),
      file: {
        path: input.path,
        name: input.name,
        folder: input.path === '-' ? process.cwd() : dirname(resolve(input.path)),
        sha256: facts.sha256,
        bytes: facts.bytes,
      },
      ...(sheet === undefined ? {} : {sheet: sheet.name}),
      ...(options.readFlags === undefined ? {} : {readFlags: options.readFlags}),
      ...keptColumns(read.map),
      minorAmounts: read.map.at['amount'] === undefined || options.amountUnit === 'minor',
      hasReferences: read.hasReferences,
      delimiter: read.delimiter,
      planHash,
      invalidRows: read.records - figures.rows,
      emptyRecords: read.emptyRecords,
      warnings,
      figures,
    };
    new Journal(db).setFact('plan', plan);
    return {plan, found};
  } finally {
    db.close();
  }
}

/**
 * Reads the file into the draft, and compares its rows with each other.
 * @param spool a file for the texts of a workbook
 */
async function checkFile(options: PlanRequest, input: InputFile, draft: Draft, spool: string) {
  const {pages} = draft;
  pages.create();
  const texts = {
    references: new Buckets(pages, 0),
    contents: new Buckets(pages, 1),
    alike: new Buckets(pages, 2),
  };
  const source = await openSource(input, {sheet: options.sheet, spool, retype: options.retype ?? bare});
  const {sheet} = source;
  const read = await loadRecords(options, input, source, draft, texts).finally(() => source.close());
  const warnings = [...checkEnd(input, read.facts, options), ...read.warnings];
  const located = locator(sheet);
  if (!read.hasReferences) await nameByContent(draft, texts.contents, texts.references);
  const {similar, refused} = await checkNames(draft, texts.references, referenceColumn(read.map));
  const found: FileErrors = {
    ...groupsOf(draft.issues(), located),
    errors: draft.firstIssues(SHOWN_ISSUES).map(located),
  };
  if (found.issues > 0 && !options.validOnly) throw invalidFile(input, found);
  const alike = await findDuplicates(texts.alike, refused);
  pages.drop();
  return {read, found, sheet, alike, similar, warnings};
}

/** Sheets of one workbook are different batches. */
function derivedId({name}: InputFile, {sha256}: InputFacts, sheet: SheetPlace | undefined): string {
  if (sheet === undefined || !sheet.isOneOfSeveral) return deriveBatchId(name, sha256);
  const both = createHash('sha256')
    .update(JSON.stringify([sha256, sheet.name]))
    .digest('hex');
  return deriveBatchId(`${name.replace(/\.[^.]*$/, '')}-${sheet.name}.xlsx`, both);
}

/** Headers of the columns that are kept, and the field of each. */
function keptColumns({headers, at, metadata, kept}: ColumnMap): {header: string[]; columns: string[]} {
  const names = new Map(Object.entries(at).map(([name, index]) => [index, name]));
  for (const {key, index} of metadata) names.set(index, `metadata.${key}`);
  return {
    header: cellsAt(headers, kept),
    columns: kept.map((index) => must(names.get(index), 'name of a column that is kept')),
  };
}

function referenceColumn(map: ColumnMap): string | undefined {
  const index = map.at['reference'];
  return index === undefined ? undefined : headerAt(map, index);
}

/** Reads the valid rows once, in order, for their figures and for the hash of the plan. */
async function readRows(
  draft: Draft,
  kind: Kind,
  namespace: string,
): Promise<{sums: FigureSums; planHash: string}> {
  const sums = new FigureSums();
  const hash = createHash('sha256').update(JSON.stringify([1, kind, namespace]));
  for (const rows of pagesOf((after) => draft.rows(after), PAGE)) {
    let text = '';
    for (const row of rows) {
      sums.add(row);
      text += `\n${row.n}\t${row.reference}\t${row.fingerprint}`;
    }
    hash.update(text);
    if (rows.length === PAGE) await nextTurn();
  }
  return {sums, planHash: hash.digest('hex')};
}
