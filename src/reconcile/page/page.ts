import {grouped} from '../../html/chart.ts';
import {documentFrame, documentMark} from '../../html/document.ts';
import {DOCUMENT_STYLE} from '../../html/document-style.ts';
import {type Markup, markup} from '../../html/markup.ts';
import {type Fact, factList, momentAt} from '../../html/page-parts.ts';
import type {CommandBuilder} from '../../errors.ts';
import {keysOf} from '../../narrow.ts';
import {groupMajor} from '../../money/amount.ts';
import {capital, counted, listed} from '../../phrases.ts';
import {Sanitizer} from '../../sanitize/sanitizer.ts';
import type {Book} from '../book/book.ts';
import type {FoundPayment} from '../book/findings.ts';
import type {AskedPeriod} from '../model/asked.ts';
import type {CountedSum, CurrencyTotals} from '../model/totals.ts';
import {askedIn, FINDINGS, findingsIn, type FindingKind, type ReconcileReport} from '../report/report.ts';
import {
  balanceWords,
  FINDING_TITLES,
  findingText,
  isOfNoAccount,
  laterText,
  majorText,
  moneyText,
  paymentName,
  RULE_WORDS,
  STATE_WORDS,
  tableName,
} from '../report/words.ts';
import {type AgeBucket, ageChart, agesOf} from './age-chart.ts';

/** It identifies a page of ours before it is replaced. */
export const RECONCILE_MARK = documentMark('remit-reconcile', '1');

export interface PageAbout {
  mode: 'test' | 'live';
  service: string;
  nowMs: number;
  commands: CommandBuilder;
}

const STYLE = `${DOCUMENT_STYLE}
h3{display:block}
h3 .number{margin-left:6px}
thead .n{white-space:normal}
tbody th{white-space:normal;overflow-wrap:anywhere;min-width:8em}
.day{white-space:nowrap}
.by{min-width:10em}
.proof{min-width:12em;overflow-wrap:anywhere}
.sum>*{border-top:1px solid var(--soft);font-weight:600}
.soft{color:var(--soft)}
td.soft{min-width:9em}
.chart rect{fill:var(--link)}
.chart rect.late{fill:var(--bad)}
.id{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;overflow-wrap:anywhere;min-width:11em}
@media print{.id{font-size:7.5pt;min-width:9em}}
`.trim();

/** Payments that the page lists in each table; the CSV files have all of them. */
const MOST_ROWS = 1000;

/** Texts of a bank may contain what looks like a secret. References and trace numbers are kept: they prove a match. */
const sanitizer = new Sanitizer();

/** What a reconcile found as one HTML file, for an accountant, on screen or on paper. All external text is escaped. */
export function reconcilePage(book: Book, report: ReconcileReport, about: PageAbout): string {
  const names = listed(report.accounts.map(({id, label}) => label ?? id));
  const title = `Reconciliation of ${names}`;
  const parts = readParts(book, askedIn(report));
  const body = markup`<main>
<div class="mode ${about.mode}">${about.mode === 'live' ? 'LIVE: real money' : 'TEST: no real money was moved'}</div>
<header>
<h1>${title}</h1>
<p class="sub">${report.from} to ${report.to} · made ${momentAt(about.nowMs)} UTC</p>
${verdict(report)}
</header>
${report.tables.map((totals) => totalsSection(totals, report))}
${findingSections(report)}
${openSection(parts, report)}
${matchedSection(parts)}
${decisionSection(book, askedIn(report))}
${factsSection(report, about)}
<footer><p>“Matched” means that the id, trace number or reference of the payment is in the text of a bank line with the same amount, that a person has confirmed it, or that a declared group of payments adds up to one line. Nothing else is counted as matched. Days are banking days in New York; pending lines are not part of the sums.</p></footer>
</main>`;
  return documentFrame({title, mark: RECONCILE_MARK, style: STYLE, body});
}

function verdict(report: ReconcileReport): Markup {
  const {conclusive, why} = report;
  const found = findingsIn(report);
  const later = laterText(report);
  const [tone, text] = !conclusive
    ? ['bad', 'Not conclusive: do not rely on the sums before this is explained.']
    : found === 0 && report.notBegun !== undefined
      ? ['open', `The period has not begun: today is ${report.notBegun}.`]
      : found === 0
        ? ['good', 'Every payment and every bank line is explained.']
        : ['open', `${counted(found, 'finding')} to look at.`];
  return markup`<p class="state ${tone}">${text}</p>${later !== undefined && markup`<p>${later}.</p>`}${why.map((one) => markup`<p>${capital(one)}.</p>`)}`;
}

function totalsSection(totals: CurrencyTotals, report: ReconcileReport): Markup {
  const name = tableName(totals, report);
  const id = `totals-${report.tables.indexOf(totals)}`;
  const {currency, opening, closing, matched, returned, internal, ignored, unexplained, planned} = totals;
  const origin = balanceWords(totals);
  const money = (minor: bigint) => groupMajor(majorText(minor, currency));
  const row = (name: string, {count, sum}: CountedSum, words: string, css = '') =>
    markup`<tr class="${css}"><th scope="row">${name}</th><td class="n">${grouped(count)}</td><td class="n">${money(sum)}</td><td class="soft">${words}</td></tr>`;
  const balance = (name: string, minor: bigint | undefined, words: string, css = '') =>
    minor !== undefined &&
    markup`<tr class="${css}"><th scope="row">${name}</th><td></td><td class="n">${money(minor)}</td><td class="soft">${words}</td></tr>`;
  const states = keysOf(STATE_WORDS).filter((state) => totals.payments[state].count > 0);
  const head = markup`<thead><tr><th scope="col"></th><th scope="col" class="n">Number</th><th scope="col" class="n">${currency}</th><th scope="col">Meaning</th></tr></thead>`;
  const bankLines =
    !isOfNoAccount(totals, report) &&
    markup`<div class="wide" role="region" tabindex="0" aria-label="Bank lines: ${name}"><table><caption>Bank lines</caption>${head}<tbody>
${balance('Opening balance', opening, origin.opening)}
${row('Matched', matched, 'lines of payments')}
${row('Returned', returned, 'money that came back')}
${row('Internal', internal, 'between own accounts, or simulated')}
${row('Ignored', ignored, 'as a person decided')}
${row('Unexplained', unexplained, 'not matched with a payment')}
${balance('Closing balance', closing, origin.closing, 'sum')}</tbody></table></div>
${checkText(totals)}`;
  return markup`<section class="keep" aria-labelledby="${id}"><h2 id="${id}">Totals: ${name}</h2>
${bankLines}
<div class="wide" role="region" tabindex="0" aria-label="Payments: ${name}"><table><caption>Payments</caption>${head}<tbody>
${states.map((state) => row(capital(state.replaceAll('_', ' ')), totals.payments[state], STATE_WORDS[state]))}
${row('All payments', planned, 'the sum of the states', 'sum')}
${totals.differences.count > 0 && row('Differences', totals.differences, 'and fees, as confirmed: lines less their payments')}
${totals.carried.count > 0 && row('Carried over', totals.carried, `part of all payments, sent before ${report.from}`)}</tbody></table></div></section>`;
}

/** Balances that follow from the lines add up in any case. */
function checkText({balances, opening, closing, ...totals}: CurrencyTotals): Markup {
  if (balances === 'calculated')
    return markup`<p>The opening balance is calculated, so it does not show that no line is missing. A statement of the bank does.</p>`;
  if (opening === undefined || closing === undefined)
    return markup`<p>The bank states no balances, so nothing shows that no line is missing.</p>`;
  const {matched, returned, internal, ignored, unexplained} = totals;
  return opening + matched.sum + returned.sum + internal.sum + ignored.sum + unexplained.sum === closing
    ? markup`<p>Checked: opening and all lines add up to closing.</p>`
    : markup`<p class="state bad">Opening and all lines do not add up to closing.</p>`;
}

function findingSections({findings, counts}: ReconcileReport): Markup | undefined {
  if (findings.length === 0) return undefined;
  const part = (kind: FindingKind) => {
    const all = findings.filter((finding) => finding.kind === kind);
    if (all.length === 0) return undefined;
    const more = counts[kind] - all.length;
    return markup`<h3>${FINDING_TITLES[kind]} <span class="number">${grouped(counts[kind])}</span></h3>
<ul>${all.map((finding) => markup`<li>${sanitizer.line(findingText(finding))}</li>`)}</ul>${more > 0 && markup`<p>… and ${grouped(more)} more.</p>`}`;
  };
  return markup`<section aria-labelledby="findings"><h2 id="findings">To look at</h2>${FINDINGS.map(part)}</section>`;
}

/** The payments of the tables, and the ages of those that are open. */
interface PageParts {
  matched: FoundPayment[];
  matchedCount: number;
  open: FoundPayment[];
  openCount: number;
  ages: AgeBucket[];
}

function readParts(book: Book, within: AskedPeriod): PageParts {
  const parts: PageParts = {matched: [], matchedCount: 0, open: [], openCount: 0, ages: []};
  const days: (number | undefined)[] = [];
  for (const one of book.payments({within})) {
    const isMatched = one.match?.state === 'matched';
    if (isMatched) {
      parts.matchedCount += 1;
      if (parts.matched.length < MOST_ROWS) parts.matched.push(one);
      continue;
    }
    if (
      one.state !== 'overdue' &&
      one.state !== 'expected' &&
      one.state !== 'booked_later' &&
      one.state !== 'contradicted' &&
      one.state !== 'tentative'
    )
      continue;
    parts.openCount += 1;
    days.push(ageOf(one));
    parts.open.push(one);
    if (parts.open.length >= 2 * MOST_ROWS) parts.open = oldest(parts.open);
  }
  return {...parts, open: oldest(parts.open), ages: agesOf(days)};
}

/** Undefined for a payment that was open at the end of the period and that the bank has booked since. */
const ageOf = ({state, bankingDaysOpen}: FoundPayment): number | undefined =>
  state === 'booked_later' ? undefined : bankingDaysOpen;

/** In the order of their keys, if they are equally old. */
const oldest = (payments: readonly FoundPayment[]): FoundPayment[] =>
  [...payments].sort((a, b) => b.bankingDaysOpen - a.bankingDaysOpen).slice(0, MOST_ROWS);

function openSection({open, openCount, ages}: PageParts, {to}: ReconcileReport): Markup {
  if (openCount === 0)
    return markup`<section aria-labelledby="open"><h2 id="open">Open</h2><p>No payment waits for its bank line.</p></section>`;
  const rows = open.map((one) => {
    const {payment, state} = one;
    const age = ageOf(one);
    return markup`<tr><th scope="row"><bdi>${sanitizer.line(paymentName(payment))}</bdi></th><td class="day">${payment.day}</td><td class="n">${moneyText(payment.amount, payment.currency, {signed: true})}</td><td>${state.replaceAll('_', ' ')}</td><td class="n">${age === undefined ? '–' : grouped(age)}</td></tr>
`;
  });
  return markup`<section aria-labelledby="open"><h2 id="open">Open (${grouped(openCount)})</h2>
<p>Not booked by ${to}, by banking days since the last one on which the bank line was expected; 0 is not due yet. “Booked later” means that the bank booked it after ${to}.</p>
<div class="chart broad">${ageChart(ages, {width: 936, height: 220})}</div><div class="chart narrow">${ageChart(ages, {width: 360, height: 200})}</div>
<div class="wide" role="region" tabindex="0" aria-label="Open payments"><table><thead><tr><th scope="col">Payment</th><th scope="col">Sent</th><th scope="col" class="n">Amount</th><th scope="col">State</th><th scope="col" class="n">Banking days overdue</th></tr></thead><tbody>
${rows}</tbody></table></div>${moreText(openCount)}</section>`;
}

function matchedSection({matched, matchedCount}: PageParts): Markup | undefined {
  if (matchedCount === 0) return undefined;
  const rows = matched.map(({payment, match, returned}) => {
    const proof = match?.proof;
    const back =
      returned !== undefined &&
      markup` <span class="soft">and returned${returned.returnCode === undefined ? '' : `, ${returned.returnCode}`}</span>`;
    return markup`<tr><th scope="row"><bdi>${sanitizer.line(paymentName(payment))}</bdi></th><td class="n">${moneyText(payment.amount, payment.currency, {signed: true})}</td><td class="by">${match === undefined ? '' : RULE_WORDS[match.rule]}${back}</td><td class="proof">${proof === undefined ? '' : markup`${sanitizer.line(proof.text)} <span class="soft">(${proof.path})</span>`}</td></tr>
`;
  });
  return markup`<section aria-labelledby="matched"><h2 id="matched">Matched (${grouped(matchedCount)})</h2>
<div class="wide" role="region" tabindex="0" aria-label="Matched payments"><table><thead><tr><th scope="col">Payment</th><th scope="col" class="n">Amount</th><th scope="col">By</th><th scope="col">Text of the bank line</th></tr></thead><tbody>
${rows}</tbody></table></div>${moreText(matchedCount)}</section>`;
}

const moreText = (count: number): Markup | false =>
  count > MOST_ROWS &&
  markup`<p>The first ${grouped(MOST_ROWS)} of ${grouped(count)} are listed; the CSV files of --out have all of them.</p>`;

/** Who decided what, and when. */
function decisionSection(book: Book, within: AskedPeriod): Markup | undefined {
  const decisions = book
    .decisions()
    .filter(({line}) => !book.lines({key: line, within})[Symbol.iterator]().next().done);
  if (decisions.length === 0) return undefined;
  const rows = decisions.map(
    ({
      at,
      by,
      verb,
      line,
      payments,
      note,
    }) => markup`<tr><td class="day">${at.slice(0, 16).replace('T', ' ')}</td><td>${sanitizer.line(by)}</td><td>${verb}</td><td class="id">${line}</td><td class="id">${payments.join(' ')}</td><td class="by">${sanitizer.line(note)}</td></tr>
`,
  );
  return markup`<section aria-labelledby="decisions"><h2 id="decisions">Decisions (${grouped(decisions.length)})</h2>
<div class="wide" role="region" tabindex="0" aria-label="Decisions"><table><thead><tr><th scope="col">Time (UTC)</th><th scope="col">By</th><th scope="col">Decision</th><th scope="col">Bank line</th><th scope="col">Payments</th><th scope="col">Note</th></tr></thead><tbody>
${rows}</tbody></table></div></section>`;
}

function factsSection({accounts, unplanned, counts}: ReconcileReport, {service}: PageAbout): Markup {
  const facts: Fact[] = [
    ...accounts.map(({id, label}): Fact => [label ?? 'Account', markup`<span class="hash">${id}</span>`]),
    ['Service', service],
    ...(counts.unplanned > 0 ? [] : [['Payments in no batch', grouped(unplanned)] satisfies Fact]),
  ];
  return markup`<section class="keep" aria-labelledby="facts"><h2 id="facts">About this reconciliation</h2>
${factList(facts)}</section>`;
}
