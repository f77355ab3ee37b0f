import {grouped, gridLine, type Plot, px, roundStep} from '../../html/chart.ts';
import {type Markup, markup} from '../../html/markup.ts';
import {counted} from '../../phrases.ts';

/** Open payments that have been overdue for this many banking days, or that the bank booked after the period. */
export interface AgeBucket {
  label: string;
  count: number;
  isLate: boolean;
}

const BUCKETS = [
  {label: 'not due', most: 0},
  {label: '1', most: 1},
  {label: '2–3', most: 3},
  {label: '4–5', most: 5},
  {label: '6–10', most: 10},
  {label: '11–20', most: 20},
  {label: '21–60', most: 60},
  {label: 'over 60', most: Infinity},
] as const;

/** @param days banking days since each payment was due; undefined if it was booked after the period, which is no age */
export function agesOf(days: readonly (number | undefined)[]): AgeBucket[] {
  const aged = days.filter((day) => day !== undefined);
  const later = days.length - aged.length;
  const buckets = aged.map((day) => BUCKETS.findIndex(({most}) => day <= most));
  return [
    ...(later === 0 ? [] : [{label: 'booked later', count: later, isLate: false}]),
    ...BUCKETS.map(({label, most}, at) => ({
      label,
      count: buckets.filter((bucket) => bucket === at).length,
      isLate: most > 0,
    })),
  ];
}

/** Open payments by age, as bars. */
export function ageChart(
  ages: readonly AgeBucket[],
  {width, height}: {width: number; height: number},
): Markup {
  const plot: Plot = {left: 44, right: width - 8, top: 12, bottom: height - 40};
  const highest = Math.max(1, ...ages.map(({count}) => count));
  const step = roundStep(highest / 4);
  const top = Math.ceil(highest / step) * step;
  const y = (count: number) => plot.bottom - ((plot.bottom - plot.top) * count) / top;
  const slot = (plot.right - plot.left) / ages.length;
  const grid = Array.from({length: top / step + 1}, (_, at) =>
    gridLine(grouped(at * step), y(at * step), plot),
  );
  const bars = ages.map(({label, count, isLate}, at) => {
    const x = plot.left + at * slot;
    const middle = px(x + slot / 2);
    return markup`<rect class="${isLate && 'late'}" x="${px(x + slot * 0.18)}" width="${px(slot * 0.64)}" y="${px(y(count))}" height="${px(plot.bottom - y(count))}"><title>${label}: ${counted(count, 'payment')}</title></rect>
<text x="${middle}" y="${px(plot.bottom + 16)}" text-anchor="middle">${label}</text>${count > 0 && markup`<text x="${middle}" y="${px(y(count) - 4)}" text-anchor="middle">${grouped(count)}</text>`}`;
  });
  return markup`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Open payments by banking days overdue"><g class="grid">${grid}</g>${bars}
<text x="${px((plot.left + plot.right) / 2)}" y="${height - 6}" text-anchor="middle">banking days overdue</text></svg>`;
}
