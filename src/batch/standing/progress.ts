import type {Activity} from './activity.ts';
import type {Summary} from './summary.ts';
import {groupMajor} from '../../money/amount.ts';

/** Shorter problems are over before the line could be read. */
const SHORTEST_WAIT_MS = 1000;

/**
 * The progress line of a run. The most important parts come first, because a terminal of 80 columns cuts the end: the
 * progress of the phase, then what it waits for, or its speed and the time left for the whole batch, then problems
 * and money.
 */
export function progressLine(phase: string, summary: Summary, activity: Activity): string {
  return [
    phaseText(phase, summary),
    ...(waitingText(activity) ?? speedText(phase, activity)),
    ...troublesText(summary, activity),
    ...moneyText(phase, summary),
  ].join(' · ');
}

/** `staging 1,204/5,000 24%` */
function phaseText(phase: string, summary: Summary): string {
  const {done, total} = progressOf(phase, summary);
  if (total === 0) return phase;
  return `${phase} ${grouped(done)}/${grouped(total)} ${Math.floor((100 * done) / total)}%`;
}

function progressOf(phase: string, summary: Summary): {done: number; total: number} {
  const {planned, staged, unapproved, accepted, canceled, in_doubt: doubts} = summary;
  const refused = summary.rejected + summary.conflict + summary.already_paid;
  if (phase === 'staging') return {done: staged + accepted + unapproved + refused, total: planned};
  if (phase === 'canceling') return {done: canceled, total: canceled + staged + unapproved + doubts};
  if (phase === 'starting' || phase === 'reading' || phase === 'probing') return {done: 0, total: 0};
  return {done: accepted + unapproved, total: planned - refused};
}

/** What prevents the run from making progress; undefined while it makes some. */
function waitingText({waiting}: Activity): string[] | undefined {
  if (waiting === null || waiting.since_ms < SHORTEST_WAIT_MS) return undefined;
  const since = duration(waiting.since_ms);
  const again =
    waiting.next_try_ms < 1000 ? 'trying again' : `trying again in ${duration(waiting.next_try_ms)}`;
  switch (waiting.for) {
    case 'unreachable':
      return [`service unreachable for ${since}, ${again}`];
    case 'failing':
      return [`service failing for ${since}, ${again}`];
    case 'throttled':
      return [`service busy (429) for ${since}, ${again}`];
    case 'retry-after':
      return [`service asked to wait, ${again}`];
  }
}

function speedText(phase: string, {steps_per_second: rate, left_ms: left}: Activity): string[] {
  const words: string[] = [];
  if (rate > 0) words.push(`${rate < 10 ? rate : grouped(Math.round(rate))} rows/s`);
  if (left !== null && left > 0 && phase !== 'canceling') words.push(`${duration(left)} left`);
  return words;
}

function troublesText(summary: Summary, {retries}: Activity): string[] {
  const named = (['rejected', 'unapproved', 'conflict'] as const)
    .filter((name) => summary[name] > 0)
    .map((name) => `${grouped(summary[name])} ${name === 'conflict' ? 'in conflict' : name}`);
  return [...named, ...(retries > 0 ? [`${grouped(retries)} ${retries === 1 ? 'retry' : 'retries'}`] : [])];
}

/** The finished share of the phase; empty while nothing is finished. */
function moneyText(phase: string, {totals}: Summary): string[] {
  const bucket = phase === 'staging' ? 'staged' : 'accepted';
  const sums = Object.entries(totals)
    .filter(([, sum]) => /[1-9]/.test(sum[bucket]))
    .map(([currency, sum]) => `${groupMajor(sum[bucket])} ${currency}`);
  return sums.length === 0 ? [] : [sums.join(' + ')];
}

const grouped = (n: number): string => groupMajor(String(n));

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${Math.max(1, seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${(seconds / 3600).toFixed(1)} h`;
  return `${(seconds / 86_400).toFixed(1)} days`;
}
