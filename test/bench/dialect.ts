import type {ServiceFile} from '../../src/service/service-file.ts';

/** A service that differs in everything that a batch sends and reads; `batch-service.ts` speaks like this as well. */
export const DIALECT: ServiceFile = {
  routes: {'payouts.create': 'POST /v1/payouts'},
  fields: {
    payouts: {
      payee_id: 'to',
      amount_in_minor_units: 'amount.value',
      currency_code: 'amount.currency',
      client_metadata: 'metadata',
      status: 'state',
    },
  },
  units: {'payouts.amount_in_minor_units': 'major', 'payouts.created_at': 'seconds'},
  envelopes: {record: 'result'},
  statuses: {payouts: {NEW: 'created', APPROVED: 'approved'}},
  headers: {send: {'x-tenant': 'bench'}},
  keys: {header: 'X-Request-Key'},
  metadata: {reference: 'our_reference'},
};
