import type {BatchState} from '../model/batch-state.ts';
import type {Mode} from '../model/kinds.ts';
import type {Outcome} from '../model/outcome.ts';
import type {Plan} from '../model/plan-facts.ts';
import type {RunPath} from '../model/run-path.ts';
import type {Stop} from '../model/stop.ts';

/**
 * What a journal holds about the batch as a whole: JSON values by name, each declared here and nowhere else. The names and
 * formats are stored; a journal of an earlier version may lack any of them but the plan.
 */
export interface BatchFacts {
  plan: Plan;
  /** Where the batch was first run; absent until then. */
  binding: Binding;
  /** How far the last run was to go. */
  path: RunPath;
  /** How the last run ended; `running` also after it was killed. */
  state: BatchState;
  /** Why the last run stopped; null when it did not. */
  stop: Stop | null;
  /** When the service last answered; milliseconds since the epoch. */
  asOf: number;
  /** When `cancel` was begun; absent from any other batch. */
  canceling: number;
  /** Settings of the last run that the command after it depends on. */
  runFacts: RunFacts;
  /** Whether the last run found records that are too old to be replayed. */
  pastHorizon: boolean;
  /** Whether the service refused the replay of a staged row in the last run, or showed another record. */
  probeRefused: boolean;
  /** How requests were sent, oldest first; an entry is added when it differs from the last one. */
  sentWith: SentWith[];
  /** The unfinished batch that has claimed references of this one. */
  waitsFor: string | null;
  /** References that an edited file left out or corrected: the next run frees their claims. */
  dropped: string[];
  /** Rows declared as paid by the operator, by reference, each with its outcome before. */
  declared: Record<string, Outcome | null>;
  /** The profile that was typed for the last run; null when none was typed. */
  typedProfile: string | null;
  /** The confirmation in force; a resume needs no other. */
  confirmed: Confirmed;
  /** Who confirmed what, oldest first. */
  confirmations: Confirmation[];
  acknowledged: Acknowledged;
  /** Where the results were last written. */
  results: ResultFiles;
}
export type FactName = keyof BatchFacts;

/** Whether a fact is still true of the batch when an edited file makes a new revision of its plan. */
export const SURVIVES_REVISION: Readonly<Record<FactName, boolean>> = {
  plan: false, // the revision has its own
  binding: true,
  path: true,
  state: true,
  stop: false,
  asOf: true,
  canceling: true,
  runFacts: true,
  pastHorizon: false,
  probeRefused: false,
  sentWith: true,
  waitsFor: false,
  dropped: false, // the revision adds its own to those before
  declared: true,
  typedProfile: true,
  confirmed: false, // a revision is confirmed again
  confirmations: true,
  acknowledged: false,
  results: true,
};

/** What a batch belongs to once it was run: the same rows anywhere else would be other payments. */
export interface Binding {
  mode: Mode;
  baseUrl: string;
  /** Of a test key only; a live key may be rotated. */
  keyFingerprint: string | null;
  metadataField: string;
}

export interface RunFacts {
  horizonMs: number;
  approveById: boolean;
  /** Absent from the journal of an earlier version. */
  mayAcceptDifferences?: boolean;
}

export interface SentWith {
  /** Wall clock, milliseconds since the epoch. */
  at: number;
  /** Fingerprint of the API key; empty when it is not known. */
  key: string;
  /** Creates asked for approval. */
  isDirect: boolean;
}

export interface Confirmed {
  planHash: string;
  doing: string;
  at: number;
  by: string | null;
}

/** Who started a batch, when, and with which totals: the audit trail of a batch, kept across revisions. */
export interface Confirmation {
  planHash: string;
  revision: number;
  /** `pay`, `collect`, `stage`, `release`, `resume` or `retry`. */
  doing: string;
  /** False when an earlier confirmation of the same plan was enough. */
  asked: boolean;
  at: number;
  /** The user's name on the machine, as the environment has it: evidence, not proof. */
  by: string | null;
  profile: string | null;
}

/**
 * The duplicates that were acknowledged for a plan: kept with it, so that a release does not ask again for what was
 * acknowledged when it was staged. What other batches have claimed since is not among them.
 */
export interface Acknowledged {
  planHash: string;
  /** Of the plan and of other batches, as stated then. */
  duplicates: number;
  similar: number;
  at: number;
}

export interface ResultFiles {
  results: string;
  /** Null when no row failed. */
  failed: string | null;
  summary: string;
}
