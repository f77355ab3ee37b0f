import type {PathParams} from '../../contract/operations/operation.ts';
import type {OPERATIONS, OperationId} from '../../contract/operations/operations.ts';
import type {Output, SchemaName} from '../../contract/schemas/registry.ts';
import type {SandboxContext, Entity} from '../world/context.ts';

type OperationOf<Id extends OperationId> = Id extends `${infer R extends keyof typeof OPERATIONS}.${infer V}`
  ? V extends keyof (typeof OPERATIONS)[R]
    ? (typeof OPERATIONS)[R][V]
    : never
  : never;
type SchemaOf<T, Part extends 'body' | 'query'> = T extends {[K in Part]: infer N extends SchemaName}
  ? Output<N>
  : undefined;

/** One request, after everything that the contract alone can check has been checked. */
export interface HandlerCall<Id extends OperationId> {
  entity: Entity;
  /** Lower-case UUIDs. */
  params: Record<OperationOf<Id> extends {path: infer P extends string} ? PathParams<P> : never, string>;
  query: SchemaOf<OperationOf<Id>, 'query'>;
  body: SchemaOf<OperationOf<Id>, 'body'>;
  /** Only if the operation takes one; already in the right format. */
  idempotencyKey: string | undefined;
}

/** One of the operation's documented success answers. */
export interface Reply<Id extends OperationId> {
  status: OperationOf<Id> extends {ok: infer Ok} ? keyof Ok & number : never;
  /** Null if and only if the operation answers without a body. */
  body: object | null;
}

/** @throws {ServiceError} for every refusal. */
export type Handler<Id extends OperationId> = (
  call: HandlerCall<Id>,
  context: SandboxContext,
) => Promise<Reply<Id>>;

/** One handler for each operation of the contract, and no others. */
export type Handlers = {readonly [Id in OperationId]: Handler<Id>};
