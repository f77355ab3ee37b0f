import type {Queries} from '../../store/port/port.ts';
import type {NewTransfer, Transfer, TransferKind} from '../records/transfer.ts';

/**
 * Interface document, "Idempotency on create payin and create payout"; a key belongs to one entity and operation
 * (49).
 */
export interface KeyScope {
  entityId: string;
  kind: TransferKind;
  key: string;
}

/** Which payin or payout has a key. `queries` are always those of the current change or read. */
export interface KeyIndex {
  /** Writes a new record; false, with nothing written, if another one has its key. */
  insert(queries: Queries, transfer: NewTransfer): Promise<boolean>;
  find(queries: Queries, scope: KeyScope): Promise<Transfer | undefined>;
  /** Registers the keys of records that a change adds by other means than `insert`; runs within that change. */
  learn(queries: Queries): Promise<void>;
  /** Reads all keys again, at opening or after many records were deleted. */
  begin(queries: Queries): Promise<void>;
}
