import {formatMajor, groupMajor} from '../../money/amount.ts';
import {Totals} from '../../money/totals.ts';
import {must} from '../../narrow.ts';
import {BUCKETS, type Bucket} from '../model/outcome.ts';
import {grouped} from '../../html/chart.ts';
import type {ReportData} from './data.ts';
import {type Markup, markup} from '../../html/markup.ts';
import {BUCKET_WORDS} from './words.ts';

/** Maximum number of currency columns in a table; further currencies get a table of their own. */
const SIDE_BY_SIDE = 3;
/** Maximum number of currencies in one of the boxes at the top. */
const IN_A_BOX = 3;

/** The four figures that a reader looks for first. */
export function mainFigures({summary, accepted, troubles}: ReportData, attention: number): Markup {
  const troubled = new Totals();
  for (const {totals} of troubles) troubled.merge(totals);
  const box = (name: string, rows: number, amounts: Record<string, string>, tone = '') =>
    markup`<div class="figure ${tone}"><dt>${name}</dt><dd class="rows">${grouped(rows)}</dd>${moneyLines(amounts)}</div>`;
  const of = (bucket: 'planned' | 'accepted') =>
    Object.fromEntries(
      Object.entries(summary.totals).map(([currency, totals]) => [currency, totals[bucket]]),
    );
  return markup`<dl class="figures">
${box('Planned', summary.planned, of('planned'))}
${box('Accepted', summary.accepted, of('accepted'))}
${box('Settled', accepted.settled.count, accepted.settled.totals.toMajor())}
${box('Needs attention', attention, troubled.toMajor(), attention > 0 ? 'bad' : '')}
</dl>`;
}

function moneyLines(amounts: Record<string, string>): Markup[] {
  const lines = Object.entries(amounts).filter(([, amount]) => /[1-9]/.test(amount));
  const shown = lines
    .slice(0, IN_A_BOX)
    .map(([currency, amount]) => markup`<dd class="money">${groupMajor(amount)} ${currency}</dd>`);
  if (lines.length > IN_A_BOX)
    shown.push(markup`<dd class="money">and ${lines.length - IN_A_BOX} more currencies</dd>`);
  return shown.length > 0 ? shown : [markup`<dd class="money">none</dd>`];
}

const SWATCHES: Readonly<Record<Bucket, string>> = {
  accepted: 'underway',
  already_paid: 'elsewhere',
  staged: 'staged',
  unapproved: 'trouble',
  rejected: 'trouble',
  conflict: 'trouble',
  in_doubt: 'doubt',
  not_sent: 'waiting',
};

/** Rows and money by state. Shows whether the states add up to the plan, with a warning if they do not. */
export function totalsTables(data: ReportData): Markup {
  const currencies = Object.keys(data.summary.totals);
  const chunks: string[][] = [];
  for (let i = 0; i < currencies.length; i += SIDE_BY_SIDE)
    chunks.push(currencies.slice(i, i + SIDE_BY_SIDE));
  const check = addsUp(data)
    ? markup`<p class="check">Checked: the states add up to the plan, in rows and in every currency.</p>`
    : markup`<p class="state bad">The states do not add up to the plan. Do not rely on this report.</p>`;
  return markup`${chunks.map((chunk) => totalsTable(data, chunk))}${check}`;
}

function totalsTable({summary, accepted}: ReportData, currencies: readonly string[]): Markup {
  const totalsIn = (currency: string) => must(summary.totals[currency], `total in ${currency}`);
  const money = (of: (currency: string) => string) =>
    currencies.map((currency) => markup`<td class="n">${groupMajor(of(currency))}</td>`);
  const row = (kind: string, label: Markup | string, rows: number, cells: Markup[], meaning: string) =>
    markup`<tr class="${kind}"><th scope="row">${label}</th><td class="n">${grouped(rows)}</td>${cells}<td class="meaning">${meaning}</td></tr>`;
  const bucketRow = (bucket: Bucket, kind = '') => {
    const {label, meaning} = BUCKET_WORDS[bucket];
    const name =
      bucket === 'accepted' ? label : markup`<span class="swatch ${SWATCHES[bucket]}"></span>${label}`;
    return row(
      kind,
      name,
      summary[bucket],
      money((currency) => totalsIn(currency)[bucket]),
      meaning,
    );
  };
  const part = (name: keyof ReportData['accepted'], swatch: string, label: string, meaning: string) => {
    const {count, totals} = accepted[name];
    if (count === 0 && name !== 'settled') return null;
    const cells = money((currency) => amountOf(totals, currency));
    return row('part', markup`<span class="swatch ${swatch}"></span>${label}`, count, cells, meaning);
  };
  const others = BUCKETS.filter((bucket) => bucket !== 'accepted' && summary[bucket] > 0);
  return markup`<div class="wide keep" role="region" tabindex="0" aria-label="Totals"><table>
<thead><tr><th scope="col">State</th><th scope="col" class="n">Rows</th>${currencies.map((currency) => markup`<th scope="col" class="n">${currency}</th>`)}<th scope="col" class="meaning">Meaning</th></tr></thead>
<tbody>${row(
    'sum',
    'Planned',
    summary.planned,
    money((currency) => totalsIn(currency).planned),
    'all rows of the file that are part of the batch',
  )}
${bucketRow('accepted', 'whole')}
${part('settled', 'settled', 'settled', 'as the service reports')}
${part('underway', 'underway', 'under way', 'approved, initiated or debited')}
${part('failed', 'trouble', 'failed', 'accepted, then failed')}
${part('returned', 'trouble', 'returned', 'accepted, then returned by the bank')}
${others.map((bucket) => bucketRow(bucket))}</tbody></table></div>`;
}

const amountOf = (totals: Totals, currency: string): string => formatMajor(totals.of(currency), currency);

const minorOf = (major: string): bigint => BigInt(major.replace('.', ''));

/** All in minor units, exact; the parts of `accepted` were counted separately. */
function addsUp({summary, accepted}: ReportData): boolean {
  const parts = Object.values(accepted);
  const rows = BUCKETS.reduce((sum, bucket) => sum + summary[bucket], 0);
  if (rows !== summary.planned || parts.reduce((sum, part) => sum + part.count, 0) !== summary.accepted)
    return false;
  return Object.entries(summary.totals).every(([currency, totals]) => {
    const sum = BUCKETS.reduce((all, bucket) => all + minorOf(totals[bucket]), 0n);
    const inParts = parts.reduce((all, part) => all + part.totals.of(currency), 0n);
    return sum === minorOf(totals.planned) && inParts === minorOf(totals.accepted);
  });
}
