import {escapeText, Markup, markup} from '../../html/markup.ts';
import {type Fact, factList, table, tag, time, type Column} from '../../html/page-parts.ts';
import {isObject} from '../../narrow.ts';
import type {Transfer} from '../records/transfer.ts';
import type {PageControls} from './page-controls.ts';
import type {DeliveryRecord, ShownAttempt} from '../base/shown-records.ts';

/** What the bank can do to a transfer, by its status. A refusal explains the rest. */
const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  approved: ['initiate', 'debit', 'settle', 'fail'],
  initiated: ['debit', 'settle', 'fail', 'return'],
  debited: ['settle', 'fail', 'return'],
  settled: ['return'],
};

/** An open payout or payin: reason of a failure, times, the stored record, and what the bank can do to it. */
export function transferDetails(transfer: Transfer, controls: PageControls): Markup {
  const {kind, id, status, statusMs, updatedMs, releaseMs, idempotencyKey, subaccountId, methodId} = transfer;
  const outcomes = (OUTCOMES[status] ?? []).filter(
    (outcome) => outcome !== 'return' || !transfer.rail.startsWith('instant_'),
  );
  const buttons = outcomes.map((outcome) =>
    controls.button({
      name: 'outcome',
      value: outcome,
      control: `simulate-${outcome}`,
      label: outcome.replace(/^./, (letter) => letter.toUpperCase()),
    }),
  );
  const facts: Fact[] = [
    ['Failure', failureOf(transfer)],
    ['Status since', time(new Date(statusMs).toISOString())],
    ['Updated', time(new Date(updatedMs).toISOString())],
    ['Released', releaseMs === null ? undefined : time(new Date(releaseMs).toISOString())],
    ['Rail', transfer.rail],
    ['Payment method', methodId],
    ['Subaccount', subaccountId ?? undefined],
    ['Idempotency key', idempotencyKey ?? undefined],
  ];
  const {clientMetadata, parties, details} = transfer;
  return markup`${factList(facts)}
${buttons.length > 0 && controls.form('/page/simulate', {row: `${kind}.${id}`, legend: 'Simulate'}, buttons)}
${status === 'created' && markup`<p class="soft">It is not approved: nothing can be simulated yet.</p>`}
${json('Record', {client_metadata: clientMetadata, parties, details})}`;
}

/** `R03: No account` */
function failureOf({details}: Transfer): string | undefined {
  const failure = isObject(details) ? details['failure'] : undefined;
  if (!isObject(failure)) return undefined;
  return [failure['code'], failure['message']].filter((text) => typeof text === 'string').join(': ');
}

const ATTEMPTS: readonly Column<ShownAttempt>[] = [
  {label: 'Attempt', kind: 'n', cell: ({n, by_hand: byHand}) => `${n}${byHand ? ' (by hand)' : ''}`},
  {label: 'At', kind: 'at', cell: ({at}) => time(at)},
  {
    label: 'Answer',
    cell: ({status, error}) =>
      status === null ? tag(error ?? 'none', 'bad') : tag(String(status), status < 300 ? 'good' : 'bad'),
  },
  {label: 'Took', kind: 'n', cell: ({elapsed_ms: ms}) => `${ms} ms`},
  {label: 'Body', cell: ({response}) => response},
  {label: 'Fault', cell: ({fault}) => fault ?? ''},
];

/** An open delivery: its attempts, the payload byte for byte, and a button that sends it again. */
export function deliveryDetails(delivery: DeliveryRecord, controls: PageControls): Markup {
  const {id, event_id: event, endpoint_id: endpoint, next_attempt_at: next, attempts, payload} = delivery;
  const send = controls.button({name: 'send', value: 'again', control: 'redeliver', label: 'Send again'});
  return markup`${factList([
    ['Event', event],
    ['Endpoint', endpoint],
    ['Next attempt', next === null ? undefined : time(next)],
  ])}
${attempts.length === 0 ? markup`<p class="soft">It was not sent yet.</p>` : table('Attempts', ATTEMPTS, attempts)}
${controls.form('/page/redeliver', {row: `delivery.${id}`, legend: 'Redeliver'}, [send])}
<h4>Payload</h4><pre tabindex="0">${lines(payload)}</pre>`;
}

const json = (title: string, value: unknown): Markup =>
  markup`<h4>${title}</h4><pre tabindex="0">${lines(JSON.stringify(value, null, 2))}</pre>`;

/** Line by line: escaping removes control characters, also line ends. */
const lines = (text: string): Markup => new Markup(text.split('\n').map(escapeText).join('\n'));
