import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {View} from '../../src/output/records/view.ts';
import {deliveryView} from '../../src/output/views/deliveries.ts';
import {moveView, subaccountView} from '../../src/output/views/moves.ts';
import {payeeView, payerView, paymentMethodView} from '../../src/output/views/parties.ts';
import {profileCard, profileDetails} from '../../src/output/views/profiles.ts';
import * as sandbox from '../../src/output/views/sandbox.ts';
import {payinView, payoutView} from '../../src/output/views/transfers.ts';
import * as treasury from '../../src/output/views/treasury.ts';
import * as webhookEvents from '../../src/output/views/webhook-events.ts';
import * as webhooks from '../../src/output/views/webhooks.ts';

const VIEWS: readonly View[] = [
  ...[payoutView, payinView, moveView, subaccountView, payeeView, payerView, paymentMethodView],
  ...[profileCard, profileDetails, deliveryView],
  ...[sandbox, treasury, webhookEvents, webhooks].flatMap((views): View[] => Object.values(views)),
];

/** Words at the end of a field name that a label may leave out. */
const ENDINGS = [
  ...['id', 'code', 'at', 'date', 'name', 'number', 'status', 'now', 'base64'],
  ...['minor', 'units', 'in', 'account', 'subaccount'],
];

/** Parts of a field, and what is derived from it, by path. */
const OTHER_LABELS: Readonly<Record<string, readonly string[]>> = {
  'approval_policy.sha256': ['SHA-256 of the policy'],
  payout_metadata: ['Payment method'],
  payin_metadata: ['Payment method'],
  'payout_metadata.payment_method.last4': ['Last four'],
  'payin_metadata.payment_method.last4': ['Last four'],
  last4: ['Last four'],
  'audit.entities.0.balances.main': ['Main account (test)'],
  'audit.entities.0.payouts': ['Payouts (test)'],
  'audit.entities.0.payins': ['Payins (test)'],
  'audit.entities.1.balances.main': ['Main account (live)'],
  audit: ['Ledger'],
  // Of a recorded webhook: the id is that of the event, and its body has the reason of a failure.
  id: ['Event'],
  body: ['Failure', 'Reason'],
  lost: ['Lost in JSON'],
  'approval_policy.path': ['Approval policy'],
  // Of a delivery that was sent again: now and when it was recorded.
  status: ['Answer'],
  status_before: ['Before'],
  latency_ms: ['ms'],
};

/** `is_default` is `Default`; `source_account_id` is `Source account`; names within an object may be repeated. */
function follows(label: string, path: string): boolean {
  const said = label.toLowerCase().replace('-', ' ');
  const segments = path.split('.').map((segment) => segment.split('_').filter((word) => word !== 'is'));
  return segments.some((_, from) => {
    const words = segments.slice(from).flat();
    for (let length = words.length; length > 0; length -= 1) {
      if (words.slice(0, length).join(' ') === said) return true;
      if (!ENDINGS.includes(words[length - 1]!)) return false;
    }
    return false;
  });
}

describe('labels', () => {
  it('are the names of their fields', () => {
    const others = new Set<string>();
    for (const {noun, card, columns} of VIEWS)
      for (const {label, path} of [...card, ...columns])
        if (!follows(label, path) && OTHER_LABELS[path]?.includes(label) !== true)
          others.add(`${noun}: ${path}: ${label}`);
    assert.deepEqual([...others], []);
  });

  it('name several records by the plural of the noun', () => {
    const plurals: Readonly<Record<string, string>> = {replay: 'deliveries to replay', sandbox: 'sandboxes'};
    for (const {noun, plural} of VIEWS)
      assert.equal(plural, plurals[noun] ?? `${noun.replace(/(?<=[^aeiou])y$/, 'ie')}s`);
  });
});
