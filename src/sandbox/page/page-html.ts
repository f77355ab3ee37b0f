import {markup, type Markup} from '../../html/markup.ts';
import {pageFrame} from '../../html/page-frame.ts';
import {moment} from '../../html/page-parts.ts';
import {formatMajor, groupMajor} from '../../money/amount.ts';
import {ADVANCES, MODES} from './clock-form.ts';
import {PageControls} from './page-controls.ts';
import {SHOWN, type PageData, type ShownEntity} from './page-data.ts';
import {PAGE_STYLE} from './page-style.ts';
import {deliveryTable, requestTable, transferTable} from './page-tables.ts';
import {addressOf, type PagedList, type PageView} from './page-view.ts';
import type {Session} from './sessions.ts';
import type {ClockStatus} from '../base/shown-records.ts';

const frame = (title: string, body: Markup, script?: string): string =>
  pageFrame({title, style: PAGE_STYLE, icon: '/page/icon.svg', script, body});

const WHAT =
  'The Money Movement Service, simulated on this machine. It accepts only keys that it issued, and moves no money.';

/** The page without a session: what it is and the command that opens it, without data. */
export function lockedPage(reason: string): string {
  return frame(
    'remit sandbox',
    markup`<header class="top"><div><h1>remit sandbox</h1><p class="soft">${WHAT}</p></div></header>
<main id="main"><section aria-labelledby="locked"><h2 id="locked">This page is closed</h2>
<p>${reason}</p>
<p>Run <code>remit sandbox open</code> and follow the link that it prints. Each link opens the page once.</p>
<p>The interface is described in <a href="/openapi.json">openapi.json</a>, which needs no key.</p></section></main>`,
  );
}

const SECTIONS = {
  clock: 'Clock',
  entities: 'Entities and keys',
  payouts: 'Payouts',
  payins: 'Payins',
  deliveries: 'Deliveries',
  requests: 'Requests',
} as const;

/**
 * The page of an open session. All external text is escaped. The script updates the parts that are marked `data-live`;
 * without it, a reload does.
 */
export function sandboxPage(
  data: PageData,
  session: Pick<Session, 'formToken' | 'notice' | 'control'>,
  {host, view}: {host: string; view: PageView},
): string {
  const {counts, faults, deliveryCounts, delivery} = data;
  const controls = new PageControls(session, view);
  const isOlder = (list: PagedList) => view.before[list] !== undefined;
  const listed = (list: PagedList) => ({controls, isOlder: isOlder(list)});
  const paged = (list: PagedList, content: Markup): Markup =>
    section(list, markup`${content}${pagesNav(list, data[list], view)}`);
  return frame(
    `remit sandbox at ${host}`,
    markup`<a class="skip" href="#main">Skip to the clock</a>
<header class="top"><div><h1>remit sandbox</h1>
<p class="soft">${WHAT} Base URL <code>http://${host}</code>.</p>
<nav aria-label="On this page"><ul>${Object.entries(SECTIONS).map(([id, title]) => markup`<li><a href="#${id}">${title}</a></li>`)}<li><a href="/openapi.json">openapi.json</a></li><li><a href="${addressOf(view)}">Reload</a></li></ul></nav>
<p class="soft" id="live">Reload to update</p></div></header>
<main id="main">
${session.notice !== null && markup`<p class="notice${session.notice.isBad && ' bad'}" role="status">${session.notice.text}</p>`}
${clockSection(data.clock, controls)}
${section('entities', markup`<div class="pair">${data.entities.map(entityCard)}</div>`)}
${paged('payouts', transferTable(data.payouts, 'payouts', listed('payouts')))}
${paged('payins', transferTable(data.payins, 'payins', listed('payins')))}
${paged('deliveries', deliveryTable(data.deliveries, {...listed('deliveries'), events: deliveryCounts.events, shown: delivery}))}
${section('requests', requestTable(data.requests, counts.total))}
</main>
<footer><p id="faults" data-live>${faults === 0 ? 'No fault rules are set.' : `${faults} fault ${faults === 1 ? 'rule is' : 'rules are'} set: remit sandbox faults list shows them.`} Times are UTC; those of requests are the machine's, all others the sandbox's.</p></footer>`,
    '/page/live.js',
  );
}

/** Links to older records, and back. */
function pagesNav(list: PagedList, shown: readonly {id: string}[], {before}: PageView): Markup | false {
  const last = shown.length < SHOWN ? undefined : shown[SHOWN - 1];
  const isOlder = before[list] !== undefined;
  if (last === undefined && !isOlder) return false;
  const to = (id: string | undefined) => `${addressOf({before: {...before, [list]: id}})}#${list}`;
  return markup`<nav class="pages" aria-label="${SECTIONS[list]}">${last !== undefined && markup`<a id="older-${list}" href="${to(last.id)}">Older ${list}</a>`}${isOlder && markup`<a id="newest-${list}" href="${to(undefined)}">The newest ${list}</a>`}</nav>`;
}

const section = (id: keyof typeof SECTIONS, content: Markup): Markup =>
  markup`<section aria-labelledby="${id}"><h2 id="${id}">${SECTIONS[id]}</h2><div id="${id}-live" data-live>${content}</div></section>`;

function clockSection(clock: ClockStatus, controls: PageControls): Markup {
  const pace =
    clock.mode === 'accelerated'
      ? `runs ${clock.speed ?? 1} times as fast as real time`
      : clock.mode === 'frozen'
        ? 'is frozen until it is moved'
        : 'runs in real time';
  const advance = Object.entries(ADVANCES).map(([value, {label}]) =>
    controls.button({name: 'advance', value, control: `clock-${value}`, label}),
  );
  const modes = Object.entries(MODES).map(([value, {label}]) =>
    controls.button({
      ...{name: 'mode', value, control: `clock-${value}`, label},
      ...{isPlain: true, isPressed: value === clock.mode},
    }),
  );
  const form = (legend: string, buttons: Markup[]) => controls.form('/page/clock', {legend}, buttons);
  return section(
    'clock',
    markup`<p class="now"><time datetime="${clock.now}">${moment(clock.now)}</time> UTC</p>
<p class="soft">The sandbox's clock ${pace}. Timing of the bank: ${clock.timing}.</p>
<div class="controls">${form('Move it forward', advance)}${form('How it runs', modes)}</div>`,
  );
}

function entityCard({id, mode, name, keys, money}: ShownEntity): Markup {
  return markup`<div class="card"><h3>${name} <span class="tag${mode === 'live' && ' bad'}">${mode}</span></h3>
<p class="id soft">${id}</p>
<dl>${money.map(({label, minor}) => markup`<dt>${label}</dt><dd>${groupMajor(formatMajor(minor, 'USD'))} USD</dd>`)}</dl>
<dl class="keys">${keys.map(({masked, scope}) => markup`<dt>${scope === 'full' ? 'Key' : 'Read-only key'}</dt><dd><code>${masked}</code></dd>`)}</dl></div>`;
}
