import type {SandboxContext} from '../world/context.ts';
import {invalid} from '../base/service-error.ts';
import type {Day} from '../time/schedule.ts';
import {bai2File} from './bai2-file.ts';
import {camt053File} from './camt053-file.ts';
import {csvFile} from './csv-file.ts';
import type {StatementFileFormat} from './formats.ts';
import {mt940File} from './mt940-file.ts';
import {ofxFile} from './ofx-file.ts';
import {statementData, type StatementData, type StatementReads} from './statement-data.ts';

/** Which statement is asked for. */
export interface StatementRequest {
  account_id: string;
  format: StatementFileFormat;
  from?: Day | undefined;
  to?: Day | undefined;
  /** Where a part of the text begins. Default: the whole text. */
  offset?: number | undefined;
}

/** An answer with more text would be too large for its reader, in which a character may have six bytes. */
const PART_LENGTH = 4 * 1024 * 1024;

/** A statement as a file. */
export interface StatementFile {
  account_id: string;
  format: StatementFileFormat;
  from: Day;
  to: Day;
  /** How many lines it has, pending ones included where the format has them. */
  lines: number;
  /** Minor units, as decimal text. */
  opening_balance_in_minor_units: string;
  closing_balance_in_minor_units: string;
  /** The file, or a part of it. */
  text: string;
  /** Where the next part begins. */
  next_offset: number | null;
}

const WRITE: Readonly<Record<StatementFileFormat, (data: StatementData) => AsyncGenerator<string>>> = {
  camt053: camt053File,
  bai2: bai2File,
  ofx: ofxFile,
  mt940: mt940File,
  csv: csvFile,
};
const WITHOUT_PENDING: readonly StatementFileFormat[] = ['bai2', 'mt940'];

/** A statement of which a part was sent. */
interface SendingFile {
  data: StatementData;
  pieces: AsyncGenerator<string>;
}

/** So many statements can be sent at the same time. A part of another one is written again from the beginning. */
const MOST_SENDING = 8;

/** Writes the statements of treasury accounts of either entity, whole or in parts. */
export class StatementFiles {
  /** By what is asked for next. */
  readonly #sending = new Map<string, SendingFile>();
  readonly #partLength: number;

  constructor(partLength = PART_LENGTH) {
    this.#partLength = partLength;
  }

  /**
   * The last part of several has the balances and the number of lines of then: they differ from those of the first one if
   * the bank has reported something meanwhile.
   * @throws {ServiceError} NOT_FOUND; VALIDATION_ERROR if the period ends before it begins
   */
  async write(context: SandboxContext, asked: StatementRequest): Promise<StatementFile> {
    const {offset} = asked;
    if (offset === undefined)
      return context.store.read(async (queries) => {
        const {data, pieces} = await begin(context, asked, (work) => work(queries));
        return shown(data, asked, {text: (await textOf(pieces)).text, next: null});
      });
    const read: StatementReads = (work) => context.store.read(work);
    const file = this.#resumed(asked) ?? (await begin(context, asked, read));
    const {text, isEnd} = await textOf(file.pieces, this.#partLength);
    if (isEnd) {
      const {data} = offset === 0 ? file : await begin(context, asked, read);
      return shown(data, asked, {text, next: null});
    }
    const next = offset + text.length;
    this.#keep({...asked, offset: next}, file);
    return shown(file.data, asked, {text, next});
  }

  #resumed(asked: StatementRequest): SendingFile | undefined {
    const key = keyOf(asked);
    const found = this.#sending.get(key);
    this.#sending.delete(key);
    return found;
  }

  #keep(next: StatementRequest, file: SendingFile): void {
    const [oldest] = this.#sending.keys();
    if (oldest !== undefined && this.#sending.size >= MOST_SENDING) this.#sending.delete(oldest);
    this.#sending.set(keyOf(next), file);
  }
}

const keyOf = ({account_id: id, format, from, to, offset}: StatementRequest): string =>
  JSON.stringify([id.toLowerCase(), format, from, to, offset]);

async function begin(
  {clock}: SandboxContext,
  {account_id: id, format, from, to, offset = 0}: StatementRequest,
  read: StatementReads,
): Promise<SendingFile> {
  const data = await statementData(read, id, {from, to, nowMs: clock.now()});
  if (data.to < data.from) throw invalid('to', `is before the first day, ${data.from}`);
  return {data, pieces: after(offset, WRITE[format](data))};
}

async function* after(offset: number, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  let left = offset;
  for await (const piece of pieces) {
    if (piece.length > left) yield piece.slice(left);
    left = Math.max(0, left - piece.length);
  }
}

/** At least this many characters, up to the end of a line, or what there is. */
async function textOf(
  pieces: AsyncGenerator<string>,
  length = Infinity,
): Promise<{text: string; isEnd: boolean}> {
  const texts: string[] = [];
  for (let size = 0; size < length;) {
    const next = await pieces.next();
    if (next.done === true) return {text: texts.join(''), isEnd: true};
    texts.push(next.value);
    size += next.value.length;
  }
  return {text: texts.join(''), isEnd: false};
}

const shown = (
  data: StatementData,
  {format}: StatementRequest,
  {text, next}: {text: string; next: number | null},
): StatementFile => ({
  account_id: data.accountId,
  ...{format, from: data.from, to: data.to},
  lines: WITHOUT_PENDING.includes(format) ? data.posted : data.posted + data.pending,
  opening_balance_in_minor_units: String(data.opening),
  closing_balance_in_minor_units: String(data.closing),
  ...{text, next_offset: next},
});
