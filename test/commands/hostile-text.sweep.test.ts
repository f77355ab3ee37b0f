import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {parse as parseCsv} from 'csv-parse/sync';
import {parse as parseYaml} from 'yaml';
import {isErrorCode} from '../../src/errors.ts';
import {isList} from '../../src/narrow.ts';
import {runCli, scratch, BASE_URL} from '../cli/run-cli.ts';
import type {TransportAnswer} from '../../src/client/transport/transport.ts';
import {answer, type Script} from '../client/transport/fake-transport.ts';
import {elements, parsePage, textOf} from '../html/parse-page.ts';
import {activeIn} from '../sanitize/canaries.ts';
import {ID} from './hostile-service.ts';
import {asHeader, formulasIn, FORMATS, isVeryLong, some, TEXTS, withoutOurs} from './hostile-texts.ts';
import {SERVICE_CALLS} from './service-calls.ts';

/** Fields that are text; what they are called by any resource. */
const FIELDS =
  'name label email type rail description bank_name brand last4 holder_name country_code bank_reference counterparty_name'.split(
    ' ',
  );

const SECOND = ID.replace(/1$/, '2');

function recordWith(text: string): Record<string, unknown> {
  const short = isVeryLong(text) ? text.slice(-10) : text;
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

const isOfList = (path: string) => !path.includes(ID) || /payment-methods|transactions/.test(path);
const serviceOf =
  (text: string): Script =>
  ({path}) => {
    const record = {...recordWith(text), ...(path.includes('/move') ? {status: 'SETTLED'} : {})};
    const page = {data: [record, {...record, id: SECOND}], next_cursor: null};
    return answer(200, isOfList(path) ? page : record);
  };

/** What the service answers to every request. */
const ANSWERS: Readonly<Record<string, (text: string) => Script>> = {
  'a record': serviceOf,
  'a warning': (text) => (request, nth) => {
    const own = serviceOf(text)(request, nth) as TransportAnswer;
    if (request.method === 'GET') return own;
    return answer(207, {...recordWith(text), warning: text});
  },
  'a refusal': (text) => () =>
    answer(
      422,
      {error_code: text.slice(-1000), message: text, details: [{field: text, issue: text}]},
      {'x-request-id': asHeader(text)},
    ),
  'an error': (text) => () => answer(503, {error: {type: text, message: text}}),
};

const SHAPES = Object.entries(ANSWERS);

/** The forms of an error body, with the text in each part that is read. */
const ERROR_BODIES: Readonly<Record<string, (text: string) => unknown>> = {
  'of this service': (text) => ({
    ...{error_code: text.slice(-1000), message: text},
    details: [{field: text, issue: text, value: text}],
  }),
  nested: (text) => ({error: {code: text, type: text, message: text, errors: [{message: text}]}}),
  'a problem': (text) => ({type: text, title: text, detail: text, instance: text}),
  'a list of errors': (text) => ({errors: {[text]: [text, {message: text, code: text}]}}),
  'a word': (text) => ({error: text}),
  'a known code': (text) => ({error_code: 'VALIDATION_ERROR', message: text}),
  'no JSON': (text) => text,
  'JSON that is no object': (text) => [text, {message: text}],
};
const STATUSES = [200, 307, 400, 401, 403, 404, 409, 422, 429, 500, 503] as const;
const RETRY_AFTER = (text: string): readonly string[] => [
  ...[asHeader(text), `5, ${asHeader(text)}`, '9'.repeat(30), '-5', '1e9', '0x10', ''],
  'Sun, 99 Foo 2026 99:99:99 GMT',
];
const FAILING: readonly (readonly string[])[] = [
  ['payouts', 'get', ID],
  ['payins', 'list', '--all'],
  ['payouts', 'create', '--payee', ID, '--amount', '125.00', '--currency', 'USD', '--auto-approve'],
  ['payins', 'approve', ID],
  ['moves', 'approve', ID],
  ['treasury', 'balance', ID],
  ['webhooks', 'endpoints', 'update', ID, '--description', 'x'],
  ['api', 'GET', '/api/unknown'],
  ['api', 'POST', '/api/unknown', '--data', '{}'],
  ['payouts', 'wait', ID, '--timeout', '3s'],
];

/** Every text that is called a description or a label, at any depth. */
function descriptionsIn(json: unknown): unknown[] {
  if (isList(json)) return json.flatMap(descriptionsIn);
  if (json === null || typeof json !== 'object') return [];
  return Object.entries(json as Record<string, unknown>).flatMap(([name, value]) =>
    name === 'description' || name === 'label' ? [value] : descriptionsIn(value),
  );
}

const LISTS: readonly (readonly string[])[] = [
  ...['payouts', 'payins', 'payees', 'payers', 'subaccounts', 'transfers', 'moves'].map((topic) => [
    topic,
    'list',
  ]),
  ['treasury', 'accounts', 'list'],
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

const ends = (text: string) => text.split('\n').length - 1;

describe('hostile text of a service', function () {
  const run = (argv: readonly string[], text: string, columns?: number) =>
    runCli(argv, {
      env: {REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: BASE_URL, HOME: scratch()},
      service: serviceOf(text),
      ...(columns === undefined ? {} : {columns}),
    });

  for (const [first, [kind, text]] of Object.entries(TEXTS).entries()) {
    it(`is exact in JSON, NDJSON and YAML, and sane on the wire: ${kind}`, async () => {
      const expectedOf = ([topic]: readonly string[], id = ID): unknown =>
        JSON.parse(
          JSON.stringify({...recordWith(text), ...(topic === 'moves' ? {status: 'SETTLED'} : {}), id}),
        );
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
          else assert.deepEqual(read, [expectedOf(argv), expectedOf(argv, SECOND)], what);
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
        assert.equal(parseCsv(csv).length, 3, what);
        assert.deepEqual(formulasIn(csv), [], what);
        const ids = (await run([...argv, '-o', 'id'], text)).stdout;
        assert.equal(ids, `${ID}\n${SECOND}\n`, what);
      }
    });

    it(`does nothing to a terminal: ${kind}`, async () => {
      const all = [LISTS, RECORDS, DERIVED].flatMap((group) => some(group, text));
      for (const argv of all) {
        const {stdout, stderr, exitCode} = await run(argv, text, 80);
        assert.notEqual(exitCode, 1, `${argv.join(' ')}: ${stderr}`);
        for (const written of [stdout, stderr])
          assert.deepEqual(activeIn(withoutOurs(written)), [], argv.join(' '));
        assert.doesNotMatch(stdout, /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
      }
    });

    it(`is sane in what every command prints of a record, a warning, a refusal and an error: ${kind}`, async () => {
      let nth = first; // every call meets each of the answers, as JSON and at a terminal
      for (const [id, calls] of Object.entries(SERVICE_CALLS))
        for (const words of some(calls, text)) {
          if (id === 'doctor' && isVeryLong(text)) continue; // it reads and compares it in each of fifty answers
          const [shape, service] = SHAPES[nth % SHAPES.length]!;
          const isJson = Math.floor(nth / SHAPES.length) % 2 === 0;
          nth++;
          const argv = [...id.split(':'), ...words, ...(isJson ? ['-o', 'json'] : [])];
          const ran = await runCli(argv, {
            env: {REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: BASE_URL, HOME: scratch()},
            service: service(text),
            ...(isJson ? {} : {columns: 80}),
          });
          const where = `${argv.join(' ')}\nto ${shape} (exit ${ran.exitCode}):\n${ran.stdout}\n${ran.stderr}`;
          assert.ok(![1, 2].includes(ran.exitCode), where.slice(0, 3000));
          for (const written of [ran.stdout, ran.stderr])
            assert.deepEqual(activeIn(withoutOurs(written)), [], where.slice(0, 3000));
          if (isJson && ran.stdout !== '')
            for (const exact of descriptionsIn(JSON.parse(ran.stdout)))
              assert.equal(exact, JSON.parse(JSON.stringify(text)), where.slice(0, 3000));
          if (isJson && ran.stdout === '')
            assert.equal(typeof ran.error().message, 'string', where.slice(0, 3000));
        }
    });

    it(`is sane in an error of every form and status, in every format: ${kind}`, async () => {
      const short = isVeryLong(text) ? text.slice(-5000) : text;
      let nth = first; // every form meets every status, and each of them every command and format
      for (const [form, bodyOf] of Object.entries(ERROR_BODIES))
        for (const status of STATUSES) {
          const format = FORMATS[nth % FORMATS.length]!;
          const waits = RETRY_AFTER(text);
          const headers = {
            ...{'x-request-id': asHeader(text), 'retry-after': waits[nth % waits.length]!},
            ...{location: `https://evil.example/${asHeader(text)}`, 'x-note': asHeader(text)},
          };
          const argv = [
            ...FAILING[nth % FAILING.length]!,
            ...(nth % 3 === 0 ? ['--debug'] : []),
            '-o',
            format,
          ];
          const ran = await runCli(argv, {
            env: {REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: BASE_URL, HOME: scratch()},
            service: () => answer(status, bodyOf(short), headers),
            ...(nth % 2 === 0 ? {columns: 80} : {}),
          });
          nth += status === STATUSES.at(-1) ? 2 : 1;
          const where = `${argv.join(' ')}\nto ${status}, ${form} (exit ${ran.exitCode}):\n${ran.stdout}\n${ran.stderr}`;
          assert.ok(![1, 2].includes(ran.exitCode), where);
          for (const written of [ran.stdout, ran.stderr])
            assert.deepEqual(activeIn(withoutOurs(written)), [], where);
          if (status === 200 || status === 307) continue;
          assert.notEqual(ran.exitCode, 0, where);
          if (format !== 'json' && format !== 'ndjson') {
            assert.equal(ran.stderr.match(/^(?:\u001b\[\d+m)?Error:/gm)?.length, 1, where);
            continue;
          }
          const {code, message, details, hint} = ran.error();
          assert.ok(isErrorCode(code), where);
          assert.ok(!message.includes('\n') && message.length < 2000, where);
          assert.doesNotMatch(hint ?? '', /evil|onerror|HYPERLINK/, where);
          const wait = details?.['retry_after_ms'];
          assert.ok(wait === undefined || Number.isSafeInteger(wait), where);
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
