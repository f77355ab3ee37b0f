import type {BatchState} from '../model/batch-state.ts';
import type {Mode} from '../../contract/mode.ts';
import type {Outcome} from '../model/outcome.ts';
import type {Plan} from '../model/plan-facts.ts';
import type {ClockReading} from '../model/service-clock.ts';
import type {RunPath} from '../model/run-path.ts';
import type {RunStop} from '../model/stop.ts';

/**
 * What a journal holds about the batch as a whole: JSON values by name, each declared only here. The names and
 * formats are stored. A journal of an earlier version may lack any of them except the plan.
 */
export interface BatchFacts {
  plan: Plan;
  /** Where the batch was first run; absent until then. */
  binding: Binding;
  /**
   * The settings of the service file under which the records of the batch were compared with their rows; absent if there
   * were none. A run under other settings reads the records again before it releases any.
   */
  reading: string;
  /** How far the last run was to go. */
  path: RunPath;
  /** How the last run ended; still `running` if it was killed. */
  state: BatchState;
  /** Why the last run stopped; null if it did not. */
  stop: RunStop | null;
  /** When the service last answered; milliseconds since the epoch. */
  asOf: number;
  /** When `cancel` was started; absent otherwise. */
  canceling: number;
  /** Settings of the last run that the next command depends on. */
  runFacts: RunFacts;
  /** Whether the last run found records that are too old to be replayed. */
  pastHorizon: boolean;
  /** Whether the last probe was refused or returned another record, or the service forgot a key. */
  probeRefused: boolean;
  /** Runs in a row that left rows in doubt because no answer to them had a readable record. */
  unreadableRuns: number;
  /** Why a replay cannot release the records of this batch; absent while nothing shows that it cannot. */
  releaseById: 'keys-forgotten' | 'bodies-compared';
  /** The registry that has the claims of this batch; absent from journals of an earlier version. */
  claims: ClaimMark;
  /** How requests were sent, oldest first. An entry is added when it differs from the previous one. */
  sentWith: SentWith[];
  /** How far the clock of the service was ahead, oldest first. An entry is added when that has changed. */
  serviceClock: readonly ClockReading[];
  /** The unfinished batch that has claimed references of this one. */
  waitsFor: string | null;
  /**
   * How many rows a retry does not send because another batch has their references; `batch` is the first such batch.
   * `paid`: the first rejected row whose reference was paid in another namespace, and the record of that payment; absent
   * in journals of an earlier version, or without the record if its content differs.
   */
  retryWaits: {
    batch: string;
    rows: number;
    ended: number;
    paid?: {reference: string; id: string | null} | null;
  } | null;
  /**
   * The registry may list references of accepted rows as not paid: their records were read as not approved, or were not
   * found, or only a GET has shown since that they are paid.
   */
  hasUnpaid: boolean;
  /** References that an edited file left out or corrected; the next run frees their claims. */
  dropped: string[];
  /** Rows declared as paid by the operator, by reference, each with its previous outcome; undefined once revoked. */
  declared: Record<string, Outcome | null | undefined>;
  /** Ids of earlier records that did not pay a row, as the operator stated, by reference. */
  formersUnpaid: Record<string, string[]>;
  /** The first row that the last run left because an earlier record of its reference is shown as created, and its id. */
  openFormer: {reference: string; id: string} | null;
  /** The profile that was typed for the last run, or for the plan before it was run; null if none was typed. */
  typedProfile: string | null;
  /** The folder given by `--out` for the last run; null if none was. */
  typedOut: string | null;
  /** The current confirmation; a resume needs no other. */
  confirmed: Confirmed;
  /** Who confirmed what, oldest first. */
  confirmations: RecordedConfirmation[];
  acknowledged: Acknowledged;
  /** Where the results were last written. */
  results: ResultFiles;
}
export type FactName = keyof BatchFacts;

/** Whether a fact still holds when an edited file makes a new revision of the plan. */
export const SURVIVES_REVISION: Readonly<Record<FactName, boolean>> = {
  plan: false, // the revision has its own
  binding: true,
  reading: true,
  path: true,
  state: true,
  stop: false,
  asOf: true,
  canceling: true,
  runFacts: true,
  pastHorizon: false,
  probeRefused: false,
  releaseById: true,
  claims: true,
  unreadableRuns: true,
  sentWith: true,
  serviceClock: true,
  waitsFor: false,
  retryWaits: false,
  hasUnpaid: true,
  dropped: false, // the revision adds its own to those before
  declared: true,
  formersUnpaid: true,
  openFormer: false,
  typedProfile: true,
  typedOut: true,
  confirmed: false, // a revision is confirmed again
  confirmations: true,
  acknowledged: false,
  results: true,
};

/** The last claims of a batch that its registry has. A registry with fewer, or with another id, has lost claims. */
export interface ClaimMark {
  /** The id of the registry. */
  registry: string;
  /** How many groups of claims of this journal it had written. */
  claims: number;
}

/** What a batch is bound to once it has run: elsewhere, the same rows would be other payments. */
export interface Binding {
  mode: Mode;
  baseUrl: string;
  /** Only for a test key; a live key may be rotated. */
  keyFingerprint: string | null;
  metadataField: string;
  /** Header, format and maximum length of keys, if set by a service file. Another form would be another key for the same row. */
  keyRules?: string;
  /** Where a service file gives the metadata key of the reference another name. */
  referenceKey?: string;
  /** How a service file changes the route and the fields of creates. Absent from journals of an earlier version. */
  request?: RequestForm;
  /** Headers that a service file adds, with fingerprints of their values. Absent from journals of an earlier version. */
  headers?: RequestForm;
}

/** The settings of a service file that decide how rows are sent, by key of the service file. */
export type RequestForm = Readonly<Record<string, string>>;

export interface RunFacts {
  horizonMs: number;
  approveById: boolean;
  /** Absent from journals of an earlier version. */
  mayAcceptDifferences?: boolean;
}

export interface SentWith {
  /** Wall clock, milliseconds since the epoch. */
  at: number;
  /** Fingerprint of the API key; empty if unknown. */
  key: string;
  /** Whether creates ask for approval. */
  isDirect: boolean;
}

export interface Confirmed {
  planHash: string;
  doing: string;
  at: number;
  by: string | null;
}

/** Who started a batch, when, and with which totals: the audit trail of a batch, kept across revisions. */
export interface RecordedConfirmation {
  planHash: string;
  revision: number;
  /** `pay`, `collect`, `stage`, `release`, `resume` or `retry`. */
  doing: string;
  /** False if an earlier confirmation of the same plan was sufficient. */
  asked: boolean;
  at: number;
  /** The user of the operating system: evidence, not proof. */
  by: string | null;
  profile: string | null;
}

/**
 * The duplicates acknowledged for a plan. They are stored with it, so that a release does not ask again for what was
 * acknowledged when it was staged. Claims made by other batches since then are not included.
 */
export interface Acknowledged {
  planHash: string;
  /** Counts within the plan and against other batches, as stated at that time. */
  duplicates: number;
  similar: number;
  at: number;
  /** When the plan was first acknowledged; absent from journals of an earlier version. */
  firstAt?: number;
}

export interface ResultFiles {
  results: string;
  /** Null if no row failed. */
  failed: string | null;
  summary: string;
}
