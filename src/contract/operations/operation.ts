import type {SchemaName} from '../schemas/registry.ts';
import type {ServiceErrorCode} from '../error-codes.ts';
import type {Origin} from '../origin/origin.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * One operation of the service. Schemas are named, not referenced, so that this file and everything that reads routes
 * from it does not load zod (a single read never loads it). `schemas/registry.ts` holds the schemas by name.
 */
export interface Operation {
  readonly summary: string;
  readonly method: Method;
  /** Relative to the base URL; `{name}` is a UUID parameter, URL-encoded by the client. */
  readonly path: `/${string}`;
  /** Origin of method and path. */
  readonly origin: Origin;
  /** The prefix of a given path, if the document leaves it open; a profile can override it. */
  readonly prefix?: {readonly path: `/${string}`; readonly origin: Origin};
  /** Whether the operation takes the `Idempotency-Key` header. */
  readonly key?: 'optional';
  /** `cursor`: answers with a page `{data, next_cursor}` and takes cursor, limit and order. */
  readonly pages?: 'cursor';
  /** Strict schema of the query string; absent means that there is none. */
  readonly query?: SchemaName;
  /** Strict schema of the JSON body; absent means that no body is sent. */
  readonly body?: SchemaName;
  /** An empty body is the same as `{}`. */
  readonly emptyBody?: true;
  /** Success answers: status -> schema of the body, or null for none. */
  readonly ok: Readonly<Record<number, SchemaName | null>>;
  /** Error codes that the operation documents or assumes, in addition to those that all operations share. */
  readonly fails: readonly ServiceErrorCode[];
}

/** Declares an operation. It is the identity function, so that literal types (path parameters) are kept. */
export const operation = <const T extends Operation>(declared: T): T => declared;

/** The names of the `{parameters}` in a path: `/api/payouts/{id}/approve` -> `id`. */
export type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParams<Rest>
  : never;
