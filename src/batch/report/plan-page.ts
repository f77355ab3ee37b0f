import {formatMajor, groupMajor} from '../../money/amount.ts';
import {type Markup, markup} from '../../html/markup.ts';
import type {Journal} from '../journal/journal.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {KINDS} from '../model/kinds.ts';
import {pagesOf} from '../model/pages.ts';
import {addRow, emptyPart, type Part} from '../model/part.ts';
import type {Plan} from '../model/plan-facts.ts';
import type {Issue} from '../model/issue.ts';
import {describeIssue} from '../input/issues.ts';
import {grouped} from '../../html/chart.ts';
import type {HeldRow} from '../model/held-row.ts';
import {writePage} from './file.ts';
import {documentFrame} from '../../html/document.ts';
import {type Fact, factList, momentAt} from '../../html/page-parts.ts';
import {journalMark} from './mark.ts';
import {REPORT_STYLE} from './style.ts';
import {count, NOUNS} from './words.ts';

/** What is known of a plan besides its journal. */
interface PlanOutlookFacts {
  /** Errors of the rows that are left out. */
  errors: readonly Issue[];
  /** What other batches mean for it, in words. */
  others: readonly string[];
  /** Rows that other batches have at the service of the run, by reference. */
  held: ReadonlyMap<string, HeldRow> | undefined;
  /** Rows that may repeat payments of other batches, at the service with the most; `undefined`: not compared. */
  alike: number | undefined;
  /** The command that runs exactly this plan. */
  command: string | null;
}

/** Rows that are listed; of more, the first ones. */
const LISTED = 2000;
const LARGEST = 10;
const ERRORS = 200;
const PAGE = 1000;

/** Writes the page of a plan: a file that a person reads to approve the batch. Nothing was sent. */
export function writePlanPage(path: string, plan: Plan, journal: Journal, facts: PlanOutlookFacts): void {
  writePage(path, plan, planPage(plan, journal, facts));
}

function planPage(plan: Plan, journal: Journal, facts: PlanOutlookFacts): string {
  const title = `Plan of ${NOUNS[plan.kind].one} batch ${plan.batchId}`;
  const {held} = facts;
  const {rows, largest, shares} = readRows(journal, held);
  const body = markup`<main>
<div class="mode none">${journal.fact('binding') === undefined ? 'A plan: nothing has been sent' : 'A plan: an earlier revision has been run, and rows that were paid are not sent again'}</div>
<header>
<h1>${title}</h1>
<p class="sub">${plan.file.name}${plan.sheet !== undefined && `, sheet ${plan.sheet}`}${plan.revision > 1 && `, revision ${plan.revision}`} · planned ${momentAt(plan.plannedAt)} UTC</p>
${figures(plan, facts, shares)}
</header>
${toApprove(facts)}
${totals(plan)}
${checks(plan, facts)}
${largestRows(plan, largest, held)}
${leftOut(plan, facts)}
${allRows(plan, rows, held)}
${identity(plan)}
</main>`;
  return documentFrame({title, mark: journalMark(plan), style: REPORT_STYLE, body});
}

/** What a run would do with a row. */
type Share = 'to send' | 'done' | 'paid by another batch' | 'left as it is';

function shareOf({outcome, reference}: JournalRow, held: Held): Share {
  switch (outcome?.state) {
    case 'accepted':
      return 'done';
    case 'already_paid':
      return 'paid by another batch';
    case 'rejected':
    case 'unapproved':
    case 'dead_key':
    case 'conflict':
    case 'collision':
      return 'left as it is';
    case undefined:
      return SHARES_HELD[held?.get(reference) ?? 'none'];
    default:
      return 'to send'; // also staged rows, and rows in doubt, which are looked up first
  }
}

type Held = PlanOutlookFacts['held'];
const SHARES_HELD = {paid: 'paid by another batch', conflict: 'left as it is', none: 'to send'} as const;

/** What a run would do now with a batch that has been run, or of which other batches have rows. */
type Shares = ReadonlyMap<Share, Part>;

/** The first rows, and the largest of each currency that a run would send. Reads every row once, in pages. */
function readRows(
  journal: Journal,
  held: Held,
): {
  rows: JournalRow[];
  largest: Map<string, JournalRow[]>;
  shares: Shares | undefined;
} {
  const rows: JournalRow[] = [];
  const largest = new Map<string, JournalRow[]>();
  const shares = new Map<Share, Part>();
  for (const page of pagesOf((after) => journal.rows.after(after, PAGE), PAGE))
    for (const row of page) {
      if (rows.length < LISTED) rows.push(row);
      const share = shareOf(row, held);
      const part = shares.get(share) ?? emptyPart();
      shares.set(share, part);
      addRow(part, row);
      if (share !== 'to send') continue;
      const most = largest.get(row.currency) ?? [];
      largest.set(row.currency, most);
      const least = most.at(-1);
      if (most.length === LARGEST && least !== undefined && row.amount <= least.amount) continue;
      most.push(row);
      most.sort((a, b) => b.amount - a.amount || a.n - b.n);
      most.length = Math.min(most.length, LARGEST);
    }
  const isPlain = journal.fact('binding') === undefined && (held?.size ?? 0) === 0;
  return {rows, largest, shares: isPlain ? undefined : shares};
}

function figures(
  {figures: {rows, totals: sums, softDuplicates, similarReferences}, invalidRows}: Plan,
  {alike}: PlanOutlookFacts,
  shares: Shares | undefined,
): Markup {
  const box = (name: string, n: number | undefined, money: readonly string[] = [], isBad = false) =>
    markup`<div class="figure${isBad && ' bad'}"><dt>${name}</dt><dd class="rows">${n === undefined ? 'unknown' : grouped(n)}</dd>${money.map((text) => markup`<dd class="money">${text}</dd>`)}</div>`;
  const repeats = alike === undefined ? undefined : softDuplicates.count + similarReferences.count + alike;
  return markup`<dl class="figures">
${box('Rows of the plan', rows, moneyOf(sums))}
${shares && [...shares].map(([share, part]) => box(SHARE_NAMES[share], part.rows, moneyOf(part.totals.toMajor())))}
${box('Possible duplicates', repeats, [], repeats !== 0)}
${box('Left out with errors', invalidRows, [], invalidRows > 0)}
</dl>`;
}

const SHARE_NAMES: Readonly<Record<Share, string>> = {
  'to send': 'To send',
  done: 'Done',
  'paid by another batch': 'Paid by another batch',
  'left as it is': 'Left as they are',
};

const moneyOf = (sums: Readonly<Record<string, string>>): string[] =>
  Object.entries(sums).map(([currency, total]) => `${groupMajor(total)} ${currency}`);

function toApprove({command}: PlanOutlookFacts): Markup {
  const text =
    command === null
      ? markup`<p>Nothing is left to send.</p>`
      : markup`<p>This command runs the plan, and refuses if its number of rows or its totals differ from this page:</p>
<p><code>${command}</code></p>`;
  return markup`<section aria-labelledby="approve"><h2 id="approve">To approve</h2>${text}</section>`;
}

const wide = (label: string, table: Markup): Markup =>
  markup`<div class="wide" role="region" tabindex="0" aria-label="${label}">${table}</div>`;

function totals({figures: {rails, totals: sums, firstScheduled, lastScheduled}}: Plan): Markup {
  const lines = rails.map(
    ({rail, currency, rows, total}) =>
      markup`<tr><th scope="row">${currency}</th><td>${rail ?? 'the default'}</td><td class="n">${grouped(rows)}</td><td class="n">${groupMajor(total)}</td></tr>`,
  );
  const all = Object.entries(sums).map(
    ([currency, total]) =>
      markup`<tr><th scope="row">${currency}</th><td>all rails</td><td class="n"></td><td class="n"><b>${groupMajor(total)}</b></td></tr>`,
  );
  const days =
    firstScheduled === null
      ? 'No row is scheduled for a later day.'
      : firstScheduled === lastScheduled
        ? `Scheduled rows are for ${firstScheduled}.`
        : `Scheduled rows are for ${firstScheduled} to ${lastScheduled}.`;
  const table = markup`<table><thead><tr><th scope="col">Currency</th><th scope="col">Rail</th><th scope="col" class="n">Rows</th><th scope="col" class="n">Total</th></tr></thead><tbody>${lines}${all}</tbody></table>`;
  return markup`<section aria-labelledby="totals"><h2 id="totals">Totals</h2>${wide('Totals by currency and rail', table)}<p>${days}</p></section>`;
}

function checks(plan: Plan, {others}: PlanOutlookFacts): Markup {
  const {softDuplicates, similarReferences} = plan.figures;
  const party = KINDS[plan.kind].party.replace('_id', '');
  const items = [
    ...(softDuplicates.count > 0
      ? [`${count(softDuplicates.count, 'row')} with the ${party}, amount and currency of an earlier row`]
      : []),
    ...softDuplicates.examples.map(
      ({references, amount, currency}) => `${groupMajor(amount)} ${currency}: ${references.join(', ')}`,
    ),
    ...(similarReferences.count > 0
      ? [`${count(similarReferences.count, 'reference')} like an earlier one except for case or spaces`]
      : []),
    ...similarReferences.examples.map((references) => references.join(', ')),
    ...plan.warnings,
    ...others,
  ];
  const list =
    items.length === 0
      ? markup`<p>No duplicates or warnings.</p>`
      : markup`<ul>${items.map((text) => markup`<li>${text}</li>`)}</ul>`;
  return markup`<section aria-labelledby="checks"><h2 id="checks">Duplicates and warnings</h2>${list}</section>`;
}

function rowsTable(plan: Plan, rows: readonly JournalRow[], label: string, held: Held): Markup {
  const {party} = KINDS[plan.kind];
  const lines = rows.map(
    (row) =>
      markup`<tr><td class="n">${row.n}</td><td>${row.reference}</td><td class="hash">${row.party}</td><td class="n">${groupMajor(formatMajor(BigInt(row.amount), row.currency))} ${row.currency}</td><td>${row.rail ?? ''}</td><td>${row.scheduled ?? ''}</td><td>${shareOf(row, held)}</td></tr>`,
  );
  return wide(
    label,
    markup`<table><thead><tr><th scope="col" class="n">Row</th><th scope="col">Reference</th><th scope="col">${party === 'payee_id' ? 'Payee' : 'Payer'}</th><th scope="col" class="n">Amount</th><th scope="col">Rail</th><th scope="col">Date</th><th scope="col">A run</th></tr></thead><tbody>${lines}</tbody></table>`,
  );
}

const largestRows = (plan: Plan, largest: ReadonlyMap<string, JournalRow[]>, held: Held): Markup =>
  markup`<section aria-labelledby="largest"><h2 id="largest">Largest rows to send</h2>${[...largest].map(
    ([currency, rows]) =>
      markup`<h3>${currency}</h3>${rowsTable(plan, rows, `Largest rows in ${currency}`, held)}`,
  )}</section>`;

function leftOut({invalidRows}: Plan, {errors}: PlanOutlookFacts): Markup | null {
  if (invalidRows === 0) return null;
  const more = errors.length - ERRORS;
  return markup`<section aria-labelledby="left"><h2 id="left">Left out (${grouped(invalidRows)})</h2>
<p>These rows have errors and are not sent.</p>
<ul>${errors.slice(0, ERRORS).map((issue) => markup`<li>${describeIssue(issue)}</li>`)}</ul>
${more > 0 && markup`<p>… and ${grouped(more)} more errors.</p>`}</section>`;
}

function allRows(plan: Plan, rows: readonly JournalRow[], held: Held): Markup {
  const {rows: all} = plan.figures;
  const note =
    all > rows.length
      ? `The first ${grouped(rows.length)} of ${grouped(all)} rows; the totals above are those of all rows.`
      : 'Every row of the plan.';
  return markup`<section aria-labelledby="rows"><h2 id="rows">Rows (${grouped(all)})</h2><p>${note}</p>${rowsTable(plan, rows, 'Rows', held)}</section>`;
}

function identity(plan: Plan): Markup {
  const facts: Fact[] = [
    ['Batch', plan.batchId],
    ['Revision', String(plan.revision)],
    ['Namespace', plan.namespace],
    ['File', `${plan.file.name}, ${grouped(plan.file.bytes)} bytes`],
    ['Sheet', plan.sheet],
    ['SHA-256 of the file', markup`<span class="hash">${plan.file.sha256}</span>`],
    ['SHA-256 of the plan', markup`<span class="hash">${plan.planHash}</span>`],
    ['Empty rows', grouped(plan.emptyRecords)],
  ];
  return markup`<section class="keep" aria-labelledby="identity"><h2 id="identity">About this plan</h2>
${factList(facts)}</section>`;
}
