import {bareCommands, commandsAs} from '../bare-commands.ts';
import assert from 'node:assert/strict';
import {anyCharacter} from '../../sanitize/any-character.ts';
import {Sanitizer} from '../../../src/sanitize/sanitizer.ts';
import {createHash} from 'node:crypto';
import fc from 'fast-check';
import {noteConfirmation} from '../../../src/batch/journal/confirmations.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {escapeText, markup} from '../../../src/html/markup.ts';
import {reportHtml} from '../../../src/batch/report/html.ts';
import {stepsOf} from '../../../src/batch/report/steps.ts';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {FollowBench} from '../follow/bench.ts';
import {payeeId} from '../harness.ts';
import {elements, type Node, parsePage, textOf} from '../../html/parse-page.ts';
import {reportOf} from './bench.ts';

const HEADER = 'reference,payee_id,amount,currency_code\n';

describe('the report of a batch', () => {
  let bench: FollowBench;
  beforeEach(() => {
    bench = new FollowBench();
  });
  afterEach(() => bench.remove());

  const planRows = (...rows: (readonly [reference: string, amount: string, currency: string])[]) =>
    bench.plan(
      bench.file(
        'p.csv',
        HEADER +
          rows
            .map(([reference, amount, currency], i) =>
              [`"${reference.replaceAll('"', '""')}"`, payeeId(i + 1), amount, currency].join(','),
            )
            .join('\n') +
          '\n',
      ),
    );
  const echoCurrency = () => {
    bench.service.distort = (record) => ({
      ...record,
      currency_code: bench.service.byId.get(String(record['id']))!.body['currency_code'],
    });
  };
  const page = async (options?: Parameters<typeof reportOf>[1]) =>
    parsePage(reportHtml(await reportOf(bench, options)));
  const find = (root: Node, tag: string, css?: string) =>
    [...elements(root)].filter(
      (node) => node.tag === tag && (css === undefined || node.attributes['class']?.split(' ').includes(css)),
    );
  const body = (root: Node) => textOf(find(root, 'body')[0]!).replace(/\s+/g, ' ');
  /** Every kind of trouble in one batch of 11 rows, and one that is well. */
  const troubled = async () => {
    const names = [
      'in_doubt',
      'failed',
      'canceled',
      'unapproved',
      'unclear',
      'held',
      'rejected',
      'differs',
      'fine',
      'away',
    ];
    await planRows(
      ...names.map((name, i) => [`R-${name}`, `${i + 1}.25`, 'USD'] as [string, string, string]),
    );
    const {service} = bench;
    const nameOf = (payee: unknown) => names[Number(String(payee).slice(-12)) - 1]!;
    service.refuse = (sent) =>
      nameOf(sent['payee_id']) === 'rejected'
        ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS', message: 'the account 000123456789 is closed'}
        : undefined;
    service.approvalFails = (sent) => nameOf(sent['payee_id']) === 'unapproved';
    service.distort = (record, request) =>
      nameOf(record['payee_id']) === 'held' ||
      (nameOf(record['payee_id']) === 'differs' && request.body.includes('"auto_approve":true'))
        ? {...record, currency_code: 'EUR'}
        : record;
    service.fault = ({method, body: sent, path}) => {
      const name = nameOf(
        method === 'POST'
          ? (JSON.parse(sent) as {payee_id: string}).payee_id
          : service.byId.get(path.split('/').at(-1)!)?.body['payee_id'],
      );
      if (name === 'away' && method === 'POST') return '429';
      return name === 'in_doubt' && (method === 'GET' || sent.includes('"auto_approve":true'))
        ? '503-before'
        : undefined;
    };
    const stop = new AbortController();
    let answered = 0;
    await bench.run(service, {
      settings: {releaseRest: true},
      path: 'stage-only',
      drain: stop.signal,
      onProgress: () => {
        if (++answered > 400) stop.abort();
      },
    });
    await bench.run(service, {settings: {releaseRest: true}, path: 'release'});
    bench.record('R-failed').status = 'failed';
    bench.record('R-canceled').status = 'canceled';
    bench.record('R-unclear').status = 'parked';
    bench.record('R-fine').status = 'settled';
    await bench.follow({});
  };

  it('loads nothing, runs nothing, and allows its own style only', async () => {
    await bench.pay(2);
    const text = reportHtml(await reportOf(bench));
    const root = parsePage(text);
    const policy = find(root, 'meta').find(
      ({attributes}) => attributes['http-equiv'] === 'Content-Security-Policy',
    )!;
    const style = textOf(find(root, 'style')[0]!);
    const hash = createHash('sha256').update(style).digest('base64');
    assert.equal(
      policy.attributes['content'],
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
    const outside = [
      'script',
      'link',
      'img',
      'iframe',
      'object',
      'form',
      'a',
      'base',
      'embed',
      'image',
      'use',
    ];
    assert.deepEqual(
      outside.filter((tag) => find(root, tag).length > 0),
      [],
    );
    for (const {attributes} of elements(root))
      for (const name of Object.keys(attributes))
        assert.doesNotMatch(name, /^(on.*|style|src|href|srcset|xlink:href|background)$/);
    assert.doesNotMatch(style, /@import|url\(|expression/);
    assert.equal(find(root, 'style').length, 1);
  });

  it('is a page that a screen reader can navigate', async () => {
    await troubled();
    const root = await page();
    assert.equal(find(root, 'html')[0]!.attributes['lang'], 'en');
    assert.equal(find(root, 'h1').length, 1);
    const ids = [...elements(root)].map(({attributes}) => attributes['id']).filter((id) => id !== undefined);
    assert.equal(new Set(ids).size, ids.length, 'an id stands twice');
    for (const {attributes} of elements(root))
      if (attributes['aria-labelledby'] !== undefined) assert.ok(ids.includes(attributes['aria-labelledby']));
    for (const cell of find(root, 'th')) assert.match(cell.attributes['scope'] ?? '', /^(col|row)$/);
    for (const svg of find(root, 'svg')) assert.equal(svg.attributes['role'], 'img');
    for (const table of find(root, 'table')) {
      const widths = find(table, 'tr').map(
        (row) => row.children.filter((cell) => typeof cell !== 'string').length,
      );
      assert.equal(new Set(widths).size, 1, `rows of ${widths.join(', ')} cells`);
    }
  });

  it('states clearly that it is about real money', async () => {
    await bench.plan(bench.payouts(1));
    await bench.run(bench.service, {mode: 'live', key: 'live_key_0123456789'});
    const root = await page();
    assert.equal(textOf(find(root, 'div', 'live')[0]!), 'LIVE: real money');
    assert.equal(find(root, 'div', 'test').length, 0);
  });

  it('states clearly that it is a test, or that nothing was sent', async () => {
    await bench.plan(bench.payouts(1));
    assert.match(
      body(await page()),
      /Not sent yet: neither live nor test.*Planned\. Nothing has been sent\./,
    );
    await bench.run(bench.service);
    const root = await page();
    assert.equal(textOf(find(root, 'div', 'test')[0]!), 'TEST: no real money was moved');
    assert.equal(find(root, 'div', 'live').length, 0);
  });

  it('contains no key, whatever the service repeats of it', async () => {
    bench.service.refuse = () => ({
      status: 422,
      error_code: 'INVALID',
      message: 'bad test_key_0123456789abcdef',
    });
    await bench.plan(bench.payouts(2));
    await bench.run(bench.service, {key: 'test_key_0123456789abcdef', settings: {trustRefusals: true}});
    const text = reportHtml(await reportOf(bench));
    assert.match(text, /INVALID/);
    assert.doesNotMatch(text, /test_key|0123456789abcdef/);
  });

  it('shows counts and money of every state in every currency, and that they add up', async () => {
    await planRows(['A', '10.50', 'USD'], ['B', '7.25', 'EUR'], ['C', '900', 'JPY'], ['D', '1.25', 'GBP']);
    echoCurrency();
    bench.service.refuse = (sent) =>
      sent['currency_code'] === 'EUR' ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS'} : undefined;
    await bench.run(bench.service);
    bench.settleAll();
    await bench.follow({});
    const root = await page();
    const rows = find(root, 'tr').map((row) =>
      row.children.filter((cell) => typeof cell !== 'string').map((cell) => textOf(cell)),
    );
    const cells = (name: string) =>
      rows.filter(([head]) => head === name).map((row) => row.slice(1, -1).join(' '));
    // Three currencies beside each other, the fourth in a table of its own.
    assert.deepEqual(cells('Planned'), ['4 7.25 1.25 900', '4 10.50']);
    assert.deepEqual(cells('Accepted'), ['3 0.00 1.25 900', '3 10.50']);
    assert.deepEqual(cells('settled'), ['3 0.00 1.25 900', '3 10.50']);
    assert.deepEqual(cells('Rejected'), ['1 7.25 0.00 0', '1 0.00']);
    assert.match(body(root), /Checked: the states add up to the plan/);
  });

  it('begins with four figures in rows and money, or without money', async () => {
    const currencies = ['CAD', 'CHF', 'EUR', 'GBP', 'USD'];
    await planRows(...currencies.map((currency, i) => [currency, `${i + 1}.50`, currency] as const));
    const figures = async () =>
      find(await page(), 'div', 'figure').map((box) => textOf(box).replace(/\s+/g, ' ').trim());
    assert.deepEqual(await figures(), [
      'Planned51.50 CAD2.50 CHF3.50 EURand 2 more currencies',
      'Accepted0none',
      'Settled0none',
      'Needs attention0none',
    ]);
  });

  it('shows a warning if the states do not add up to the plan', async () => {
    await bench.pay(2);
    const {summary} = await reportOf(bench);
    const wrong = {...summary.totals['USD']!, accepted: '200.02'};
    const told = body(await page({summary: {totals: {USD: wrong}}}));
    assert.match(told, /do not add up to the plan\. Do not rely on this report/);
    assert.match(body(await page({summary: {accepted: 1}})), /do not add up/);
  });

  it('lists every row that needs attention, with what is known of it and what to do', async () => {
    await troubled();
    const data = await reportOf(bench);
    assert.deepEqual(
      data.troubles.map(({trouble, rows}) => [trouble, rows.map(({reference}) => reference).join()]),
      [
        ['in_doubt', 'R-in_doubt'],
        ['failed', 'R-failed'],
        ['dead_key', 'R-canceled'],
        ['unapproved', 'R-unapproved'],
        ['unclear', 'R-unclear'],
        ['differs', 'R-differs'],
        ['held', 'R-held'],
        ['rejected', 'R-rejected'],
        ['not_sent', 'R-away'],
      ],
    );
    const root = await page();
    const rows = find(root, 'div', 'rowlist').map((list) =>
      textOf(find(list, 'tbody')[0]!).replace(/\s+/g, ' '),
    );
    const {id} = bench.record('R-failed');
    assert.match(rows[1]!, new RegExp(`R-failed line 3 ${payeeId(2)} ?2\\.25 USD ${id}`));
    assert.match(
      rows[7]!,
      /R-rejected line 8 .*7\.25 USD INVALID_PAYMENT_DETAILS the account …6789 is closed/,
    );
    assert.match(rows[4]!, /its status was parked/);
    const told = body(root);
    for (const command of [
      'resume b1',
      'resolve b1 REFERENCE --paid ID',
      'retry b1',
      'retry b1 --row REFERENCE',
      'release b1',
      'release b1 --accept differences',
      'status b1 --refresh',
    ])
      assert.ok(told.includes(`remit payouts batch ${command}`), command);
    assert.ok(!rows.some((text) => text.includes('R-fine')));
  });

  it('lists the next steps in an order that works, with the flags that find the batch', async () => {
    await troubled();
    const data = await reportOf(bench);
    const commands = commandsAs('acme test');
    const next = `${data.summary.next} -p 'acme test'`;
    const steps = stepsOf({...data, commands, summary: {...data.summary, next}});
    assert.deepEqual(
      steps.map(({label}) => label?.replace(/ \(.*/, '') ?? null),
      [
        ...['In doubt', 'Not sent', 'Held', 'Not approved', null, 'Unknown status', 'Failed', 'Rejected'],
        ...['Failed or canceled record', 'Differs from the file'],
      ],
    );
    const typed = steps.flatMap(({text}) => text.match(/`remit [^`]*`/g) ?? []);
    assert.ok(typed.length >= 8);
    for (const command of typed) assert.match(command, / -p 'acme test'`$/);
    const marked = find(await page(), 'code').map((node) => textOf(node));
    for (const {text} of stepsOf(data))
      for (const [, command] of text.matchAll(/`(remit [^`]*)`/g))
        assert.ok(marked.includes(command!), command);
    const summary = {...data.summary, next: `${data.summary.next} --live`};
    const live = stepsOf({...data, commands: bareCommands(null, 'live'), summary}).flatMap(
      ({text}) => text.match(/`remit [^`]*`/g) ?? [],
    );
    for (const command of live)
      assert.equal(/ --live`$/.test(command), / (?:resume|release|retry) /.test(command), command);
  });

  it('names no command for a canceled batch that would be refused', async () => {
    await bench.plan(bench.payouts(3));
    bench.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"INV-3"') ? {status: 403, body: {}} : undefined;
    await bench.run(bench.service, {path: 'stage-only'});
    bench.service.fault = () => undefined;
    await bench.run(bench.service, {path: 'cancel'});
    const data = await reportOf(bench);
    assert.equal(data.summary.state, 'canceled');
    assert.deepEqual(stepsOf(data), []);
  });

  it('begins with the command of the summary, unless a step has it', async () => {
    await bench.plan(bench.payouts(3));
    await bench.run(bench.service, {path: 'stage-only'});
    const data = await reportOf(bench);
    assert.deepEqual(stepsOf(data), [{label: null, text: 'Continue with `remit payouts batch release b1`.'}]);
    await bench.run(bench.service);
    const [step, ...more] = stepsOf(await reportOf(bench));
    assert.deepEqual(more, []);
    assert.match(
      step!.text,
      /3 payouts are still under way.*`remit payouts batch status b1 --refresh`, then `remit payouts batch report b1 --html`\.$/,
    );
  });

  it('names the command that writes the same file again', async () => {
    await bench.plan(bench.payouts(3));
    await bench.run(bench.service);
    const [step] = stepsOf(await reportOf(bench, {file: '/tmp/page.html'}));
    assert.match(step!.text, /then `remit payouts batch report b1 --html \/tmp\/page\.html`\.$/);
  });

  it('says that rows are settled only if they were read', async () => {
    const of = async (summary: Partial<Summary>) =>
      body(await page({summary: {state: 'complete', ...summary}}));
    await bench.plan(bench.payouts(3));
    await bench.run(bench.service);
    assert.match(
      await of({accepted: 0, already_paid: 3, settled: 0}),
      /Complete: 3 payouts paid by another batch, whose report has their status\./,
    );
    assert.match(
      await of({accepted: 1, already_paid: 2, settled: 1}),
      /Complete: 1 of 3 payouts accepted, and all of these are settled; 2 paid by another batch\./,
    );
    assert.match(
      await of({accepted: 3, settled: 3}),
      /Complete: 3 of 3 payouts accepted, and all are settled\./,
    );
    assert.match(await of({accepted: 3, settled: 2}), /3 of 3 payouts accepted; 2 payouts settled so far\./);
  });

  it('is dated by the last answer of the service, however late it is generated', async () => {
    await bench.plan(bench.payouts(2));
    const plannedAt = bench.clock.now();
    await bench.clock.sleep(3_600_000);
    const {asOf, lastChangeAt} = await reportOf(bench);
    assert.deepEqual([asOf, lastChangeAt], [plannedAt, null]);
    await bench.run(bench.service);
    const ranAt = bench.clock.now();
    await bench.clock.sleep(3_600_000);
    assert.equal((await reportOf(bench)).asOf, ranAt);
    const before = reportHtml(await reportOf(bench));
    await bench.clock.sleep(3_600_000);
    assert.equal(reportHtml(await reportOf(bench)), before);
    await bench.follow(); // nothing has changed, and that is known as of now
    const refreshedAt = (await reportOf(bench)).asOf;
    const tookMs = bench.clock.now() - refreshedAt;
    assert.ok(refreshedAt > ranAt && tookMs < 1000, `${tookMs} ms ago`);
    await bench.clock.sleep(3_600_000);
    assert.equal((await reportOf(bench)).asOf, refreshedAt);
    bench.service.fault = () => '503-before';
    await bench.follow();
    assert.equal((await reportOf(bench)).asOf, refreshedAt, 'a refresh that read nothing');
    const told = body(await page());
    assert.match(
      told,
      new RegExp(`as of ${new Date(refreshedAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`),
    );
  });

  it('lists the first rows, the most urgent ones first, and counts the others', async () => {
    bench.service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS', message: 'no'});
    await bench.plan(bench.payouts(40));
    await bench.run(bench.service, {settings: {trustRefusals: true}});
    const data = await reportOf(bench, {mostRows: 15});
    assert.deepEqual(
      data.troubles.map(({count, rows}) => [count, rows.length]),
      [[40, 15]],
    );
    assert.deepEqual(
      data.troubles[0]!.rows.map(({n}) => n),
      Array.from({length: 15}, (_, i) => i + 1),
    );
    const told = body(parsePage(reportHtml(data)));
    assert.match(told, /The first 15 of 40 rows are listed here; all of them are in b1\.results\.csv/);
    assert.match(told, /… and 25 more/);
  });

  it('names who confirmed what and when, and identifies its batch', async () => {
    const {plan} = await bench.plan(bench.payouts(2));
    const batch = await openBatch({
      ...{stateDir: bench.stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock: bench.clock},
    });
    const at = bench.clock.now();
    noteConfirmation(batch.journal, {
      ...{
        planHash: plan.planHash,
        revision: 1,
        doing: 'pay',
        asked: true,
        at,
        by: 'ada <b>',
        profile: 'acme',
      },
    });
    await batch.close();
    await bench.run(bench.service);
    const told = body(await page());
    assert.match(
      told,
      new RegExp(`2026-03-02 15:00:00 ?ada <b> ?pay ?confirmed ?acme ?${plan.planHash.slice(0, 12)}`),
    );
    for (const fact of [
      plan.planHash,
      plan.file.sha256,
      plan.journalId,
      'payouts.csv',
      'api.test',
      'b1.results.csv',
    ])
      assert.ok(told.includes(fact), fact);
    assert.ok(!told.includes(bench.folder), 'a folder of remit');
  });

  it('shows markup as text, and strips invisible characters', async () => {
    const hostile = '</td><script>alert(1)</script>&amp;"\'`\u202e\u0007\u200b\u001b[31m';
    await planRows(['<img src=x onerror=alert(1)>', '1.50', 'USD']);
    bench.service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS', message: hostile});
    await bench.run(bench.service, {settings: {trustRefusals: true}});
    const root = await page();
    assert.equal(find(root, 'script').length + find(root, 'img').length, 0);
    const list = textOf(find(root, 'div', 'rowlist')[0]!);
    assert.ok(list.includes('<img src=x onerror=alert(1)>'));
    assert.ok(list.includes(`</td><script>alert(1)</script>&amp;"'\`[31m`), list);
  });
});

describe('text in a report', () => {
  it('never becomes markup, whatever it is', () => {
    const anything = fc.oneof(
      fc.string({unit: anyCharacter}),
      fc.string(),
      fc
        .array(
          fc.constantFrom('<', '>', '&', '"', "'", '`', '&lt;', ']]>', '<!--', '\u0000', '\ud800', ' ', 'x='),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const root = parsePage(`<!doctype html>\n<p title="${escapeText(text)}">${markup`${text}`.text}</p>`);
        const [node] = [...elements(root)];
        const shown = textOf(node!);
        assert.equal([...elements(root)].length, 1);
        assert.equal(node!.attributes['title'], shown);
        assert.doesNotMatch(shown, /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
        assert.doesNotThrow(() => encodeURIComponent(shown), 'half a character');
      }),
    );
  });

  it('keeps its own markup apart from values', () => {
    const part = markup`<b>${'<i>'}</b>`;
    assert.equal(
      markup`<p>${part}${[part, null, false, undefined, 7]}</p>`.text,
      '<p><b>&#60;i&#62;</b><b>&#60;i&#62;</b>7</p>',
    );
  });

  for (const [text, shown] of [
    ['account 000123456789 is closed', 'account …6789 is closed'],
    ['card 4111 1111 1111 1111', 'card …1111'],
    ['account 12-345-678', 'account …5678'],
    ['key test_0123456789abcdef', 'key test_…cdef'],
    ['order 1234567', 'order 1234567'],
    ['id 018f0000-0000-7000-8000-000000000001', 'id 018f0000-0000-7000-8000-000000000001'],
    ['1500.75 USD is more than 1000.00', '1500.75 USD is more than 1000.00'],
  ] as const)
    it(`shows "${text}" as "${shown}"`, () => assert.equal(new Sanitizer().words(text), shown));
});
