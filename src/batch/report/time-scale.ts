import {must} from '../../narrow.ts';
import type {TimelinePoint} from '../standing/timeline.ts';

export interface Tick {
  x: number;
  anchor: 'start' | 'middle' | 'end';
  /** `15:04:05`, UTC. */
  time: string;
  /** Set on the first tick of a day. */
  day: string | null;
}

export interface TimeScale {
  /** The position of a sample. */
  x: (index: number) => number;
  /** Stretches without a long pause: samples `from` to `to`, drawn up to `end`. */
  stretches: {from: number; to: number; end: number}[];
  /** Long pauses between runs: drawn narrow, with a label. */
  breaks: {x: number; width: number; label: string}[];
  ticks: Tick[];
}

/** Fits the longest label, `+119 min`. */
const BREAK_WIDTH = 54;
/** The last sample of a stretch is drawn this wide, so that its end is visible. */
const TAIL = 8;
/** Minimum space on each side of a pause, for the times below it. */
const WIDTH_PER_BREAK = 150;
const SHORTEST_BREAK_MS = 10_000;
const SHORTEST_STRETCH = 44;
/** Of a time or a day, whichever is wider. */
const LABEL_WIDTH = 70;

/**
 * Lays samples out between two edges. Pauses between runs that would flatten everything else are cut out, so a batch
 * that was staged on Monday and released on Tuesday is drawn by the minutes in which it ran.
 */
export function timeScale(points: readonly TimelinePoint[], left: number, right: number): TimeScale {
  const timeOf = timesOf(points);
  const cuts = longPauses(points, Math.floor((right - left) / WIDTH_PER_BREAK));
  const bounds = [0, ...cuts, points.length];
  const parts = bounds.slice(1).map((next, k) => {
    const [from, to] = [bounds[k] ?? 0, next - 1];
    return {from, to, ms: timeOf(to) - timeOf(from)};
  });
  const total = parts.reduce((sum, {ms}) => sum + ms, 0);
  const free = right - left - cuts.length * BREAK_WIDTH - parts.length * SHORTEST_STRETCH;
  const stretches: (TimeScale['stretches'][number] & {start: number})[] = [];
  const breaks: TimeScale['breaks'] = [];
  let at = left;
  parts.forEach(({from, to, ms}, k) => {
    const width = SHORTEST_STRETCH + (total > 0 ? (free * ms) / total : free / parts.length);
    stretches.push({from, to, start: at, end: at + width});
    at += width;
    if (k === parts.length - 1) return;
    breaks.push({x: at, width: BREAK_WIDTH, label: `+${duration(timeOf(to + 1) - timeOf(to))}`});
    at += BREAK_WIDTH;
  });
  const x = (index: number) => {
    const stretch = must(
      stretches.find(({to}) => index <= to),
      'stretch of the sample',
    );
    const [begin, end] = [timeOf(stretch.from), timeOf(stretch.to)];
    const share = end > begin ? (timeOf(index) - begin) / (end - begin) : 0;
    return stretch.start + share * (stretch.end - TAIL - stretch.start);
  };
  return {x, stretches, breaks, ticks: ticksOf(points, stretches)};
}

/** The moment of a sample by its index. */
const timesOf = (points: readonly TimelinePoint[]) => (index: number) => must(points[index], 'sample').at;

/** Indexes of samples that follow a long pause. */
function longPauses(points: readonly TimelinePoint[], most: number): number[] {
  const timeOf = timesOf(points);
  const pauses = points.map(({at, run}, i) => ({
    i,
    ms: i > 0 && points[i - 1]?.run !== run ? at - timeOf(i - 1) : 0,
  }));
  const idle = pauses.reduce((sum, {ms}) => sum + ms, 0);
  const active = timeOf(points.length - 1) - timeOf(0) - idle;
  return pauses
    .filter(({ms}) => ms > Math.max(SHORTEST_BREAK_MS, active * 0.15))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, most)
    .map(({i}) => i)
    .sort((a, b) => a - b);
}

/** The time at both ends of each stretch and at round times in between, as far as the labels fit. */
function ticksOf(
  points: readonly TimelinePoint[],
  stretches: readonly {from: number; to: number; start: number; end: number}[],
): Tick[] {
  const timeOf = timesOf(points);
  const ticks: Tick[] = [];
  let day = '';
  const add = (ms: number, x: number, anchor: Tick['anchor']) => {
    const iso = new Date(ms).toISOString();
    const date = iso.slice(0, -14);
    ticks.push({x, anchor, time: iso.slice(-13, -5), day: date === day ? null : date});
    day = date;
  };
  for (const {from, to, start, end} of stretches) {
    const [begin, finish] = [timeOf(from), timeOf(to)];
    const width = end - TAIL - start;
    // Labels of a short stretch extend into the pause after it; after the last one there is only the edge.
    if (end - start < LABEL_WIDTH && to === points.length - 1 && stretches.length > 1) add(begin, end, 'end');
    else add(begin, start, 'start');
    const step = roundStep(((finish - begin) * (LABEL_WIDTH + 14)) / width);
    for (let ms = Math.ceil(begin / step) * step; ms < finish; ms += step) {
      const x = start + ((ms - begin) / (finish - begin)) * width;
      const isClear = x - start > LABEL_WIDTH * 1.6 && start + width - x > LABEL_WIDTH * 1.6;
      if (isClear) add(ms, x, 'middle');
    }
    if (finish > begin && width > LABEL_WIDTH * 2.2) add(finish, start + width, 'end');
  }
  return ticks;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 30, 100].map((n) => n * DAY),
];

const roundStep = (ms: number): number => STEPS.find((step) => step >= ms) ?? 100 * DAY;

/** `45 s`, `12 min`, `19 h`, `3 d`: the largest unit with a value of at least two, or one. */
export function duration(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} d`;
}
