import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {camtBalance, camtDocument, camtEntry, camtStatement} from '../../reconcile/statement/statements.ts';
import {filesUnder} from '../../sanitize/canaries.ts';
import {LedgerDesk} from './ledger-desk.ts';

const IBAN = 'DE89370400440532013000';
const GROUPS = 'DE89 3704 0044 0532 0130 00';
const NUMBER = '998877665544';
const REFERENCE = '091000019554321';

/** A text of a bank with everything that nobody may see, and a trace number that everybody may. */
const textWith = (key: string) =>
  `SEPA ${IBAN} ACME IBAN ${GROUPS} ACME ?31${IBAN}?32ACME /ACCT/${NUMBER} //ACCT/${NUMBER} acct ${NUMBER} ` +
  `account: ${NUMBER} ?31${NUMBER} ${key} TRACE ${REFERENCE}`;

/** A statement of one line of 7.50 without a payment, in each format. */
const STATEMENTS: Record<string, (day: string, text: string) => string> = {
  camt053: (day, text) =>
    camtDocument(
      camtStatement({
        opening: camtBalance('OPBD', '100.00', day, 'CRDT', 'USD'),
        closing: camtBalance('CLBD', '92.50', day, 'CRDT', 'USD'),
        entries: [camtEntry('7.50', {day, currency: 'USD', more: `<AddtlNtryInf>${text}</AddtlNtryInf>`})],
      }),
    ),
  mt940: (day, text) => {
    const short = day.replaceAll('-', '').slice(2);
    const lines = text.match(/.{1,60}/g)?.join('\r\n') ?? '';
    return `:20:X\r\n:25:10020030/1234567\r\n:28C:1/1\r\n:60F:C${short}USD100,00\r\n:61:${short}${short.slice(2)}D7,50NTRFNONREF\r\n:86:166?00SEPA ${lines}\r\n:62F:C${short}USD92,50\r\n-\r\n`;
  },
  bai2: (day, text) => {
    const short = day.replaceAll('-', '').slice(2);
    return [
      `01,1,2,${short},0200,1,,,2/`,
      `02,2,1,1,${short},2359,USD,2/`,
      '03,10020030,USD,010,10000,,,015,9250,,/',
      `16,495,750,Z,,,${text}`,
      ...['49,20000,3/', '98,20000,1,5/', '99,20000,1,7/'],
    ].join('\n');
  },
  ofx: (day, text) =>
    `OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><ACCTID>10020030</BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${day.replaceAll('-', '')}<TRNAMT>-7.50<FITID>F1<MEMO>${text}</STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`,
  csv: (day, text) => `booking_date,amount,currency_code,description\n${day},-7.50,USD,${text}\n`,
};

describe('the texts of a statement', () => {
  let desk: LedgerDesk;
  beforeEach(async () => {
    desk = await LedgerDesk.open(['INV-2026-001']);
  });
  afterEach(() => desk.desk.close());

  for (const [format, write] of Object.entries(STATEMENTS))
    it(`have no account number and no key, on disk or on a screen: ${format}`, async () => {
      const {folder} = desk.desk;
      const key = desk.desk.env()['REMIT_API_KEY'] ?? '';
      const secrets = [IBAN, GROUPS, GROUPS.slice(0, 14), NUMBER, key];
      const leaked = (text: string) => secrets.filter((one) => text.includes(one));
      const {to} = (await desk.reconcile('--json')).json() as {to: string};
      const path = join(folder, 'statement');
      writeFileSync(path, write(to, textWith(key)));
      const first = await desk.reconcile(
        `--statement ./statement --format ${format} --out ./out --html ./page.html`,
      );
      assert.equal(first.exitCode, 8, first.stdout + first.stderr);
      for (const flags of ['', '--json', '--ledger ./a.journal', '--ledger ./a.beancount']) {
        const {stdout, stderr, exitCode} = await desk.reconcile(flags);
        assert.equal(exitCode, 8, stderr);
        assert.deepEqual(leaked(stdout + stderr), [], flags);
        if (flags === '') assert.match(stdout, /7\.50 USD/);
      }
      assert.deepEqual(leaked(first.stdout + first.stderr), []);
      const stored = filesUnder(folder).filter((file) => file.path !== path);
      for (const file of stored) assert.deepEqual(leaked(file.text), [], file.path);
      const book = stored.find((file) => file.path.endsWith('reconcile.sqlite'));
      for (const shown of [REFERENCE, '…3000', '…5544']) assert.ok(book?.text.includes(shown), shown);
    });
});
