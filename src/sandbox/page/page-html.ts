import {markup, type Markup} from '../../html/markup.ts';
import {pageFrame} from '../../html/page-frame.ts';
import {moment} from '../../html/page-parts.ts';
import {formatMajor, groupMajor} from '../../money/amount.ts';
import {ADVANCES, MODES} from './clock-form.ts';
import type {PageData, ShownEntity} from './page-data.ts';
import {PAGE_STYLE} from './page-style.ts';
import {deliveryTable, requestTable, transferTable} from './page-tables.ts';
import type {Session} from './sessions.ts';
import type {ClockStatus} from '../control/sandbox-interface.ts';

const frame = (title: string, body: Markup): string =>
  pageFrame({title, style: PAGE_STYLE, icon: '/page/icon.svg', body});

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

/** The page of an open session. All external text is escaped; there is no script. */
export function sandboxPage(
  data: PageData,
  session: Pick<Session, 'formToken' | 'notice'>,
  host: string,
): string {
  const {counts, faults, deliveryCounts} = data;
  return frame(
    `remit sandbox at ${host}`,
    markup`<a class="skip" href="#main">Skip to the clock</a>
<header class="top"><div><h1>remit sandbox</h1>
<p class="soft">${WHAT} Base URL <code>http://${host}</code>.</p>
<nav aria-label="On this page"><ul>${Object.entries(SECTIONS).map(([id, title]) => markup`<li><a href="#${id}">${title}</a></li>`)}<li><a href="/openapi.json">openapi.json</a></li><li><a href="/">Reload</a></li></ul></nav></div></header>
<main id="main">
${session.notice !== null && markup`<p class="notice" role="status">${session.notice}</p>`}
${clockSection(data.clock, session.formToken)}
${section('entities', markup`<div class="pair">${data.entities.map(entityCard)}</div>`)}
${section('payouts', transferTable(data.payouts, 'payouts'))}
${section('payins', transferTable(data.payins, 'payins'))}
${section('deliveries', deliveryTable(data.deliveries, deliveryCounts.events))}
${section('requests', requestTable(data.requests, counts.total))}
</main>
<footer><p>${faults === 0 ? 'No fault rules are set.' : `${faults} fault ${faults === 1 ? 'rule is' : 'rules are'} set: remit sandbox faults list shows them.`} Times are UTC; those of requests are the machine's, all others the sandbox's.</p></footer>`,
  );
}

const section = (id: keyof typeof SECTIONS, content: Markup): Markup =>
  markup`<section aria-labelledby="${id}"><h2 id="${id}">${SECTIONS[id]}</h2>${content}</section>`;

function clockSection(clock: ClockStatus, formToken: string): Markup {
  const pace =
    clock.mode === 'accelerated'
      ? `runs ${clock.speed ?? 1} times as fast as real time`
      : clock.mode === 'frozen'
        ? 'is frozen until it is moved'
        : 'runs in real time';
  const advance = Object.entries(ADVANCES).map(
    ([value, {label}]) => markup`<button name="advance" value="${value}">${label}</button>`,
  );
  const modes = Object.entries(MODES).map(
    ([value, {label}]) =>
      markup`<button class="plain" name="mode" value="${value}" aria-pressed="${String(value === clock.mode)}">${label}</button>`,
  );
  const form = (legend: string, buttons: Markup[]) =>
    markup`<form method="post" action="/page/clock"><input type="hidden" name="form" value="${formToken}"><fieldset><legend>${legend}</legend><div class="buttons">${buttons}</div></fieldset></form>`;
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
