import {grouped} from '../../html/chart.ts';
import {documentFrame, documentMark} from '../../html/document.ts';
import {DOCUMENT_STYLE} from '../../html/document-style.ts';
import {markup, type Markup} from '../../html/markup.ts';
import {type Fact, factList, moment} from '../../html/page-parts.ts';
import {balanceChart, type BalanceSeries} from './balance-chart.ts';
import {type BalanceDay, figuresOf, unitOf} from './balance-days.ts';

/** What the page shows. Text of the service is without secrets. */
export interface BalanceHistory {
  accountId: string;
  /** Null if the service does not list the account. */
  label: string | null;
  currency: string;
  /** When the bank reported the latest balance: ISO 8601, UTC. */
  asOf: string;
  mode: 'live' | 'test';
  service: string;
  /** The oldest first. */
  days: readonly [BalanceDay, ...BalanceDay[]];
}

/** It identifies the account of a page before the page is replaced. */
export const historyMark = (accountId: string): string => documentMark('remit-balance-history', accountId);

const STYLE = `${DOCUMENT_STYLE}
.figure .amount{font-size:20px;font-weight:650;line-height:1.3;overflow-wrap:normal}
.when{white-space:nowrap}
.figure .amount.bad,td.bad{color:var(--bad)}
.chart path.over{fill:var(--link);fill-opacity:.16}
.chart path.under{fill:var(--bad);fill-opacity:.2}
.chart path.line{fill:none;stroke:var(--link);stroke-width:1.6}
.chart circle{fill:var(--link);stroke:var(--paper);stroke-width:1.5}
@media (max-width:640px){.figure .amount{font-size:17px}}
@media print{.figure .amount{font-size:13pt}}
`.trim();

/** The longest label that the page shows. */
const LABEL_LENGTH = 200;

/** The history of a balance as one HTML file, for screen or paper. All external text is escaped. */
export function balancePage(history: BalanceHistory): string {
  const {accountId, days, currency, mode} = history;
  const series = {days, figures: figuresOf(days), unit: unitOf(currency)};
  const name = nameOf(history);
  const body = markup`<main>
<div class="mode ${mode}">${mode === 'live' ? 'LIVE: real money' : 'TEST: not real money'}</div>
<header>
<h1>Balance of <bdi>${name}</bdi></h1>
<p class="sub">${periodOf(series)} · as of ${moment(history.asOf)} UTC</p>
${mainFigures(series)}
</header>
<section aria-labelledby="chart"><h2 id="chart">Balance by day, in ${series.unit.name}</h2>
<div class="chart broad">${balanceChart(series, {width: 936, height: 300})}</div>
<div class="chart narrow">${balanceChart(series, {width: 360, height: 240})}</div></section>
${facts(history, series)}
${table(series)}
<footer><p>Calculated from the latest balance that the bank reported, and backwards from it from the posted
transactions. Pending transactions are not part of it. Days begin and end at 00:00 UTC.</p></footer>
</main>`;
  return documentFrame({title: `Balance of ${name}`, mark: historyMark(accountId), style: STYLE, body});
}

const nameOf = ({label, accountId}: BalanceHistory): string =>
  label === null || label.trim() === '' ? accountId : shortened(label);

function shortened(label: string): string {
  const characters = [...label.slice(0, 2 * LABEL_LENGTH + 2)]; // whole characters: some are two units long
  return characters.length <= LABEL_LENGTH ? label : `${characters.slice(0, LABEL_LENGTH).join('')}…`;
}

const periodOf = ({days}: BalanceSeries): string =>
  days.length === 1
    ? `${days[0]?.day}, one day`
    : `${days[0]?.day} to ${days.at(-1)?.day}, ${grouped(days.length)} days`;

function mainFigures({figures, unit, days}: BalanceSeries): Markup {
  const {opening, closing, lowest, highest} = figures;
  const box = (name: string, minor: number, when: string) =>
    markup`<div class="figure"><dt>${name}</dt><dd class="amount${minor < 0 && ' bad'}">${breakable(unit.amount(minor))}</dd><dd class="money">${unit.name}, <span class="when">${when}</span></dd></div>`;
  return markup`<dl class="figures">
${box('Opening', opening, `before ${days[0]?.day}`)}
${box('Closing', closing, `on ${days.at(-1)?.day}`)}
${box('Lowest', lowest.balance_in_minor_units, `on ${lowest.day}`)}
${box('Highest', highest.balance_in_minor_units, `on ${highest.day}`)}
</dl>`;
}

/** A narrow box breaks a long amount between its groups of digits, never within one. */
const breakable = (amount: string): Markup =>
  markup`${amount.split(',').map((group, i) => (i === 0 ? group : markup`,<wbr>${group}`))}`;

function facts({accountId, label, service}: BalanceHistory, series: BalanceSeries): Markup {
  const {figures, unit} = series;
  const {credits, debits, transactions} = figures;
  const lines: Fact[] = [
    ['Account', markup`<span class="hash">${accountId}</span>`],
    ['Label', label === null ? undefined : markup`<bdi>${shortened(label)}</bdi>`],
    ['Currency', unit.name],
    ['Period', periodOf(series)],
    ['In', unit.amount(credits)],
    ['Out', unit.amount(debits)],
    ['Transactions', grouped(transactions)],
    ['Service', service],
  ];
  return markup`<section class="keep" aria-labelledby="facts"><h2 id="facts">About this account</h2>
${factList(lines)}</section>`;
}

function table({days, unit}: BalanceSeries): Markup {
  const amount = (minor: number) => markup`<td class="n${minor < 0 && ' bad'}">${unit.amount(minor)}</td>`;
  const rows = days.toReversed().map(
    (
      day,
    ) => markup`<tr><th scope="row">${day.day}</th>${amount(day.balance_in_minor_units)}${amount(day.credits_in_minor_units)}${amount(day.debits_in_minor_units)}<td class="n">${grouped(day.transactions)}</td></tr>
`,
  );
  return markup`<section aria-labelledby="days"><h2 id="days">Days</h2>
<p>In ${unit.name}, the newest day first. The balance is that at the end of the day.</p>
<div class="wide" role="region" tabindex="0" aria-label="Balance by day"><table><thead><tr><th scope="col">Day</th><th scope="col" class="n">Balance</th><th scope="col" class="n">In</th><th scope="col" class="n">Out</th><th scope="col" class="n">Transactions</th></tr></thead>
<tbody>
${rows}</tbody></table></div></section>`;
}
