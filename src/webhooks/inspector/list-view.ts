import {markup, type Markup} from '../../html/markup.ts';
import {tag, time, type Tone} from '../../html/page-parts.ts';
import {isObject, keysOf} from '../../narrow.ts';
import type {Delivery} from '../delivery/delivery.ts';
import {subjectOf} from '../delivery/subject.ts';
import {parseBody} from '../verify/event.ts';
import type {TargetState} from '../record/state.ts';
import type {DeliveryLog, LoggedDelivery, LogPage} from './delivery-log.ts';

/** Part of the page: the deliveries of a list, newest first. */
export function listView(
  {shown, matching, more}: LogPage,
  log: Pick<DeliveryLog, 'size' | 'hasOlder'>,
): Markup {
  const total = log.size;
  const facts = markup`data-matching="${matching}" data-total="${total}" data-last="${shown.at(-1)?.delivery.id}" data-more="${more ? 'yes' : 'no'}"`;
  if (shown.length === 0)
    return markup`<div id="rows" ${facts}><p class="soft empty">${total === 0 ? 'No delivery has arrived yet. This list updates by itself.' : 'No delivery matches the filter.'}</p></div>`;
  return markup`<ol id="rows" ${facts}>${shown.map(row)}</ol>${!more && log.hasOlder && OLDER}`;
}

const OLDER = markup`<p class="soft">The page has only the newest deliveries. For older ones: <code>remit webhooks events list</code></p>`;

function row({delivery, targets}: LoggedDelivery): Markup {
  const {id, attempt, reason, receivedAtMs} = delivery;
  const states = [...targets.values()].map(({state}) => state);
  return markup`<li><a class="row" id="row-${id}" href="#${id}" data-id="${id}" tabindex="-1">
<span class="line"><b>${titleOf(delivery)}</b><span>${verdictTags(delivery)}</span></span>
<span class="line soft"><span>${aboutEvent(delivery)}</span></span>
<span class="line soft"><span class="when">${timeAt(receivedAtMs)}${attempt > 1 && ` · attempt ${attempt}`}</span><span>${reason ?? (states.length > 0 && forwardTag(states))}</span></span>
</a></li>
`;
}

/**
 * The event type. For a rejected delivery the one that its body claims, because a wrong secret would otherwise hide
 * it.
 */
export function titleOf({eventType, verdict, body}: Delivery): string {
  if (verdict !== 'rejected') return eventType ?? 'No event type';
  const event = parseBody(body);
  const claimed = isObject(event) ? event['type'] : undefined;
  return typeof claimed === 'string' && claimed !== '' ? `${claimed} (claimed)` : 'Rejected delivery';
}

const VERDICT_TONES: Record<Delivery['verdict'], Tone> = {
  verified: 'good',
  unverified: 'open',
  rejected: 'bad',
};

/** The verdict, and other tags of a delivery. */
export const verdictTags = ({verdict, duplicateOf, filtered}: Delivery): Markup =>
  markup`${duplicateOf !== null && tag('duplicate', '')} ${filtered && tag('filtered', '')} ${tag(verdict, VERDICT_TONES[verdict])}`;

type State = TargetState['state'];
/** The worst first. */
const STATE_TAGS: Record<State, Markup> = {
  dead: tag('forward failed', 'bad'),
  returned: tag('failure returned', 'bad'),
  waiting: tag('forward waiting', 'open'),
  forwarded: tag('forwarded', 'good'),
};
const WORST_FIRST = keysOf(STATE_TAGS);

/** The worst of its targets. */
export const forwardTag = (states: readonly State[]): Markup =>
  STATE_TAGS[WORST_FIRST.find((state) => states.includes(state)) ?? 'forwarded'];

/** The object that the event is about, or its own id. */
function aboutEvent({body, eventId, id}: Delivery): string {
  return subjectOf(parseBody(body)) ?? (eventId === null ? id : `event ${eventId}`);
}

/** `2026-03-02 15:04:05` in UTC; the head of the page names the zone. */
export const timeAt = (ms: number): Markup => time(new Date(ms).toISOString());
