import {markup, type Markup} from '../../html/markup.ts';
import {table, tag, time, type Cell, type Column, type Tone} from '../../html/page-parts.ts';
import {formatMajor, groupMajor} from '../../money/amount.ts';
import type {RequestEntry} from '../api/exchange.ts';
import type {ShownDelivery} from '../webhooks/delivery-desk.ts';
import type {ShownTransfer} from './page-data.ts';

const modeTag = (mode: 'test' | 'live' | null): Cell =>
  mode === null ? '' : tag(mode, mode === 'live' ? 'bad' : '');

const TONES: Record<string, Tone> = {
  settled: 'good',
  failed: 'bad',
  canceled: '',
  created: '',
  delivered: 'good',
  dropped: 'bad',
};
const statusTag = (status: string): Markup => tag(status, TONES[status] ?? 'open');

const TRANSFERS: readonly Column<ShownTransfer>[] = [
  {label: 'Created', kind: 'at', cell: ({createdMs}) => time(new Date(createdMs).toISOString())},
  {label: 'Status', cell: ({status}) => statusTag(status)},
  {
    label: 'Amount',
    kind: 'n',
    cell: ({amount, currency}) => `${groupMajor(formatMajor(BigInt(amount), currency))} ${currency}`,
  },
  {label: 'Party', cell: ({partyName}) => partyName},
  {label: 'Rail', kind: 'at', cell: ({rail}) => rail},
  {label: 'Mode', cell: ({mode}) => modeTag(mode)},
  {label: 'Id', kind: 'id', cell: ({id}) => id},
];

export function transferTable(transfers: readonly ShownTransfer[], noun: 'payouts' | 'payins'): Markup {
  if (transfers.length === 0) return markup`<p class="soft">There are no ${noun} yet.</p>`;
  return table(`The newest ${noun}`, TRANSFERS, transfers);
}

/** Without its query, in which receivers put secrets. */
function receiver(url: string): string {
  const {origin, pathname} = new URL(url);
  return `${origin}${pathname}`;
}

const DELIVERIES: readonly Column<ShownDelivery>[] = [
  {label: 'Made', kind: 'at', cell: ({created_at: at}) => time(at)},
  {label: 'State', cell: ({state}) => statusTag(state)},
  {label: 'Event', kind: 'at', cell: ({event_type: event}) => event},
  {label: 'To', cell: ({url}) => receiver(url)},
  {label: 'Sent', kind: 'n', cell: ({sent}) => `${sent} ${sent === 1 ? 'time' : 'times'}`},
  {
    label: 'Answer',
    cell: ({last_status: status, last_error: error}) => String(status ?? error ?? 'none yet'),
  },
  {label: 'Mode', cell: ({mode}) => modeTag(mode)},
  {label: 'Id', kind: 'id', cell: ({id}) => id},
];

export function deliveryTable(deliveries: readonly ShownDelivery[], events: number): Markup {
  if (deliveries.length === 0)
    return markup`<p class="soft">Nothing was delivered yet; ${events} ${events === 1 ? 'event' : 'events'} so far.</p>`;
  return table('The newest deliveries of webhooks', DELIVERIES, deliveries);
}

const REQUESTS: readonly Column<RequestEntry>[] = [
  {label: 'At', kind: 'at', cell: ({at}) => time(at)},
  {
    label: 'Status',
    cell: ({status}) =>
      status === null
        ? tag('reset', 'bad')
        : tag(String(status), status >= 500 ? 'bad' : status >= 400 ? 'open' : 'good'),
  },
  {label: 'Request', cell: ({method, path}) => `${method} ${path}`},
  {label: 'Took', kind: 'n', cell: ({elapsed_ms: ms}) => `${ms} ms`},
  {label: 'Mode', cell: ({mode}) => modeTag(mode)},
  {label: 'Fault', cell: ({fault}) => fault ?? ''},
  {label: 'Id', kind: 'id', cell: ({request_id: id}) => id},
];

export function requestTable(requests: readonly RequestEntry[], total: number): Markup {
  if (requests.length === 0) return markup`<p class="soft">No requests yet.</p>`;
  return table(`The newest of ${total} requests to the API`, REQUESTS, requests);
}
