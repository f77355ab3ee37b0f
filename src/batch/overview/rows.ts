import {hasFailed} from '../../contract/lifecycle.ts';
import {type CommandBuilder, RemitError} from '../../errors.ts';
import {ownJson} from '../../narrow.ts';
import {batchIds} from '../journal/folder.ts';
import {isBeingSent, type OpenBatch} from '../journal/open-batch.ts';
import type {NamedRow} from '../journal/rows/report-rows.ts';
import {foldReference, idempotencyKey, normaliseReference} from '../model/identity.ts';
import {type Kind, KINDS} from '../model/kinds.ts';
import type {Plan} from '../model/plan-facts.ts';
import {lookalikeText} from '../model/lookalikes.ts';
import {cleanMessage, type FieldDifference, type RowState} from '../model/outcome.ts';
import {publishedAt, publishedText, readBatch} from './read-batch.ts';
import {mayBeBack, MAYBE_RETURNED, NO_RETURNS, type ReturnedRow, returnedText} from '../report/returned.ts';
import {commandsOf, returnedOf, type WantedBatch} from './status.ts';

/** A row of a batch with everything that its journal has of it. */
export interface FoundRow {
  batch_id: string;
  reference: string;
  /** Row and line of the file. */
  row: number;
  line: number;
  state: RowState | 'failed' | 'returned' | typeof MAYBE_RETURNED.state;
  /** The record, once known, and its status as last seen. */
  id: string | null;
  status: string | null;
  code: string | null;
  message: string | null;
  payee_id?: string;
  payer_id?: string;
  amount_in_minor_units: number;
  currency_code: string;
  rail: string | null;
  attempts: number;
  request_id: string | null;
  /** Null until the first run, which decides between the test and the live service. */
  idempotency_key: string | null;
  /** The failed or canceled record that a retry replaced. */
  former_id: string | null;
  /** How its record differs from the row; null if it does not. */
  differences: FieldDifference[] | null;
  updated_at: string | null;
  /** When the process that has the batch published what is shown; absent if none has it. */
  published_at?: string;
}

/** A row, with the commands for its batch. */
export interface Placement {
  row: FoundRow;
  commands: CommandBuilder;
  plan: Plan;
  /** Whether the profile of the last run may release records that differ. */
  mayAcceptDifferences: boolean;
  /** When the copy was published, in words, if another process has the batch. */
  published: string | undefined;
  /** Whether the bank has returned it, or may have, and it was not paid again. */
  isReturned: boolean;
  /** Whether that process sends rows. */
  isBeingSent: boolean;
}

/** A batch whose rows could not be read. */
export interface UnreadBatch {
  batchId: string;
  error: RemitError;
}

/**
 * Rows of one batch with a reference, which may differ in case or spaces.
 * @throws RemitError NO_BATCH if the batch or the row does not exist, LOCKED if another process has the batch and
 *   provides no copy
 */
export async function rowsOfBatch(wanted: WantedBatch, reference: string): Promise<Placement[]> {
  const rows = await readRows(wanted, reference);
  if (rows.length > 0) return rows;
  const leftOut = await readLeftOut(wanted, reference);
  if (leftOut.length > 0) throw leftOutError(wanted.kind, leftOut);
  const similar = await readLookalikes(wanted, reference);
  const [first] = similar;
  const {topic} = KINDS[wanted.kind];
  throw new RemitError(
    'NO_BATCH',
    `batch ${wanted.batchId} has no row with reference ${reference}${similarText(similar, reference)}`,
    {
      hint: (commands) =>
        first === undefined
          ? commands.read(topic, 'batch', 'find', reference)
          : commands.read(topic, 'batch', 'status', wanted.batchId, '--row', first),
      details: similar.length === 0 ? undefined : {similar},
    },
  );
}

/** Searches all batches of a state folder, the last changed row first. */
export async function findRows(
  wanted: Omit<WantedBatch, 'batchId'>,
  reference: string,
): Promise<{rows: Placement[]; unread: UnreadBatch[]; searched: string[]}> {
  const ids = batchIds(wanted.stateDir, wanted.kind).sort();
  const rows: Placement[] = [];
  const unread: UnreadBatch[] = [];
  const searched: string[] = [];
  for (const batchId of ids) {
    try {
      rows.push(...(await readRows({...wanted, batchId}, reference)));
      searched.push(batchId);
    } catch (error) {
      if (!(error instanceof RemitError)) throw error;
      unread.push({batchId, error});
    }
  }
  rows.sort(({row: a}, {row: b}) => (b.updated_at ?? '').localeCompare(a.updated_at ?? ''));
  return {rows, unread, searched};
}

/** A row of a file that was not planned because of its errors. */
export interface LeftOut {
  batchId: string;
  line: number;
  reference: string;
  issues: string;
}

/** The rows with this reference that these batches left out with errors. */
export async function findLeftOut(
  wanted: Omit<WantedBatch, 'batchId'>,
  reference: string,
  ids: readonly string[],
): Promise<LeftOut[]> {
  const found: LeftOut[] = [];
  for (const batchId of ids)
    found.push(...(await readLeftOut({...wanted, batchId}, reference).catch(noneIfUnread)));
  return found;
}

async function readLeftOut(wanted: WantedBatch, reference: string): Promise<LeftOut[]> {
  const batch = await readBatch(wanted, `a row of batch ${wanted.batchId}`);
  try {
    const {plan, journal} = batch;
    const column = plan.columns?.indexOf('reference') ?? -1;
    if (plan.invalidRows === 0 || column === -1) return [];
    const folded = foldReference(normaliseReference(reference));
    const isAsked = ({reference: text}: {reference: string}) =>
      foldReference(normaliseReference(text)) === folded;
    return [...journal.report.leftOut(column)].filter(isAsked).map(({n, line, reference: text}) => ({
      batchId: plan.batchId,
      line,
      reference: journal.sanitizer.line(text),
      issues: journal.report
        .issuesOf(n)
        .map(({col, message}) => journal.sanitizer.line(col === '' ? message : `${col}: ${message}`))
        .join('; '),
    }));
  } finally {
    await batch.close();
  }
}

/** The error for a reference that no batch planned, and that some left out. */
export function leftOutError(kind: Kind, rows: readonly LeftOut[]): RemitError {
  const texts = rows.map(
    ({batchId, line, reference, issues}) =>
      `batch ${batchId} left out the row with reference ${reference}, line ${line}: ${issues}`,
  );
  const [first] = rows;
  return new RemitError('NO_BATCH', texts.join('. '), {
    hint: (commands) =>
      `the results and failed.csv have it: ${commands.read(KINDS[kind].topic, 'batch', 'report', first?.batchId ?? 'BATCH')}`,
    details: {
      left_out: rows.map(({batchId, line, reference}) => ({batch_id: batchId, line, reference})),
    },
  });
}

/** A batch that cannot be read was reported as not searched. */
function noneIfUnread(error: unknown): never[] {
  if (error instanceof RemitError) return [];
  throw error;
}

/** References of these batches that only look like this one. */
export async function findLookalikes(
  wanted: Omit<WantedBatch, 'batchId'>,
  reference: string,
  ids: readonly string[],
): Promise<string[]> {
  const found = new Set<string>();
  for (const batchId of ids) {
    const similar = await readLookalikes({...wanted, batchId}, reference).catch(noneIfUnread);
    for (const one of similar) found.add(one);
    if (found.size >= MOST_SIMILAR) break;
  }
  return [...found].slice(0, MOST_SIMILAR);
}

/** `. Similar: INV‑17 (it contains U+2011)`, for the end of a message. */
export const similarText = (similar: readonly string[], reference: string): string =>
  similar.length === 0 ? '' : `. Similar: ${similar.map((one) => lookalikeText(one, reference)).join(', ')}`;

const MOST_SIMILAR = 5;

async function readLookalikes(wanted: WantedBatch, reference: string): Promise<string[]> {
  const batch = await readBatch(wanted, `a row of batch ${wanted.batchId}`);
  try {
    return batch.journal.report.lookalikesOf(normaliseReference(reference), MOST_SIMILAR);
  } finally {
    await batch.close();
  }
}

async function readRows(wanted: WantedBatch, reference: string): Promise<Placement[]> {
  const batch = await readBatch(wanted, `a row of batch ${wanted.batchId}`);
  try {
    const rows = batch.journal.report.withReference(normaliseReference(reference));
    const commands = commandsOf(batch, wanted);
    const {mayAcceptDifferences = true} = batch.journal.fact('runFacts') ?? {};
    const about = {
      commands,
      plan: batch.plan,
      mayAcceptDifferences,
      published: publishedText(batch),
      isBeingSent: isBeingSent(batch),
    };
    const back = rows.length === 0 ? {found: NO_RETURNS} : await returnedOf(batch, wanted);
    return rows.map((row) => {
      const returned = back.found.get(row.n);
      const isUnsure = returned === undefined && mayBeBack(back, row.id);
      const isReturned = returned !== undefined && returned.paidAgainBy === undefined;
      const found = withReturn(foundRow(batch, row), returned);
      const shown = isUnsure ? {...found, state: MAYBE_RETURNED.state, message: MAYBE_RETURNED.text} : found;
      return {row: shown, isReturned: isReturned || isUnsure, ...about};
    });
  } finally {
    await batch.close();
  }
}

const withReturn = (row: FoundRow, back: ReturnedRow | undefined): FoundRow =>
  back === undefined
    ? row
    : {...row, state: 'returned', code: back.code ?? null, message: returnedText(back)};

function foundRow(batch: OpenBatch, row: NamedRow): FoundRow {
  const {journal, plan} = batch;
  const {sanitizer} = journal; // journaled text is clean, unless an earlier version wrote it
  const clean = (text: string | null) => (text === null ? null : sanitizer.token(text));
  const mode = journal.fact('binding')?.mode;
  const {kind, namespace, batchId} = plan;
  return {
    batch_id: batchId,
    reference: row.reference,
    row: row.n,
    line: row.line,
    state: row.state === 'accepted' && hasFailed(row.status) ? 'failed' : row.state,
    id: clean(row.id),
    status: clean(row.status),
    code: clean(row.code),
    message: cleanMessage(sanitizer, row),
    [KINDS[kind].party]: row.party,
    amount_in_minor_units: row.amount,
    currency_code: row.currency,
    rail: row.rail,
    attempts: row.attempts ?? 0,
    request_id: clean(row.request_id),
    idempotency_key: mode === undefined ? null : idempotencyKey({kind, mode, namespace, ...row}),
    former_id: clean(row.former_id),
    differences: row.differences === null ? null : ownJson<FieldDifference[]>(row.differences),
    updated_at: row.at === null ? null : new Date(row.at).toISOString(),
    ...publishedAt(batch),
  };
}
