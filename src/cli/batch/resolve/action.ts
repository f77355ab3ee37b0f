import {checkDeclared, differenceOf, toFindRecord} from '../../../batch/repair/declared-record.ts';
import {type Kind, KINDS} from '../../../batch/model/kinds.ts';
import {FORMER_GONE_CODE} from '../../../batch/model/outcome.ts';
import {type OpenBatch, openBatch} from '../../../batch/journal/open-batch.ts';
import {
  doubtfulRow,
  recordedRow,
  resolveRow,
  resolveRows,
  type Resolving,
  rowToResolve,
} from '../../../batch/repair/resolve.ts';
import type {Resolution} from '../../../batch/repair/resolved-outcome.ts';
import {type IdFormat, isId, usualId} from '../../../contract/ids.ts';
import type {Clock} from '../../../clock.ts';
import {LIFECYCLES, isBadEnd} from '../../../contract/lifecycle.ts';
import {EXIT, RemitError} from '../../../errors.ts';
import {type JsonFields, asObject} from '../../../narrow.ts';
import {Sanitizer} from '../../../sanitize/sanitizer.ts';
import type {ApprovalGate} from '../../approval/gate.ts';
import type {Typed} from '../../line/command-line.ts';
import type {Context, LocalContext} from '../../core/context.ts';
import {checkBound, commandsFor} from '../place.ts';
import {readSummary} from '../../../batch/standing/read-summary.ts';
import {invalidLines, type ResolveLine} from './file.ts';

/** For a profile with a policy: what is resolved has to be approved again. */
type GateOf = (batch: OpenBatch) => ApprovalGate | undefined;

/**
 * Resolves a row in doubt as the operator states; nothing is sent. `next` is the command that sends the row, if that
 * is left to do. A named record is read and must belong to the row.
 * @param context opens the client that reads the record; absent if it is not read
 * @param openToLook the same, for the record of a row declared not paid: if the record shows progress, the row is not
 *   recorded as unpaid; if it cannot be read, it is, with the reason in `unseen`
 */
export async function resolveInBatch(options: {
  kind: Kind;
  stateDir: string;
  batchId: string;
  reference: string;
  resolution: Resolution;
  context: Context | undefined;
  openToLook?: (() => Promise<Context>) | undefined;
  clock: Clock;
  local: LocalContext;
  gateOf: GateOf;
  typed: Typed;
}) {
  const {kind, stateDir, batchId, reference, context, clock, typed} = options;
  const tell = (text: string) => options.local.out.warn(text);
  const batch = await openBatch({
    stateDir,
    kind,
    batchId,
    purpose: `resolve in batch ${batchId}`,
    brief: context === undefined && options.openToLook === undefined,
    clock,
  });
  try {
    const commands = (options.local.ofBatch.commands = commandsFor(options.local, batch));
    let {resolution} = options;
    batch.journal.makeDoubtExplicit();
    const recorded = recordedRow(batch, reference, resolution);
    if (recorded !== undefined) {
      const {next} = readSummary(batch, clock.now(), () => commands);
      return {batch_id: batchId, ...recorded, next};
    }
    if (resolution !== 'not-paid' && context !== undefined)
      resolution = {
        ...resolution,
        status: await lookUp({batch, context, stateDir, typed, reference, id: resolution.paid}),
      };
    const unread =
      resolution === 'not-paid' && options.openToLook !== undefined
        ? await refuseMoved({batch, reference, stateDir, typed, open: options.openToLook})
        : undefined;
    const isGone = unread?.isGone === true;
    options.gateOf(batch)?.note('resolved', {rows: [reference]});
    const resolved = await resolveRow({stateDir, reference, resolution, isGone, clock, batch, tell});
    const {next} = readSummary(batch, clock.now(), () => commands);
    return {batch_id: batchId, ...resolved, next, ...(unread === undefined ? {} : {unseen: unread.why})};
  } finally {
    await batch.close();
  }
}

/**
 * Resolves every row of a file, or none. Each record that is named, and each known record of a row declared
 * not paid, is read first, unless `open` is absent.
 * @throws RemitError CSV_INVALID for a reference that is unknown or not in doubt; for a record, the same errors as
 *   the single form
 */
export async function resolveFromFile(options: {
  kind: Kind;
  stateDir: string;
  batchId: string;
  path: string;
  lines: readonly ResolveLine[];
  open: (() => Promise<Context>) | undefined;
  clock: Clock;
  local: LocalContext;
  gateOf: GateOf;
  typed: Typed;
}) {
  const {kind, stateDir, batchId, path, lines, open, clock, typed} = options;
  const tell = (text: string) => options.local.out.warn(text);
  const purpose = `resolve in batch ${batchId}`;
  const batch = await openBatch({stateDir, kind, batchId, purpose, brief: open === undefined, clock});
  try {
    const commands = (options.local.ofBatch.commands = commandsFor(options.local, batch));
    refuseUnknown(batch, path, lines);
    const rows: Resolving[] = [];
    const unseen: {reference: string; why: string}[] = [];
    for (const {reference, resolution} of lines) {
      const isRecorded = recordedRow(batch, reference, resolution) !== undefined;
      if (open === undefined || isRecorded) rows.push({reference, resolution});
      else if (resolution === 'not-paid') {
        const unread = await refuseMoved({batch, reference, stateDir, typed, open});
        if (unread !== undefined) unseen.push({reference, why: unread.why});
        rows.push({reference, resolution, isGone: unread?.isGone === true});
      } else {
        const context = await open();
        const status = await lookUp({batch, context, stateDir, typed, reference, id: resolution.paid});
        rows.push({reference, resolution: {...resolution, status}});
      }
    }
    options.gateOf(batch)?.note('resolved', {rows: rows.map(({reference}) => reference)});
    const resolved = await resolveRows({batch, stateDir, rows, clock, tell});
    const {next} = readSummary(batch, clock.now(), () => commands);
    const paid = rows.filter(({resolution}) => resolution !== 'not-paid').length;
    return {batch_id: batchId, paid, not_paid: rows.length - paid, rows: resolved, unseen, next};
  } finally {
    await batch.close();
  }
}

function refuseUnknown(batch: OpenBatch, path: string, lines: readonly ResolveLine[]): void {
  batch.journal.makeDoubtExplicit();
  const problems: string[] = [];
  for (const {place, reference, resolution} of lines)
    try {
      if (recordedRow(batch, reference, resolution) === undefined) doubtfulRow(batch, reference, resolution);
    } catch (error) {
      if (!(error instanceof RemitError)) throw error;
      problems.push(`${place}: ${error.message}`);
    }
  if (problems.length > 0) throw invalidLines(path, problems);
}

/**
 * @returns why the record could not be read, if it could not
 * @throws RemitError USAGE if the record of the row is beyond created: a wrong statement changes nothing
 */
async function refuseMoved({
  open,
  ...asked
}: Asked & {open: () => Promise<Context>}): Promise<{why: string; isGone?: boolean} | undefined> {
  const {batch, reference} = asked;
  const {kind, batchId} = batch.plan;
  const row = rowToResolve(batch, reference, 'not-paid');
  const {outcome} = row;
  if (outcome?.state !== 'in_doubt' || outcome.id === null) return undefined; // no known record to read
  const {id} = outcome;
  const read = await readRecord({...asked, context: await open(), id});
  if ('failure' in read) {
    if (isUnreadable(read.failure))
      return {why: read.failure.message, isGone: read.failure.code === 'NOT_FOUND'};
    throw unchanged(read.failure, read.unseen);
  }
  const {status} = read.record;
  const lifecycle = LIFECYCLES[kind];
  if (status === lifecycle.initial || isBadEnd(lifecycle, status)) {
    const other = differenceOf(read.record, row, kind);
    return other === undefined ? undefined : {why: `the answer shows another payment: ${other}`};
  }
  if (typeof status !== 'string') return {why: 'the service shows it without a status'};
  if (!Object.hasOwn(lifecycle.next, status)) return {why: `its status is ${sanitizer.token(status)}`};
  throw new RemitError(
    'USAGE',
    `row ${reference} was paid: its record ${id} is ${status}; nothing was changed`,
    {hint: (commands) => `to record it: ${commands.write(KINDS[kind].topic, 'batch', 'resume', batchId)}`},
  );
}

/** @throws RemitError USAGE for an invalid id */
export function paidId(text: string, kind: Kind, ids: IdFormat): string {
  if (isId(text, ids)) return usualId(text);
  const which = ids === 'uuid' ? ', which is a UUID (ids.format in the service file allows others)' : '';
  throw new RemitError('USAGE', `--paid ${JSON.stringify(text)} is not the id of a record${which}`, {
    hint: (commands) =>
      `find the id in ${commands.read(KINDS[kind].topic, 'list', '--fields', 'id,status,client_metadata')}`,
  });
}

/** The parts needed to resolve a row. */
interface Asked {
  batch: OpenBatch;
  reference: string;
  stateDir: string;
  typed: Typed;
}

async function lookUp(wanted: Asked & {context: Context; id: string}): Promise<string> {
  const {batch, reference, id} = wanted;
  const {kind, batchId} = batch.plan;
  const row = rowToResolve(batch, reference, {paid: id});
  const read = await readRecord(wanted);
  if ('failure' in read && read.failure.code === 'NOT_FOUND' && row.outcome?.code === FORMER_GONE_CODE)
    throw read.failure.reworded(
      `${read.failure.message}; nothing was changed`,
      `to record it as stated, although the service does not show the record: ${read.unseen}`,
    );
  if ('failure' in read && read.failure.code === 'NOT_FOUND')
    throw read.failure.reworded(`${read.failure.message}; nothing was changed`, toFindRecord(row, kind));
  if ('failure' in read) throw unchanged(read.failure, read.unseen);
  return checkDeclared(read.record, {row, id, kind, batchId, unseen: read.unseen});
}

interface Read {
  record: JsonFields;
  /** The typed command without a check of the record. */
  unseen: string;
}

type Unread = {failure: RemitError} & Pick<Read, 'unseen'>;

/** @throws RemitError GUARD_BINDING if the batch belongs to another service or key */
async function readRecord(wanted: Asked & {context: Context; id: string}): Promise<Read | Unread> {
  const {batch, context, stateDir, typed, id} = wanted;
  checkBound(context, stateDir, typed, batch);
  const {client, commands} = context;
  const unseen = commands.again(typed, {add: ['--unseen']});
  try {
    const {data} = await client.call(`${batch.plan.kind}s.get`, {params: {id}});
    return {record: asObject(data), unseen};
  } catch (failure) {
    if (!(failure instanceof RemitError)) throw failure;
    return {failure, unseen};
  }
}

/** The record cannot be read now, or is not at the service: the operator may know more. */
const isUnreadable = ({code}: RemitError): boolean => code === 'NOT_FOUND' || code === 'UNAVAILABLE';

/**
 * A refused key has to be corrected; a record that cannot be read now may be read later. If the record was not found, the
 * id is probably wrong, and recording it would count an unpaid row as paid.
 */
function unchanged(failure: RemitError, unseen: string): RemitError {
  const isKey = failure.exitCode === EXIT.CREDENTIALS;
  const hint = isKey
    ? failure.openHint
    : `try again later; to record the row as stated, without checking that its record exists: ${unseen}`;
  return failure.reworded(`${failure.message}; nothing was changed`, hint);
}

const sanitizer = new Sanitizer();
