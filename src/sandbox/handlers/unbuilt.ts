import type {OperationId} from '../../contract/operations.ts';

/** A handler that the contract asks for and nobody has written yet. */
export function unbuilt(id: OperationId): never {
  throw new Error(`${id} is not built yet`);
}
