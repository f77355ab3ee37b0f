/** Large statement files, and what reading one into a book costs. */
import {closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {keepHeapSmall} from '../../src/cli/runtime/memory.ts';
import {Book} from '../../src/reconcile/book/book.ts';
import type {StatementFormat} from '../../src/reconcile/statement/file/statement.ts';
import {readStatement} from '../../src/reconcile/statement/read-statement.ts';
import {Sanitizer} from '../../src/sanitize/sanitizer.ts';
import {ACCOUNT, SCOPE} from '../reconcile/harness.ts';

const hex = (n: number, length: number) => n.toString(16).padStart(length, '0');
/** In no order, as ids are. */
const mixed = (n: number) => Math.imul(n + 1, 0x9e3779b1) >>> 0;
const minorOf = (n: number) => 1 + (mixed(n) % 5_000_000);
const majorOf = (minor: number, mark = '.') => (minor / 100).toFixed(2).replace('.', mark);
const referenceOf = (n: number) => `B${hex(mixed(n + 3), 8)}${n}`;
const textOf = (n: number) =>
  `PAYOUT ${hex(mixed(n), 8)}-${hex(n & 0xffff, 4)}-4000-8000-${hex(mixed(n + 7), 12)} BY ACH ${mixed(n)}`;

interface Parts {
  head: string;
  line: (n: number, day: string) => string;
  /** @param sum of all amounts, minor units */
  tail: (sum: number, rows: number) => string;
}
const short = (day: string) => day.replaceAll('-', '').slice(2);

const FORMATS: Readonly<Record<StatementFormat, Parts>> = {
  csv: {
    head: 'booking_date,amount,currency_code,id,description\n',
    line: (n, day) => `${day},-${majorOf(minorOf(n))},USD,${referenceOf(n)},${textOf(n)}\n`,
    tail: () => '',
  },
  camt053: {
    head:
      '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">' +
      '<BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>1</Id><Acct><Id><Othr><Id>000123456789</Id></Othr></Id></Acct>\n',
    line: (n, day) =>
      `<Ntry><Amt Ccy="USD">${majorOf(minorOf(n))}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt><AcctSvcrRef>${referenceOf(n)}</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs><RmtInf><Ustrd>${textOf(n)}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n`,
    tail: () => '</Stmt></BkToCstmrStmt></Document>\n',
  },
  bai2: {
    head: '01,BANK,US,260302,0200,1,,,2/\n02,US,BANK,1,260302,2359,USD,2/\n03,000123456789,,010,0,,/\n',
    line: (n) => `16,475,${minorOf(n)},Z,${referenceOf(n)},,${textOf(n)}\n`,
    tail: (sum, rows) => `49,${sum},${rows + 2}/\n98,${sum},1,${rows + 4}/\n99,${sum},1,${rows + 6}/\n`,
  },
  ofx: {
    head:
      '<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD</CURDEF><BANKACCTFROM><ACCTID>000123456789</ACCTID></BANKACCTFROM>' +
      '<BANKTRANLIST>\n',
    line: (n, day) =>
      `<STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>${day.replaceAll('-', '')}</DTPOSTED><TRNAMT>-${majorOf(minorOf(n))}</TRNAMT><FITID>${referenceOf(n)}</FITID><MEMO>${textOf(n)}</MEMO></STMTTRN>\n`,
    tail: () => '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n',
  },
  mt940: {
    head: ':20:1\n:25:000123456789\n:28C:1/1\n:60F:C260301USD0,00\n',
    line: (n, day) =>
      `:61:${short(day)}${short(day).slice(2)}D${majorOf(minorOf(n), ',')}NTRFNONREF//${referenceOf(n)}\n:86:${textOf(n)}\n`,
    tail: (sum) => `:62F:D260331USD${majorOf(sum, ',')}\n-\n`,
  },
};

/** Writes a statement of this many lines over a month. */
function writeStatement(path: string, format: StatementFormat, rows: number): void {
  const {head, line, tail} = FORMATS[format];
  const file = openSync(path, 'w');
  let text = head;
  let sum = 0;
  for (let n = 0; n < rows; n += 1) {
    sum += minorOf(n);
    text += line(n, `2026-03-${String(1 + Math.floor((n * 31) / rows)).padStart(2, '0')}`);
    if (text.length < 1_000_000) continue;
    writeSync(file, text);
    text = '';
  }
  writeSync(file, text + tail(sum, rows));
  closeSync(file);
}

/** Reads a statement into a new book, as `remit reconcile` does, and prints what it cost. */
export async function readLargeStatement(format: StatementFormat, rows: number): Promise<string> {
  keepHeapSmall();
  const folder = mkdtempSync(join(tmpdir(), 'remit-bench-statement-'));
  try {
    const path = join(folder, 'statement');
    writeStatement(path, format, rows);
    const book = await Book.open(folder, SCOPE, {write: true});
    const [began, before] = [performance.now(), process.cpuUsage()];
    const sanitizer = new Sanitizer();
    const mask = (field: string, text: string) => sanitizer.line(sanitizer.field(field, text));
    const origin = {account: ACCOUNT, name: 'statement', by: 'kim', at: '', isNumberNamed: false, mask};
    const {lines} = await book.addStatement(origin, ({take, isKnown}) =>
      readStatement(path, {account: ACCOUNT, isKnown}, take),
    );
    const wall = (performance.now() - began) / 1000;
    const {user, system} = process.cpuUsage(before);
    await book.close();
    const cpu = (user + system) / 1e6;
    const mb = statSync(path).size / 1e6;
    return (
      `${format}: ${lines} lines (${mb.toFixed(0)} MB) in ${cpu.toFixed(1)} s of processor time, ${wall.toFixed(1)} s in all: ` +
      `${(lines / cpu).toFixed(0)} lines a second of processor time, peak ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB\n`
    );
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}
