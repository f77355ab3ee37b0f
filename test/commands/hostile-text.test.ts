import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {parse as parseCsv} from 'csv-parse/sync';
import {parse as parseYaml} from 'yaml';
import {isFormula} from '../../src/spreadsheet.ts';
import {runCli, scratch, BASE_URL} from '../cli/run-cli.ts';
import {answer, type Script} from '../client/transport/fake-transport.ts';
import {elements, parsePage, textOf} from '../html/parse-page.ts';
import {activeIn} from '../sanitize/canaries.ts';
import {ID} from './hostile-service.ts';

/** Texts as a service may have them, or as one of its own customers may have typed them. */
const TEXTS = {
  c0: 'a\u0000b\u0007c\u0008d\u001b[2J\u001b[31me\u007f',
  c1: 'a\u009b31mb\u0085c\u009d0;title\u009c',
  osc: '\u001b]52;c;ZXZpbA==\u0007\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\',
  bidi: '\u202e00.521\u202c \u2066a\u2069 \u200fb\u061c',
  'zero width': 'pay\u200bee\u200d\ufeff\u2060 \u{e0041}\ufe0f\u00ad',
  'lone surrogates': 'a\ud800b\udfffc',
  formula: '=HYPERLINK("https://evil.example";"x")',
  'hidden formula': '\u200b\u00a0+1+1',
  html: '<script>alert(1)</script><img src=x onerror=alert(1)>"\'`&',
  lines: 'one\r\ntwo\nHint: run evil\u2028three\u2029\u000b\u000cfour\tfive',
  'very long': `${'x'.repeat(1_000_000)}\u001b[2J`,
} as const;

/** Fields that are text; what they are called by any resource. */
const FIELDS =
  'name label email type rail description bank_name brand last4 holder_name country_code bank_reference counterparty_name'.split(
    ' ',
  );

/** A megabyte in every field of every command takes minutes. */
const isLong = (text: string) => text.length > 10_000;
const some = <T>(all: readonly T[], text: string): readonly T[] => (isLong(text) ? all.slice(0, 1) : all);

function recordWith(text: string): Record<string, unknown> {
  const short = isLong(text) ? text.slice(-10) : text;
  return {
    ...{id: ID, status: 'settled', verification_status: 'verified', payee_id: ID, payer_id: ID},
    ...{source_account_id: ID, destination_account_id: ID, account_id: ID, balance_in_minor_units: 12_500},
    ...{amount_in_minor_units: 12_500, current_balance_in_minor_units: 12_500, currency_code: 'USD'},
    ...{direction: 'credit', created_at: '2026-01-01T00:00:00.000Z', as_of: '2026-01-01T12:00:00Z'},
    ...{
      posted_at: '2026-01-01T00:00:00.000Z',
      url: 'https://example.com/h',
      event_types: [short],
      is_active: true,
    },
    ...Object.fromEntries(
      FIELDS.map((field) => [field, field === 'description' || field === 'label' ? text : short]),
    ),
    client_metadata: {note: short, list: [short]},
  };
}

const isList = (path: string) => !path.includes(ID) || /payment-methods|transactions/.test(path);
const serviceOf =
  (text: string): Script =>
  ({path}) => {
    const record = {...recordWith(text), ...(path.includes('/move') ? {status: 'SETTLED'} : {})};
    return answer(200, isList(path) ? {data: [record, record], next_cursor: null} : record);
  };

const LISTS: readonly (readonly string[])[] = [
  ...['payouts', 'payins', 'payees', 'payers', 'subaccounts', 'transfers', 'moves'].map((topic) => [
    topic,
    'list',
  ]),
  ['treasury', 'accounts'],
  ['treasury', 'transactions', ID],
  ['payment-methods', 'list', '--payee', ID],
  ['webhooks', 'endpoints', 'list'],
  ['payouts', 'list', '--all', '--page-size', '1'],
];
const RECORDS: readonly (readonly string[])[] = [
  ...['payouts', 'payins', 'subaccounts', 'moves', 'transfers'].map((topic) => [topic, 'get', ID]),
  ['treasury', 'balance', ID],
  ['webhooks', 'endpoints', 'get', ID],
  ['payouts', 'wait', ID],
];
/** What they print is made from records, or from several. */
const DERIVED: readonly (readonly string[])[] = [
  ['payouts', 'list', '--summary'],
  ['payins', 'list', '--summary'],
  ['payees', 'get', ID],
  ['payers', 'get', ID],
  ['payouts', 'wait', ID, ID.replace(/1$/, '2'), '--timeout', '3s'],
  ['treasury', 'balance', ID, '--history', '--days', '3'],
  ['api', 'GET', '/api/payouts'],
];

/** Colours, the progress line and the screen of a wait are ours. */
const OURS = /\u001b\[(?:\d{1,2}(?:;\d{1,2})*m|\d*A|[JK])|\r(?=\u001b\[K)/g;
const ends = (text: string) => text.split('\n').length - 1;

describe('hostile text of a service', function () {
  this.timeout(60_000);

  const run = (argv: readonly string[], text: string, columns?: number) =>
    runCli(argv, {
      env: {REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: BASE_URL, HOME: scratch()},
      service: serviceOf(text),
      ...(columns === undefined ? {} : {columns}),
    });

  for (const [kind, text] of Object.entries(TEXTS)) {
    it(`is exact in JSON, NDJSON and YAML, and sane on the wire: ${kind}`, async () => {
      const expectedOf = ([topic]: readonly string[]): unknown =>
        JSON.parse(JSON.stringify({...recordWith(text), ...(topic === 'moves' ? {status: 'SETTLED'} : {})}));
      for (const argv of some(LISTS, text))
        for (const format of ['json', 'ndjson', 'yaml']) {
          const {stdout, stderr, exitCode} = await run([...argv, '-o', format], text);
          const what = `${argv.join(' ')} -o ${format}: ${stderr}`;
          assert.equal(exitCode, 0, what);
          assert.deepEqual(activeIn(stdout), [], what);
          const read: unknown =
            format === 'json'
              ? JSON.parse(stdout)
              : format === 'yaml'
                ? parseYaml(stdout)
                : stdout
                    .trimEnd()
                    .split('\n')
                    .map((line) => JSON.parse(line) as unknown);
          // A YAML reader may replace half of a character; the characters around it stay.
          if (format === 'yaml' && kind === 'lone surrogates') assert.equal((read as unknown[]).length, 2);
          else assert.deepEqual(read, [expectedOf(argv), expectedOf(argv)], what);
        }
      for (const argv of some(RECORDS, text)) {
        const {stdout, stderr, exitCode} = await run([...argv, '-o', 'json'], text);
        assert.equal(exitCode, 0, `${argv.join(' ')}: ${stderr}`);
        assert.deepEqual(JSON.parse(stdout), expectedOf(argv), argv.join(' '));
        assert.deepEqual(activeIn(stdout), [], argv.join(' '));
      }
    });

    it(`stays in its line and its cell: ${kind}`, async () => {
      for (const argv of some(LISTS, text)) {
        const what = argv.join(' ');
        const table = (await run(argv, text)).stdout;
        assert.deepEqual(activeIn(table), [], what);
        assert.equal(ends(table), 3, `${what}: a header and two records`);
        assert.equal(
          new Set(
            table
              .trimEnd()
              .split('\n')
              .map((line) => line.split('\t').length),
          ).size,
          1,
          what,
        );
        const csv = (await run([...argv, '-o', 'csv'], text)).stdout;
        assert.deepEqual(activeIn(csv), [], what);
        const rows: string[][] = parseCsv(csv);
        assert.equal(rows.length, 3, what);
        const formulas = rows.flat().filter((cell) => isFormula(cell) && !/^-?\d/.test(cell));
        assert.deepEqual(formulas, [], what);
        const ids = (await run([...argv, '-o', 'id'], text)).stdout;
        assert.equal(ids, `${ID}\n${ID}\n`, what);
      }
    });

    it(`does nothing to a terminal: ${kind}`, async () => {
      const all = [LISTS, RECORDS, DERIVED].flatMap((group) => some(group, text));
      for (const argv of all) {
        const {stdout, stderr, exitCode} = await run(argv, text, 80);
        assert.notEqual(exitCode, 1, `${argv.join(' ')}: ${stderr}`);
        for (const written of [stdout, stderr])
          assert.deepEqual(activeIn(written.replace(OURS, '')), [], argv.join(' '));
        assert.doesNotMatch(stdout, /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
      }
    });

    it(`is text on a page: ${kind}`, async () => {
      const home = scratch();
      const ran = await runCli(['treasury', 'balance', ID, '--history', '--days', '2', '--html', 'b.html'], {
        env: {REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: BASE_URL, HOME: home},
        cwd: home,
        service: serviceOf(text),
      });
      assert.equal(ran.exitCode, 0, ran.stderr);
      const html = readFileSync(join(home, 'b.html'), 'utf8');
      assert.deepEqual(activeIn(html), []);
      const page = parsePage(html);
      assert.deepEqual(
        [...elements(page)].filter(({tag}) => tag === 'script' || tag === 'img'),
        [],
      );
      assert.match(textOf(page), /Balance of /);
      assert.ok(html.length < 50_000);
    });
  }
});
