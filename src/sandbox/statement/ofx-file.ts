import {formatMajor} from '../../money/amount.ts';
import {iso} from '../base/rows.ts';
import type {StatementData, StatementLine} from './statement-data.ts';
import {xmlText} from './xml-text.ts';

const LONGEST_NAME = 32;
const LONGEST_MEMO = 255;

const compact = (day: string): string => day.replaceAll('-', '');

/** OFX 2.1.1. It states the balance at the end, and none at the beginning. */
export async function* ofxFile(data: StatementData): AsyncGenerator<string> {
  const {accountNumber, currency, from, to, closing, writtenMs} = data;
  const [day, time = ''] = iso(writtenMs).split('T');
  const now = `${compact(day ?? to)}${time.slice(0, 8).replaceAll(':', '')}`;
  const status = '<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>';
  yield [
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
    '<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>',
    '<OFX>',
    `<SIGNONMSGSRSV1><SONRS>${status}<DTSERVER>${now}</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>`,
    `<BANKMSGSRSV1><STMTTRNRS><TRNUID>0</TRNUID>${status}`,
    `<STMTRS><CURDEF>${currency}</CURDEF>`,
    `<BANKACCTFROM><BANKID>000000000</BANKID><ACCTID>${accountNumber}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>`,
    `<BANKTRANLIST><DTSTART>${compact(from)}</DTSTART><DTEND>${compact(to)}</DTEND>`,
    '',
  ].join('\n');
  for await (const line of data.lines('posted')) yield `${transaction(line, currency)}\n`;
  yield '</BANKTRANLIST>\n';
  if (data.pending > 0) {
    yield `<BANKTRANLISTP><DTASOF>${now}</DTASOF>\n`;
    for await (const line of data.lines('pending')) yield `${transaction(line, currency)}\n`;
    yield '</BANKTRANLISTP>\n';
  }
  yield `<LEDGERBAL><BALAMT>${formatMajor(closing, currency)}</BALAMT><DTASOF>${compact(to)}</DTASOF></LEDGERBAL>\n`;
  yield '</STMTRS>\n</STMTTRNRS></BANKMSGSRSV1>\n</OFX>\n';
}

function transaction({amount, day, reference, text, isPending}: StatementLine, currency: string): string {
  const [tag, date] = isPending ? ['STMTTRNP', 'DTTRAN'] : ['STMTTRN', 'DTPOSTED'];
  const id = isPending ? `<REFNUM>${reference}</REFNUM>` : `<FITID>${reference}</FITID>`;
  const words =
    text === ''
      ? ''
      : `<NAME>${xmlText(text.slice(0, LONGEST_NAME))}</NAME><MEMO>${xmlText(text.slice(0, LONGEST_MEMO))}</MEMO>`;
  return `<${tag}><TRNTYPE>${amount < 0n ? 'DEBIT' : 'CREDIT'}</TRNTYPE><${date}>${compact(day)}</${date}><TRNAMT>${formatMajor(amount, currency)}</TRNAMT>${id}${words}</${tag}>`;
}
