import {formatMajor, groupMajor} from '../../money/amount.ts';
import {grouped} from '../../html/chart.ts';
import type {TroubledRow} from '../journal/rows/report-rows.ts';
import type {ReportData, TroubleGroup} from './data.ts';
import {type Markup, markup} from '../../html/markup.ts';
import {Sanitizer} from '../../sanitize/sanitizer.ts';
import {cleanMessage} from '../model/outcome.ts';
import {troubleWords} from './words.ts';
import {KINDS} from '../model/kinds.ts';

/** Every row that needs attention, grouped by problem, up to the limit of the report. */
export function troubleSections(data: ReportData, attention: number): Markup {
  const {troubles, summary} = data;
  const listed = troubles.reduce((sum, {rows}) => sum + rows.length, 0);
  const cut =
    listed < attention &&
    markup`<p>The first ${grouped(listed)} of ${grouped(attention)} rows are listed here; all of them are in ${fileOf(summary.results)}.</p>`;
  const body =
    attention > 0
      ? markup`${cut}${troubles.map((group) => troubleSection(group, data))}`
      : markup`<p>No row needs attention.</p>`;
  return markup`<section aria-labelledby="attention"><h2 id="attention">Rows that need attention${attention > 0 && ` (${grouped(attention)})`}</h2>
${body}</section>`;
}

const fileOf = (path: string | null): string => path?.split(/[/\\]/).at(-1) ?? 'the results file';

const ID_HEAD: [string, string] = ['Id', 'c-id'];

function troubleSection({trouble, count, totals, rows}: TroubleGroup, {plan, commands}: ReportData): Markup {
  const {label, meaning} = troubleWords(trouble, plan, commands);
  const money = Object.entries(totals.toMajor()).map(
    ([currency, amount]) => `${groupMajor(amount)} ${currency}`,
  );
  const party = KINDS[plan.kind].party === 'payee_id' ? 'Payee' : 'Payer';
  const hasIds = rows.some(({id}) => id !== null);
  const heads: [string, string][] = [
    ['Reference', 'c-ref'],
    [party, 'c-id'],
    ['Amount', 'c-sum n'],
    ...(hasIds ? [ID_HEAD] : []),
    ['Reason', 'c-why'],
  ];
  const head = heads.map(
    ([name, css]) => markup`<th scope="col" role="columnheader" class="${css}">${name}</th>`,
  );
  const more = count - rows.length;
  // Rows become blocks on a small screen, and then lose their table semantics unless the roles are explicit.
  const table = markup`<div class="wide rowlist" role="region" tabindex="0" aria-label="${label}"><table role="table">
<thead role="rowgroup"><tr role="row">${head}</tr></thead><tbody role="rowgroup">
${rows.map((row) => troubledRow(row, party, hasIds))}</tbody></table></div>`;
  return markup`<div class="group"><h3>${label} <span class="number">${grouped(count)} · ${money.join(' + ')}</span></h3>
<p>${meaning}</p>${rows.length > 0 && table}${more > 0 && markup`<p>… and ${grouped(more)} more.</p>`}</div>`;
}

/** The journal was written without secrets, but one of an earlier version may contain some. */
const sanitizer = new Sanitizer();

const ID = markup` data-label="Id"`;

function troubledRow(row: TroubledRow, party: string, hasIds: boolean): Markup {
  const amount = groupMajor(formatMajor(BigInt(row.amount), row.currency));
  const reason = [
    row.code !== null && markup`<span class="code">${sanitizer.token(row.code)}</span> `,
    row.message !== null
      ? cleanMessage(sanitizer, row)
      : row.status !== null && `its status was ${sanitizer.token(row.status)} when it was last seen`,
  ];
  const id = markup`<td role="cell" class="id"${row.id !== null && ID}>${row.id}</td>`;
  return markup`<tr role="row"><td role="cell"><b><bdi>${row.reference}</bdi></b> <span class="line">line ${row.line}</span></td>
<td role="cell" class="id" data-label="${party}">${row.party}</td><td role="cell" class="n">${amount} ${row.currency}</td>
${hasIds && id}<td role="cell">${reason}</td></tr>
`;
}
