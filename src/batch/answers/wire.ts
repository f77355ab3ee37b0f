import type {Answer} from '../../client/answers/answer.ts';
import type {Operation} from '../../contract/operations/operation.ts';
import {fillPath} from '../../client/requests/routes.ts';
import {operationOf} from '../../service/routes.ts';
import type {TransportFailure, TransportRequest, Timeouts} from '../../client/transport/transport.ts';
import {requestHeaders} from '../../client/requests/headers.ts';
import {must} from '../../narrow.ts';
import {type Keyed, keyMaker, REFERENCE_METADATA_KEY} from '../model/identity.ts';
import type {JournalRow, RecordedRow} from '../journal/rows/row.ts';
import type {Mode} from '../../contract/mode.ts';
import {type Kind, type KindFacts, KINDS} from '../model/kinds.ts';
import {type FieldName, isPlain, ROW_FIELDS} from '../model/row-fields.ts';

/** The result of an exchange: a complete answer, or none. */
export type ExchangeResult = {answer: Answer} | {failure: TransportFailure};

/** A kind of write of a batch: a create without or with approval, and the two that name a record. */
export type BatchStep = 'create' | 'release' | 'approve' | 'cancel';

/** What the requests of each step carry, so that the guard of a command recognizes those of its confirmed batch. */
export type BatchPermits = Readonly<Record<BatchStep, object>>;

export interface WireOptions {
  kind: Kind;
  mode: Mode;
  namespace: string;
  /** The API key. */
  key: string;
  timeouts: Timeouts;
  permits?: BatchPermits | undefined;
}

/**
 * Builds the requests of a batch. The same row always gives the same key and, except for `auto_approve`, the same
 * bytes: fields in a fixed order, and canonical metadata with the reference last. The requests are those of the contract;
 * the codec turns them into those of the service.
 */
export class Wire {
  readonly #options: WireOptions;
  readonly #operations: KindFacts['operations'];
  readonly #create: Operation;
  readonly #body: ReturnType<typeof bodyMaker>;
  readonly #keyOf: (keyed: Keyed) => string;

  constructor(options: WireOptions) {
    const {operations} = KINDS[options.kind];
    this.#options = options;
    this.#keyOf = keyMaker(options);
    this.#operations = operations;
    this.#create = operationOf(operations.create);
    this.#body = bodyMaker(options.kind);
  }

  /** The API key. It must be removed from answers before they are stored or shown. */
  get secret(): string {
    return this.#options.key;
  }

  /** A create, or its replay: only `autoApprove` may differ between the two. */
  create(row: JournalRow, autoApprove: boolean): TransportRequest {
    const {key, timeouts, permits} = this.#options;
    return {
      method: this.#create.method,
      path: this.#create.path,
      operation: this.#operations.create,
      permit: autoApprove ? permits?.release : permits?.create,
      headers: requestHeaders({
        key,
        hasBody: true,
        idempotencyKey: this.#keyOf({reference: row.reference, generation: row.generation}),
      }),
      body: this.#body(row, autoApprove),
      timeouts,
    };
  }

  /** The standalone approve. It takes no idempotency key: the status of the record prevents a second approval. */
  approve({outcome}: RecordedRow): TransportRequest {
    return this.#onRecord('approve', outcome.id);
  }

  /** The standalone cancel of a record that was not released. */
  cancel({outcome}: RecordedRow): TransportRequest {
    return this.#onRecord('cancel', outcome.id);
  }

  #onRecord(step: 'approve' | 'cancel', id: string): TransportRequest {
    const {key, timeouts, permits} = this.#options;
    const operation = this.#operations[step];
    const {method, path} = operationOf(operation);
    return {
      method,
      path: fillPath(path, {id}),
      operation,
      permit: permits?.[step],
      headers: requestHeaders({key, hasBody: true}),
      body: '{}',
      timeouts,
    };
  }

  get(id: string): TransportRequest {
    const {key, timeouts} = this.#options;
    return {
      method: 'GET',
      path: fillPath(operationOf(this.#operations.get).path, {id}),
      operation: this.#operations.get,
      headers: requestHeaders({key, hasBody: false}),
      timeouts,
    };
  }

  /** One page of the records of a party. */
  list(party: string, limit: number): TransportRequest {
    const {kind, key, timeouts} = this.#options;
    const query = new URLSearchParams({[KINDS[kind].party]: party, limit: String(limit)});
    return {
      method: 'GET',
      path: `${operationOf(this.#operations.list).path}?${query.toString()}`,
      operation: this.#operations.list,
      headers: requestHeaders({key, hasBody: false}),
      timeouts,
    };
  }
}

/**
 * Interface document, "Payin" and "Payout": builds the request body of a row, as canonical bytes. A field without a value
 * is left out. Every request uses this, so as much as possible is prepared in advance.
 */
function bodyMaker(kind: Kind): (row: JournalRow, autoApprove: boolean) => string {
  const fields = ROW_FIELDS.map((field, at) => {
    const wire = JSON.stringify(field.wire[kind]);
    const before = `${at === 0 ? '{' : ','}${wire}:`; // the first field always has a value
    return {name: field.name, isPlain: isPlain(field), before};
  });
  const at = fields.findIndex(({name}) => name === 'metadata');
  const beforeMetadata = must(fields[at], 'field of the metadata').before;
  const [first, later] = [fields.slice(0, at), fields.slice(at + 1)];
  const beforeReference = `${JSON.stringify(REFERENCE_METADATA_KEY)}:`;
  return (row, autoApprove) => {
    const entries = row.metadata === null ? '' : `${row.metadata.slice(1, -1)},`; // canonical JSON of an object with entries
    const metadata = `${beforeMetadata}{${entries}${beforeReference}${JSON.stringify(row.reference)}}`;
    return `${partOf(row, first)}${metadata}${partOf(row, later)},"auto_approve":${autoApprove}}`;
  };
}

/** These fields of a row in JSON, each with its name in front. */
function partOf(
  row: JournalRow,
  fields: readonly {name: FieldName; isPlain: boolean; before: string}[],
): string {
  let text = '';
  for (const {name, isPlain, before} of fields) {
    const value = row[name];
    if (value === null) continue;
    text +=
      typeof value === 'number' ? before + value : before + (isPlain ? `"${value}"` : JSON.stringify(value));
  }
  return text;
}
