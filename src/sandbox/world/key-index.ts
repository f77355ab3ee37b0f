import type {Queries} from '../../store/port.ts';
import type {NewTransfer, Transfer, TransferKind} from '../records/transfer.ts';

/** Interface document, "Idempotency on create payin and create payout"; a key is of one entity and operation (49). */
export interface KeyScope {
  entityId: string;
  kind: TransferKind;
  key: string;
}

/** Which payin or payout bears a key. `queries` are always those of the change, or read, that it is asked in. */
export interface KeyIndex {
  /** Writes a new record; false, with nothing written, where another bears its key. */
  insert(queries: Queries, transfer: NewTransfer): Promise<boolean>;
  find(queries: Queries, scope: KeyScope): Promise<Transfer | undefined>;
  /** Within a change that lets records in by another way than `insert`: gets to know their keys. */
  learn(queries: Queries): Promise<void>;
  /** Within a read, at the opening or after many records went away: knows those that are there, and no others. */
  begin(queries: Queries): Promise<void>;
}
