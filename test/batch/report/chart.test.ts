import assert from 'node:assert/strict';
import fc from 'fast-check';
import {chartOf, LAYERS} from '../../../src/batch/report/chart.ts';
import {timeScale} from '../../../src/batch/report/time-scale.ts';
import type {Counts, TimelinePoint} from '../../../src/batch/standing/timeline.ts';
import {elements, parsePage, textOf} from '../../html/parse-page.ts';

const NONE: Counts = {
  accepted: 0,
  already_paid: 0,
  staged: 0,
  unapproved: 0,
  rejected: 0,
  conflict: 0,
  in_doubt: 0,
  not_sent: 0,
  settled: 0,
  failed: 0,
};
const START = Date.parse('2026-03-02T15:00:00Z');
const point = (seconds: number, counts: Partial<Counts>, phase = 'staging', run = 1): TimelinePoint => ({
  run,
  at: START + seconds * 1000,
  phase,
  counts: {...NONE, ...counts},
});
const draw = (points: TimelinePoint[], width = 936) => {
  const root = parsePage(`<!doctype html>\n${chartOf(points, {width, height: 290}).text}`);
  const all = [...elements(root)];
  const texts = all.filter(({tag}) => tag === 'text').map(textOf);
  return {all, texts, paths: all.filter(({tag}) => tag === 'path')};
};
const numbersOf = (d: string) => [...d.matchAll(/-?\d+(\.\d+)?/g)].map(([n]) => Number(n));

describe('the chart of a report', () => {
  it('draws nothing for fewer than two samples', () => {
    assert.equal(chartOf([], {width: 900, height: 290}).text, '');
    assert.equal(chartOf([point(0, {staged: 3})], {width: 900, height: 290}).text, '');
    assert.equal(chartOf([point(0, {}), point(9, {})], {width: 900, height: 290}).text, '');
  });

  it('stacks the states so that they fill the height, with the settled ones at the bottom', () => {
    const {paths, texts} = draw([
      point(0, {not_sent: 100}),
      point(10, {accepted: 60, settled: 20, not_sent: 40}, 'paying'),
      point(20, {accepted: 100, settled: 50, failed: 25}, 'settling'),
    ]);
    assert.deepEqual(
      paths.map(({attributes}) => attributes['class']),
      ['settled', 'underway', 'trouble', 'waiting'],
    );
    // From y=250 (0 rows) up to y=26 (100 rows): at the second sample 20 settled and 40 under way.
    const settled = numbersOf(paths[0]!.attributes['d']!);
    assert.ok(settled.includes(250 - 0.2 * 224), String(settled));
    assert.ok(numbersOf(paths[1]!.attributes['d']!).includes(115.6), 'up to 60 rows');
    assert.ok(texts.includes('100') && texts.includes('0'));
    assert.deepEqual(
      texts.filter((text) => /ing$/.test(text)),
      ['staging', 'paying'], // the last phase has no room for its name
    );
  });

  it('cuts out long pauses between runs, labels their length, and keeps the minutes of the runs apart', () => {
    const day = 24 * 3600;
    const points = [
      point(0, {not_sent: 10}),
      point(60, {staged: 10}),
      point(day, {staged: 10}, 'releasing', 2),
      point(day + 60, {accepted: 10}, 'releasing', 2),
    ];
    const scale = timeScale(points, 50, 900);
    assert.equal(scale.breaks[0]!.label, '+24 h');
    assert.equal(scale.stretches.length, 2);
    const widths = scale.stretches.map(({from, to}) => scale.x(to) - scale.x(from));
    assert.ok(Math.abs(widths[0]! - widths[1]!) < 1, 'a minute is a minute');
    const {texts} = draw(points);
    assert.ok(texts.includes('2026-03-02') && texts.includes('2026-03-03'));
    assert.ok(texts.includes('+24 h'));
  });

  it('keeps a short pause, and a long one within a run', () => {
    assert.equal(
      timeScale([point(0, {}), point(100, {}), point(103, {}, 'x', 2), point(200, {}, 'x', 2)], 0, 900).breaks
        .length,
      0,
    );
    assert.equal(timeScale([point(0, {}), point(5000, {})], 0, 900).breaks.length, 0);
  });

  it('stays inside its frame, moves to the right, and has no invalid number', () => {
    const counts = fc.record(
      Object.fromEntries(Object.keys(NONE).map((name) => [name, fc.nat({max: 1_000_000})])),
    ) as fc.Arbitrary<Counts>;
    const moments = fc.array(
      fc.record({
        gap: fc.oneof(fc.nat({max: 5000}), fc.nat({max: 400_000_000})),
        newRun: fc.boolean(),
        counts,
      }),
      {minLength: 2, maxLength: 40},
    );
    fc.assert(
      fc.property(moments, fc.constantFrom(360, 936), (given, width) => {
        let [at, run] = [0, 1];
        const points = given.map(({gap, newRun, counts: c}) => {
          if (newRun) run++;
          at += gap;
          // Settled and failed rows are among the accepted ones.
          return point(at / 1000, {...c, accepted: c.accepted + c.settled + c.failed}, `p${run}`, run);
        });
        const {all, paths} = draw(points, width);
        for (const {attributes} of all)
          for (const name of ['x', 'y', 'x1', 'x2', 'y1', 'y2']) {
            if (attributes[name] === undefined) continue;
            const value = Number(attributes[name]);
            const limit = name.startsWith('x') ? width : 290;
            assert.ok(value >= 0 && value <= limit, `${name}=${attributes[name]}`);
          }
        for (const {attributes} of paths) {
          const d = attributes['d']!;
          assert.match(d, /^[MVHZ\d. -]+$/);
          const across = [...d.matchAll(/H(-?[\d.]+)/g)].map(([, x]) => Number(x));
          assert.ok(
            across.every((x) => x >= 0 && x <= width),
            d,
          );
          const there = across.slice(0, across.length / 2);
          assert.ok(
            there.every((x, i) => i === 0 || x >= there[i - 1]!),
            'time runs to the right',
          );
          for (const [, y] of d.matchAll(/V(-?[\d.]+)/g))
            assert.ok(Number(y) >= 25.9 && Number(y) <= 250.1, y);
        }
        const scale = timeScale(points, 50, width - 10);
        for (let i = 1; i < points.length; i++) assert.ok(scale.x(i) >= scale.x(i - 1) - 1e-9);
      }),
    );
  });

  it('counts every row once', () => {
    const counts = {
      ...NONE,
      accepted: 10,
      settled: 4,
      failed: 1,
      already_paid: 2,
      staged: 3,
      unapproved: 4,
      rejected: 5,
      conflict: 6,
      in_doubt: 7,
      not_sent: 8,
    };
    assert.equal(
      LAYERS.reduce((sum, {of}) => sum + of(counts), 0),
      10 + 2 + 3 + 4 + 5 + 6 + 7 + 8,
    );
  });

  /** Where the labels are drawn, as wide as a wide font makes them: 12 px, bold for phases. */
  const boxesOf = (points: TimelinePoint[], width: number) =>
    draw(points, width)
      .all.filter(({tag}) => tag === 'text')
      .map((element) => {
        const {x, y, 'text-anchor': anchor = 'start'} = element.attributes;
        const text = textOf(element);
        const wide = text.length * (/^[a-z]/.test(text) ? 7 : 6.9);
        const left = Number(x) - (anchor === 'end' ? wide : anchor === 'middle' ? wide / 2 : 0);
        return {text, y: Number(y), left, right: left + wide};
      });

  it('has no labels that overlap or leave it, whenever the batch ran', () => {
    const phases = fc.constantFrom('staging', 'probing', 'releasing', 'settling', 'refreshing', 'paying');
    const run = fc.record({
      pause: fc.oneof(fc.integer({min: 1, max: 300}), fc.integer({min: 300, max: 400_000})),
      samples: fc.array(fc.record({phase: phases, seconds: fc.integer({min: 1, max: 4000})}), {
        minLength: 1,
        maxLength: 6,
      }),
    });
    fc.assert(
      fc.property(fc.array(run, {minLength: 1, maxLength: 9}), fc.constantFrom(360, 936), (runs, width) => {
        let at = 0;
        const points = runs.flatMap(({pause, samples}, k) => {
          at += pause;
          return samples.map(({phase, seconds}) =>
            point((at += seconds), {accepted: 1_000_000}, phase, k + 1),
          );
        });
        if (points.length < 2) return;
        const boxes = boxesOf(points, width);
        for (const box of boxes) {
          const {text, left, right} = box;
          assert.ok(left >= -1 && right <= width + 1, `${text} from ${left} to ${right} of ${width}`);
          const other = boxes.find(
            (it) => it !== box && Math.abs(it.y - box.y) < 12 && it.left < right && left < it.right,
          );
          assert.equal(other, undefined, `${text} overlaps ${other?.text}`);
        }
      }),
      {numRuns: 500},
    );
  });
});
