import {SERVICE_ERRORS} from '../../../src/contract/error-codes.ts';
import {
  TransportFailure,
  type FailureKind,
  type TransportAnswer,
} from '../../../src/client/transport/transport.ts';
import {isLong} from './cases.ts';

/** What goes wrong with one request of a batch. */
export interface Fault {
  name: string;
  /** Whether the service does what was asked, and only its answer is wrong. */
  happens: boolean;
  /** @param own what the service would have answered; without it, it did nothing */
  reply: (own: TransportAnswer | undefined) => TransportAnswer | TransportFailure;
}

const MESSAGE = 'words of the service';

const JSON_TYPE = {'content-type': 'application/json', 'x-request-id': 'req_fault'};

const answered = (status: number, body: string, headers: Record<string, string> = {}): TransportAnswer => ({
  status,
  headers: {...JSON_TYPE, ...headers},
  body: Buffer.from(body),
});

const refusal = (code: string) => JSON.stringify({error_code: code, message: MESSAGE});

/** An error body with a code that nobody documented. */
export const statusFault = (code: number, headers: Record<string, string> = {}, name = `${code}`): Fault => ({
  name,
  happens: false,
  reply: () => answered(code, refusal('A_CODE_OF_TOMORROW'), headers),
});

const failure = (name: string, kind: FailureKind, facts: {sent: boolean; happens: boolean}): Fault => ({
  name,
  happens: facts.happens,
  reply: () => new TransportFailure(kind, `it was a ${kind}`, {sent: facts.sent}),
});

/** The service did it, or did not; both look the same from here. */
const either = (name: string, reply: Fault['reply']): Fault[] => [
  {name, happens: false, reply},
  {name: `${name}, but it was done`, happens: true, reply},
];

const bodies: readonly (readonly [string, string, Record<string, string>?])[] = [
  ['an empty body', ''],
  ['a page of HTML', '<html><title>Sign in</title></html>', {'content-type': 'text/html'}],
  ['half of its JSON', '{"id":"0192a0'],
  ['an empty list', '[]'],
  ['an empty object', '{}'],
  ['null', 'null'],
  ['a record without an id', '{"status":"created","amount_in_minor_units":100}'],
];

const documented = (): Fault[] =>
  Object.entries(SERVICE_ERRORS).map(([code, {status: http}]) => ({
    name: `${http} ${code}`,
    happens: false,
    reply: () => answered(http, refusal(code)),
  }));

/** Everything but plain statuses. */
const SHAPES: readonly Fault[] = [
  ...documented(),
  ...bodies.flatMap(([name, body, headers]) =>
    [200, 201].flatMap((http) => either(`${http} with ${name}`, () => answered(http, body, headers))),
  ),
  ...either('204', () => answered(204, '')),
  ...either('202 with an empty body', () => answered(202, '')),
  ...either('207 without a record', () => answered(207, JSON.stringify({warning: MESSAGE}))),
  ...[500, 502, 503].flatMap((http) =>
    either(`${http} with an error`, () => answered(http, refusal('TEMPORARY'))),
  ),
  ...either('502 with a page of HTML', () =>
    answered(502, '<html>Bad gateway</html>', {'content-type': 'text/html'}),
  ),
  ...either('503 with Retry-After: 5', () => answered(503, refusal('BUSY'), {'retry-after': '5'})),
  ...either('503 with Retry-After: 7200', () => answered(503, refusal('BUSY'), {'retry-after': '7200'})),
  statusFault(429, {'retry-after': '5'}, '429 with Retry-After: 5'),
  statusFault(429, {'retry-after': '7200'}, '429 with Retry-After: 7200'),
  statusFault(302, {location: 'https://sign-in.example/'}, '302 to a sign-in page'),
  {
    name: '404 of a page',
    happens: false,
    reply: () => answered(404, '<html>no</html>', {'content-type': 'text/html'}),
  },
  {name: '400 without a body', happens: false, reply: () => answered(400, '')},
  ...either('a lost answer', () => new TransportFailure('reset', 'it was a reset', {sent: true})),
  ...either('no answer in time', () => new TransportFailure('timeout', 'it was a timeout', {sent: true})),
  {
    name: 'an answer cut in its body',
    happens: true,
    reply: (own) => new TransportFailure('cut', 'it was cut', {sent: true, status: own?.status ?? 201}),
  },
  failure('a refused connection', 'refused', {sent: false, happens: false}),
];

/** The record of another row, as a proxy answers that mixes up its connections. */
export const OTHER_ROW = 'the record of another row';

const SAMPLE = [
  300, 304, 307, 400, 401, 402, 403, 404, 405, 408, 409, 410, 418, 422, 425, 429, 451, 500, 501, 502, 503,
];
/** Those that HTTP defines, and one of each class that it does not. */
const EVERY = [
  ...SAMPLE,
  301,
  303,
  308,
  406,
  407,
  411,
  412,
  413,
  414,
  415,
  416,
  417,
  421,
  423,
  424,
  426,
  428,
  431,
  499,
];

export const batchFaults = (): readonly Fault[] => [
  ...(isLong ? EVERY : SAMPLE).map((status) => statusFault(status)),
  ...SHAPES,
  {name: OTHER_ROW, happens: true, reply: (own) => own!},
];
