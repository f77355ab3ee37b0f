import {counted} from '../../phrases.ts';
import {markup, type Markup} from '../../html/markup.ts';
import {type Fact, factList, table, tag, type Column} from '../../html/page-parts.ts';
import {hasArrived, type Delivery, type ForwardResult} from '../delivery/delivery.ts';
import type {Diagnosis} from '../verify/diagnosis.ts';
import {parseBody} from '../verify/event.ts';
import {lossText, readBody} from '../delivery/losses.ts';
import {REJECTIONS} from '../verify/signature.ts';
import {endingOf, rawBytes, rawText, SHOWN_BYTES, utf8} from './body-text.ts';
import type {LoggedDelivery} from './delivery-log.ts';
import {forwardTag, timeAt, titleOf, verdictTags} from './list-view.ts';
import {prettyJson} from './pretty-json.ts';

/** Masks secrets in what is shown: `Sanitizer`. */
export interface Conceal {
  exact: (text: string) => string;
  field: (name: string, value: string) => string;
}

export interface DetailParts {
  logged: LoggedDelivery;
  /** All deliveries of the same event, oldest first. */
  attempts: readonly LoggedDelivery[];
  /** Null if there is none, because the body is too large or no secret is known. */
  diagnosis: readonly Diagnosis[] | null;
  conceal: Conceal;
  /** The target of a replay unless another address is typed. */
  target: string;
}

/** Parts of the page: the title of one delivery, and everything else about it. */
export function detailView({logged, attempts, diagnosis, conceal, target}: DetailParts): Markup {
  const {delivery} = logged;
  return markup`<h2 id="delivery-title" tabindex="-1">${titleOf(delivery)} ${verdictTags(delivery)}</h2>
<div id="delivery" data-id="${delivery.id}" data-target="${target}">
${aboutDelivery(logged)}
${verdictSection(delivery, diagnosis)}
${bodySection(delivery, conceal)}
<h3>Headers</h3>
${headerTable(delivery, conceal)}
${attempts.length > 1 && markup`<h3>Deliveries of this event</h3>${attemptTable(attempts, delivery.id)}`}
${forwardSection(logged)}
</div>`;
}

function aboutDelivery({delivery}: LoggedDelivery): Markup {
  const {id, eventId, receivedAtMs, path, attempt, secret, duplicateOf, verdict} = delivery;
  const event: Markup | string =
    eventId !== null
      ? markup`<code>${eventId}</code>`
      : verdict === 'rejected'
        ? 'not read, because the delivery was rejected'
        : 'the body has no event id';
  const facts: Fact[] = [
    ['Delivery', markup`<code>${id}</code>`],
    ['Event', event],
    ['Received', timeAt(receivedAtMs)],
    [
      'Attempt',
      duplicateOf === null ? String(attempt) : markup`${attempt}, duplicate of ${linkTo(duplicateOf)}`,
    ],
    ['Path', markup`<code>${path}</code>`],
  ];
  if (secret !== null) facts.push(['Secret', markup`fingerprint <code>${secret}</code>`]);
  return factList(facts);
}

const linkTo = (id: string): Markup => markup`<a href="#${id}">${id}</a>`;

/** Why it was rejected, and what would have matched. Never the expected signature. */
function verdictSection({verdict, reason, id}: Delivery, diagnosis: readonly Diagnosis[] | null): Markup {
  if (reason === null)
    return verdict === 'verified'
      ? markup`<p class="verdict good">The signature matches, and the timestamp was fresh on arrival.</p>`
      : markup`<p class="verdict open">The signature was not checked: the listener has no secret.</p>`;
  const words =
    reason === 'body_too_large' ? 'the body is larger than --max-body and was not kept' : REJECTIONS[reason];
  const tone = verdict === 'rejected' ? 'bad' : 'open';
  const advice = reason === 'mismatch' || reason === 'signature_format' ? adviceOn(diagnosis, id) : '';
  return markup`<div class="verdict ${tone}"><p>${verdict === 'rejected' ? 'Rejected' : 'Accepted because of --allow-unverified'} (${reason}): ${words}.</p>${advice}</div>`;
}

function adviceOn(diagnosis: readonly Diagnosis[] | null, id: string): Markup {
  if (diagnosis === null)
    return markup`<p>Find the likely cause with <code>remit webhooks verify ${id}</code>.</p>`;
  if (diagnosis.length === 0)
    return markup`<p>No common mistake explains it. Probably the secret is wrong, or the body was changed.</p>`;
  return markup`<ul>${diagnosis.map(({matchesIf}) => markup`<li>It matches if ${matchesIf}.</li>`)}</ul>`;
}

/** Both views are in the page; the script shows one of them. */
function bodySection({id, body, reason, bodyBytes}: Delivery, conceal: Conceal): Markup {
  if (reason === 'body_too_large') return markup`<h3>Body</h3><p class="soft">Not kept.</p>`;
  const shown = body.subarray(0, SHOWN_BYTES);
  const isCut = shown.length < body.length;
  const text = utf8(shown) ?? (isCut ? utf8(wholeCharacters(shown)) : undefined);
  const read = text === undefined || isCut ? undefined : readBody(body);
  const pretty =
    text === undefined || read?.body == null
      ? undefined
      : prettyJson(conceal.exact(text).replace(/^\ufeff/, ''));
  const facts = [
    counted(body.length, 'byte'),
    bodyBytes === undefined ? '' : `the start of ${bodyBytes}; the rest was not kept`,
    text === undefined ? 'not UTF-8' : read !== undefined && parseBody(body) === undefined ? 'not JSON' : '',
    body.length > 0 ? endingOf(body) : '',
    isCut ? `the first ${shown.length} are shown` : '',
  ].filter((fact) => fact !== '');
  const raw = text === undefined ? rawBytes(shown) : rawText(conceal.exact(text));
  // A parser drops the first line feed of <pre>, and the body may begin with one of its own.
  return markup`<div class="bar"><h3>Body</h3><span class="soft">${facts.join(', ')}</span>${pretty !== undefined && markup`<div class="switch" role="group" aria-label="How the body is shown"><button class="plain" type="button" id="show-pretty" data-view="pretty" aria-pressed="true">Pretty</button><button class="plain" type="button" id="show-raw" data-view="raw" aria-pressed="false">Raw</button></div>`}</div>
${isCut && markup`<p class="soft">All of it: <code>remit webhooks events show ${id} --raw</code></p>`}
${read?.lost.map((loss) => markup`<p class="verdict open">${lossText(loss)}</p>`)}
${pretty !== undefined && markup`<pre data-body="pretty" tabindex="0" aria-label="Body, pretty">${pretty}</pre>`}
<pre data-body="raw"${pretty !== undefined && markup` hidden`} tabindex="0" aria-label="Body, raw">
${raw}</pre>`;
}

/** The text without the character that the cut has split. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, Math.max(0, end - 1));
}

const headerTable = ({headers}: Delivery, conceal: Conceal): Markup =>
  markup`<dl class="headers">${headers.map(([name, value]) => markup`<dt>${name}</dt><dd>${rawText(conceal.field(name, value))}</dd>`)}</dl>`;

function attemptTable(attempts: readonly LoggedDelivery[], current: string): Markup {
  const columns: Column<LoggedDelivery>[] = [
    {label: 'Received', kind: 'at', cell: ({delivery}) => timeAt(delivery.receivedAtMs)},
    {label: 'Attempt', kind: 'n', cell: ({delivery}) => String(delivery.attempt)},
    {label: 'Verdict', cell: ({delivery}) => verdictTags(delivery)},
    {
      label: 'Delivery',
      cell: ({delivery: {id}}) => (id === current ? 'this one' : linkTo(id)),
    },
  ];
  return table(`${attempts.length} deliveries, oldest first`, columns, attempts);
}

const FORWARDS: readonly Column<ForwardResult>[] = [
  {label: 'At', kind: 'at', cell: ({atMs}) => timeAt(atMs)},
  {
    label: 'Answer',
    cell: (result) => tag(String(result.status ?? result.error), hasArrived(result) ? 'good' : 'bad'),
  },
  {label: 'Took', kind: 'n', cell: ({latencyMs}) => `${latencyMs} ms`},
  {label: 'Target', cell: ({target}) => target},
  {label: 'Attempt', kind: 'n', cell: ({attempt}) => String(attempt)},
  {
    label: 'Sent by',
    cell: ({cause, resigned}) =>
      `${cause === 'replay' ? 'replay' : 'listener'}${resigned ? ', re-signed' : ''}`,
  },
];

function forwardSection({targets, forwards}: LoggedDelivery): Markup {
  if (targets.size === 0) return markup`<h3>Forwards</h3><p class="soft">It was not forwarded.</p>`;
  const states = [...targets].map(
    ([target, {state}]) => markup`<li><span class="target">${target}</span> ${forwardTag([state])}</li>`,
  );
  return markup`<h3>Forwards</h3><ul class="targets">${states}</ul>${forwards.length > 0 && table('Attempts, newest first', FORWARDS, forwards.toReversed())}`;
}
