import {gridLine, grouped, type Plot, px, roundStep} from '../../html/chart.ts';
import {Markup, markup} from '../../html/markup.ts';
import type {Counts, TimelinePoint} from '../standing/timeline.ts';
import {type TimeScale, timeScale} from './time-scale.ts';

/** The stacked states, from the bottom up. Each row of the batch is in one of them. `name` is also the CSS class. */
export const LAYERS = [
  {name: 'settled', label: 'settled', of: (c: Counts) => c.settled},
  {name: 'underway', label: 'accepted, under way', of: (c: Counts) => c.accepted - c.settled - c.failed},
  {name: 'elsewhere', label: 'paid by another batch', of: (c: Counts) => c.already_paid},
  {name: 'staged', label: 'staged', of: (c: Counts) => c.staged},
  {
    name: 'trouble',
    label: 'failed or refused',
    of: (c: Counts) => c.failed + c.unapproved + c.rejected + c.conflict,
  },
  {name: 'doubt', label: 'in doubt', of: (c: Counts) => c.in_doubt},
  {name: 'waiting', label: 'not sent', of: (c: Counts) => c.not_sent},
] as const;

const TOP = 26;
const BOTTOM = 40;
const RIGHT = 10;

/**
 * How many rows were in each state, over the time in which the batch ran or was followed. Empty with fewer than two
 * samples.
 */
export function chartOf(points: readonly TimelinePoint[], size: {width: number; height: number}): Markup {
  const ends = endsOf(points);
  if (ends === undefined) return new Markup('');
  const highest = Math.max(...points.map(totalOf));
  const {width, height} = size;
  const left = 14 + 7 * grouped(highest).length;
  const plot = {left, right: width - RIGHT, top: TOP, bottom: height - BOTTOM};
  const scale = timeScale(points, plot.left, plot.right);
  const y = (rows: number) => plot.bottom - ((plot.bottom - plot.top) * rows) / highest;
  return markup`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="chart-${width}">
<title id="chart-${width}">${describe(ends)}</title>
<g class="grid">${gridRows(highest).map((rows) => gridLine(grouped(rows), y(rows), plot))}</g>
${layers(points, scale, y)}
${phaseMarks(points, scale, plot)}
${timeAxis(scale, plot)}
</svg>`;
}

interface Ends {
  first: TimelinePoint;
  last: TimelinePoint;
}

/** The ends of what a chart shows; undefined where there is nothing to show. */
export function endsOf(points: readonly TimelinePoint[]): Ends | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || last.at <= first.at) return undefined;
  return points.some((point) => totalOf(point) > 0) ? {first, last} : undefined;
}

const totalOf = ({counts}: TimelinePoint): number =>
  LAYERS.reduce((sum, layer) => sum + Math.max(0, layer.of(counts)), 0);

/** One path per layer and stretch of time. Counts hold until the next sample, so the edges are steps. */
function layers(points: readonly TimelinePoint[], scale: TimeScale, y: (rows: number) => number): Markup[] {
  let stacked = points.map(() => 0);
  return LAYERS.flatMap(({name, of}) => {
    const bands = points.map((point, i) => {
      const below = stacked[i] ?? 0;
      return {x: scale.x(i), below, above: below + Math.max(0, of(point.counts))};
    });
    stacked = bands.map(({above}) => above);
    return scale.stretches.flatMap(({from, to, end}) => {
      const along = bands.slice(from, to + 1);
      if (!along.some(({above, below}) => above > below)) return [];
      const xs = [...along.map(({x}) => x), end].map(px);
      const floor = along.map(({below}) => px(y(below)));
      const over = along.map(({above}, k) => `V${px(y(above))}H${xs[k + 1]}`).join('');
      const under = floor.map((at, k) => `V${at}H${xs[k]}`).reverse();
      return [markup`<path class="${name}" d="M${xs[0]} ${floor[0]}${over}${under.join('')}Z" />`];
    });
  });
}

/** Marks where staging ends and releasing begins, with a label if there is space. */
function phaseMarks(points: readonly TimelinePoint[], scale: TimeScale, plot: Plot): Markup[] {
  const starts = points
    .map(({phase, run}, i) => ({phase, run, i}))
    .filter(({phase, run, i}) => points[i - 1]?.phase !== phase || points[i - 1]?.run !== run)
    .map((mark) => ({...mark, x: scale.x(mark.i)}));
  const begins = new Set(scale.stretches.map(({from}) => from)); // an edge is there already
  return starts.map(({phase, x, i}, k) => {
    const fits = (starts[k + 1]?.x ?? plot.right) - x > 7.5 * phase.length + 10;
    const line = markup`<line x1="${px(x)}" x2="${px(x)}" y1="${plot.top}" y2="${plot.bottom}"/>`;
    const name = markup`<text x="${px(x + 1)}" y="${plot.top - 8}">${phase}</text>`;
    return markup`<g class="phase">${!begins.has(i) && line}${fits && name}</g>`;
  });
}

function timeAxis(scale: TimeScale, plot: Plot): Markup {
  const {left, right, top, bottom} = plot;
  const ticks = scale.ticks.map(({x, anchor, time, day}) => {
    const text = (dy: number, words: string) =>
      markup`<text x="${px(x)}" y="${bottom + dy}" text-anchor="${anchor}">${words}</text>`;
    return markup`<line x1="${px(x)}" x2="${px(x)}" y1="${bottom}" y2="${bottom + 4}"/>${text(17, time)}${day !== null && text(32, day)}`;
  });
  const breaks = scale.breaks.map(
    ({x, width, label}) =>
      markup`<rect class="break" x="${px(x)}" y="${top}" width="${width}" height="${bottom - top + 1}"/><text x="${px(x + width / 2)}" y="${px((top + bottom) / 2)}" text-anchor="middle">${label}</text>`,
  );
  return markup`<g class="axis"><line x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>${ticks}${breaks}</g>`;
}

/** At most three lines, at round numbers. */
function gridRows(highest: number): number[] {
  const nice = roundStep(highest / 3);
  const rows = [0];
  for (let at = nice; at < highest - nice * 0.4; at += nice) rows.push(at);
  return [...rows, highest];
}

function describe({first, last}: Ends): string {
  const end = LAYERS.map(({label, of}) => [label, of(last.counts)] as const).filter(([, rows]) => rows > 0);
  const parts = end.map(([label, rows]) => `${grouped(rows)} ${label}`).join(', ');
  return `Rows by state from ${new Date(first.at).toISOString()} to ${new Date(last.at).toISOString()}; at the end ${parts}.`;
}
