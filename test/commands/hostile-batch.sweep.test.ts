import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {parse as parseCsv} from 'csv-parse/sync';
import {payeeId} from '../batch/harness.ts';
import {isRelease} from '../batch/truth-service.ts';
import {workbook} from '../batch/workbook/xlsx.ts';
import {elements, parsePage} from '../html/parse-page.ts';
import {readJson} from '../repo/tree.ts';
import {activeIn, filesUnder} from '../sanitize/canaries.ts';
import {asHeader, checkForm, formulasIn, FORMATS, isVeryLong, TEXTS, withoutOurs} from './hostile-texts.ts';
import {Desk} from './payouts/batch/desk.ts';

/** Every verb, in an order in which each has something to do; R-4 is in doubt. Each is typed in one of the forms. */
const LINES = [
  'template',
  'plan ./rows.csv --batch-id b',
  'plan ./rows.csv --batch-id b --html ./b.plan.html',
  'plan ./bad.csv --batch-id w',
  'plan ./bad.xlsx --batch-id w --sheet Rows',
  'run b --yes --stage-only',
  'release b --yes --accept rest',
  'status b',
  'status b --refresh',
  'status b --row R-2',
  'list',
  'find r-2',
  'report b --html',
  'export b',
  'export b --refresh',
  'export b --out ./b.export.csv',
  'diff ./rows.csv b',
  'resolve b R-4 --not-paid --unseen',
  'retry b --yes',
  'resume b --yes --accept rest',
  'report b --html',
  'cancel b --yes',
];
/** Metadata of the rows that are paid: the file may have any text there, and a spreadsheet must not run it in results. */
const NOTES = ['=1+1', '+1', '-1', '@sum', '＝1', '=HYPERLINK("x")'];

for (const topic of ['payouts', 'payins'] as const)
  describe(`hostile text in a batch of ${topic}`, function () {
    let desk: Desk;
    /** The last text of each file that was found to be sane. */
    const sane = new Map<string, string>();
    beforeEach(() => {
      desk = new Desk();
      sane.clear();
    });
    afterEach(() => desk.close());

    it('is tried in every verb', () => {
      const {commands} = readJson('.oclif.manifest.json') as {commands: Record<string, unknown>};
      // These show what people have signed, and the database of a team, but nothing that a service has said.
      const others = /:batch:(?:approve|audit|move|policy:\w+|state:\w+)$/;
      const verbs = Object.keys(commands).filter(
        (id) => id.startsWith(`${topic}:batch:`) && !others.test(id),
      );
      assert.deepEqual(
        verbs.map((id) => id.split(':').at(-1)).sort(),
        [...new Set(LINES.map((line) => line.split(' ')[0]))].sort(),
        'add it to LINES',
      );
    });

    const party = topic === 'payouts' ? 'payee_id' : 'payer_id';

    /** Rows that are refused, not approved, unanswered, failed and held; every message about them contains the text. */
    function serve(text: string): void {
      const {service} = desk;
      const said = {
        error_code: 'INVALID_PAYMENT_DETAILS',
        message: text,
        details: [{field: text, issue: text}],
      };
      service.fault = ({body}) =>
        body.includes('"R-2"')
          ? {status: 422, body: said, headers: {'x-request-id': asHeader(text)}}
          : body.includes('"R-4"')
            ? {status: 500, body: {error: {code: text, message: text}}}
            : undefined;
      service.approvalFails = (body) => body[party] === payeeId(3);
      service.distort = (record, request) => ({
        ...record,
        ...{
          description: text,
          warning: text,
          failure_reason: text,
          transfer_details: {failure: {message: text}},
        },
        ...(record[party] === payeeId(5) ? {rail: text} : {}),
        ...(record[party] === payeeId(6) && !isRelease(request) && record['status'] === 'approved'
          ? {status: 'failed'}
          : {}),
      });
    }

    /** `rows.csv` is paid; every cell of the other two, also of the header, is reported as an error. */
    function write(text: string): void {
      const header = ['reference', party, 'amount', 'currency_code'];
      const rows = NOTES.map((note, at) => [`R-${at + 1}`, payeeId(at + 1), `${at + 1}.00`, 'USD', note]);
      writeFileSync(join(desk.folder, 'rows.csv'), csvOf([[...header, 'metadata.note'], ...rows]));
      const cell = isVeryLong(text) ? text.slice(-100) : text;
      const bad = [cell, cell, cell, cell, cell, cell];
      writeFileSync(join(desk.folder, 'bad.csv'), csvOf([[...header, `metadata.${cell}`, cell], bad, bad]));
      const inXml = bad.map((one) => one.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '')); // which cannot have it
      const sheet = {name: 'Rows', rows: [[...header, 'metadata.note', inXml[0]!], inXml, inXml]};
      writeFileSync(join(desk.folder, 'bad.xlsx'), workbook([sheet]));
    }

    const csvOf = (rows: readonly (readonly string[])[]): string =>
      rows.map((cells) => `${cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')}\n`).join('');

    for (const [first, [kind, text]] of Object.entries(TEXTS).entries()) {
      if (topic === 'payins' && first % 3 > 0) continue; // payouts have shown that the same code is sane with all of them
      it(`is sane in every output, file and page: ${kind}`, async () => {
        serve(text);
        write(text);
        const ended: string[] = [];
        for (const [at, line] of LINES.entries()) {
          const format = FORMATS[(first + at) % FORMATS.length]!;
          const isFile = line === 'template' || line.includes(' --out '); // in the format of the file
          const ran = await desk.batch(`${line}${isFile ? '' : ` -o ${format}`}`, {
            topic,
            ...(format === 'table' ? {columns: 80} : {}),
          });
          ended.push(`${line}: ${ran.exitCode}`);
          const where = `${line} -o ${format} (exit ${ran.exitCode})\n${ran.stdout}\n${ran.stderr}`.slice(
            0,
            4000,
          );
          assert.ok(![1, 2].includes(ran.exitCode), where);
          for (const written of [ran.stdout, ran.stderr])
            assert.deepEqual(activeIn(withoutOurs(written)), [], where);
          if (!isFile) checkForm(ran.stdout, format, where);
          checkFiles(where);
        }
        const doubtful = ended.filter((one) => / (7|12)$/.test(one));
        assert.ok(doubtful.length > 0, `nothing was in doubt: ${ended.join(', ')}`);
      });
    }

    function checkFiles(where: string): void {
      for (const {path, text} of filesUnder(desk.folder, /\.(csv|html)$/)) {
        if (/[/\\](?:bad|rows)\.\w+$/.test(path) || sane.get(path) === text) continue;
        sane.set(path, text);
        assert.deepEqual(activeIn(text), [], `${path} after ${where}`);
        if (path.endsWith('.failed.csv')) {
          checkFailed(text, where); // it is planned again
          continue;
        }
        if (path.endsWith('.csv')) {
          assert.deepEqual(formulasIn(text), [], `${path} after ${where}`);
          continue;
        }
        const tags = new Set([...elements(parsePage(text))].map(({tag}) => tag));
        for (const tag of ['script', 'img', 'iframe', 'link', 'form'])
          assert.ok(!tags.has(tag), `${tag} in ${path} after ${where}`);
      }
    }

    function checkFailed(text: string, where: string): void {
      const rows: Record<string, string>[] = parseCsv(text, {columns: true});
      assert.ok(rows.length > 0, where);
      for (const {reference = '', 'metadata.note': note} of rows)
        assert.equal(note, NOTES[Number(reference.slice('R-'.length)) - 1], where);
    }
  });
