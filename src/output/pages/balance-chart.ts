import {gridLine, type Plot, px, roundStep} from '../../html/chart.ts';
import {markup, type Markup} from '../../html/markup.ts';
import type {BalanceDay, BalanceFigures, CurrencyUnit} from './balance-days.ts';

export interface BalanceSeries {
  /** The oldest first. */
  days: readonly BalanceDay[];
  figures: BalanceFigures;
  unit: CurrencyUnit;
}

const TOP = 12;
const BOTTOM = 28;
const RIGHT = 10;
/** A date below the axis, with the space around it. */
const DATE_WIDTH = 110;

/** The balance at the end of each day as steps, filled down to zero, or up to it. */
export function balanceChart(series: BalanceSeries, size: {width: number; height: number}): Markup {
  const {days, figures, unit} = series;
  const {width, height} = size;
  const {step, low, high} = scaleOf(figures);
  const lines = Array.from({length: Math.round((high - low) / step) + 1}, (_, i) => low + i * step);
  const labels = gridLabels(lines, unit);
  const left = 14 + 7 * Math.max(...labels.map((label) => label.length));
  const plot: Plot = {left, right: width - RIGHT, top: TOP, bottom: height - BOTTOM};
  const y = (minor: number) => plot.bottom - ((plot.bottom - plot.top) * (minor - low)) / (high - low);
  const x = (i: number) => plot.left + ((plot.right - plot.left) * i) / days.length;
  const grid = lines.map((minor, i) => gridLine(labels[i] ?? '', y(minor), plot));
  return markup`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title-${width}" aria-describedby="text-${width}">
<title id="title-${width}">Balance at the end of each day</title>
<desc id="text-${width}">${describe(series)}</desc>
<g class="grid">${grid}</g>
${area('over', series, {x, y, part: (minor) => Math.max(0, minor)})}
${area('under', series, {x, y, part: (minor) => Math.min(0, minor)})}
${low < 0 && markup`<g class="axis"><line x1="${plot.left}" x2="${plot.right}" y1="${px(y(0))}" y2="${px(y(0))}"/></g>`}
<path class="line" d="M${steps(series, {x, y}).join('')}"/>
${extremes(series, {x, y})}
${dateAxis(days, {x, plot})}
</svg>`;
}

/** Round numbers around all balances and zero. */
function scaleOf({lowest, highest}: BalanceFigures): {step: number; low: number; high: number} {
  const [least, most] = [
    Math.min(0, lowest.balance_in_minor_units),
    Math.max(0, highest.balance_in_minor_units),
  ];
  const step = roundStep((most - least) / 4);
  const low = Math.floor(least / step) * step;
  return {step, low, high: Math.max(Math.ceil(most / step) * step, low + step)};
}

const LONGEST_LABEL = 9;
const THOUSANDS = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
] as const;

/** `1,500`; `1,500M` and the like where the full numbers would be too long. The lines are at round numbers. */
function gridLabels(lines: readonly number[], {amount, minor}: CurrencyUnit): string[] {
  const whole = lines.every((line) => line % minor === 0);
  const full = lines.map((line) =>
    amount(line).slice(0, whole && minor > 1 ? -String(minor).length : undefined),
  );
  const largest = Math.max(...lines.map(Math.abs)) / minor;
  const [size, letter] = THOUSANDS.find(([n]) => n <= largest) ?? [1, ''];
  if (size === 1 || full.every((label) => label.length <= LONGEST_LABEL)) return full;
  return lines.map((line) =>
    line === 0 ? '0' : `${(line / minor / size).toFixed(1).replace('.0', '')}${letter}`,
  );
}

interface Scales {
  /** The left edge of a day by its index; the right edge of the last one by the number of days. */
  x: (day: number) => number;
  y: (minor: number) => number;
}

/** `x yHxVyHx…`: along the tops of all days. Days that look alike are one step. */
function steps(
  {days}: BalanceSeries,
  {x, y, part = (minor) => minor}: Scales & {part?: (minor: number) => number},
): string[] {
  const tops = days.map((day) => px(y(part(day.balance_in_minor_units))));
  return tops.flatMap((top, i) => {
    const begin = i === 0 ? [`${px(x(0))} ${top}`] : tops[i - 1] === top ? [] : [`V${top}`];
    return tops[i + 1] === top ? begin : [...begin, `H${px(x(i + 1))}`];
  });
}

function area(
  name: 'over' | 'under',
  series: BalanceSeries,
  scales: Scales & {part: (minor: number) => number},
): Markup | null {
  const {x, y, part} = scales;
  if (series.days.every((day) => part(day.balance_in_minor_units) === 0)) return null;
  return markup`<path class="${name}" d="M${steps(series, scales).join('')}V${px(y(0))}H${px(x(0))}Z"/>`;
}

/** Dots at the lowest and the highest day, unless all days are alike. */
function extremes({days, figures}: BalanceSeries, {x, y}: Scales): Markup[] | null {
  const {lowest, highest} = figures;
  if (lowest.balance_in_minor_units === highest.balance_in_minor_units) return null;
  return [lowest, highest].map((day) => {
    const middle = x(days.indexOf(day) + 0.5);
    return markup`<circle cx="${px(middle)}" cy="${px(y(day.balance_in_minor_units))}" r="3.5"/>`;
  });
}

function dateAxis(days: readonly BalanceDay[], {x, plot}: {x: Scales['x']; plot: Plot}): Markup {
  const {left, right, bottom} = plot;
  const last = days.length - 1;
  const every = Math.ceil(DATE_WIDTH / (x(1) - x(0)));
  const ticks = days.map(({day}, i) => {
    const isDated = i === 0 || ((last - i) % every === 0 && i >= every);
    if (!isDated) return null;
    const middle = px(x(i + 0.5));
    const [at, anchor] =
      last === 0 || (i > 0 && i < last) ? [middle, 'middle'] : i === 0 ? [left, 'start'] : [right, 'end'];
    return markup`<line x1="${middle}" x2="${middle}" y1="${bottom}" y2="${bottom + 4}"/><text x="${at}" y="${bottom + 18}" text-anchor="${anchor}">${day}</text>`;
  });
  return markup`<g class="axis"><line x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>${ticks}</g>`;
}

function describe({days, figures, unit}: BalanceSeries): string {
  const {opening, closing, lowest, highest} = figures;
  const on = (day: BalanceDay) => `${unit.amount(day.balance_in_minor_units)} on ${day.day}`;
  return (
    `From ${days[0]?.day} to ${days.at(-1)?.day}, in ${unit.name}: opening ${unit.amount(opening)}, ` +
    `closing ${unit.amount(closing)}, lowest ${on(lowest)}, highest ${on(highest)}.`
  );
}
