import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import {KINDS, type Kind} from '../../../batch/model/kinds.ts';
import {
  findLeftOut,
  findLookalikes,
  findRows,
  leftOutError,
  similarText,
  type FoundRow,
  type Placement,
  rowsOfBatch,
  type UnreadBatch,
} from '../../../batch/overview/rows.ts';
import {EXIT, type ExitCode, type Hint, RemitError} from '../../../errors.ts';
import {GAP} from '../../../output/records/fit.ts';
import {cellWidth} from '../../../output/text/width.ts';
import type {LocalContext} from '../../core/context.ts';
import {accepting} from '../../../batch/model/accept.ts';
import {typingFor} from '../../../batch/standing/next-command.ts';
import {isMetadataUnread, notComparedIn} from '../../../batch/answers/difference.ts';
import {DIFFERS_CODE, NOT_COMPARED_CODE, wasReadAsOther} from '../../../batch/model/outcome.ts';
import {commandsFor, runAsAnother} from '../place.ts';
import {isMovedAway, movedTo} from '../../team/moved.ts';
import {returnsReader} from '../returns.ts';
import {rowView} from './row-view.ts';

interface Asked {
  kind: Kind;
  reference: string;
  stateDir: string;
}

const wantedOf = (local: LocalContext, {kind, stateDir}: Asked) => ({
  ...{kind, clock: local.clock, stateDir},
  commandsFor: (batch: OpenBatch) => commandsFor(local, batch),
  returnsOf: returnsReader(local, stateDir),
});

/**
 * Shows one row of a batch.
 * @throws RemitError USAGE if several rows differ only in case or spaces
 */
export async function showRow(
  local: LocalContext,
  asked: Asked & {batchId: string},
): Promise<{row: FoundRow; exit: ExitCode}> {
  const {batchId, reference} = asked;
  const rows = await rowsOfBatch({...wantedOf(local, asked), batchId}, reference);
  const exact =
    rows.find(({row}) => row.reference === reference) ?? (rows.length === 1 ? rows[0] : undefined);
  if (exact === undefined)
    throw new RemitError('USAGE', `several rows of batch ${batchId} are like ${reference}`, {
      hint: `write it as in the file: ${rows.map(({row}) => row.reference).join(', ')}`,
    });
  local.out.record(exact.row, rowView);
  notePublished(local, [exact]);
  hintRecord(local, asked, exact);
  return {row: exact.row, exit: exitCodeOfRow(exact)};
}

/** The exit code of `status` for a batch of this row alone. A row that was not sent may belong to a plan or to a run. */
function exitCodeOfRow({row: {state, code}, isBeingSent, isReturned}: Placement): ExitCode {
  if (state === 'in_doubt') return isBeingSent ? EXIT.OK : EXIT.IN_DOUBT;
  return isReturned || UNDECIDED.has(state) || code === DIFFERS_CODE ? EXIT.PARTIAL : EXIT.OK;
}

const UNDECIDED: ReadonlySet<FoundRow['state']> = new Set([
  'held',
  'unapproved',
  'rejected',
  'dead_key',
  'conflict',
  'collision',
  'failed',
]);

/** Lists the rows of all batches with a reference. */
export async function showFound(local: LocalContext, asked: Asked): Promise<ExitCode> {
  const {out} = local;
  const {reference} = asked;
  const all = await findRows(wantedOf(local, asked), reference);
  const moved = [...new Set(all.rows.map(({row}) => row.batch_id))].flatMap((id) =>
    movedAway(local, asked, id),
  );
  const isHere = (id: string) => !moved.some(({batchId}) => batchId === id);
  const rows = all.rows.filter(({row}) => isHere(row.batch_id));
  const unread = [...all.unread, ...moved];
  const searched = all.searched.filter(isHere);
  const leftOut = rows.length === 0 ? await findLeftOut(wantedOf(local, asked), reference, searched) : [];
  if (leftOut.length > 0) {
    for (const {batchId, error} of unread) out.warn(`batch ${batchId} was not searched: ${error.message}`);
    throw leftOutError(asked.kind, leftOut);
  }
  if (rows.length === 0)
    throw notFound(asked, {
      unread,
      batches: searched.length,
      similar: await findLookalikes(wantedOf(local, asked), reference, searched),
    });
  const found = rows.map(({row}) => row);
  if (fitsTable(out, found)) await out.list(found, rowView);
  else
    for (const [index, row] of found.entries()) {
      if (index > 0) out.text('');
      out.record(row, rowView);
    }
  notePublished(local, rows);
  for (const {batchId, error} of unread) out.warn(`batch ${batchId} was not searched: ${error.message}`);
  const [away] = moved;
  if (away !== undefined) out.hint(away.error.hint ?? '');
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) hintRecord(local, asked, only);
  const isBack = rows.some(({isReturned}) => isReturned);
  return unread.length === 0 && !isBack ? EXIT.OK : EXIT.PARTIAL;
}

/** Where a batch is now, if what this folder has of it is only what was left when it was moved. */
function movedAway({team}: LocalContext, {kind, reference, stateDir}: Asked, batchId: string): UnreadBatch[] {
  if (team !== undefined || !isMovedAway(stateDir, kind, batchId)) return [];
  const to = movedTo(stateDir, kind, batchId);
  const words = [KINDS[kind].topic, 'batch', 'find', reference, '--state', to];
  const hint: Hint = (commands) => commands.read(...words);
  return [{batchId, error: new RemitError('NO_BATCH', `it was moved to ${to}`, {hint})}];
}

/** Whether the columns that are always shown fit; the terminal would break an id, which then cannot be copied whole. */
function fitsTable(
  {isTerminal, forPeople, columns, settings}: LocalContext['out'],
  rows: readonly FoundRow[],
): boolean {
  if (!isTerminal || !forPeople || settings.fields.length > 0 || settings.query !== undefined) return true;
  const widths = (['batch_id', 'reference', 'state', 'id'] as const).map((name) =>
    Math.max(name.length, ...rows.map((row) => cellWidth(row[name] ?? '-'))),
  );
  return widths.reduce((sum, width) => sum + width + GAP, -GAP) <= columns;
}

function notePublished({out}: LocalContext, rows: readonly Placement[]): void {
  for (const text of new Set(rows.map(({published}) => published))) if (text !== undefined) out.note(text);
}

function notFound(
  {kind, reference}: Asked,
  {unread, batches, similar}: {unread: readonly UnreadBatch[]; batches: number; similar: readonly string[]},
): RemitError {
  const [first] = unread;
  const [alike] = similar;
  const also = similarText(similar, reference);
  if (first !== undefined) {
    const names = unread.map(({batchId}) => batchId).join(', ');
    return new RemitError(
      first.error.code,
      `no row with reference ${reference} in the batches that could be read; not searched: ${names} (${first.error.message})${also}`,
      {
        hint: first.error.openHint,
        details: {unread: unread.map(({batchId}) => batchId), ...(alike === undefined ? {} : {similar})},
      },
    );
  }
  const searched = batches === 1 ? '1 batch' : `${batches} batches`;
  return new RemitError('NO_BATCH', `no row with reference ${reference} in ${searched}${also}`, {
    hint: (commands) =>
      batches === 0
        ? '--state-dir names another state folder'
        : alike === undefined
          ? commands.read(KINDS[kind].topic, 'batch', 'list')
          : commands.read(KINDS[kind].topic, 'batch', 'find', alike),
    details: alike === undefined ? undefined : {similar},
  });
}

/** The status in a journal is the last one seen. */
function hintRecord(local: LocalContext, asked: Asked, placement: Placement): void {
  const {out} = local;
  const {row, commands, published} = placement;
  if (published === undefined) hintDecision(local, asked, placement); // otherwise another process continues it
  if (row.id === null || !out.isTerminal) return;
  out.note('The status is as last seen. The record at the service:');
  out.hint(commands.read(KINDS[asked.kind].topic, 'get', row.id));
}

function hintDecision(local: LocalContext, asked: Asked, placement: Placement): void {
  const {out} = local;
  const {kind} = asked;
  const {row, commands, mayAcceptDifferences} = placement;
  const {id, batch_id: batchId} = row;
  const type = typingFor(commands, {kind, batchId});
  if (row.state === 'held' && row.code === NOT_COMPARED_CODE) hintNotCompared(local, placement, kind);
  else if (row.state === 'held') {
    out.note('It is held because its record differs from the row; nothing of it is approved. Your decision:');
    if (mayAcceptDifferences)
      out.hint(`release it as it is: ${type('release', ...accepting('differences'))}`);
    out.hint(`cancel what is not released: ${type('cancel')}`);
    if (isMetadataUnread(row.differences ?? [], kind))
      hintMetadata(local, placement, wantedOf(local, asked).stateDir);
  }
  if (row.state === 'accepted' && row.code === DIFFERS_CODE && id !== null) {
    out.note('Its record differs from the row, and cannot be held back any more: compare the two.');
    out.hint(`once compared, if it was paid once: ${type('resolve', row.reference, '--paid', id)}`);
    if (wasReadAsOther(row)) out.hint(`to read the records again: ${type('status', '--refresh')}`);
  }
}

/** Nothing shows what its release would pay, so it is not offered. */
function hintNotCompared({out}: LocalContext, {row, commands}: Placement, kind: Kind): void {
  const {topic} = KINDS[kind];
  const type = typingFor(commands, {kind, batchId: row.batch_id});
  const fields = notComparedIn(row.differences ?? []);
  const keys = fields.map((field) => `fields.${topic}.${field}`);
  out.note(
    `It is held because its record does not show its ${fields.join(' and ')}, so what a release would pay is unknown. --accept differences does not release it.`,
  );
  out.note(
    `If the service answers with other names, set them in the service file (${keys.join(' and ')}), and keep the names in requests (fields.${topic}.create).`,
  );
  out.hint(`to find the names: ${commands.read('doctor')}`);
  out.hint(`once the service file names them: ${type('resume')}`);
  out.hint(`cancel what is not released: ${type('cancel')}`);
}

/** A batch is bound to the name of the metadata field, so it cannot be corrected within the batch. */
function hintMetadata({out}: LocalContext, {commands, plan}: Placement, stateDir: string): void {
  const field = `${KINDS[plan.kind].topic}.create.metadata`;
  const {profile} = commands;
  out.note('If the service reads payout_metadata instead of metadata, cancel the batch as above, and then:');
  out.hint(
    profile === undefined
      ? `set fields.${field} to payout_metadata in the service file`
      : commands.read('profiles', 'set', profile, '--field', `${field}=payout_metadata`),
  );
  out.hint(`run the file as another batch: ${runAsAnother(commands, stateDir, plan)}`);
}
