import {EXIT, type ExitCode} from '../../errors.ts';
import {counted} from '../../phrases.ts';
import type {Output} from '../../output/output.ts';
import {type Area, type Finding, lineOf, type FindingVerdict} from './survey/finding.ts';
import type {Shown} from '../help/outputs/forms.ts';
import type {Doctor} from '../help/outputs/local.ts';

/** The JSON result of `remit doctor`. Its shape is stable. */
export type Report = Shown<typeof Doctor>;

type ReportFacts = Omit<Report, 'ok' | 'counts' | 'checks'>;

export function reportOf(found: readonly Finding[], facts: ReportFacts): Report {
  const count = (verdict: FindingVerdict) => found.filter((finding) => finding.verdict === verdict).length;
  const {profile, base_url, mode, requests, service, written, probed} = facts;
  const failed = found.filter(({isFailed}) => isFailed === true).length + uncheckedMain(found, probed).length;
  const counts = {holds: count('holds'), differs: count('differs'), unknown: count('unknown')};
  return {
    ...{profile, base_url, mode, ok: counts.differs === 0 && failed === 0, counts, requests},
    checks: found.map((one) => ({
      ...{area: one.area, check: one.check, verdict: one.verdict, evidence: one.evidence},
      ...{row: one.row ?? null, write: one.write ?? null},
      ...{sure: one.write === undefined ? null : (one.sure ?? false), fix: one.fix ?? null},
    })),
    ...{service, written, probed},
  };
}

/** Nothing can be paid without these operations; the probe is what shows the writes. */
const MAIN = ['routes.payouts.list', 'routes.payouts.get'];
const MAIN_WRITES = ['routes.payouts.create', 'routes.payouts.approve'];

/** The main operations that are unknown: doctor then exits 8. */
export function uncheckedMain(found: readonly Finding[], probed: Report['probed']): string[] {
  const main = probed === null ? MAIN : [...MAIN, ...MAIN_WRITES];
  return found.flatMap(({check, verdict}) => (verdict === 'unknown' && main.includes(check) ? [check] : []));
}

export const exitOf = ({ok}: Report): ExitCode => (ok ? EXIT.OK : EXIT.PARTIAL);

const TITLES: Readonly<Record<Area, string>> = {
  setup: 'This machine',
  connection: 'Connection',
  service: 'Service',
};
const STYLES = {holds: 'green', differs: 'red', unknown: 'yellow'} as const;

/** What needs attention is printed last, next to the counts. */
const ORDER = {holds: 0, unknown: 1, differs: 2} as const;

/**
 * Prints the table for people. A terminal shows what differs or is unknown, and counts the rest.
 * @param isWhole also shows what holds
 */
export function showReport(
  out: Output,
  found: readonly Finding[],
  {report: {counts}, isWhole}: {report: Report; isWhole: boolean},
): void {
  const lines: string[] = [];
  const isShort = out.isTerminal && !isWhole;
  for (const area of ['setup', 'connection', 'service'] as const) {
    const own = found.filter((finding) => finding.area === area);
    if (own.length === 0) continue;
    lines.push(...(lines.length === 0 ? [] : ['']), out.paint('bold', TITLES[area]));
    const sorted = own.toSorted((a, b) => ORDER[a.verdict] - ORDER[b.verdict]);
    const longest = Math.max(...own.map(({check}) => check.length));
    const width = out.isTerminal ? Math.min(longest, NAMES) : longest;
    const kept = isShort ? sorted.filter(({verdict}) => verdict !== 'holds') : sorted;
    if (kept.length < sorted.length) lines.push(holdLine(out, sorted.length - kept.length));
    for (const finding of kept) lines.push(...linesOf(out, finding, width));
  }
  const failed = found.filter(({isFailed}) => isFailed === true).length;
  const rest = failed === 0 ? '' : `, of which ${failed} failed to answer`;
  lines.push('', `${counts.holds} hold, ${counts.differs} differ, ${counts.unknown} unknown${rest}.`);
  void out.texts(lines);
}

const holdLine = (out: Output, count: number): string =>
  `  ${out.paint(STYLES.holds, 'holds'.padEnd('unknown'.length))}  ${counted(count, 'check')} (--all shows ${count === 1 ? 'it' : 'them'})`;

/** Width of the names at a terminal. The longest ones have a line of their own. */
const NAMES = 26;
const INDENT = ' '.repeat(11);

function linesOf(out: Output, finding: Finding, width: number): string[] {
  const {check, verdict, evidence, row, write, sure, fix, when = 'if that is right'} = finding;
  const line = (text: string) => out.sanitizer.line(text); // contains names and values of the service
  const text = line(evidence) + (row === undefined || verdict === 'holds' ? '' : ` (row ${row})`);
  const shown = `  ${out.paint(STYLES[verdict], verdict.padEnd('unknown'.length))}  `;
  const name = line(check);
  const isShort =
    !out.isTerminal || INDENT.length + Math.max(width, name.length) + 2 + text.length <= out.columns;
  const lines = isShort ? [`${shown}${name.padEnd(width)}  ${text}`] : [shown + name, INDENT + text];
  if (write !== undefined)
    lines.push(`${INDENT}${sure ? 'write:' : `${line(when)}, write:`} ${line(lineOf(write))}`);
  if (fix !== undefined && verdict !== 'holds') lines.push(`${INDENT}fix: ${line(fix)}`);
  return lines;
}
