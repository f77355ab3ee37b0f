import {answer} from '../client/transport/fake-transport.ts';

export const PAYOUT_ID = '0192a000-0000-7000-8000-000000000001';
export const PAYEE_ID = '0192a000-0000-7000-8000-0000000000aa';
export const PAYER_ID = '0192a000-0000-7000-8000-0000000000bb';
export const METHOD_ID = '0192a000-0000-7000-8000-0000000000cc';

/** The command that creates it, with a key of its own. */
export const createPayout = (key: string): string[] =>
  `payouts create --payee ${PAYEE_ID} --amount-minor 12500 --idempotency-key ${key}`.split(' ');

/** A payout as the service answers it. */
export const payout = (changes: Record<string, unknown> = {}) => ({
  id: PAYOUT_ID,
  payee_id: PAYEE_ID,
  subaccount_id: null,
  status: 'created',
  amount_in_minor_units: 12_500,
  amount_in_cents: 12_500,
  currency_code: 'USD',
  country_code: 'US',
  rail: 'standard_ach',
  client_metadata: {},
  payout_metadata: {
    payment_method: {id: METHOD_ID, type: 'bank_account', last4: '6789', bank_name: 'Test Bank'},
    payee: {id: PAYEE_ID, name: 'Acme Ltd'},
  },
  transfer_details: null,
  created_at: '2023-11-14T22:10:00.000Z',
  updated_at: '2023-11-14T22:10:00.000Z',
  ...changes,
});

/** A payin as the service answers it. */
export const payin = (changes: Record<string, unknown> = {}) => {
  const shared = Object.entries(payout()).filter(([field]) => !NOT_OF_PAYINS.has(field));
  return {
    ...Object.fromEntries(shared),
    payer_id: PAYER_ID,
    payin_metadata: {
      payment_method: {id: METHOD_ID, type: 'bank_account', last4: '6789', bank_name: 'Test Bank'},
      payer: {id: PAYER_ID, name: 'Acme Ltd'},
    },
    status_recorded_at: '2023-11-14T22:10:00.000Z',
    ...changes,
  };
};
const NOT_OF_PAYINS = new Set(['payee_id', 'payout_metadata', 'transfer_details']);

export const page = (data: unknown[], next: string | null = null) => answer(200, {data, next_cursor: next});
