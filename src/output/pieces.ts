import {setImmediate} from 'node:timers/promises';
import {isList, isObject, type Json, type Printable} from '../narrow.ts';
import {isPrintable} from '../sanitize/harmful.ts';
import {safeJson, type Sanitizer} from '../sanitize/sanitizer.ts';
import {cardText} from './records/card.ts';
import {csvColumns, csvLine, csvRows, withoutColumn} from './records/csv.ts';
import type {Format, OutputSettings} from './formats.ts';
import {PIECE} from './records/held.ts';
import {pickFields, selectedValue} from './records/select.ts';
import {TableWriter} from './records/table.ts';
import {plainValue, type Eye, type View} from './records/view.ts';

/** Fields that a warning names. */
const MOST_NAMED = 10;

/** Records, or a list that is read in pages. */
export type RecordStream = AsyncIterable<Printable> | Iterable<Printable>;

/** The records of one page are there at the same time, so they may be written at once. */
interface Paged {
  pages: () => AsyncIterable<{items: readonly Printable[]}>;
}

const isPaged = (records: RecordStream): records is RecordStream & Paged =>
  'pages' in records && typeof records.pages === 'function';

/** Records as they arrive: a page, or one alone. */
async function* arrivals(records: RecordStream): AsyncGenerator<readonly Printable[], void, undefined> {
  if (!isPaged(records)) {
    for await (const record of records) yield [record];
    return;
  }
  for await (const {items} of records.pages()) {
    await setImmediate(); // the request for the next page leaves before this one is laid out
    yield items;
  }
}

/**
 * Records in groups: as they arrive for formats that need no others to lay a record out, otherwise by the piece. If their
 * source fails, the records before that come first, then its error.
 */
export async function* inPieces(
  records: RecordStream,
  format: Format,
): AsyncGenerator<Printable[], void, undefined> {
  const isAlone = format === 'ndjson' || format === 'id';
  let piece: Printable[] = [];
  let failed: {error: unknown} | undefined;
  try {
    for await (const arrived of arrivals(records)) {
      for (const record of arrived) {
        piece.push(record);
        if (piece.length < PIECE) continue;
        yield piece;
        piece = [];
      }
      if (!isAlone || piece.length === 0) continue;
      yield piece;
      piece = [];
    }
  } catch (error) {
    failed = {error};
  }
  if (piece.length > 0) yield piece;
  if (failed !== undefined) throw failed.error;
}

/** What the pieces of one list have in common. */
export interface ListContext {
  settings: Pick<OutputSettings, 'format' | 'fields'>;
  sanitizer: Sanitizer;
  view: View | undefined;
  eye: Eye;
  /** Columns of CSV; if absent, they follow from the first records. */
  declared?: readonly string[] | undefined;
  note: (text: string) => void;
  warn: (text: string) => void;
  /** Called for an id that cannot be printed unchanged: without its hidden characters it would be another one. */
  leaveOut: (id: string) => void;
}

/** The next records of a list as text. */
export type PieceWriter = (records: readonly Json[]) => Promise<string>;

/** Writes a list in pieces; keeps what all of them share (header, columns). */
export function pieceWriter(context: ListContext): PieceWriter {
  const {format, fields} = context.settings;
  switch (format) {
    case 'ndjson':
      return async (records) => records.map((record) => `${safeJson(pickFields(record, fields))}\n`).join('');
    case 'id':
      return idPieces(context);
    case 'csv':
      return csvPieces(context);
    default:
      return tablePieces(context);
  }
}

function idPieces({view, warn, leaveOut}: ListContext): PieceWriter {
  let hasWarned = false;
  return async (records) =>
    records
      .map((record) => {
        const id = idOf(record, view);
        if (typeof id === 'string' && !isPrintable(id)) {
          leaveOut(id);
          return '';
        }
        if (id !== undefined) return `${scalarText(id)}\n`;
        if (!hasWarned && !hasNoId(record)) warn('the result has no id; use -o json');
        hasWarned = true;
        return '';
      })
      .join('');
}

function csvPieces({settings: {fields}, declared, note, warn}: ListContext): PieceWriter {
  let columns: readonly string[] | undefined;
  let rowOf = csvRows([]);
  let hasWarned = fields.length > 0;
  return async (records) => {
    let header = '';
    const known = declared ?? columns;
    const lost = hasWarned || known === undefined ? [] : withoutColumn(records, known);
    if (lost.length > 0) {
      hasWarned = true;
      const names = lost.slice(0, MOST_NAMED).map(plainValue).join(', ');
      if (declared === undefined)
        warn(
          `later records have fields that the first ${PIECE} do not have, so they have no column: ${names}. Name the columns with --fields, or use -o ndjson`,
        );
      else note(`The service also sends ${names}: name the columns with --fields, or use -o ndjson.`);
    }
    if (columns === undefined) {
      const all = fields.length > 0 ? fields : (declared ?? csvColumns(records));
      columns = all.length === 0 && records.length > 0 ? [''] : all;
      rowOf = csvRows(columns);
      if (columns.length > 0) header = csvLine(columns[0] === '' ? ['value'] : columns);
    }
    return header + records.map(rowOf).join('');
  };
}

function tablePieces({settings: {fields}, sanitizer, view, eye, note}: ListContext): PieceWriter {
  const table = new TableWriter(view, {columns: eye.columns, fields, eye, pieceSize: PIECE});
  let isFirst = true;
  return async (records) => {
    if (records.length === 0) return eye.terminal ? `No ${view?.plural ?? 'records'}.\n` : '';
    const text = sanitizer.laidOut(await table.piece(records), records);
    const hidden = isFirst ? hiddenNote(table) : '';
    if (hidden !== '') note(hidden);
    isFirst = false;
    return text;
  };
}

/** What a table does not show; empty if it shows everything. */
function hiddenNote({leftOut, shown}: TableWriter): string {
  if (leftOut.length === 0) return '';
  const labels = leftOut.map(({label}) => label).join(', ');
  const fields = [...shown.slice(0, 1), ...leftOut].map(({path}) => path).join(',');
  return `Columns hidden to fit the terminal: ${labels}. Show them with --fields ${fields} or -o json.`;
}

/** A whole result: scalars one per line, one record as a card, several as a list. */
export async function wholeText(
  records: readonly Json[],
  isSeveral: boolean,
  context: ListContext,
): Promise<string> {
  const {settings, sanitizer, view, eye} = context;
  if (settings.format === 'table') {
    const isScalar = records.every((record) => !isObject(record) && !Array.isArray(record));
    if (isScalar) return records.map((record) => `${scalarText(record)}\n`).join('');
    // A query returns them: [].[id,status].
    const lists = records.flatMap((record) => (isList(record) ? [record] : []));
    if (records.length > 0 && lists.length === records.length)
      return lists.map((cells) => `${cells.map(scalarText).join('\t')}\n`).join('');
    if (!isSeveral) return sanitizer.laidOut(cardText(records[0], view, settings.fields, eye), records);
  }
  return pieceWriter(context)(records);
}

/** Fields that name a record, the first one that it has. */
const NAMES = ['id', 'batch_id', 'name', 'profile', 'account_id', 'default'];

/** What names a record; a scalar names itself. Undefined if nothing does, as in a row of a batch that has no record yet. */
function idOf(record: Json, view: View | undefined): Json {
  if (!isObject(record) && !isList(record)) return record;
  const own = view?.idPath === undefined ? undefined : selectedValue(record, view.idPath);
  if (own !== undefined || hasNoId(record)) return own;
  return NAMES.map((name) => selectedValue(record, name)).find(
    (value) => typeof value === 'string' || typeof value === 'number',
  );
}

const hasNoId = (record: Json): boolean => isObject(record) && record['id'] === null;

/** One value per line, for `-o id` and queries that return scalars. */
function scalarText(value: Json): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : safeJson(value);
}
