import type {Mode} from '../../contract/mode.ts';
import {counted} from '../../phrases.ts';
import {markup, type Markup} from '../../html/markup.ts';
import {table, tag, time, type Cell, type Column, type Tone} from '../../html/page-parts.ts';
import {formatMajor, groupMajor} from '../../money/amount.ts';
import type {RequestEntry} from '../api/exchange.ts';
import type {PageControls} from './page-controls.ts';
import type {ShownTransfer} from './page-data.ts';
import {deliveryDetails, transferDetails} from './page-details.ts';
import type {DeliveryRecord, ShownDelivery} from '../base/shown-records.ts';

const modeTag = (mode: Mode | null): Cell => (mode === null ? '' : tag(mode, mode === 'live' ? 'bad' : ''));

const TONES: Record<string, Tone> = {
  settled: 'good',
  failed: 'bad',
  canceled: '',
  created: '',
  delivered: 'good',
  dropped: 'bad',
};
const statusTag = (status: string): Markup => tag(status, TONES[status] ?? 'open');

const transferColumns = (controls: PageControls): readonly Column<ShownTransfer>[] => [
  {
    label: 'Created',
    kind: 'at',
    isExtra: true,
    cell: ({createdMs}) => time(new Date(createdMs).toISOString()),
  },
  {label: 'Status', cell: ({status}) => statusTag(status)},
  {
    label: 'Amount',
    kind: 'n',
    cell: ({amount, currency}) => `${groupMajor(formatMajor(BigInt(amount), currency))} ${currency}`,
  },
  {label: 'Party', cell: ({partyName}) => partyName},
  {label: 'Rail', kind: 'at', isExtra: true, cell: ({rail}) => rail},
  {label: 'Mode', isExtra: true, cell: ({mode}) => modeTag(mode)},
  {label: 'Id', kind: 'id', cell: ({kind, id}) => controls.toggle({kind, id})},
];

export function transferTable(
  transfers: readonly ShownTransfer[],
  noun: 'payouts' | 'payins',
  {controls, isOlder}: Listed,
): Markup {
  if (transfers.length === 0)
    return markup`<p class="soft">There are no ${isOlder && 'older '}${noun}${!isOlder && ' yet'}.</p>`;
  return table(captionOf(noun, isOlder), transferColumns(controls), transfers, (transfer) =>
    controls.isOpen(transfer) ? transferDetails(transfer, controls) : undefined,
  );
}

/** How a list is shown; `isOlder`: not from the newest on. */
interface Listed {
  controls: PageControls;
  isOlder: boolean;
}

const captionOf = (what: string, isOlder: boolean): string => `${isOlder ? 'Older' : 'The newest'} ${what}`;

/** The address without its query, in which receivers put secrets. */
function receiver(url: string): string {
  const {origin, pathname} = new URL(url);
  return `${origin}${pathname}`;
}

const deliveryColumns = (controls: PageControls): readonly Column<ShownDelivery>[] => [
  {label: 'Made', kind: 'at', isExtra: true, cell: ({created_at: at}) => time(at)},
  {label: 'State', cell: ({state}) => statusTag(state)},
  {label: 'Event', kind: 'at', cell: ({event_type: event}) => event},
  {label: 'To', cell: ({url}) => receiver(url)},
  {label: 'Sent', kind: 'n', isExtra: true, cell: ({sent}) => counted(sent, 'time')},
  {
    label: 'Answer',
    cell: ({last_status: status, last_error: error}) => String(status ?? error ?? 'none yet'),
  },
  {label: 'Mode', isExtra: true, cell: ({mode}) => modeTag(mode)},
  {label: 'Id', kind: 'id', cell: ({id}) => controls.toggle({kind: 'delivery', id})},
];

export function deliveryTable(
  listed: readonly ShownDelivery[],
  {events, shown, controls, isOlder}: Listed & {events: number; shown: DeliveryRecord | undefined},
): Markup {
  const isListed = shown === undefined || listed.some(({id}) => id === shown.id);
  const deliveries = isListed ? listed : [...listed, shown]; // one that is open is never left out
  if (deliveries.length === 0 && isOlder) return markup`<p class="soft">There are no older deliveries.</p>`;
  if (deliveries.length === 0)
    return markup`<p class="soft">Nothing was delivered yet; ${counted(events, 'event')} so far.</p>`;
  return table(captionOf('deliveries of webhooks', isOlder), deliveryColumns(controls), deliveries, ({id}) =>
    shown !== undefined && id === shown.id ? deliveryDetails(shown, controls) : undefined,
  );
}

const REQUESTS: readonly Column<RequestEntry>[] = [
  {label: 'At', kind: 'at', isExtra: true, cell: ({at}) => time(at)},
  {
    label: 'Status',
    cell: ({status}) =>
      status === null
        ? tag('reset', 'bad')
        : tag(String(status), status >= 500 ? 'bad' : status >= 400 ? 'open' : 'good'),
  },
  {label: 'Request', cell: ({method, path}) => `${method} ${path}`},
  {label: 'Took', kind: 'n', cell: ({elapsed_ms: ms}) => `${ms} ms`},
  {label: 'Mode', isExtra: true, cell: ({mode}) => modeTag(mode)},
  {label: 'Fault', cell: ({fault}) => fault ?? ''},
  {label: 'Id', kind: 'id', isExtra: true, cell: ({request_id: id}) => id},
];

export function requestTable(requests: readonly RequestEntry[], total: number): Markup {
  if (requests.length === 0) return markup`<p class="soft">No requests yet.</p>`;
  return table(`The newest of ${total} requests to the API`, REQUESTS, requests);
}
