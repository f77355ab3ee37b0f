import type {Kind} from '../model/kinds.ts';

export interface RunSettings {
  kind: Kind;
  /** A row staged (or first sent) longer ago than this is not replayed: the service may have forgotten its key. */
  horizonMs: number;
  /** `--max-wait`: replaces all time limits. Without it, a Retry-After above 15 minutes stops the run. */
  maxWaitMs?: number | undefined;
  /** Release rows whose record differs in rail, currency or metadata. */
  acceptDifferences: boolean;
  /** Every record is read before its release, and must agree with its row in every field that it shows. */
  comparesFetched?: boolean;
  /** False if a cap of the profile forbids `acceptDifferences`. */
  mayAcceptDifferences?: boolean;
  /** Release although some rows are in doubt or in conflict. */
  releaseRest: boolean;
  /** Treat refusals as final even before the first success. */
  trustRefusals: boolean;
  /** Try again to release rows whose approval failed. */
  retryUnapproved: boolean;
  /** The profile allows the standalone approve, by id, for rows whose key is past the horizon. */
  approveById?: boolean;
  /** Number of rows in the first window, instead of the usual number. */
  windowRows?: number | undefined;
}
