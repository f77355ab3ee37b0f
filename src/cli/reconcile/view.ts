import {groupMajor} from '../../money/amount.ts';
import {capital, counted, listed} from '../../phrases.ts';
import {cleanLine} from '../../sanitize/harmful.ts';
import {FINDINGS, type FindingKind, findingsIn, type ReconcileReport} from '../../reconcile/report/report.ts';
import {
  balanceWords,
  FINDING_TITLES,
  findingText,
  isOfNoAccount,
  laterText,
  majorText,
  STATE_WORDS,
  tableName,
} from '../../reconcile/report/words.ts';
import {keysOf} from '../../narrow.ts';
import type {CommandBuilder} from '../../errors.ts';
import type {CountedSum, CurrencyTotals} from '../../reconcile/model/totals.ts';
import {nextOf} from './next.ts';

/** Findings of each kind that are listed. */
const SHOWN = 10;
/** Findings of each kind after which a command is printed. */
const WITH_COMMANDS = 3;

/** What a reconcile found, for people: sums that add up, then what to look at, each with what to type next. */
export function reconcileText(report: ReconcileReport, commands: CommandBuilder): string {
  return [
    ...headline(report, commands),
    ...report.why.map((why) => `  ${capital(cleanLine(why))}`),
    // One of them may be wrong, and can be forgotten.
    ...(report.conclusive || !report.hasStatements
      ? []
      : [`    ${cleanLine(commands.read('reconcile', 'statements'))}`]),
    ...report.tables.flatMap((totals) => totalsLines(totals, report)),
    ...FINDINGS.flatMap((kind) => findingLines(kind, report, commands)),
    ...unplannedLines(report),
  ].join('\n');
}

function headline(report: ReconcileReport, commands: CommandBuilder): string[] {
  const {accounts, from, to, conclusive, notBegun} = report;
  const names = listed(accounts.map(({id, label}) => cleanLine(label ?? id)));
  const found = findingsIn(report);
  const end = !conclusive
    ? `not conclusive${found === 0 ? '' : `, and ${counted(found, 'finding')} to look at`}`
    : found > 0
      ? `${counted(found, 'finding')} to look at`
      : notBegun === undefined
        ? 'nothing to look at'
        : `nothing yet, because today is ${notBegun}`;
  const later = laterText(report);
  const again = accounts.flatMap(({id}) => ['--account', id]);
  return [
    `Reconciled ${names} from ${from} to ${to}: ${end}${later === undefined ? '' : `; ${later}`}.`,
    ...(later === undefined ? [] : [`  ${cleanLine(commands.read('reconcile', ...again, '--from', from))}`]),
  ];
}

interface TotalsRow {
  name: string;
  count: number | undefined;
  amount: string;
  words: string;
}

function totalsLines(totals: CurrencyTotals, report: ReconcileReport): string[] {
  const {
    currency,
    opening,
    closing,
    matched,
    returned,
    internal,
    ignored,
    unexplained,
    pending,
    differences,
  } = totals;
  const money = (minor: bigint) => groupMajor(majorText(minor, currency));
  const row = (name: string, {count, sum}: CountedSum, words = ''): TotalsRow => ({
    name,
    count,
    amount: money(sum),
    words,
  });
  const balance = (name: string, minor: bigint | undefined, words: string): TotalsRow[] =>
    minor === undefined ? [] : [{name, count: undefined, amount: money(minor), words}];
  const some = (rows: TotalsRow[]) => rows.filter(({count}) => count !== 0);
  const origin = balanceWords(totals);
  const lines = isOfNoAccount(totals, report)
    ? []
    : [
        ...balance('opening', opening, origin.opening),
        row('matched', matched, 'lines of payments'),
        ...some([
          row('returned', returned, 'money that came back'),
          row('internal', internal, 'between own accounts, or simulated'),
          row('ignored', ignored, 'as a person decided'),
          row('unexplained', unexplained, 'not matched with a payment'),
        ]),
        ...balance('closing', closing, origin.closing),
        ...some([row('pending', pending, 'not booked yet, not in the sums above')]),
      ];
  const payments = [
    ...some([row('payments', totals.planned, 'the sum of:')]),
    ...keysOf(STATE_WORDS).flatMap((state) =>
      some([row(`  ${state.replaceAll('_', ' ')}`, totals.payments[state], STATE_WORDS[state])]),
    ),
    ...some([row('differences', differences, 'and fees, as confirmed: lines less their payments')]),
    ...some([row('carried over', totals.carried, `of these, sent before ${report.from}`)]),
  ];
  return ['', cleanLine(tableName(totals, report)), ...laidOut([...lines, ...payments], lines.length)];
}

function laidOut(rows: readonly TotalsRow[], gapBefore: number): string[] {
  const width = Math.max(...rows.map(({amount}) => amount.length));
  const lines = rows.map(({name, count, amount, words}) =>
    `  ${name.padEnd(17)}${String(count ?? '').padStart(6)}  ${amount.padStart(width)}  ${words}`.trimEnd(),
  );
  const isSplit = gapBefore > 0 && gapBefore < lines.length;
  return [...lines.slice(0, gapBefore), ...(isSplit ? [''] : []), ...lines.slice(gapBefore)];
}

function findingLines(
  kind: FindingKind,
  {findings, counts}: ReconcileReport,
  commands: CommandBuilder,
): string[] {
  const all = findings.filter((finding) => finding.kind === kind);
  if (all.length === 0) return [];
  const count = counts[kind];
  const printed = new Set<string>();
  const lines = all.slice(0, SHOWN).flatMap((finding, at) => {
    const next = at < WITH_COMMANDS ? nextOf(finding, commands).filter((text) => !printed.has(text)) : [];
    for (const text of next) printed.add(text);
    return [`  ${findingText(finding)}`, ...next.map((text) => `    ${cleanLine(text)}`)];
  });
  const more = count - Math.min(all.length, SHOWN);
  return [
    '',
    `${FINDING_TITLES[kind]} (${count})`,
    ...lines,
    ...(more > 0 ? [`  … ${more} more; --out FOLDER writes all of them as CSV`] : []),
  ];
}

/** They are findings if the state folder has batches of the service. */
function unplannedLines({unplanned, counts, batches}: ReconcileReport): string[] {
  if (unplanned === 0 || counts.unplanned > 0 || batches.length > 0) return [];
  return ['', `${capital(counted(unplanned, 'payment'))} in no batch of this state, which has none.`];
}
