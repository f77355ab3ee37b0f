import {answer, lost, type Reply, type Script} from '../client/transport/fake-transport.ts';

export interface FakeRecord {
  id: string;
  name: string;
  email: string | null;
  type?: string | undefined;
  metadata: Record<string, string>;
  created_at: string;
  methods: FakeMethod[];
}

interface FakeMethod {
  id: string;
  payee_id: string;
  type: string;
  last4: string;
  country_code: string;
  is_default: boolean;
}

/**
 * What happens to one request, instead of its answer. `late`: it takes effect once the list was read again. `does`: it
 * takes effect although its answer is an error. `record`: it takes effect unless `does` is false, and is answered with
 * this record.
 */
export type Fault =
  | 'lost-before'
  | 'lost-after'
  | 'late'
  | {status: number; code: string; does?: true; text?: string}
  | {record: unknown; does?: false}
  | undefined;

const PAGE = 3; // so that lists have several pages

/** A service of payees or payers, whose answers get lost. */
export class FakeParties {
  readonly records: FakeRecord[] = [];
  readonly sent: {method: string; path: string; body: string}[] = [];
  fault: (request: {method: string; path: string; body: string}, nth: number) => Fault = () => undefined;
  /** Whether records keep metadata. */
  keeps = true;
  /** How many digits of an account it shows. */
  digits = 4;
  /** Whether records show when they were made. */
  dates = true;
  /** Records that the list does not show (yet). */
  readonly hidden = new Set<string>();
  verification = 'verified';
  /** Countries that no rail supports; undefined if its records show no rails. */
  unsupported: readonly string[] | undefined;
  /** Late effects, with the number of lists that must be read first. */
  readonly #late: {after: number; work: () => void}[] = [];
  #lists = 0;
  #n = 0;

  readonly answer: Script = ({method, path, body}): Reply => {
    const request = {method, path, body: body ?? ''};
    this.sent.push(request);
    const fault = this.fault(request, this.sent.length);
    if (fault === 'lost-before') return lost('reset');
    if (typeof fault === 'object') {
      if ('record' in fault ? fault.does !== false : fault.does === true) this.#do(request);
      if ('record' in fault) return answer(201, fault.record);
      return answer(fault.status, fault.text ?? {error_code: fault.code, message: 'no'});
    }
    if (fault === 'late') {
      this.#late.push({after: this.#lists + 1, work: () => this.#do(request)});
      return lost('reset');
    }
    const reply = this.#do(request);
    return fault === 'lost-after' ? lost('reset') : reply;
  };

  /** The id of the record that is created next. */
  get nextId(): string {
    return idOf(this.#n + 1);
  }

  /** Whose reference is this? */
  named(reference: string): FakeRecord[] {
    return this.records.filter(({metadata}) => metadata['remit_reference'] === reference);
  }

  #do({method, path, body}: {method: string; path: string; body: string}): Reply {
    const [, , , id, methods, methodId] = path.split('?')[0]!.split('/');
    if (method === 'GET' && id === undefined) return this.#list(path);
    if (id === undefined) return answer(201, this.#shown(this.#create(JSON.parse(body) as FakeRecord)));
    const record = this.records.find((one) => one.id === id);
    if (record === undefined) return answer(404, {error_code: 'NOT_FOUND', message: 'no such payee'});
    if (method === 'GET' && methods === undefined) return answer(200, this.#shown(record));
    if (method === 'GET') return answer(200, {data: record.methods, next_cursor: null});
    const found = record.methods.find((one) => one.id === methodId);
    if (methods === 'payment-methods' && found !== undefined) found.is_default = true;
    return answer(found === undefined ? 201 : 200, found ?? this.#add(record, JSON.parse(body) as Added));
  }

  #list(path: string): Reply {
    const from = Number(new URL(path, 'http://x').searchParams.get('cursor') ?? 0);
    if (from === 0) this.#lists++;
    for (const {after, work} of this.#late.splice(0))
      if (after < this.#lists) work();
      else this.#late.push({after, work});
    const listed = this.records.filter(({id}) => !this.hidden.has(id));
    const data = listed.slice(from, from + PAGE).map((record) => this.#shown(record));
    const next = from + PAGE < listed.length ? String(from + PAGE) : null;
    return answer(200, {data, next_cursor: next});
  }

  #create({name, email, type, metadata}: Partial<FakeRecord>): FakeRecord {
    const record = {
      ...{id: this.#id(), name: name ?? '', email: email ?? null, metadata: metadata ?? {}},
      ...{type, created_at: new Date(1_700_000_000_000).toISOString(), methods: []},
    };
    this.records.push(record);
    return record;
  }

  #add(record: FakeRecord, {type, country_code, is_default: isDefault, bank_account: bank, card}: Added) {
    const number = bank?.account_number ?? bank?.iban ?? card?.number ?? '';
    const method = {
      ...{id: this.#id(), payee_id: record.id, type, last4: number.slice(-this.digits), country_code},
      is_default: isDefault && this.verification === 'verified',
      verification_status: this.verification,
      ...(this.unsupported === undefined
        ? {}
        : {supported_rails: this.unsupported.includes(country_code) ? [] : ['ach']}),
    };
    record.methods.push(method);
    return method;
  }

  #shown({metadata, ...record}: FakeRecord): object {
    const dates = this.dates ? {} : {created_at: undefined};
    return {...record, ...dates, methods: undefined, ...(this.keeps ? {metadata} : {})};
  }

  #id(): string {
    return idOf(++this.#n);
  }
}

const idOf = (n: number): string => `0a000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

interface Added {
  type: string;
  is_default: boolean;
  country_code: string;
  bank_account?: {account_number?: string; iban?: string};
  card?: {number: string};
}
