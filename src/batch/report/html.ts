import {grouped} from '../../html/chart.ts';
import type {ReportData} from './data.ts';
import {type Markup, markup} from '../../html/markup.ts';
import {documentFrame} from '../../html/document.ts';
import {type Fact, factList, momentAt} from '../../html/page-parts.ts';
import {journalMark} from './mark.ts';
import {mainFigures, totalsTables} from './money.ts';
import {Sanitizer} from '../../sanitize/sanitizer.ts';
import {REPORT_STYLE} from './style.ts';
import {troubleSections} from './troubles.ts';
import {stepsOf} from './steps.ts';
import {count, duration, headline, NOUNS} from './words.ts';

/**
 * The report of a batch as one HTML file, for screen or paper. All external text is escaped; there is no script, and
 * nothing is loaded.
 */
export function reportHtml(data: ReportData): string {
  const {plan} = data;
  const title = `${NOUNS[plan.kind].one === 'payout' ? 'Payout' : 'Payin'} batch ${plan.batchId}`;
  return documentFrame({title, mark: journalMark(plan), style: REPORT_STYLE, body: page(data, title)});
}

/** The stop message of an earlier version may contain unsanitised text of the service. */
const sanitizer = new Sanitizer();

const attentionOf = ({troubles}: ReportData): number => troubles.reduce((sum, group) => sum + group.count, 0);

function page(data: ReportData, title: string): Markup {
  const {plan, summary} = data;
  const {text, tone} = headline(summary, attentionOf(data));
  const stop = summary.stopped_because;
  return markup`<main>
${modeBand(data)}
<header>
<h1>${title}</h1>
<p class="sub">${plan.file.name}${plan.revision > 1 && `, revision ${plan.revision}`} · as of ${momentAt(data.asOf)} UTC</p>
<p class="state ${tone}">${text}</p>
${stop !== null && markup`<p class="why">Why it stopped: ${sanitizer.line(stop.message)}.</p>`}
${mainFigures(data, attentionOf(data))}
</header>
${todo(data)}
<section aria-labelledby="totals"><h2 id="totals">Totals</h2>
${totalsTables(data)}</section>
${troubleSections(data, attentionOf(data))}
${orphans(data)}
${trail(data)}
${identity(data)}
<footer><p>Generated from the journal of the batch; the same state always gives the same report. “Accepted” means that the service approved the
${NOUNS[plan.kind].one}; “settled” is the last status that the service reports. A bank can still return an ACH payment days later: this report shows the returns that <code>remit reconcile</code> had found. All times are in UTC.</p></footer>
</main>`;
}

function modeBand({mode}: ReportData): Markup {
  if (mode === 'live') return markup`<div class="mode live">LIVE: real money</div>`;
  if (mode === 'test') return markup`<div class="mode test">TEST: no real money was moved</div>`;
  return markup`<div class="mode none">Not sent yet: neither live nor test</div>`;
}

function todo(data: ReportData): Markup {
  const steps = stepsOf(data).map(
    ({label, text}) => markup`<li>${label !== null && markup`<b>${label}:</b> `}${commands(text)}</li>`,
  );
  const list =
    steps.length === 0 ? markup`<p>Nothing is left to send.</p>` : markup`<ol class="todo">${steps}</ol>`;
  return markup`<section aria-labelledby="next"><h2 id="next">What to do next</h2>${list}</section>`;
}

/** Text in which words in backquotes are commands. */
const commands = (text: string): Markup =>
  markup`${text.split('`').map((part, i) => (i % 2 === 1 ? markup`<code>${part}</code>` : part))}`;

const SHOWN_ORPHANS = 100;

function orphans({summary, plan}: ReportData): Markup | null {
  const {orphans: left} = summary;
  if (left.length === 0) return null;
  const {one} = NOUNS[plan.kind];
  const more = left.length - SHOWN_ORPHANS;
  return markup`<section aria-labelledby="orphans"><h2 id="orphans">Records left behind (${grouped(left.length)})</h2>
<p>These records were never approved, and other records have paid their rows. Do not approve them; cancel those that are still created.</p>
<div class="wide" role="region" tabindex="0" aria-label="Records left behind"><table><thead><tr><th scope="col">Reference</th><th scope="col">Id of the ${one} left behind</th></tr></thead>
<tbody>${left.slice(0, SHOWN_ORPHANS).map(({reference, id}) => markup`<tr><td>${reference}</td><td class="hash">${id}</td></tr>`)}</tbody></table></div>
${more > 0 && markup`<p>… and ${grouped(more)} more, in the summary file.</p>`}</section>`;
}

/** Who confirmed what, and when. */
function trail({confirmations, plan, lastChangeAt, retried}: ReportData): Markup {
  const rows = confirmations.map(
    ({
      at,
      by,
      profile,
      doing,
      asked,
      revision,
      planHash,
    }) => markup`<tr><td>${momentAt(at)}</td><td>${by ?? 'not recorded'}</td>
<td>${doing}${revision !== plan.revision && `, revision ${revision}`}</td><td>${asked ? 'confirmed' : 'confirmed earlier'}</td>
<td>${profile ?? 'from the environment'}</td><td class="hash">${planHash.slice(0, 12)}</td></tr>`,
  );
  const table = markup`<div class="wide" role="region" tabindex="0" aria-label="Confirmations"><table class="confirmations"><thead><tr><th scope="col">Time (UTC)</th><th scope="col">User</th><th scope="col">To</th><th scope="col">How</th><th scope="col">Profile</th><th scope="col">Plan</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return markup`<section aria-labelledby="trail"><h2 id="trail">History</h2>
<p>Planned ${momentAt(plan.plannedAt)}${lastChangeAt !== null && `; last change of a row ${momentAt(lastChangeAt)}${lastChangeAt > plan.plannedAt ? `, ${duration(lastChangeAt - plan.plannedAt)} later` : ''}`}.${retried > 0 && ` ${count(retried, 'row')} sent again with a new key.`}</p>
${rows.length === 0 ? markup`<p>No confirmation is recorded.</p>` : markup`${table}<p>User is the user of the operating system who ran the command. People who share an account, or can become another user, can choose it; it is no proof of who confirmed.</p>`}</section>`;
}

function identity({plan, service, mode, summary}: ReportData): Markup {
  const bytes = `${grouped(plan.file.bytes)} bytes`;
  const facts: Fact[] = [
    ['Batch', plan.batchId],
    ['Revision', String(plan.revision)],
    ['Mode', mode === null ? 'not sent yet' : mode === 'live' ? 'LIVE' : 'test'],
    ['Service', service ?? 'not sent yet'],
    ['Namespace', plan.namespace],
    ['File', `${plan.file.name}, ${bytes}`],
    ['SHA-256 of the file', markup`<span class="hash">${plan.file.sha256}</span>`],
    ['SHA-256 of the plan', markup`<span class="hash">${plan.planHash}</span>`],
    ['Records left out', `${grouped(plan.invalidRows)} with errors, ${grouped(plan.emptyRecords)} empty`],
  ];
  if (summary.results !== null) facts.push(['Results of every row', fileName(summary.results)]);
  if (summary.failed_file !== null) facts.push(['Failed rows', fileName(summary.failed_file)]);
  facts.push(['Journal', markup`<span class="hash">${plan.journalId}</span>`]);
  return markup`<section class="keep" aria-labelledby="identity"><h2 id="identity">About this batch</h2>
${factList(facts)}</section>`;
}

/** A report is sent to other people, who do not need to see the folders of this machine. */
const fileName = (path: string): string => path.split(/[/\\]/).at(-1) ?? path;
