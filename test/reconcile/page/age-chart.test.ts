import assert from 'node:assert/strict';
import {ageChart, agesOf} from '../../../src/reconcile/page/age-chart.ts';

const countsOf = (days: readonly (number | undefined)[]) =>
  agesOf(days)
    .filter(({count}) => count > 0)
    .map(({label, count}) => `${label}: ${count}`);

describe('the ages of open payments', () => {
  it('are counted by banking days, in eight steps', () => {
    assert.deepEqual(
      agesOf([]).map(({label, count, isLate}) => [label, count, isLate]),
      ['not due', '1', '2–3', '4–5', '6–10', '11–20', '21–60', 'over 60'].map((label, at) => [
        ...[label, 0, at > 0],
      ]),
    );
    for (const [day, label] of [
      ...[
        [0, 'not due'],
        [1, '1'],
        [2, '2–3'],
        [3, '2–3'],
        [4, '4–5'],
        [5, '4–5'],
        [6, '6–10'],
      ],
      ...[
        [10, '6–10'],
        [11, '11–20'],
        [20, '11–20'],
        [21, '21–60'],
        [60, '21–60'],
        [61, 'over 60'],
      ],
      ...[[250, 'over 60']],
    ] as [number, string][])
      assert.deepEqual(countsOf([day]), [`${label}: 1`], String(day));
    assert.deepEqual(countsOf([0, 0, 3, 2, 100]), ['not due: 2', '2–3: 2', 'over 60: 1']);
    // What the bank booked after the period is neither due nor late.
    assert.deepEqual(
      agesOf([0, undefined, undefined, 1])
        .slice(0, 3)
        .map(({label, count, isLate}) => [label, count, isLate]),
      [
        ['booked later', 2, false],
        ['not due', 1, false],
        ['1', 1, true],
      ],
    );
  });

  it('are a chart whose bars have the height of their counts', () => {
    const days = [...Array<number>(8).fill(0), ...Array<number>(4).fill(1), 2];
    const text = String(ageChart(agesOf(days), {width: 452, height: 160}));
    assert.match(
      text,
      /^<svg viewBox="0 0 452 160" role="img" aria-label="Open payments by banking days overdue">/,
    );
    const bars = [
      ...text.matchAll(/<rect class="(.*?)" x="(.*?)" width="(.*?)" y="(.*?)" height="(.*?)"><title>(.*?)</g),
    ].map(([, ...parts]) => parts);
    // The plot is from 44 to 444 and from 12 to 120: 50 for each bar, 13.5 for each payment.
    assert.deepEqual(bars.slice(0, 3), [
      ['', '53', '32', '12', '108', 'not due: 8 payments'],
      ['late', '103', '32', '66', '54', '1: 4 payments'],
      ['late', '153', '32', '106.5', '13.5', '2–3: 1 payment'],
    ]);
    assert.equal(bars.length, 8);
    assert.ok(bars.slice(3).every(([, , , y, height]) => y === '120' && height === '0'));
    const texts = [...text.matchAll(/<text x="(.*?)" y="(.*?)"[^>]*>(.*?)</g)].map(
      ([, x, y, of]) => `${x} ${y} ${of}`,
    );
    for (const expected of [
      '69 136 not due',
      '69 8 8',
      '119 136 1',
      '119 62 4',
      '169 102.5 1',
      '244 154 banking days overdue',
    ])
      assert.ok(texts.includes(expected), `${expected}: ${texts.join(', ')}`);
    assert.equal(texts.filter((each) => each.endsWith(' 0')).length, 1, 'no number over an empty bar');
    const grid = [...text.matchAll(/<line x1="44" x2="444" y1="(.*?)"/g)].map(([, y]) => y);
    assert.deepEqual(grid, ['120', '93', '66', '39', '12']);
    assert.deepEqual(
      [...text.matchAll(/text-anchor="end">(\d+)</g)].map(([, of]) => of),
      ['0', '2', '4', '6', '8'],
    );
  });

  it('are a chart also if there are none, or thousands', () => {
    assert.match(String(ageChart(agesOf([]), {width: 360, height: 200})), /text-anchor="end">1</);
    const many = String(ageChart(agesOf(Array<number>(12_345).fill(61)), {width: 360, height: 200}));
    assert.match(many, />12,345<\/text>/);
    assert.match(many, /text-anchor="end">15,000</);
  });
});
