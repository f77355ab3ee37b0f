import type {Counts} from './counts.ts';
import type {Dice} from './random.ts';
import type {Timeline} from './timeline.ts';

export interface ServiceRecord {
  id: string;
  n: number;
  key: string;
  reference: string;
  /** The body as it came, and without `auto_approve`. */
  sent: string;
  text: string;
  body: Record<string, unknown>;
  createdAt: number;
  /** From then on the key is as good as new. */
  keyUntil: number;
  approvedAt: number | undefined;
  /** When it was last `created` again after an approval, because the service lost that approval. */
  lostAt: number | undefined;
  approving: boolean;
  canceled: boolean;
  /** When each later status begins. */
  later: {status: string; at: number}[];
  /** The request that made it, and the one that had it approved; undefined when somebody else did. */
  madeBy: number;
  approvedBy: number | undefined;
  /** What its answers say otherwise than asked for. */
  distorted: Record<string, unknown>;
  /** Keys of other payments that the service wrongly answers with this record, and the references of these payments. */
  sharedBy: Map<string, string>;
}

/** A request with this key is answered with the record. */
export const isOfKey = (record: ServiceRecord, key: string | undefined): boolean =>
  key !== undefined && (record.key === key || record.sharedBy.has(key));

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The record whose content it shows instead of that of the record that was asked for. */
  shownInstead?: ServiceRecord;
}

/** What the service does for a while. Only `fair` obeys the document. */
export type Weather =
  | 'fair'
  | 'throttling'
  | 'failing'
  | 'failing-late'
  | 'maintenance'
  | 'unauthorised'
  | 'forbidden'
  | 'lost-route'
  | 'redirecting'
  | 'portal';

export interface ServiceRules {
  /** How long a key is remembered, for one record. */
  keyLife: () => number;
  /** Share of requests that meet a fault of their own in fair weather. */
  faults: number;
  /** Share of requests after which the weather turns. */
  turns: number;
  weathers: Partial<Record<Weather, number>>;
  /** Refuses a body for good, before anything is recorded. */
  refuses: (body: Record<string, unknown>) => {status: number; code: string} | undefined;
  approvalFails: (body: Record<string, unknown>) => boolean;
  distorts: (body: Record<string, unknown>) => Record<string, unknown>;
  /** Retry-After is often minutes long. */
  longWaits: boolean;
  /** How far its clock is ahead of everybody's. */
  clockAheadMs: number;
  /** Whether it sends its time with every answer, as it should. */
  sendsDate: boolean;
  /** Share of reads by an id that show another record. */
  mixedReads: number;
  /** Share of new payments for which it creates no record, but answers with that of another payment. */
  sharedRecords: number;
  /** Share of approved payments that fail in the end. */
  failures: number;
  /** Share of approvals that are lost later: the record is `created` again, and no money has moved. */
  lostApprovals: number;
  /** What of a body must be the same when its key comes again; another body is answered with 409. */
  compares: 'nothing' | 'content' | 'everything';
  /** The code of that answer. */
  comparedCode: string;
}

/** The service's view of one request. */
export interface Arrival {
  attempt: number;
  method: string;
  path: string;
  key: string | undefined;
  body: string;
}

const LATER: readonly [status: string, afterMs: number][] = [
  ['initiated', 5_000],
  ['debited', 60_000],
  ['settled', 600_000],
];

/** Chance that the next key of a row returns the record of another payment, too. */
const SHARED_AGAIN = 0.8;

/**
 * The service with its books: which record was made for which key, which was approved, and when. It does what the
 * interface document says and now and then what services do besides. Every approval of a record moves its money once.
 */
export class SimService {
  readonly records: ServiceRecord[] = [];
  readonly #byKey = new Map<string, ServiceRecord>();
  readonly #byId = new Map<string, ServiceRecord>();
  readonly #timeline: Timeline;
  readonly #dice: Dice;
  readonly #counts: Counts;
  readonly #log: (text: () => string) => void;
  rules: ServiceRules;
  weather: Weather = 'fair';
  onMade: (record: ServiceRecord) => void = () => undefined;
  onApproved: (record: ServiceRecord) => void = () => undefined;

  constructor(options: {
    timeline: Timeline;
    dice: Dice;
    rules: ServiceRules;
    counts: Counts;
    log: (text: () => string) => void;
  }) {
    this.#timeline = options.timeline;
    this.#dice = options.dice;
    this.rules = options.rules;
    this.#counts = options.counts;
    this.#log = options.log;
  }

  /** From now on it does nothing wrong. */
  calm(): void {
    this.weather = 'fair';
    this.rules = {...this.rules, faults: 0, turns: 0, mixedReads: 0, sharedRecords: 0, lostApprovals: 0};
  }

  /** All keys are as good as new from now on. */
  forgetKeys(): void {
    this.#byKey.clear();
  }

  recordOf(key: string): ServiceRecord | undefined {
    const record = this.#byKey.get(key);
    return record === undefined || this.#timeline.now >= record.keyUntil ? undefined : record;
  }

  statusOf(record: ServiceRecord): string {
    if (record.canceled) return 'canceled';
    if (record.approvedAt === undefined) return 'created';
    let status = 'approved';
    for (const step of record.later) if (this.#timeline.now >= step.at) ({status} = step);
    return status;
  }

  /** Somebody else approves or cancels a record, by the dashboard. */
  byHand(record: ServiceRecord, what: 'approve' | 'cancel'): void {
    if (this.statusOf(record) !== 'created' || record.approving) return;
    if (what === 'cancel') record.canceled = true;
    else this.#approve(record, undefined);
  }

  /** Undefined: no answer ever comes. What a fault keeps back may have happened all the same. */
  handle(arrival: Arrival): Reply | undefined {
    const reply = this.#handle(arrival);
    if (reply === undefined || !this.rules.sendsDate) return reply;
    return {...reply, headers: {date: new Date(this.#clock).toUTCString(), ...reply.headers}};
  }

  /** What time it is for it. */
  get #clock(): number {
    return this.#timeline.now + this.rules.clockAheadMs;
  }

  #handle(arrival: Arrival): Reply | undefined {
    this.#turnWeather();
    const weather = this.#dice.chance(0.85) ? this.weather : 'fair';
    const before = this.#storm(weather);
    if (before !== undefined) return before;
    const own = this.#dice.chance(this.rules.faults) ? this.#dice.draw(FAULTS) : undefined;
    const early = own === undefined ? undefined : this.#early(own);
    if (early !== undefined) return early;
    const reply = this.#act(arrival, own);
    if (weather === 'failing-late')
      return json(this.#dice.pick([500, 502, 503, 504]), {error_code: 'UNEXPECTED'});
    if (own === 'fails-late')
      return json(503, {error_code: 'SERVICE_UNAVAILABLE', message: 'the bank is away'});
    if (own === 'redirects-late' && arrival.method === 'POST')
      return {status: 303, headers: {location: 'https://elsewhere.test/done'}, body: ''};
    if (own === 'no-answer') return undefined;
    if (own === 'empty') return {status: reply.status, headers: {}, body: ''};
    if (own === 'wrong-record') return this.#wrongRecord(reply);
    return reply;
  }

  #act(arrival: Arrival, own: keyof typeof FAULTS | undefined): Reply {
    if (arrival.method === 'GET') return this.#get(arrival.path);
    if (arrival.path.endsWith('/cancel')) return this.#cancelById(arrival);
    if (arrival.path.endsWith('/approve')) return this.#approveById(arrival, own);
    return this.#asAsked(arrival, this.#create(arrival, own));
  }

  /** A record on its way to be approved is not canceled any more. */
  #cancelById(arrival: Arrival): Reply {
    const record = this.#byId.get(arrival.path.split('/').at(-2)!);
    if (record === undefined) return json(404, {error_code: 'NOT_FOUND', message: 'no such record'});
    if (this.statusOf(record) !== 'created' || record.approving)
      return json(400, {error_code: 'VALIDATION_ERROR', message: 'it is not to be canceled any more'});
    record.canceled = true;
    this.#counts.canceled++;
    return json(200, this.#shown(record));
  }

  /** The document says only that it answers with a 4xx when it fails. */
  #approveById(arrival: Arrival, own: keyof typeof FAULTS | undefined): Reply {
    const record = this.#byId.get(arrival.path.split('/').at(-2)!);
    if (record === undefined) return json(404, {error_code: 'NOT_FOUND', message: 'no such record'});
    if (this.statusOf(record) !== 'created')
      return json(400, {error_code: 'VALIDATION_ERROR', message: 'it is not to be approved any more'});
    if (this.rules.approvalFails(record.body) && this.#dice.chance(0.5))
      return json(422, {error_code: 'INVALID_PAYMENT_DETAILS', message: 'insufficient funds'});
    this.#counts.approvedById++;
    return this.#approveNow(record, arrival.attempt, own);
  }

  #turnWeather(): void {
    if (this.#dice.chance(this.rules.turns))
      this.weather = this.#dice.draw(this.rules.weathers as Record<Weather, number>);
  }

  #storm(weather: Weather): Reply | undefined {
    switch (weather) {
      case 'throttling':
        return json(429, {error_code: 'RATE_LIMITED'}, this.#retryAfter(0.6));
      case 'failing':
        return json(
          this.#dice.pick([500, 502, 503]),
          {error_code: 'SERVICE_UNAVAILABLE'},
          this.#retryAfter(0.2),
        );
      case 'maintenance':
        return json(503, undefined, this.#retryAfter(1));
      case 'unauthorised':
        return json(401, {error_code: 'AUTHENTICATION_ERROR', message: 'the key is not known'});
      case 'forbidden':
        return json(403, {error_code: 'AUTHORIZATION_ERROR'});
      case 'lost-route':
        return {status: 404, headers: {}, body: '<html>not here</html>'};
      case 'redirecting':
        return {status: 302, headers: {location: 'https://elsewhere.test/'}, body: ''};
      case 'portal':
        return {status: 200, headers: {'content-type': 'text/html'}, body: '<html>sign in</html>'};
      case 'fair':
      case 'failing-late':
        return undefined;
    }
  }

  #early(fault: keyof typeof FAULTS): Reply | undefined {
    if (fault === 'throttled') return json(429, {error_code: 'RATE_LIMITED'}, this.#retryAfter(0.5));
    if (fault === 'fails-early') return json(this.#dice.pick([500, 503]), undefined, this.#retryAfter(0.3));
    if (fault === 'busy') return json(409, {error_code: 'CONCURRENT', message: 'the key is in use'});
    if (fault === 'times-out') return json(this.#dice.pick([408, 425]), undefined);
    return undefined;
  }

  /** In seconds, or as a date, as services do. */
  #retryAfter(share: number): Record<string, string> {
    if (!this.#dice.chance(share)) return {};
    const {longWaits} = this.rules;
    const seconds = this.#dice.chance(longWaits ? 0.5 : 0.9)
      ? this.#dice.below(4)
      : this.#dice.below(longWaits ? 601 : 21);
    if (this.#dice.chance(0.7)) return {'retry-after': String(seconds)};
    const now = this.#clock;
    return {
      date: new Date(now).toUTCString(),
      'retry-after': new Date(Math.floor(now / 1000) * 1000 + seconds * 1000).toUTCString(),
    };
  }

  #get(path: string): Reply {
    const record = this.#byId.get(path.split('/').at(-1)!);
    if (record === undefined) return json(404, {error_code: 'NOT_FOUND', message: 'no such record'});
    return this.#mixedUp(record) ?? json(200, this.#shown(record));
  }

  /** Answers like a mixed-up cache: another payment, its status under this id, or only its id and status. */
  #mixedUp(record: ServiceRecord): Reply | undefined {
    const {mixedReads} = this.rules;
    if (mixedReads === 0 || !this.#dice.chance(mixedReads)) return undefined;
    const others = this.records.filter(({reference}) => reference !== record.reference);
    if (others.length === 0) return undefined;
    const ended = others.filter((other) => ['failed', 'canceled'].includes(this.statusOf(other)));
    const other = this.#dice.pick(ended.length > 0 && this.#dice.chance(0.7) ? ended : others);
    const shown = this.#shown(other);
    this.#counts.mixedReads++;
    const {id, status} = shown;
    const body = this.#dice.pick([shown, {...shown, id: record.id}, {id, status}]);
    return {...json(200, body), shownInstead: other};
  }

  /** Shows a shared record with the fields of the request that it answers. */
  #asAsked({key, body}: Arrival, reply: Reply): Reply {
    const record = this.recordOf(key!);
    if (record === undefined || record.key === key || reply.status >= 300) return reply;
    const {metadata, ...fields} = JSON.parse(withoutApproval(body)) as Record<string, unknown>;
    const shown = JSON.parse(reply.body) as Record<string, unknown>;
    return {...reply, body: JSON.stringify({...shown, ...fields, client_metadata: metadata})};
  }

  /**
   * Chooses the record of another payment, which answers this key from now on. One row of a world has such keys, and each
   * of its later keys may return the same record.
   */
  #sharedFor(key: string, body: Record<string, unknown>): ServiceRecord | undefined {
    const {sharedRecords} = this.rules;
    const reference = remitReference(body);
    const shared = this.records.find(({sharedBy}) => sharedBy.size > 0);
    const isAgain = shared !== undefined && [...shared.sharedBy.values()].includes(reference);
    if (sharedRecords === 0 || !this.#dice.chance(isAgain ? SHARED_AGAIN : sharedRecords)) return undefined;
    const others = this.records.filter(
      (one) => one.reference !== reference && !['failed', 'canceled'].includes(this.statusOf(one)),
    );
    if (shared === undefined ? others.length === 0 : !isAgain || !others.includes(shared)) return undefined;
    const record = shared ?? this.#dice.pick(others);
    record.sharedBy.set(key, reference);
    this.#byKey.set(key, record);
    this.#counts.sharedRecords++;
    this.#log(() => `service: record ${record.n} of ${record.reference} also stands for ${reference}`);
    return record;
  }

  #create(arrival: Arrival, own: keyof typeof FAULTS | undefined): Reply {
    const {auto_approve: approve, ...body} = JSON.parse(arrival.body) as Record<string, unknown>;
    const key = arrival.key!;
    let record = this.recordOf(key);
    // It may judge a request before it looks at the key: its date, or the balance.
    const isOtherTry = record !== undefined && (approve === true || this.#isOfAnotherDay(record));
    if (own === 'refuses-known' && isOtherTry)
      return json(422, {error_code: 'INVALID_PAYMENT_DETAILS', message: 'not now'});
    const isNew = record === undefined;
    if (record === undefined) {
      const refusal = this.rules.refuses(body);
      if (refusal !== undefined)
        return json(refusal.status, {error_code: refusal.code, message: 'refused for good'});
      record = this.#sharedFor(key, body) ?? this.#make(arrival, body);
    }
    if (this.#isOtherBody(record, arrival)) {
      this.#counts.bodiesRefused++;
      return json(409, {error_code: this.rules.comparedCode, message: 'the key was used for another body'});
    }
    const status = this.statusOf(record);
    if (status === 'failed' || status === 'canceled')
      return json(409, {error_code: 'IDEMPOTENCY_KEY_CONFLICT', message: 'a new key is required'});
    if (approve !== true || status !== 'created') return json(isNew ? 201 : 200, this.#shown(record));
    return this.#approveNow(record, arrival.attempt, own);
  }

  #isOtherBody(record: ServiceRecord, {key, body}: Arrival): boolean {
    const {compares} = this.rules;
    if (compares === 'nothing' || record.key !== key) return false;
    return compares === 'everything' ? record.sent !== body : record.text !== withoutApproval(body);
  }

  /** In New York, in summer and in winter. */
  #isOfAnotherDay({createdAt}: ServiceRecord): boolean {
    const dayOf = (at: number, hours: number) => Math.floor((at - hours * 3_600_000) / 86_400_000);
    return [4, 5].every((hours) => dayOf(createdAt, hours) !== dayOf(this.#timeline.now, hours));
  }

  #make(arrival: Arrival, body: Record<string, unknown>): ServiceRecord {
    const n = this.records.length + 1;
    const record: ServiceRecord = {
      ...{id: `5f0c6d3e-0000-7000-8000-${String(n).padStart(12, '0')}`, n, key: arrival.key!, body},
      reference: remitReference(body),
      ...{sent: arrival.body, text: withoutApproval(arrival.body), lostAt: undefined},
      createdAt: this.#timeline.now,
      keyUntil: this.#timeline.now + this.rules.keyLife(),
      ...{approvedAt: undefined, approving: false, canceled: false, later: []},
      ...{madeBy: arrival.attempt, approvedBy: undefined, distorted: this.rules.distorts(body)},
      sharedBy: new Map(),
    };
    if (this.#byKey.has(record.key)) this.#counts.forgottenKeys++;
    this.records.push(record);
    this.#byKey.set(record.key, record);
    this.#byId.set(record.id, record);
    this.#log(() => `service: record ${n} made for ${record.reference} by request ${arrival.attempt}`);
    this.onMade(record);
    return record;
  }

  #approveNow(record: ServiceRecord, attempt: number, own: keyof typeof FAULTS | undefined): Reply {
    if (this.rules.approvalFails(record.body))
      return json(207, {...this.#shown(record), warning: 'approval failed: insufficient funds'});
    if (record.approving) return json(202, this.#shown(record, 'processing'));
    if (own === 'slow-approval') {
      record.approving = true;
      this.#timeline.after(this.#dice.between(10, 20_000), () => this.#approve(record, attempt));
      return json(202, this.#shown(record, this.#dice.pick(['processing', undefined])));
    }
    if (own === 'unapproved') return json(this.#dice.pick([200, 201]), this.#shown(record));
    this.#approve(record, attempt);
    if (own === 'odd-status')
      return json(202, this.#shown(record, this.#dice.pick(['processing', undefined])));
    return json(this.#dice.pick([201, 201, 202]), this.#shown(record));
  }

  #approve(record: ServiceRecord, attempt: number | undefined): void {
    record.approving = false;
    if (record.canceled || record.approvedAt !== undefined) return;
    record.approvedAt = this.#timeline.now;
    this.#counts.paid++;
    record.approvedBy = attempt;
    record.later = LATER.map(([status, afterMs]) => ({status, at: record.approvedAt! + afterMs}));
    if (this.#dice.chance(this.rules.failures)) record.later[2]!.status = 'failed';
    this.#log(
      () =>
        `service: record ${record.n} approved, ${record.reference} PAID ${String(record.body['amount_in_minor_units'])} by ${attempt === undefined ? 'hand' : `request ${attempt}`}`,
    );
    this.onApproved(record);
    if (this.#dice.chanceOf(this.rules.lostApprovals)) this.#loseLater(record, record.approvedAt);
  }

  /** Unless the payment has come to its end by then. */
  #loseLater(record: ServiceRecord, since: number): void {
    this.#timeline.after(this.#dice.between(500, 90_000), () => {
      const isOver = ['settled', 'failed', 'canceled'].includes(this.statusOf(record));
      if (isOver || record.approvedAt !== since || this.rules.lostApprovals === 0) return;
      record.approvedAt = record.approvedBy = undefined;
      record.later = [];
      record.lostAt = this.#timeline.now;
      this.#counts.lostApprovals++;
      this.#log(() => `service: record ${record.n} of ${record.reference} is created again`);
    });
  }

  #shown(record: ServiceRecord, status: string | undefined = this.statusOf(record)): Record<string, unknown> {
    const {metadata, ...fields} = record.body;
    return {
      id: record.id,
      subaccount_id: null,
      rail: 'standard_ach',
      currency_code: 'USD',
      country_code: 'US',
      ...fields,
      ...(status === undefined ? {} : {status}),
      client_metadata: metadata,
      created_at: new Date(record.createdAt + this.rules.clockAheadMs).toISOString(),
      ...record.distorted,
    };
  }

  /** Not one with the same content: nobody could tell from an answer that it is another payment. */
  #wrongRecord(reply: Reply): Reply {
    const {id} = reply.status < 300 ? (JSON.parse(reply.body) as {id?: string}) : {};
    const own = id === undefined ? undefined : this.#byId.get(id);
    const other = own && this.records.find((record) => record.id !== id && record.text !== own.text);
    return other === undefined ? reply : json(reply.status, this.#shown(other));
  }
}

/** Faults of single requests, and how often one is each. */
const FAULTS = {
  'redirects-late': 1,
  throttled: 3,
  'fails-early': 3,
  'fails-late': 4,
  busy: 1,
  'times-out': 1,
  'no-answer': 2,
  empty: 1,
  'slow-approval': 3,
  'odd-status': 2,
  unapproved: 1,
  'wrong-record': 0.1,
  'refuses-known': 4,
} as const;

export const withoutApproval = (body: string): string =>
  body.replace(/,"auto_approve":(?:true|false)\}$/, '}');

const remitReference = (body: Record<string, unknown>): string =>
  (body['metadata'] as Record<string, string>)['remit_reference']!;

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: body === undefined ? '' : JSON.stringify(body),
});
