import type {EventTypeName} from '../../contract/events.ts';
import type {Operation, PathParams} from '../../contract/operations/operation.ts';
import {OPERATIONS, type OperationId, type Resource} from '../../contract/operations/operations.ts';
import type {Input, Output, SchemaName} from '../../contract/schemas/registry.ts';
import type {ServiceRecord} from '../answers/record.ts';
import type {Listing, ListOptions} from '../reading/listing.ts';
import type {JsonFields, JsonValue, Printable} from '../../narrow.ts';

/** Creates whose record an idempotency key identifies. */
export type TransferCreation = 'payins.create' | 'payouts.create';

/** The result of every call. */
export interface Result<T> {
  /** Null if the answer has no body. The service may send unknown fields and values; they are kept unchanged. */
  data: T;
  status: number;
  requestId?: string;
  /**
   * Interface document, "Errors": the warning of a 207, which succeeded only in part. Also set if `auto_approve` was
   * requested and the record was not approved; then `isPartial` is set.
   */
  warning?: string;
  /** Less was done than requested, although the service did not answer 207; `warning` says what. */
  isPartial?: true;
  /** The record was not approved because the answer could not be compared with the request: check it first. */
  isUnchecked?: true;
  /** The headers of the answer, in lower case and redacted; only if `request` was asked for them. */
  headers?: Readonly<Record<string, string>>;
  attempts: number;
  /** The key that was sent, given or generated. */
  idempotencyKey?: string;
  /** The service already knew the key: it answered the create with 200, or the first of two requests. */
  replayed: boolean;
}

/** The result of a call, with its record and the whole answer, such as the record in an envelope. */
export type RecordResult = Result<ServiceRecord> & {answer: JsonValue};

/** What the first of the two requests of a create has shown: the record exists and is about to be approved. */
export interface CreatedBefore {
  id: string;
  status: string | null;
  attempts: number;
  replayed: boolean;
  /** The fields that are in the answer and as requested, such as `payee_id`. */
  compared: readonly string[];
}

/** An earlier request with the same idempotency key, which may have paid. */
export interface EarlierRequest {
  /** The record that it has shown. */
  recordId: string | null;
  /** A record that was created later under the same key, because the service had forgotten the key. */
  secondId: string | null;
  /** A request with `auto_approve` was sent. */
  mayBeApproved: boolean;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** @internal For an error with an unknown outcome: the command that continues from there. */
  hint?: string | undefined;
  /** @internal The record that is written, if the caller has its id; named in an error with an unknown outcome. */
  recordId?: string | undefined;
  /** Replaces the client's, 0 to 20; for a read within a wait. */
  retries?: number | undefined;
  /** Time limit for one attempt, if it is shorter than the client's. */
  totalMs?: number | undefined;
}

export interface KeyedOptions extends CallOptions {
  /** One key per intended action; generated if absent. */
  idempotencyKey?: string | undefined;
  /** @internal The key was generated for this call, so typing the command again generates another one. */
  isFreshKey?: boolean | undefined;
  /**
   * No record of another payment can have this key, although it was not generated for this call. A create with
   * `auto_approve` is then sent as one request, instead of being created, compared and released.
   */
  mayApproveAtOnce?: boolean | undefined;
  /** @internal What a caller with a memory knows about the earlier requests with this key, whose outcome it does not know. */
  earlier?: EarlierRequest | undefined;
  /** Called between the two requests of a create with `auto_approve`. */
  onCreated?: ((created: CreatedBefore) => void) | undefined;
  /** @internal The command that shows a record, for an error about one that a create has returned. */
  showCommand?: ((id: string) => string) | undefined;
}

/** The method of a request that is named by its path, in upper or lower case. */
export type RequestMethod =
  | ('GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')
  | ('get' | 'head' | 'post' | 'put' | 'patch' | 'delete');

/** Options of a request by its path. One that makes a payin or payout is sent and compared like `payouts.create`. */
export interface AnyOptions extends KeyedOptions {
  /** It is sent unchanged and its answer is shown unchanged, regardless of the service file. */
  isRaw?: boolean | undefined;
  /** Headers to send besides those of every request, by name. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** A create: an answer without a record that has an id is in doubt. */
  returnsRecord?: boolean | undefined;
  /** The result has the headers of the answer. */
  wantsHeaders?: boolean | undefined;
}

type Verbs<R extends Resource> = (typeof OPERATIONS)[R];

/** Params as text, if the operation has any; otherwise nothing. */
type Params<O> = O extends {path: infer P extends string} ? Readonly<Record<PathParams<P>, string>> : never;
type HasParams<O> = O extends {path: infer P extends string}
  ? [PathParams<P>] extends [never]
    ? false
    : true
  : never;
type ParamsArgument<O> = HasParams<O> extends true ? [params: Params<O>] : [];
type BodyArgument<O> = O extends {body: infer N extends SchemaName}
  ? N extends 'Empty'
    ? []
    : [body: Body<Input<N>>]
  : [];
type OptionsArgument<O> = O extends {key: 'optional'} ? [options?: KeyedOptions] : [options?: CallOptions];

/**
 * A body as a program writes it. One that may name its amount in one of two ways has it in at least one of them. Event
 * types are those of the contract: a later one is written `'payout.frozen' as string as EventTypeName`.
 */
type Body<T> = T extends {amount_in_minor_units?: infer Amount; amount_in_cents?: infer Amount}
  ? T & ({amount_in_minor_units: Exclude<Amount, undefined>} | {amount_in_cents: Exclude<Amount, undefined>})
  : {[K in keyof T]: K extends 'event_types' ? EventTypeName[] | Extract<T[K], undefined> : T[K]};

/**
 * An answer of this schema as it may arrive in practice: a later version of the service may send other statuses, and
 * fields that this one does not know.
 */
export type Answered<N extends SchemaName> = Opened<Output<N>>;
type Opened<T> = T extends {data: readonly (infer Item)[]}
  ? Omit<Open<T>, 'data'> & {data: (Item extends {id: string} ? Open<Item> & UnknownFields : Open<Item>)[]}
  : T extends {data: infer Record}
    ? Omit<Open<T>, 'data'> & {data: Open<Record> & UnknownFields}
    : Open<T> & UnknownFields;

/** Fields of a record that the contract does not have. */
export interface UnknownFields {
  /** The fields by name, as they arrived. Not enumerable: the fields themselves stay in the record. */
  readonly unknownFields: JsonFields;
}

type Known<T> = keyof {[K in keyof T as string extends K ? never : K]: T[K]};
/** Known fields only, and of a set of values the known ones as suggestions. */
type Open<T> = T extends string
  ? string extends T
    ? T
    : T | (string & {})
  : T extends readonly (infer Item)[]
    ? Open<Item>[]
    : T extends object
      ? [Known<T>] extends [never]
        ? T
        : {[K in keyof T as string extends K ? never : K]: Open<T[K]>}
      : T;

type AnswerOf<O> = O extends {ok: infer Ok}
  ? Ok[keyof Ok] extends infer N
    ? N extends SchemaName
      ? Answered<N>
      : null
    : never
  : never;
type ItemOf<O> = AnswerOf<O> extends {data: readonly (infer Item extends object)[]} ? Item : never;
type QueryOf<O> = O extends {query: infer N extends SchemaName} ? Omit<Input<N>, 'cursor' | 'limit'> : object;

type ListMethod<O> =
  HasParams<O> extends true
    ? (query: Params<O> & QueryOf<O>, options?: ListOptions & CallOptions) => Listing<ItemOf<O>>
    : (query?: QueryOf<O>, options?: ListOptions & CallOptions) => Listing<ItemOf<O>>;
type CallMethod<O> = (
  ...args: [...ParamsArgument<O>, ...BodyArgument<O>, ...OptionsArgument<O>]
) => Promise<Result<AnswerOf<O>>>;

/**
 * The methods of one resource, derived from its operations: `(params?, body?, options?)`; lists `(query, options?)`.
 */
export type ResourceApi<R extends Resource> = {
  readonly [V in keyof Verbs<R>]: Verbs<R>[V] extends {pages: 'cursor'}
    ? ListMethod<Verbs<R>[V]>
    : CallMethod<Verbs<R>[V]>;
};

/** The parts of a call, before it becomes a request. */
export interface CallInput {
  params?: Readonly<Record<string, string>> | undefined;
  query?: JsonFields | undefined;
  body?: Printable;
  options?: KeyedOptions | undefined;
}

/** The item type of a list operation, as a name to import. */
export type ListItem<Id extends OperationId> = Id extends `${infer R extends Resource}.${infer V}`
  ? V extends keyof Verbs<R>
    ? ItemOf<Verbs<R>[V]>
    : never
  : never;

/** What every resource method calls. */
export interface Caller {
  call(id: OperationId, input: CallInput): Promise<Result<JsonValue>>;
  list(id: OperationId, query?: JsonFields, options?: ListOptions & CallOptions): Listing<JsonValue>;
}

/** Builds the methods of one resource from its operations. */
export function resourceApi<R extends Resource>(resource: R, caller: Caller): ResourceApi<R> {
  const methods: Record<string, unknown> = {};
  const verbs: Readonly<Record<string, Operation>> = OPERATIONS[resource];
  for (const [verb, operation] of Object.entries(verbs)) {
    const id = `${resource}.${verb}` as OperationId; // Object.entries widens the literal keys to string
    if (operation.pages === 'cursor') {
      methods[verb] = (query?: JsonFields, options?: ListOptions & CallOptions) =>
        caller.list(id, query, options);
      continue;
    }
    const takesParams = operation.path.includes('{');
    const takesBody = operation.body !== undefined && operation.body !== 'Empty';
    methods[verb] = async (...args: unknown[]) => {
      const params = takesParams ? args.shift() : undefined;
      const body = takesBody ? args.shift() : undefined;
      return caller.call(id, {params, body, options: args[0]} as CallInput); // the arguments are typed by ResourceApi
    };
  }
  return methods as ResourceApi<R>; // built from the operations that the type is derived from
}
