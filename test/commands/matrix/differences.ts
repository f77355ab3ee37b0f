import type {ServiceFile} from '../../../src/service/service-file.ts';
import type {Difference} from './difference.ts';
import {OTHER_RESOURCES} from './other-resources.ts';
import {OTHER_ANSWERS} from './other-answers.ts';

const amount = (name: string, unit: 'minor' | 'minor-text' | 'major' | 'major-number'): ServiceFile => ({
  ...(name === 'amount_in_minor_units' ? {} : {fields: {payouts: {amount_in_minor_units: name}}}),
  units: {'payouts.amount_in_minor_units': unit},
});

/** What the first command names if everything is elsewhere. */
const ROUTES = ['routes.payouts.create', 'routes.payouts.list'];

const OF_PAYOUTS: readonly Difference[] = [
  {name: 'create elsewhere', service: {routes: {'payouts.create': 'POST /v1/payouts'}}},
  {name: 'ids that are not UUIDs', service: {ids: {format: 'any'}}},
  {name: 'create by PUT', service: {routes: {'payouts.create': 'PUT /api/payouts'}}},
  {name: 'get elsewhere', service: {routes: {'payouts.get': 'GET /api/payout/{id}'}}},
  {name: 'list elsewhere', service: {routes: {'payouts.list': 'GET /api/payout-search'}}},
  {name: 'id in the query of a get', service: {routes: {'payouts.get': 'GET /api/payout'}}},
  {name: 'all under another prefix', service: {prefixes: {api: '/v1'}}, names: ROUTES},
  {name: 'all without a prefix', service: {prefixes: {api: ''}}, names: ROUTES},
  {name: 'amount in major units as text', service: amount('amount', 'major')},
  {name: 'amount in major units as number', service: amount('amount', 'major-number')},
  {name: 'amount in minor units under another name', service: amount('amount_cents', 'minor')},
  {name: 'amount as text of digits', service: amount('amount_in_minor_units', 'minor-text')},
  {
    name: 'amount and currency in an object',
    service: {
      fields: {payouts: {amount_in_minor_units: 'amount.value', currency_code: 'amount.currency'}},
      units: {'payouts.amount_in_minor_units': 'major'},
    },
  },
  {name: 'payee under another name', service: {fields: {payouts: {payee_id: 'recipient_id'}}}},
  {name: 'currency under another name', service: {fields: {payouts: {currency_code: 'currency'}}}},
  {name: 'rail under another name', service: {fields: {payouts: {rail: 'method'}}}},
  {
    name: 'metadata under another name',
    service: {fields: {payouts: {metadata: 'labels', client_metadata: 'labels'}}},
  },
  {name: 'echoed metadata under another name', service: {fields: {payouts: {client_metadata: 'metadata'}}}},
  {name: 'approval flag under another name', service: {fields: {payouts: {auto_approve: 'approve'}}}},
  {name: 'id under another name', service: {fields: {payouts: {id: 'payout_id'}}}},
  {name: 'status under another name', service: {fields: {payouts: {status: 'state'}}}},
  {name: 'record within data', service: {envelopes: {record: 'data'}}, needsNone: true},
  {name: 'record within payout', service: {envelopes: {record: 'payout'}}},
  {
    name: 'record within data on get alone',
    service: {envelopes: {record: {'payouts.get': 'data'}}},
    needsNone: true,
  },
  {name: 'record within result on get alone', service: {envelopes: {record: {'payouts.get': 'result'}}}},
  {name: 'items of a list elsewhere', service: {envelopes: {list: 'items'}}},
  {name: 'cursor of a list elsewhere', service: {envelopes: {next: 'page.next'}}, names: ['paging.by']},
  {
    name: 'items, cursor and flag of a list elsewhere',
    service: {envelopes: {list: 'results', next: 'after', more: 'has_more'}},
  },
  {name: 'pages of at most 2', service: {paging: {max: 2}}},
  {name: 'other words of order', service: {paging: {order: {asc: 'oldest_first', desc: 'newest_first'}}}},
  {name: 'another name of cursor and limit', service: {paging: {cursor: 'after', limit: 'page_size'}}},
  {
    name: 'error codes elsewhere',
    service: {errors: {code: 'fault.kind', message: 'fault.text'}},
    needsNone: true,
  },
  {
    name: 'statuses in capitals',
    service: {
      statuses: {
        payouts: {
          CREATED: 'created',
          APPROVED: 'approved',
          INITIATED: 'initiated',
          DEBITED: 'debited',
          SETTLED: 'settled',
        },
      },
    },
    needsNone: true,
  },
  {
    name: 'statuses of other words',
    service: {
      statuses: {
        payouts: {PENDING: 'created', OK: 'approved', SENT: 'initiated', OUT: 'debited', PAID: 'settled'},
      },
    },
  },
  {name: 'a header that must be sent', service: {headers: {send: {'x-tenant': 'acme'}}}},
  {name: 'the request id in another header', service: {headers: {requestId: 'x-trace-id'}}, needsNone: true},
  {name: 'the idempotency key in another header', service: {keys: {header: 'x-request-key'}}},
  {name: 'idempotency keys that are UUIDs', service: {keys: {format: 'uuid'}}},
  {name: 'idempotency keys of at most 36 characters', service: {keys: {maxLength: 36}}},
  {
    name: 'times in seconds',
    service: {units: {'payouts.created_at': 'seconds', 'payouts.updated_at': 'seconds'}},
    needsNone: true,
  },
  {name: 'approve elsewhere', service: {routes: {'payouts.approve': 'POST /api/payouts/{id}/release'}}},
  {name: 'cancel elsewhere', service: {routes: {'payouts.cancel': 'POST /api/payouts/{id}/void'}}},
  {name: 'approve without a body', service: {bodies: {'payouts.approve': 'none'}}},
  {name: 'pages of at least 500', service: {paging: {min: 500}}},
  {name: 'pages by number', service: {paging: {by: 'page'}}},
  {name: 'pages by offset', service: {paging: {by: 'offset'}}},
  {name: 'pages after the last id', service: {paging: {by: 'id'}}},
  {name: 'pages by the Link header', service: {paging: {by: 'link'}}},
];

export const DIFFERENCES: readonly Difference[] = [...OF_PAYOUTS, ...OTHER_RESOURCES, ...OTHER_ANSWERS];
