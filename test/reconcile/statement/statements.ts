import assert from 'node:assert/strict';
import {RemitError} from '../../../src/errors.ts';
import {readStatement} from '../../../src/reconcile/statement/read-statement.ts';
import type {StatementFacts, StatementOptions} from '../../../src/reconcile/statement/file/statement.ts';
import type {BankLine} from '../../../src/reconcile/model/line.ts';

// Files are written here; their shapes are those of public test files: moov-io/bai2, moov-io/iso20022, genkgo/camt,
// wolph/mt940, jseutter/ofxparse and csingley/ofxtools.

/** A statement, with its lines in the order of the file. */
export async function readLines(
  source: string | Buffer,
  options: Partial<StatementOptions> = {},
): Promise<Omit<StatementFacts, 'lines'> & {lines: BankLine[]}> {
  const lines: BankLine[] = [];
  const facts = await readStatement(source, {account: 'A', ...options}, (line) => void lines.push(line));
  assert.equal(facts.lines, lines.length);
  return {...facts, lines};
}

export const read = (text: string, options?: Partial<StatementOptions>) =>
  readLines(Buffer.from(text), options);

/** The masked number of the only account, as the refusal of any other one names it. */
export async function accountOf(text: string, options?: Partial<StatementOptions>): Promise<string> {
  const {message} = await refuses(text, /no statement of the account/, {...options, number: 'none of these'});
  return message.split('it has ')[1] ?? '';
}

/** The file is refused with exit code 5 and a message that has all these words. */
export async function refuses(
  source: string | Buffer,
  words: RegExp,
  options?: Partial<StatementOptions>,
): Promise<RemitError> {
  let thrown: unknown;
  try {
    await readLines(typeof source === 'string' ? Buffer.from(source) : source, options);
  } catch (error) {
    thrown = error;
  }
  assert.ok(thrown instanceof RemitError, `refused by a RemitError, not ${String(thrown)}`);
  assert.deepEqual([thrown.code, thrown.exitCode], ['STATEMENT_INVALID', 5]);
  assert.match(thrown.message, words);
  return thrown;
}

export interface CamtParts {
  statement?: string;
  entries?: readonly string[];
  opening?: string;
  closing?: string;
  iban?: string;
}

export const camtBalance = (type: string, amount: string, day: string, sign = 'CRDT', currency = 'EUR') =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${amount}</Amt>` +
  `<CdtDbtInd>${sign}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`;

/** An entry as version 2 of camt.053 writes it. */
export const camtEntry = (
  amount: string,
  {sign = 'DBIT', status = 'BOOK', day = '2026-03-02', currency = 'EUR', more = ''} = {},
) =>
  `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Sts>${status}</Sts>` +
  `${day === '' ? '' : `<BookgDt><Dt>${day}</Dt></BookgDt>`}${more}</Ntry>`;

export const camtStatement = ({
  statement = '',
  entries = [],
  opening = camtBalance('OPBD', '100.00', '2026-03-02'),
  closing = camtBalance('CLBD', '100.00', '2026-03-02'),
  iban = 'DE02100100100006820101',
}: CamtParts) =>
  `<Stmt><Id>1</Id>${statement}<Acct><Id><IBAN>${iban}</IBAN></Id></Acct>${opening}${closing}${entries.join('')}</Stmt>`;

export const camtDocument = (...statements: readonly string[]) =>
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">\n' +
  `<BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr>${statements.join('\n')}</BkToCstmrStmt>\n</Document>\n`;
