import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import fc from 'fast-check';
import {balancePage} from '../../../src/output/pages/balance-page.ts';
import {elements, parsePage, textOf, type Node} from '../../html/parse-page.ts';
import {historyOf} from './days.ts';

type Facts = Parameters<typeof historyOf>[1];

function draw(balances: readonly number[], facts: Facts = {}) {
  const html = balancePage(historyOf(balances, facts));
  const root = parsePage(html);
  const all = [...elements(root)];
  const find = (tag: string, inside: Node = root) => [...elements(inside)].filter((node) => node.tag === tag);
  const texts = (tag: string, inside: Node = root) => find(tag, inside).map(textOf);
  const [broad, narrow] = find('svg') as [Node, Node];
  return {html, root, all, find, texts, broad, narrow};
}
const hasClass = (name: string) => (node: Node) => node.attributes['class']?.split(' ').includes(name);
const numbersOf = (d: string) => [...d.matchAll(/-?\d+(\.\d+)?/g)].map(([n]) => Number(n));

const gridOf = (svg: Node): string[] =>
  [...elements(svg)]
    .filter(
      ({tag, attributes}) =>
        tag === 'text' && attributes['text-anchor'] === 'end' && attributes['dy'] !== undefined,
    )
    .map(textOf);

/** No date touches the next one: 12 px, as wide as a wide font makes them. */
function assertApart(svg: Node): void {
  const dates = [...elements(svg)].filter((node) => node.tag === 'text' && /^\d{4}-\d\d-/.test(textOf(node)));
  const ends = dates.map(({attributes: {x, 'text-anchor': anchor}}) => {
    const left = Number(x) - {start: 0, middle: 35, end: 70}[anchor as 'start' | 'middle' | 'end'];
    return [left, left + 70] as const;
  });
  for (const [i, [left]] of ends.entries())
    assert.ok(left > (ends[i - 1]?.[1] ?? 0), `${i} of ${ends.length} dates`);
}

describe('the page of a balance', () => {
  it('has the account, the period, and the opening, closing, lowest and highest balance', () => {
    const {all, texts, root} = draw([120_000, 95_050, 300_000, 150_075], {opening: 100_000});
    assert.equal(textOf(all.find(({tag}) => tag === 'h1')!), 'Balance of Operating');
    assert.deepEqual(texts('title')[0], 'Balance of Operating');
    const figures = all.filter(hasClass('figure')).map((box) => texts('dt', box).concat(texts('dd', box)));
    assert.deepEqual(figures, [
      ['Opening', '1,000.00', 'USD, before 2026-11-20'],
      ['Closing', '1,500.75', 'USD, on 2026-11-23'],
      ['Lowest', '950.50', 'USD, on 2026-11-21'],
      ['Highest', '3,000.00', 'USD, on 2026-11-22'],
    ]);
    const facts = all.find(hasClass('facts'))!;
    assert.deepEqual(texts('dd', facts), [
      ...['0192a000-0000-7000-8000-0000000000aa', 'Operating', 'USD'],
      ...['2026-11-20 to 2026-11-23, 4 days', '2,249.50', '1,748.75', '4', 'https://service.example'],
    ]);
    assert.ok(textOf(root).includes('as of 2026-11-23 12:00:00 UTC'));
    assert.ok(textOf(root).includes('TEST: not real money'));
    assert.ok(textOf(draw([1], {mode: 'live'}).root).includes('LIVE: real money'));
  });

  it('has every day in a table, the newest first', () => {
    const {find, texts} = draw([120_000, 95_050, -1], {opening: 100_000});
    const [, ...rows] = find('tr').map((row) => texts('th', row).concat(texts('td', row)));
    assert.deepEqual(rows, [
      ['2026-11-23', '-0.01', '0.00', '950.51', '1'],
      ['2026-11-22', '950.50', '0.00', '249.50', '1'],
      ['2026-11-21', '1,200.00', '200.00', '0.00', '1'],
    ]);
  });

  it('draws each day as a step, filled to zero, with dots at the lowest and the highest', () => {
    const {broad, find} = draw([100, 200, 0, 400]);
    const [over, line] = find('path', broad).map(({attributes}) => attributes['d']!);
    // From y=272 (0.00) up to y=12 (4.00).
    assert.match(line!, /^M[\d.]+ 207H[\d.]+V142H[\d.]+V272H[\d.]+V12H926$/);
    assert.equal(over, `${line}V272H${numbersOf(line!)[0]}Z`);
    const dots = find('circle', broad).map(({attributes}) => Number(attributes['cy']));
    assert.deepEqual(dots, [272, 12]);
    assert.equal(find('circle', draw([7, 7]).broad).length, 0);
  });

  it('fills what is below zero in another colour, down from a line at zero', () => {
    const {broad, find, html, all} = draw([-300_000, 100_000]);
    const paths = find('path', broad).map(({attributes}) => attributes['class']);
    assert.deepEqual(paths, ['over', 'under', 'line']);
    assert.deepEqual(gridOf(broad), ['-3,000', '-2,000', '-1,000', '0', '1,000']);
    assert.equal(find('line', find('g', broad).find(hasClass('axis'))).length, 1);
    assert.match(html, /<td class="n bad">-3,000.00<\/td>/);
    assert.equal(all.filter(hasClass('amount')).filter(hasClass('bad')).length, 1);
    assert.equal(draw([0, 0]).all.filter(hasClass('bad')).length, 0);
    const negative = draw([-5, -5]);
    assert.deepEqual(
      find('path', negative.broad).map(({attributes}) => attributes['class']),
      ['under', 'line'],
    );
  });

  it('shows one day', () => {
    const {texts, broad, root} = draw([50_000], {opening: 10_000});
    assert.deepEqual(
      texts('text', broad).filter((text) => text.includes('-')),
      ['2026-11-23'],
    );
    assert.ok(textOf(root).includes('2026-11-23, one day'));
    assert.equal(textOf(draw([0]).broad).includes('NaN'), false);
  });

  it('shows thousands of days, with as many dates as there is space for', () => {
    const {html, find, texts, broad, narrow} = draw(
      Array.from({length: 3660}, (_, i) => (i * 7919) % 100_003),
    );
    assert.equal(find('tr').length, 3661);
    const datesOf = (svg: Node) => texts('text', svg).filter((text) => /^\d{4}-/.test(text));
    assert.deepEqual([datesOf(broad).length, datesOf(narrow).length], [8, 3]);
    for (let days = 1; days < 100; days += 1)
      for (const svg of draw(Array.from({length: days}, () => 5)).find('svg')) assertApart(svg);
    assert.deepEqual([datesOf(broad)[0], datesOf(broad).at(-1)], ['2016-11-16', '2026-11-23']);
    assert.ok(html.length < 1_500_000, `${html.length} characters`);
  });

  it('writes currencies with no decimals and with three, and the minor units of an unknown one', () => {
    const figuresIn = (currency: string) => {
      const {all, broad, texts} = draw([1_234_567], {currency});
      const amount = textOf(all.find(hasClass('amount'))!);
      return [textOf(all.filter(hasClass('amount'))[1]!), texts('h2')[0], gridOf(broad).at(-1), amount];
    };
    assert.deepEqual(figuresIn('JPY'), ['1,234,567', 'Balance by day, in JPY', '1,500,000', '0']);
    assert.deepEqual(figuresIn('KWD'), ['1,234.567', 'Balance by day, in KWD', '1,500', '0.000']);
    assert.deepEqual(figuresIn('USD'), ['12,345.67', 'Balance by day, in USD', '15,000', '0.00']);
    assert.deepEqual(gridOf(draw([1_234_567_890_12]).broad), ['0', '0.5B', '1B', '1.5B']);
    for (const [major, label] of [
      [1e12, '1T'],
      [1e9, '1B'],
      [1e6, '1,000,000'],
      [-1e6, '-1M'],
    ] as const)
      assert.ok(gridOf(draw([major * 100]).broad).includes(label), label);
    assert.deepEqual(figuresIn('XTS')[1], 'Balance by day, in minor units of XTS');
    assert.deepEqual(figuresIn('XTS')[0], '1,234,567');
    assert.deepEqual(gridOf(draw([3], {currency: 'KWD'}).broad), ['0.000', '0.001', '0.002', '0.003']);
  });

  it('shows text of the service as text, on one line, and not without end', () => {
    const label = `<script>alert(1)</script>"'\`&\u202e\u0000\u001b]8;;x\u0007\ud800 ${'x'.repeat(1_000_000)}`;
    const {html, texts, all} = draw([1], {label, service: '"><img src=x>', currency: '<b>'});
    assert.ok(html.length < 30_000, `${html.length} characters`);
    assert.ok(texts('h1')[0]!.startsWith('Balance of <script>alert(1)</script>"\'`&]8;;x '));
    assert.ok(texts('h1')[0]!.endsWith('x…'));
    assert.ok(texts('dd').includes('"><img src=x>'));
    assert.equal(all.filter(({tag}) => ['script', 'img', 'b'].includes(tag)).length, 0);
    assert.doesNotMatch(html, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\ud800-\udfff]/);
    const cut = texts('h1', parsePage(balancePage(historyOf([1], {label: '😀'.repeat(300)}))))[0]!;
    assert.equal(cut, `Balance of ${'😀'.repeat(200)}…`);
  });

  it('is named after the account id if there is no label', () => {
    assert.equal(draw([1], {label: null}).texts('h1')[0], 'Balance of 0192a000-0000-7000-8000-0000000000aa');
    assert.equal(draw([1], {label: ' '}).texts('h1')[0], 'Balance of 0192a000-0000-7000-8000-0000000000aa');
  });

  it('loads nothing, runs nothing, and allows only its own style', () => {
    const {all, texts, find} = draw([1, 2]);
    const style = texts('style')[0]!;
    const hash = createHash('sha256').update(style).digest('base64');
    const policies = find('meta').filter(({attributes}) => attributes['http-equiv'] !== undefined);
    assert.deepEqual(
      policies.map(({attributes}) => attributes['content']),
      [`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`],
    );
    const outside = all.filter(({tag}) =>
      /^(script|link|img|iframe|object|form|a|base|embed|image|use)$/.test(tag),
    );
    assert.deepEqual(outside, []);
    for (const {attributes} of all)
      for (const name of Object.keys(attributes))
        assert.doesNotMatch(name, /^(on.*|style|src|href|background)$/);
    assert.doesNotMatch(style, /@import|url\(|expression/);
  });

  it('is a page that a screen reader can navigate', () => {
    const {all, find, texts, root, broad} = draw([100, -50]);
    const ids = all.map(({attributes}) => attributes['id']).filter((id) => id !== undefined);
    assert.equal(new Set(ids).size, ids.length, 'an id stands twice');
    for (const {attributes} of all)
      for (const name of ['aria-labelledby', 'aria-describedby'])
        if (attributes[name] !== undefined) assert.ok(ids.includes(attributes[name]), attributes[name]);
    for (const cell of find('th')) assert.match(cell.attributes['scope'] ?? '', /^(col|row)$/);
    assert.deepEqual([find('html')[0]!.attributes['lang'], find('h1').length], ['en', 1]);
    assert.equal(broad.attributes['role'], 'img');
    assert.equal(texts('title', broad)[0], 'Balance at the end of each day');
    assert.equal(
      texts('desc', root)[0],
      'From 2026-11-22 to 2026-11-23, in USD: opening 0.00, closing -0.50, lowest -0.50 on 2026-11-23, highest 1.00 on 2026-11-22.',
    );
  });

  it('stays inside its frame, whatever the balances are', () => {
    const most = (Number.MAX_SAFE_INTEGER - 1) / 2;
    const balance = fc.oneof(fc.integer({min: -500, max: 500}), fc.integer({min: -most, max: most}));
    fc.assert(
      fc.property(
        fc.array(balance, {minLength: 1, maxLength: 60}),
        fc.constantFrom('USD', 'JPY', 'KWD'),
        (days, currency) => {
          const {find, texts, broad, narrow} = draw(days, {currency, opening: days[0]!});
          for (const svg of [broad, narrow]) {
            const [, , width, height] = svg.attributes['viewBox']!.split(' ').map(Number) as [
              number,
              number,
              number,
              number,
            ];
            for (const {attributes} of elements(svg))
              for (const [name, value] of Object.entries(attributes)) {
                if (!/^(x|y|x1|x2|y1|y2|cx|cy)$/.test(name)) continue;
                const limit = name.includes('x') ? width : height;
                assert.ok(Number(value) >= 0 && Number(value) <= limit, `${name}=${value}`);
              }
            for (const {attributes} of find('path', svg))
              assert.doesNotMatch(attributes['d']!, /NaN|Infinity|-/);
            const labels = texts('text', svg).filter((text) => !/^\d{4}-\d\d-/.test(text));
            assert.equal(new Set(labels).size, labels.length, labels.join(' | '));
            assertApart(svg);
            for (const label of labels) assert.match(label, /^-?(0|[1-9][\d,]*)(\.\d+)?[MBT]?$/);
          }
        },
      ),
    );
  });
});
