import {formatMajor} from '../../money/amount.ts';
import {iso} from '../base/rows.ts';
import {magnitude, type StatementData, type StatementLine} from './statement-data.ts';
import {xmlText} from './xml-text.ts';

/** A purpose is at most this long (ISO 20022). */
const LONGEST_PURPOSE = 140;

/** camt.053.001.08, the statement of ISO 20022. */
export async function* camt053File(data: StatementData): AsyncGenerator<string> {
  const {accountNumber, currency, from, to, writtenMs} = data;
  const written = iso(writtenMs);
  const id = `STMT-${accountNumber}-${to}`;
  yield [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">',
    '<BkToCstmrStmt>',
    `<GrpHdr><MsgId>${id}</MsgId><CreDtTm>${written}</CreDtTm></GrpHdr>`,
    '<Stmt>',
    `<Id>${id}</Id><CreDtTm>${written}</CreDtTm>`,
    `<FrToDt><FrDtTm>${from}T00:00:00</FrDtTm><ToDtTm>${to}T23:59:59</ToDtTm></FrToDt>`,
    `<Acct><Id><Othr><Id>${accountNumber}</Id></Othr></Id><Ccy>${currency}</Ccy></Acct>`,
    balance('OPBD', data.opening, from, currency),
    balance('CLBD', data.closing, to, currency),
    summary(data),
    '',
  ].join('\n');
  for await (const line of data.lines()) yield `${entry(line, currency)}\n`;
  yield '</Stmt>\n</BkToCstmrStmt>\n</Document>\n';
}

const amountOf = (amount: bigint, currency: string): string =>
  `<Amt Ccy="${currency}">${formatMajor(magnitude(amount), currency)}</Amt>` +
  `<CdtDbtInd>${amount < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;

const balance = (type: string, amount: bigint, day: string, currency: string): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${amountOf(amount, currency)}<Dt><Dt>${day}</Dt></Dt></Bal>`;

const summary = ({posted, pending, volume, currency}: StatementData): string =>
  `<TxsSummry><TtlNtries><NbOfNtries>${posted + pending}</NbOfNtries><Sum>${formatMajor(volume, currency)}</Sum></TtlNtries></TxsSummry>`;

function entry(
  {amount, day, reference, text, returnCode, isPending}: StatementLine,
  currency: string,
): string {
  const purpose = text.slice(0, LONGEST_PURPOSE);
  const rest = text.slice(LONGEST_PURPOSE);
  const family = amount < 0n ? 'ICDT' : 'RCDT';
  const reason = returnCode === undefined ? '' : reasonOf(returnCode);
  return [
    `<Ntry>${amountOf(amount, currency)}<Sts><Cd>${isPending ? 'PDNG' : 'BOOK'}</Cd></Sts>`,
    `<BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt><AcctSvcrRef>${reference}</AcctSvcrRef>`,
    `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>OTHR</SubFmlyCd></Fmly></Domn></BkTxCd>`,
    `<NtryDtls><TxDtls>${purpose === '' ? '' : `<RmtInf><Ustrd>${xmlText(purpose)}</Ustrd></RmtInf>`}${reason}</TxDtls></NtryDtls>`,
    rest === '' ? '' : `<AddtlNtryInf>${xmlText(rest)}</AddtlNtryInf>`,
    '</Ntry>',
  ].join('');
}

/** Four characters are a code of ISO 20022; codes of ACH are proprietary there. */
const reasonOf = (code: string): string =>
  `<RtrInf><Rsn>${code.length === 4 ? `<Cd>${xmlText(code)}</Cd>` : `<Prtry>${xmlText(code)}</Prtry>`}</Rsn></RtrInf>`;
