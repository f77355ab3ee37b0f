import type {Script} from '../client/transport/fake-transport.ts';
import {answer} from '../client/transport/fake-transport.ts';
import {ACCOUNT, API_KEY, CARD, ECHO, SIGNING_SECRET} from '../sanitize/canaries.ts';

export const ID = '0192a000-0000-7000-8000-000000000041';

/** Secrets under every kind of name, at every depth, and beside names that say nothing. */
export const LEAKS = {
  account_number: ACCOUNT,
  bankAccount: {accountNumber: ACCOUNT, number: ACCOUNT, 'routing-number': '021000021'},
  methods: [
    {card: {number: CARD}},
    {card_number: Number(CARD)},
    {acct: ACCOUNT, pan: CARD, iban: 'GB82WEST12345698765432'},
  ],
  'signing-secret': SIGNING_SECRET,
  clientSecret: SIGNING_SECRET,
  api_key: API_KEY,
  echoed: {
    authorization: `Bearer ${API_KEY}`,
    raw: `x-api-key=${API_KEY}`,
    number_of_it: ACCOUNT,
    card_of_it: CARD,
  },
  [`a field ${ECHO}`]: ECHO,
};

/** A record with the fields that commands read, and everything else that must not be shown. */
export function hostileRecord(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: ID,
    status: 'settled',
    verification_status: 'verified',
    payee_id: ID,
    payer_id: ID,
    amount_in_minor_units: 12_500,
    current_balance_in_minor_units: 12_500,
    currency_code: 'USD',
    url: `https://example.com/${SIGNING_SECRET}`,
    event_types: [ECHO],
    is_active: true,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: ECHO,
    ...Object.fromEntries(
      [
        'name',
        'label',
        'email',
        'type',
        'rail',
        'description',
        'bank_name',
        'brand',
        'last4',
        'failure_reason',
      ].map((field) => [field, ECHO]),
    ),
    supported_rails: [ECHO],
    client_metadata: {note: ECHO, [ECHO]: ECHO},
    payout_metadata: {payment_method: {last4: ECHO, ...LEAKS}, payee: {name: ECHO}},
    payin_metadata: {failure: {code: ECHO, message: ECHO}},
    transfer_details: {trace_number: ECHO, failure: {code: API_KEY, message: ECHO}},
    ...LEAKS,
    ...changes,
  };
}

const HEADERS = {'x-request-id': `req ${ECHO}`, 'x-echo': ECHO, 'set-cookie': `key=${API_KEY}`, date: ECHO};
const isList = (path: string) => !path.includes(ID) || /payment-methods|transactions/.test(path);

const asAsked = (method: string, path: string, record: unknown) =>
  method === 'GET' && isList(path) ? {data: [record, record], next_cursor: null, note: ECHO} : record;

/** What a service may answer that puts everything it knows into everything it says. */
export const HOSTILE_ANSWERS: Readonly<Record<string, Script>> = {
  'a record': ({method, path}) =>
    answer(method === 'GET' ? 200 : 201, asAsked(method, path, hostileRecord()), HEADERS),
  'a warning': ({method, path}) =>
    answer(
      207,
      {...(asAsked(method, path, hostileRecord({status: 'created'})) as object), warning: ECHO},
      HEADERS,
    ),
  'a record of another kind': ({method, path}) => {
    const odd = hostileRecord({
      id: `${ID}-${API_KEY}`,
      status: ECHO,
      currency_code: ECHO,
      amount_in_minor_units: ECHO,
    });
    return answer(
      200,
      method === 'GET' && isList(path) ? {items: [odd], [ECHO]: ECHO} : {data: odd},
      HEADERS,
    );
  },
  'a refusal': () =>
    answer(
      422,
      {
        error_code: API_KEY.replaceAll('-', '_'),
        message: ECHO,
        details: [{field: ECHO, issue: ECHO, value: ACCOUNT, ...LEAKS}],
        ...LEAKS,
      },
      HEADERS,
    ),
  'an error': () => answer(503, {error: {type: ECHO, message: ECHO, ...LEAKS}}, HEADERS),
  'an error in words': () => answer(500, {error: ECHO}, HEADERS),
  'no JSON': () => answer(200, `<html>${ECHO}`, {...HEADERS, 'content-type': `text/html; ${ECHO}`}),
};
