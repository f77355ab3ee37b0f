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
  const cuts = longPauses(points, Math.floor((right - left) / WIDTH_PER_BREAK));
  const bounds = [0, ...cuts, points.length];
  const parts = bounds.slice(1).map((next, k) => ({from: bounds[k]!, to: next - 1}));
  const lasts = parts.map(({from, to}) => points[to]!.at - points[from]!.at);
  const total = lasts.reduce((sum, ms) => sum + ms, 0);
  const free = right - left - cuts.length * BREAK_WIDTH - parts.length * SHORTEST_STRETCH;
  const stretches: (TimeScale['stretches'][number] & {start: number})[] = [];
  const breaks: TimeScale['breaks'] = [];
  let at = left;
  parts.forEach(({from, to}, k) => {
    const width = SHORTEST_STRETCH + (total > 0 ? (free * lasts[k]!) / total : free / parts.length);
    stretches.push({from, to, start: at, end: at + width});
    at += width;
    if (k === parts.length - 1) return;
    breaks.push({x: at, width: BREAK_WIDTH, label: `+${duration(points[to + 1]!.at - points[to]!.at)}`});
    at += BREAK_WIDTH;
  });
  const x = (index: number) => {
    const stretch = stretches.find(({to}) => index <= to)!;
    const [begin, end] = [points[stretch.from]!.at, points[stretch.to]!.at];
    const share = end > begin ? (points[index]!.at - begin) / (end - begin) : 0;
    return stretch.start + share * (stretch.end - TAIL - stretch.start);
  };
  return {x, stretches, breaks, ticks: ticksOf(points, stretches)};
}

/** Indexes of samples that follow a long pause. */
function longPauses(points: readonly TimelinePoint[], most: number): number[] {
  const pauses = points.map((point, i) => ({
    i,
    ms: i > 0 && points[i - 1]!.run !== point.run ? point.at - points[i - 1]!.at : 0,
  }));
  const idle = pauses.reduce((sum, {ms}) => sum + ms, 0);
  const active = points.at(-1)!.at - points[0]!.at - idle;
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
  const ticks: Tick[] = [];
  let day = '';
  const add = (ms: number, x: number, anchor: Tick['anchor']) => {
    const [date, time] = new Date(ms).toISOString().split('T') as [string, string]; // always of this form
    ticks.push({x, anchor, time: time.slice(0, 8), day: date === day ? null : date});
    day = date;
  };
  for (const {from, to, start, end} of stretches) {
    const [begin, finish] = [points[from]!.at, points[to]!.at];
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

const roundStep = (ms: number): number => STEPS.find((step) => step >= ms) ?? STEPS.at(-1)!;

/** `45 s`, `12 min`, `19 h`, `3 d`: the largest unit with a value of at least two, or one. */
export function duration(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} d`;
}
