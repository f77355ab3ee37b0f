import {EVENT_TYPE_NAMES} from '../../../contract/events.ts';
import {markup} from '../../../html/markup.ts';
import {pageFrame} from '../../../html/page-frame.ts';
import {OTHER_TYPES, VERDICT_CHOICES} from '../filter.ts';
import {SHELL_STYLE} from './style.ts';

/**
 * The page without any data, the same for everyone. Its script takes the token from the address and fetches the
 * parts.
 * @param canResign whether a secret is known
 */
export const shellPage = (canResign: boolean): string =>
  pageFrame({
    title: 'remit webhooks',
    style: SHELL_STYLE,
    icon: '/icon.svg',
    script: '/inspector.js',
    body: markup`<a class="skip" href="#rows">Skip to the deliveries</a>
<header class="top"><div class="bar"><h1>remit webhooks</h1><p class="soft">Times are in UTC</p><p id="state" role="status" class="soft">Connecting…</p></div></header>
<main>
<noscript><p class="verdict bad">This page needs JavaScript. Without it: <code>remit webhooks events list</code></p></noscript>
<p id="closed" class="verdict bad" hidden>This page is closed. Open the address that the command printed, with everything after the #.</p>
<div id="panes">
<section id="list" aria-label="Deliveries">
<form id="filter" role="search" autocomplete="off">
<label class="wide">Search <input id="search" name="search" type="search" placeholder="id, type or text of the body" spellcheck="false" aria-keyshortcuts="/"></label>
<label>Type <select id="type" name="type"><option value="">all</option><option>payout.*</option><option>payin.*</option>${EVENT_TYPE_NAMES.map((name) => markup`<option>${name}</option>`)}<option value="${OTHER_TYPES}">other types</option></select></label>
<label>Verdict <select id="verdict" name="verdict"><option value="">all</option>${VERDICT_CHOICES.map((name) => markup`<option>${name}</option>`)}</select></label>
<label class="check"><input id="failed" name="failed" type="checkbox" value="yes"> failed forwards only</label>
</form>
<p id="count" class="soft" role="status"></p>
<div id="rows-place"></div>
<div class="buttons"><button class="plain" id="newest" type="button" hidden>Newest</button><button class="plain" id="older" type="button" hidden>Older</button></div>
</section>
<section id="detail" aria-label="Delivery">
<p id="nothing" class="soft">Select a delivery with a click, or with the arrow keys and Enter. <kbd>/</kbd> searches, <kbd>Esc</kbd> goes back to the list.</p>
<div id="opened" hidden>
<a id="back" href="#list">Back to the list</a>
<div id="title-place"></div>
<form id="replay" autocomplete="off"><label class="wide">Send it to <input id="target" name="target" spellcheck="false" placeholder="3000/hook"></label>
<div class="buttons"><button id="send" name="resign" value="no">Replay</button>${canResign ? markup`<button id="resign" name="resign" value="yes" class="plain">Re-sign and replay</button>` : markup`<span class="soft hint">Re-signing needs --secret-from FILE</span>`}<button id="copy" type="button" class="plain">Copy as curl</button></div>
<p id="outcome" role="status"></p><pre id="shown" tabindex="0" aria-label="Answer or command" hidden></pre></form>
<div id="detail-place"></div>
</div>
</section>
</div>
</main>`,
  });
