import {BASE_URL} from '../../cli/run-cli.ts';
import {isObject, stringOf} from '../../../src/narrow.ts';
import {changed, type Difference, plainErrors, type Send} from './difference.ts';

/** Differences that no service file describes to the sandbox, or that nest what it can describe. */
export const OTHER_ANSWERS: readonly Difference[] = [
  {
    name: 'records two envelopes deep',
    service: {envelopes: {record: 'response.record'}},
    in: ['payouts', 'parties'],
  },
  {
    name: 'lists three envelopes deep',
    service: {envelopes: {list: 'response.page.items', next: 'response.page.after'}},
    in: ['payouts', 'treasury'],
  },
  {
    name: 'has_more as text',
    service: {paging: {by: 'id'}, envelopes: {more: 'has_more'}},
    twist: changed((json) => ('has_more' in json ? {...json, has_more: String(json['has_more'])} : json)),
  },
  {
    name: 'pages by number, with has_more as text',
    service: {paging: {by: 'page'}, envelopes: {more: 'has_more'}},
    twist: changed((json) => ('has_more' in json ? {...json, has_more: String(json['has_more'])} : json)),
  },
  {
    name: 'metadata cut after four characters',
    service: {},
    twist: changed((json) => {
      const {client_metadata: metadata} = json;
      if (!isObject(metadata)) return json;
      const cut = Object.entries(metadata).map(([key, value]) => [key, stringOf(value).slice(0, 4)]);
      return {...json, client_metadata: Object.fromEntries(cut) as unknown};
    }),
    repair: ['payouts batch release b --accept differences --yes'],
    way: /R-1: held: its record differs from the row: metadata\.note is note instead of note-0/,
  },
  {
    name: 'the same key with another body is refused',
    service: {},
    twist: comparing,
    repair: [
      `profiles add own --base-url ${BASE_URL} --key-file key.txt --approve-by-id`,
      'payouts batch run b --profile own --yes',
    ],
    way: /add a profile with the same key: remit profiles add NAME --base-url \S+ --approve-by-id; then: remit payouts batch run b --profile NAME$/m,
  },
  {
    name: 'errors in plain text',
    service: {},
    twist: plainErrors,
    needsNone: true,
    names: ['routes.payouts.get'],
    says: /no payout 018f/,
  },
  {
    name: 'errors in plain text, and a get elsewhere',
    service: {routes: {'payouts.get': 'GET /api/payout/{id}'}},
    twist: plainErrors,
  },
];

/** A service that compares the bodies of requests with the same key. */
function comparing(send: Send): Send {
  const bodies = new Map<string, string>();
  return async (request) => {
    const key = request.headers['idempotency-key'];
    const body = request.body ?? '';
    const known = key === undefined ? undefined : bodies.get(key);
    if (known === undefined || known === body) {
      if (key !== undefined) bodies.set(key, body);
      return send(request);
    }
    const error = {error_code: 'IDEMPOTENCY_KEY_REUSED', message: 'the key was used with another body'};
    return {
      status: 409,
      headers: {'content-type': 'application/json'},
      body: Buffer.from(JSON.stringify(error)),
    };
  };
}
