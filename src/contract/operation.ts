import type {SchemaName} from './schemas/registry.ts';
import type {ServiceErrorCode} from './error-codes.ts';
import type {Origin} from './origin.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * One operation of the service. Schemas are named, not referenced, so that this file and all that reads routes
 * from it stay free of zod (a one-shot read never loads it); `schemas/registry.ts` holds them by these names.
 */
export interface Operation {
  readonly summary: string;
  readonly method: Method;
  /** Relative to the base URL; `{name}` is a UUID parameter, URL-encoded by the client. */
  readonly path: `/${string}`;
  /** Origin of method and path. */
  readonly origin: Origin;
  /** How a given path begins where the document leaves that open; a profile can override this part of it. */
  readonly prefix?: {readonly path: `/${string}`; readonly origin: Origin};
  /** Whether the operation takes the `Idempotency-Key` header. */
  readonly key?: 'optional';
  /** `cursor`: answers with a page `{data, next_cursor}` and takes cursor, limit and order. */
  readonly pages?: 'cursor';
  /** Strict schema of the query string; absent means that none is taken. */
  readonly query?: SchemaName;
  /** Strict schema of the JSON body; absent means that no body is sent. */
  readonly body?: SchemaName;
  /** A body without a single byte stands for `{}`. */
  readonly emptyBody?: true;
  /** Success answers: status -> schema of the body, or null for none. */
  readonly ok: Readonly<Record<number, SchemaName | null>>;
  /** Error codes that the operation documents or assumes, beyond those that every operation shares. */
  readonly fails: readonly ServiceErrorCode[];
}

/** Declares an operation; the identity function, so that its literal types (path parameters) are kept. */
export const operation = <const T extends Operation>(declared: T): T => declared;

/** The names of the `{parameters}` in a path: `/api/payouts/{id}/approve` -> `id`. */
export type PathParams<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParams<Rest>
  : never;
