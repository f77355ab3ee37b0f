import type {ClaimMark} from '../journal/facts.ts';
import type {FormerRecord, Entry} from './entry.ts';

/** A claim of one row. */
export interface Claim {
  reference: string;
  fingerprint: string;
  generation: number;
  party: string;
  amount: number;
  currency: string;
  /** For a row that may have been sent before: when the service may first have seen its key. */
  outcome?: {stagedAt: number | null} | undefined;
}

/** A payment by another batch. */
export interface OtherPayment {
  batch: string;
  id: string | null;
}

/** What an answer shows of the record in it. */
export interface AnsweredRecord {
  id: string;
  /** The reference of the row that was sent: its own claim may not be sorted in yet. */
  own: string;
  /** In the record, if it is not that of the row. */
  reference: string | undefined;
  /** As `contentOf`; of the row, with which the record has been compared. */
  content: string;
}

/** A row of another batch. */
export interface ClaimHolder {
  reference: string;
  batch: string;
}

/** The part of the registry that the engine needs during a run. */
export interface Claims {
  /** What the journal records with the window of the rows that were claimed last. */
  readonly mark: ClaimMark | undefined;
  /** Durable when it returns: no row of a window is sent before it is claimed. */
  claim(rows: readonly Claim[], at: number): void;
  /** Claims what is no longer claimed, for example after the registry was lost; durable when it returns. */
  keep(rows: readonly Claim[], at: number): void;
  /**
   * Whether any record of the registry has ended: in most of them none has, and no row need be looked up. Sorts in first
   * what this process has noted of such records.
   */
  hasEnded(): Promise<boolean>;
  /** The rows whose references other batches have paid, possibly with other records. */
  paidByOthers(rows: readonly Claim[]): ReadonlyMap<string, OtherPayment>;
  /** The service has known the key for longer than the claim states. Durable with the next `flush`. */
  older(row: Claim, since: number): void;
  /**
   * After a definite refusal: the reference is free again, unless it is paid. Durable with the next `flush`.
   * @param unanswered the row, if an earlier try of it was never answered
   */
  free(reference: string, unanswered?: Claim): void;
  /** The references of rows whose key was used for other content by a try that was never answered. */
  usedForOtherContent(rows: readonly Claim[]): ReadonlySet<string>;
  /** Durable with the next `flush`. */
  paid(reference: string, id: string | null): void;
  /**
   * A GET just showed that the record of this generation has failed or was canceled. Durable with the next `flush`.
   */
  ended(reference: string, id: string, generation: number): void;
  /**
   * A GET just showed this record of our own batch as `created`, or did not find it: the claim is valid, and is not a
   * payment. Durable with the next `flush`.
   */
  withdrawPaid(reference: string, id: string): void;
  /** The records of these references that had ended when they were last read, by reference. */
  formerRecords(rows: readonly Claim[]): ReadonlyMap<string, readonly FormerRecord[]>;
  /**
   * A record that had ended is a payment after all, of the batch that had made it.
   * @param content as `contentOf`; null if it is not known. Durable with the next `flush`.
   */
  found(reference: string, id: string, content: string | null): void;
  /** The claim of another batch, also if it has ended or was freed. */
  ofOther(reference: string): Entry | undefined;
  /** Whether anything was ever claimed in another namespace, mode or at another service. */
  readonly hasOtherScopes: boolean;
  /** The row of another batch, in any namespace of the same service, to which an answer belongs. */
  holderOf(answer: AnsweredRecord): ClaimHolder | undefined;
  flush(): void;
}
