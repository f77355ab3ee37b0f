import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {RemitError} from '../../../src/errors.ts';
import {checkService} from '../../../src/service/file/parse.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';

const refusal = (file: ServiceFile): string => {
  try {
    checkService(file, 'service.json');
  } catch (error) {
    if (error instanceof RemitError) return error.message;
    throw error;
  }
  return assert.fail(`was accepted: ${JSON.stringify(file)}`);
};
const routes = (own: Record<string, string>): ServiceFile => ({routes: own});

/** Each turns a command into another one. */
const HOSTILE: readonly [title: string, file: ServiceFile, says: RegExp][] = [
  [
    'a cancel that is the approval, distinguished by an empty body',
    {...routes({'payouts.cancel': 'POST /api/payouts/{id}/approve'}), bodies: {'payouts.cancel': {}}},
    /routes\.payouts\.cancel has the word approve, which is another action/,
  ],
  [
    'a cancel that is the approval, which has another path',
    routes({
      'payouts.cancel': 'POST /api/payouts/{id}/approve',
      'payouts.approve': 'POST /api/payouts/{id}/send',
    }),
    /routes\.payouts\.cancel has the word approve/,
  ],
  [
    'a cancel and an approval that are swapped',
    routes({
      'payins.cancel': 'POST /api/payins/{id}/approve',
      'payins.approve': 'POST /api/payins/{id}/cancel',
    }),
    /routes\.payins\.approve has the word cancel/,
  ],
  [
    'a cancel with the body of an approval',
    {
      ...routes({'payouts.cancel': 'PATCH /api/payouts/{id}'}),
      bodies: {'payouts.cancel': {status: 'approved'}},
    },
    /bodies\.payouts\.cancel has the word approved/,
  ],
  [
    'a cancel and an approval on one route, one with an empty body',
    {
      ...routes({'payouts.cancel': 'PATCH /api/payouts/{id}', 'payouts.approve': 'PATCH /api/payouts/{id}'}),
      bodies: {'payouts.cancel': {}, 'payouts.approve': {status: 'approved'}},
    },
    /makes payouts\.approve and payouts\.cancel the same request/,
  ],
  [
    'a cancel and an approval on one route, with other fields',
    {
      ...routes({'payouts.cancel': 'PATCH /api/payouts/{id}', 'payouts.approve': 'PATCH /api/payouts/{id}'}),
      bodies: {'payouts.cancel': {reason: 'x'}, 'payouts.approve': {status: 'approved'}},
    },
    /the same request/,
  ],
  [
    'a label that is the simulated credit',
    routes({
      'treasury.updateLabel': 'POST /api/treasury/accounts/{account_id}/simulate-inbound-credit',
      'treasury.simulateInboundCredit': 'POST /api/treasury/accounts/{account_id}/credit',
    }),
    /routes\.treasury\.updateLabel is the path of treasury\.simulateInboundCredit/,
  ],
  [
    'a label and a simulated credit whose paths differ in a suffix', // found by `npm run long:guard`, file 60596
    routes({
      'treasury.updateLabel': 'POST /v1/things/{account_id}/stop',
      'treasury.simulateInboundCredit': 'POST /v1/things/{account_id}/stop.do',
    }),
    /the same request/,
  ],
  [
    'an endpoint whose deletion deletes a payout',
    routes({'webhookEndpoints.delete': 'DELETE /api/payouts/{id}'}),
    /routes\.webhookEndpoints\.delete is a path of payouts/,
  ],
  [
    'an endpoint whose deletion deletes a record with another name',
    routes({
      'payouts.get': 'GET /v1/remittances/{id}',
      'webhookEndpoints.delete': 'DELETE /v1/remittances/{id}',
    }),
    /routes\.webhookEndpoints\.delete is the path of payouts\.get/,
  ],
  [
    'a switch that releases',
    routes({'webhookEndpoints.toggle': 'POST /v1/remittances/{id}/release'}),
    /routes\.webhookEndpoints\.toggle has the word release/,
  ],
  [
    'endpoints at the path of payouts, which have another one',
    {
      prefixes: {webhookEndpoints: '/api/payouts'},
      routes: {'payouts.create': 'POST /v1/payouts', 'payouts.list': 'GET /v1/payouts'},
    },
    /prefixes is a path of payouts/,
  ],
  [
    'endpoints below a record of a move',
    {prefixes: {webhookEndpoints: '/api/subaccounts/move/abcdefghij'}},
    /prefixes is a path of move, which webhookEndpoints\.create does not change/,
  ],
  [
    'a payee that is a payout with a suffix',
    routes({'payees.create': 'POST /api/payouts.do'}),
    /routes\.payees\.create is a path of payouts/,
  ],
  [
    'the id of a record without a noun',
    routes({'payees.create': 'POST /api/po_123/approve'}),
    /routes\.payees\.create has the constant segment po_123, which may be an id/,
  ],
  [
    'the id of a record after a noun with a hyphen',
    routes({'payouts.approve': 'POST /api/pay-outs/abcdefghij/approve/{id}'}),
    /routes\.payouts\.approve has the constant segment abcdefghij, which may be an id/,
  ],
  [
    'a read of one record, which may be an approval',
    routes({'eventTypes.list': 'GET /api/payouts/018f0000-0000-7000-8000-000000000001/approve'}),
    /routes\.eventTypes\.list has the constant segment 018f0000-\S+, which may be an id/,
  ],
  [
    'a read of a record whose id is a word',
    routes({'payouts.get': 'GET /api/payouts/abcdefghij/details/{id}'}),
    /routes\.payouts\.get has the constant segment abcdefghij/,
  ],
  [
    'the id of a record after an unknown noun',
    routes({'payouts.approve': 'POST /api/remittances/po_123/approve/{id}'}),
    /constant segment po_123.*those with digits in the base URL/,
  ],
  [
    'a number after an unknown noun',
    routes({'payouts.approve': 'POST /api/remittances/42/approve/{id}'}),
    /constant segment 42/,
  ],
  [
    'a cancel that may be something about a cancel',
    routes({'payouts.cancel': 'POST /api/payouts/{id}/cancel-hold'}),
    /routes\.payouts\.cancel has the word cancel-hold, which is another action than payouts\.cancel/,
  ],
  [
    'a cancel whose path is an approval of one',
    routes({'payouts.cancel': 'POST /api/payouts/{id}/canceling-approve'}),
    /has the word canceling-approve/,
  ],
  [
    'a cancel whose body may be something about a cancel',
    {
      ...routes({'payouts.cancel': 'PATCH /api/payouts/{id}'}),
      bodies: {'payouts.cancel': {status: 'cancel_hold'}},
    },
    /bodies\.payouts\.cancel has the word cancel_hold/,
  ],
  [
    'a cancel with an approval in a list',
    {
      ...routes({'payouts.cancel': 'PATCH /api/payouts/{id}'}),
      bodies: {'payouts.cancel': {cancel: 'canceled', then: ['approve']}},
    },
    /bodies\.payouts\.cancel has the word approve/,
  ],
  ...['approve', '{id}/approve', '{id}/autoApprove'].map((end): (typeof HOSTILE)[number] => [
    `a read that may be an approval: ${end}`,
    routes({'payouts.get': `GET /api/payouts/${end}`}),
    /routes\.payouts\.get has the word (a|autoA)pprove, which is another action/,
  ]),
  [
    'a read of another resource that may be an approval',
    routes({'payees.get': 'GET /api/payouts/approve'}),
    /routes\.payees\.get is a path of payouts, which payees\.get does not read/,
  ],
  [
    'treasury accounts at the path of payouts',
    {prefixes: {treasury: '/api/payouts'}},
    /prefixes\.treasury is a path of payouts/,
  ],
  ...[
    {amount_in_minor_units: 999_999},
    {payee_id: 'p'},
    {change: [{creditor: 'p'}]},
    {sum: 'all'},
    {limit: 5},
    {text: 'USD 9,999.00'},
  ].map((body): (typeof HOSTILE)[number] => [
    `an approval that changes the payment: ${JSON.stringify(body)}`,
    {
      fields: {payouts: {payee_id: 'creditor', amount_in_minor_units: 'sum'}},
      units: {'payouts.amount_in_minor_units': 'minor'},
      bodies: {'payouts.approve': body},
    },
    /bodies\.payouts\.approve has the (field|number) .*are those of its record/,
  ]),
];

/** Services that exist. */
const HONEST: readonly [title: string, file: ServiceFile][] = [
  [
    'one route for approvals and cancels, with different constant bodies',
    {
      ...routes({'payouts.cancel': 'PATCH /api/payouts/{id}', 'payouts.approve': 'PATCH /api/payouts/{id}'}),
      bodies: {'payouts.cancel': {status: 'canceled'}, 'payouts.approve': {status: 'approved'}},
    },
  ],
  ['a cancel by DELETE', routes({'payouts.cancel': 'DELETE /api/payouts/{id}'})],
  [
    'a default that is set by an update',
    {
      ...routes({
        'payeePaymentMethods.setDefault': 'PATCH /api/payees/{payee_id}/payment-methods/{payment_method_id}',
      }),
      bodies: {'payeePaymentMethods.setDefault': {is_default: true}},
    },
  ],
  [
    'actions in names with dots',
    routes({
      'payouts.create': 'POST /v1/payouts.create',
      'payouts.approve': 'POST /v1/payouts.approve/{id}',
      'payouts.cancel': 'POST /v1/payouts.cancel/{id}',
      'payees.create': 'POST /v1/payees.create',
    }),
  ],
  [
    'versions and tenants in front',
    routes({
      'payouts.create': 'POST /v2.1/tenants/acme/payouts',
      'payins.create': 'POST /2024-01/oauth2/payins',
      'payees.create': 'POST /api/2/contacts',
      'payers.create': 'POST /payments/contacts',
    }),
  ],
  [
    'words around a cancel, and constant bodies',
    {
      ...routes({
        'payouts.cancel': 'POST /api/payouts/{id}/cancelPayout',
        'payins.cancel': 'POST /api/payins/{id}/cancellations',
        'treasury.accounts': 'GET /api/payments/accounts',
      }),
      fields: {'payouts.create': {auto_approve: 'options.approve'}},
      bodies: {'payouts.approve': {approve: true, status: 'approved', options: {notify: 'ops'}}},
    },
  ],
  [
    'usual other words',
    routes({
      'payouts.approve': 'POST /api/payouts/{id}/release',
      'payins.cancel': 'POST /api/payins/{id}/void',
      'accountTransfers.create': 'POST /api/treasury/transfers',
      'moves.create': 'POST /api/moves',
      'treasury.simulateInboundCredit': 'POST /sandbox/accounts/{account_id}/transfers',
      'payees.update': 'PUT /api/payees/{id}',
      'webhookEndpoints.update': 'POST /api/webhooks/endpoints/{id}',
    }),
  ],
];

describe('the routes of a service file', () => {
  for (const [title, file, says] of HOSTILE)
    it(`are refused: ${title}`, () => assert.match(refusal(file), says));

  for (const [title, file] of HONEST)
    it(`may have ${title}`, () => assert.deepEqual(checkService(file, 'service.json'), file));
});
