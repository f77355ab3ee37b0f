import type {SandboxContext} from '../world/context.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import type {Day} from '../time/schedule.ts';
import {bai2File} from './bai2-file.ts';
import {camt053File} from './camt053-file.ts';
import {csvFile} from './csv-file.ts';
import type {StatementFileFormat} from './formats.ts';
import {mt940File} from './mt940-file.ts';
import {ofxFile} from './ofx-file.ts';
import {statementData, type StatementData} from './statement-data.ts';

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
  /** Of the whole file. */
  characters: number;
  /** Where the next part begins. */
  next_offset: number | null;
}

const WRITE: Readonly<Record<StatementFileFormat, (data: StatementData) => string>> = {
  camt053: camt053File,
  bai2: bai2File,
  ofx: ofxFile,
  mt940: mt940File,
  csv: csvFile,
};
const WITHOUT_PENDING: readonly StatementFileFormat[] = ['bai2', 'mt940'];

/**
 * Writes the statement of a treasury account of either entity.
 * @throws {ServiceError} NOT_FOUND; VALIDATION_ERROR if the period ends before it begins
 */
export async function statementFile(
  {store, clock}: SandboxContext,
  {account_id: id, format, from, to, offset}: StatementRequest,
): Promise<StatementFile> {
  const data = await store.read(async (queries) => {
    const account = await queries.get('select * from treasury_accounts where id = ?', [id.toLowerCase()]);
    if (!account) throw new ServiceError('NOT_FOUND', `no treasury account ${id}`);
    return statementData(queries, account, {from, to, nowMs: clock.now()});
  });
  if (data.to < data.from) throw invalid('to', `is before the first day, ${data.from}`);
  const {lines} = data;
  const text = WRITE[format](data);
  const end = offset === undefined ? text.length : Math.min(text.length, offset + PART_LENGTH);
  return {
    account_id: data.accountId,
    ...{format, from: data.from, to: data.to},
    lines: WITHOUT_PENDING.includes(format) ? lines.filter(({isPending}) => !isPending).length : lines.length,
    opening_balance_in_minor_units: String(data.opening),
    closing_balance_in_minor_units: String(data.closing),
    text: text.slice(offset ?? 0, end),
    characters: text.length,
    next_offset: end < text.length ? end : null,
  };
}
