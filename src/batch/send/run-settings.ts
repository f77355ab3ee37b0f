import type {Kind} from '../model/kinds.ts';

export interface RunSettings {
  kind: Kind;
  /** A row staged (or first sent) longer ago than this is not replayed: the service may have forgotten its key. */
  horizonMs: number;
  /** `--max-wait`: replaces every limit of patience. Without it a Retry-After above 15 minutes stops the run. */
  maxWaitMs?: number | undefined;
  /** Release rows whose record differs in rail, currency or metadata. */
  acceptDifferences: boolean;
  /** A cap of the profile refuses `acceptDifferences` when this is false. */
  mayAcceptDifferences?: boolean;
  /** Release although some rows are in doubt or in conflict. */
  releaseRest: boolean;
  /** Refusals are final even before the first success. */
  trustRefusals: boolean;
  /** Release rows again whose approval had failed. */
  retryUnapproved: boolean;
  /** The profile allows the standalone approve, by id, for rows whose key is past the horizon. */
  approveById?: boolean;
  /** Rows that the first window makes sendable, instead of the usual number. */
  windowRows?: number | undefined;
}
